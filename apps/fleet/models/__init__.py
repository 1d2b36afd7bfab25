"""Rows of this app; one module per noun."""

from apps.fleet.models.nodes import Device, Node, NodeEvent
from apps.fleet.models.places import Cluster, FailureDomain, NodeClass
from apps.fleet.models.reports import NodeReport, SignalSample

__all__ = [
    "Cluster",
    "Device",
    "FailureDomain",
    "Node",
    "NodeClass",
    "NodeEvent",
    "NodeReport",
    "SignalSample",
]
