"""Opening a gloo device, and finding the port on which it listens."""

import threading

import torch.distributed as dist

from hotswap.runtime.group.sockets import listening_port, open_sockets

#: Finding a device's listening socket compares descriptors before and after: one at a time.
_DEVICE_LOCK = threading.Lock()


def listen(host: str) -> tuple[dist.ProcessGroupGloo.Device, int]:
    """Open a gloo device that listens on ``host``, and tell its port."""
    with _DEVICE_LOCK:
        before = open_sockets()
        device = dist.ProcessGroupGloo.create_device(hostname=host, lazy_init=False)
        new = {
            descriptor: inode
            for descriptor, inode in open_sockets().items()
            if before.get(descriptor) != inode
        }
    port = listening_port(new)
    assert port is not None, "a gloo device listens from its creation on"
    return device, port
