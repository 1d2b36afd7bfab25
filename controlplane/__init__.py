"""Wiring of the control plane: settings, addresses, processes. No decision lives here."""
