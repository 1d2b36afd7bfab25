"""REST: clusters, layouts, nodes, signals, imports."""
