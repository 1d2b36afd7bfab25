"""Every named wait and size of the agent.

A limit is set by the environment variable of its name, ``retry_s`` by ``HOTSWAP_AGENT_RETRY_S``.
The comment above a field is its line in ``docs/reference/agent-settings.md``. The agent also goes
by the limits of `hotswap.limits`, as its jobs do.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from hotswap.errors import EnvironmentInvalid
from hotswap.limits import parse_limit

PREFIX: Final = "HOTSWAP_AGENT_"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentLimits:
    """Named limits; durations in seconds, sizes in bytes."""

    # how long the plane may hold back its answer until there is a command; at most 10
    poll_wait_s: float = 10.0
    # connecting to the plane, and its answer beyond what it may hold back
    request_s: float = 5.0
    # first pause after a request that failed; each further one is twice as long
    retry_s: float = 0.2
    # longest pause between two requests that fail
    retry_s_max: float = 2.0
    # from something new until it is reported, so that what happens together is told together
    report_delay_s: float = 0.02
    # between two looks at processes and at the events of jobs
    look_every_s: float = 0.05
    # steps of a job are reported together, so many seconds' worth
    progress_every_s: float = 0.2
    # a job of which nothing runs here any more is watched for so long
    retire_s: float = 10.0
    # jobs that ended of which is remembered how far they were reported
    jobs_max: int = 200
    # between two looks where coordinators on other machines listen
    mirror_every_s: float = 0.1
    # between two looks for jobs that could be attached
    discover_every_s: float = 5.0
    # the node's own reports that are kept while the plane is away; beyond it, the oldest is dropped
    samples_max: int = 600
    # between two samples of the node that have waited while the plane was away, beside those of now
    catch_up_every_s: float = 1.0
    # notices of all jobs in one report
    notices_max: int = 500
    # certificates in one report
    certificates_max: int = 16
    # commands whose results are kept; beyond it, the oldest that the plane has are forgotten
    commands_max: int = 2_000
    # processes that have ended whose names are kept; beyond it, the oldest are forgotten
    ended_members_max: int = 1_000
    # a command to a job's leader that finds none is tried again for so long
    command_s: float = 30.0
    # one answer of the plane
    answer_nbytes_max: int = 4 << 20
    # share of its certificate's time after which the agent renews it
    renew_share: float = 0.66
    # share of that time by which agents do so at different moments, beyond the share before
    renew_jitter_share: float = 0.1
    # longest time between two looks whether to renew
    renew_look_s: float = 300.0
    # first pause after a renewal that failed; each further one is twice as long
    renew_retry_s: float = 60.0
    # longest pause between two renewals that fail
    renew_retry_s_max: float = 3_600.0
    # renewals in a row that fail after which each further one is logged as an error
    renew_failures_max: int = 3
    # reading all signals of the node once
    collect_s: float = 5.0

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "AgentLimits":
        """Give the defaults, overridden by the ``HOTSWAP_AGENT_`` variables in ``environment``.

        Raises:
            EnvironmentInvalid: a value is not a number above 0, or no limit has the name.

        """
        kinds = {PREFIX + field.name.upper(): field for field in fields(cls)}
        values: dict[str, Any] = {}
        for variable, text in environment.items():
            if not variable.startswith(PREFIX):
                continue
            if variable not in kinds:
                raise EnvironmentInvalid(f"{variable} is not a limit of the agent: unset it")
            field = kinds[variable]
            values[field.name] = parse_limit(variable, text, whole=field.type is int)
        return cls(**values)
