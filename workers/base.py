"""How a task is declared. Tasks are wire messages: ids as keywords, a tolerant tail, safe twice.

A task calls one function and holds no decision. It takes keyword-only arguments and ends with
``**_future``: sender and receiver are deployed at different times.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import structlog
from celery import shared_task  # noqa: TID251 - here is where tasks are declared

if TYPE_CHECKING:
    from collections.abc import Callable

    from celery.app.task import Task

#: A task that runs for so long is interrupted, s.
TASK_S: Final = 60
#: How much later its process is killed, s.
KILL_AFTER_S: Final = 30


def task(name: str, *, task_s: int = TASK_S) -> Callable[[Callable[..., None]], Task[Any, None]]:
    """Declare the task ``workers.<name>``; its log lines carry the name and the arguments.

    Which queue it waits in is said by `controlplane.celery_settings`, whoever sends it.
    """

    def declare(function: Callable[..., None]) -> Task[Any, None]:
        @functools.wraps(function)
        def run(**arguments: Any) -> None:  # noqa: ANN401 - JSON values
            with structlog.contextvars.bound_contextvars(task=name, **arguments):
                function(**arguments)

        made: Task[Any, None] = shared_task(
            name=f"workers.{name}",
            soft_time_limit=task_s,
            time_limit=task_s + KILL_AFTER_S,
            acks_late=True,
            ignore_result=True,
        )(run)
        return made

    return declare
