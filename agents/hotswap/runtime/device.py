"""Which accelerator a process of a job uses."""

import os

import torch


def local_device() -> torch.device:
    """Return this process's accelerator, by ``LOCAL_RANK``, or the CPU where there is none."""
    if not torch.cuda.is_available():
        return torch.device("cpu")
    index = int(os.environ.get("LOCAL_RANK", "0")) % torch.cuda.device_count()
    device = torch.device("cuda", index)
    torch.cuda.set_device(device)
    return device
