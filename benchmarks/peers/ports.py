"""Free ports of the loopback interface."""

import socket


def free_port() -> int:
    """Return a port that nothing listens on just now."""
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as listener:
        listener.bind(("::1", 0))
        port: int = listener.getsockname()[1]
    return port
