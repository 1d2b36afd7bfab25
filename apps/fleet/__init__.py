"""Clusters, failure domains, nodes, and how they are."""
