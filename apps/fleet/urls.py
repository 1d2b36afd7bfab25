"""Addresses of the fleet in the API."""

from django.urls import path

from apps.fleet.api import clusters, imports, nodes

urlpatterns = [
    path("clusters", clusters.ClusterListView.as_view(), name="clusters"),
    path("clusters/<uuid:id>/layout", clusters.LayoutView.as_view(), name="cluster-layout"),
    path("fleet/import", imports.ImportView.as_view(), name="fleet-import"),
    path("fleet/rule", clusters.RuleView.as_view(), name="fleet-rule"),
    path("nodes", nodes.NodeListView.as_view(), name="nodes"),
    path("nodes/export", nodes.NodeExportView.as_view(), name="node-export"),
    path("nodes/<uuid:id>", nodes.NodeView.as_view(), name="node"),
    path("nodes/<uuid:id>/events", nodes.NodeEventListView.as_view(), name="node-events"),
    path("nodes/<uuid:id>/signals", nodes.NodeSignalsView.as_view(), name="node-signals"),
    path("nodes/<uuid:id>/spare", nodes.NodeSpareView.as_view(), name="node-spare"),
    path("nodes/<uuid:id>/spares", nodes.NodeSparesView.as_view(), name="node-spares"),
    path("nodes/<uuid:id>/state", nodes.NodeStateView.as_view(), name="node-state"),
]
