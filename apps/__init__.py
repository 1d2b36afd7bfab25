"""What the control plane is about: one package per business noun."""
