"""The swap driver as tasks: each calls one function, and is safe to run twice."""

from __future__ import annotations

from contextlib import suppress
from uuid import UUID

from apps.core import clock
from apps.swaps.errors import SwapUnknown
from apps.swaps.services.driving import swap_advance
from apps.swaps.services.following import job_follow
from workers.base import task


@task("swap_advance")
def swap_advance_now(*, swap_id: str, **_future: object) -> None:
    """Take the steps that a swap can take; sent by whoever has decided or told something."""
    with suppress(SwapUnknown):
        swap_advance(swap_id=UUID(swap_id), now=clock.now())


@task("swap_facts")
def swap_facts(*, job_id: str, **_future: object) -> None:
    """Look through what a job has told, and go on with its swaps."""
    job_follow(job_id=UUID(job_id), now=clock.now())
