"""``hotswap.join()``: become part of a job, protected or not."""

from __future__ import annotations

import os

import torch.distributed as dist
from torch._C._distributed_c10d import HashStore

from hotswap.environment import MemberEnvironment
from hotswap.errors import StepMisused
from hotswap.limits import Limits
from hotswap.runtime import session
from hotswap.runtime.device import local_device
from hotswap.runtime.group.process_group import BACKEND
from hotswap.runtime.member import Member
from hotswap.runtime.run import Run
from hotswap.runtime.solo import Solo

#: Seed of a job that names none.
DEFAULT_SEED = 0


def join(*, seed: int | None = None) -> Run:
    """Take this process's place in the job, and leave ``torch.distributed`` initialised.

    Under ``hotswap run`` the default group is ``backend="hotswap"`` and the run is protected; a
    standby waits here until it is given a rank. Under ``torchrun``, or plain ``python``, the
    groups are gloo or NCCL and the run is unprotected: the same steps and the same numbers.

    Args:
        seed: seed of data order and random numbers; ``hotswap run --seed`` overrides it.

    Raises:
        EnvironmentInvalid: a variable of ``hotswap run`` is missing or malformed.
        StepMisused: the process has joined already.

    """
    environment = MemberEnvironment.from_environment(os.environ)
    if environment is None:
        return _join_unprotected(DEFAULT_SEED if seed is None else seed)
    if session.current.joined:
        message = "hotswap.join() is called once: keep the run that it returned"
        raise StepMisused(message)
    if session.current.member is None:
        session.current.member = Member(environment, Limits.from_environment(os.environ))
        session.current.member.start()
    member = session.current.member
    rank = member.await_rank()
    session.current.joined = True
    dist.init_process_group(
        BACKEND, store=HashStore(), rank=rank, world_size=environment.world_size
    )
    chosen = environment.seed if environment.seed is not None else seed
    return Run(
        rank=rank,
        world_size=environment.world_size,
        device=member.device,
        seed=DEFAULT_SEED if chosen is None else chosen,
        conductor=member,
    )


def _join_unprotected(seed: int) -> Run:
    device = local_device()
    if not dist.is_initialized():
        backend = "nccl" if device.type == "cuda" else "gloo"
        if "RANK" in os.environ:
            dist.init_process_group(backend)
        else:
            dist.init_process_group(backend, store=HashStore(), rank=0, world_size=1)
    return Run(
        rank=dist.get_rank(),
        world_size=dist.get_world_size(),
        device=device,
        seed=seed,
        conductor=Solo(),
    )
