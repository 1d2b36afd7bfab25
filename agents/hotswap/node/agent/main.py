"""The command `hotswap agent`: from a command line to a running agent, whose parts it chooses."""

import asyncio
import os
import random
import secrets
import signal
import time
from collections.abc import Mapping
from datetime import UTC, datetime

import structlog

from hotswap.environment import REDIS_URL
from hotswap.limits import Limits
from hotswap.logs import log_as_json
from hotswap.node.agent.address_mirror import AddressMirror
from hotswap.node.agent.agent import Agent, Parts
from hotswap.node.agent.collector import Collector, Collectors
from hotswap.node.agent.credentials import mutual
from hotswap.node.agent.enrol import Identity, identify
from hotswap.node.agent.execution import Execution
from hotswap.node.agent.gpus import Gpus
from hotswap.node.agent.host_signals import HostCollector
from hotswap.node.agent.hosted_jobs import HostedJobs
from hotswap.node.agent.inventory import take_inventory
from hotswap.node.agent.journal import Journal
from hotswap.node.agent.limits import AgentLimits
from hotswap.node.agent.outbox import Outbox
from hotswap.node.agent.plane_client import HttpPlaneClient
from hotswap.node.agent.quarantine import QuarantineFile
from hotswap.node.agent.renewal import Renewer
from hotswap.node.agent.scenario import Scenario, read_scenario
from hotswap.node.agent.sender import Sender
from hotswap.node.agent.settings import AgentSettings
from hotswap.node.agent.simulated_signals import SimulatedCollector
from hotswap.node.agent.state_directory import StateDirectory
from hotswap.node.exit_codes import ExitCode
from hotswap.node.job_directory import jobs_directory

_log = structlog.get_logger()


def run_agent(settings: AgentSettings, *, environment: Mapping[str, str]) -> ExitCode:
    """Enrol this node where that was not done, then work until a signal ends it.

    Raises:
        AgentError: the agent can't begin; the message says why.
        EnvironmentInvalid, LimitsOutOfOrder: a ``HOTSWAP_`` variable is wrong.

    """
    log_as_json()
    limits = Limits.from_environment(
        {name: text for name, text in environment.items() if not name.startswith("HOTSWAP_AGENT_")}
    )
    agent_limits = AgentLimits.from_environment(environment)
    scenario = None if settings.scenario is None else read_scenario(settings.scenario)
    state = StateDirectory(path=settings.state.absolute())
    state.make()
    lock = state.claim()
    try:
        identity = identify(settings, state, limits=agent_limits, now=datetime.now(UTC))
        work = _work(
            state,
            identity,
            scenario=scenario,
            environment=environment,
            limits=limits,
            agent_limits=agent_limits,
        )
        asyncio.run(work)
    finally:
        os.close(lock)
    return ExitCode.DONE


async def _work(
    state: StateDirectory,
    identity: Identity,
    *,
    scenario: Scenario | None,
    environment: Mapping[str, str],
    limits: Limits,
    agent_limits: AgentLimits,
) -> None:
    """Run the agent until SIGTERM or SIGINT."""
    agent = Agent(
        _parts(
            state,
            identity,
            scenario=scenario,
            environment=environment,
            limits=limits,
            agent_limits=agent_limits,
        ),
        report_every_s=identity.report_every_s,
        limits=agent_limits,
    )
    _log.info("agent_started", node=identity.node, agent=identity.agent, plane=identity.plane)
    loop = asyncio.get_running_loop()
    task = loop.create_task(agent.run())
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, task.cancel)
    loop.add_signal_handler(signal.SIGUSR1, state.degrade_file.touch)
    loop.add_signal_handler(signal.SIGUSR2, lambda: state.degrade_file.unlink(missing_ok=True))
    try:
        await task
    except asyncio.CancelledError:
        _log.info("agent_ended", node=identity.node)


def _parts(
    state: StateDirectory,
    identity: Identity,
    *,
    scenario: Scenario | None,
    environment: Mapping[str, str],
    limits: Limits,
    agent_limits: AgentLimits,
) -> Parts:
    """Choose what the agent is made of."""
    awake = asyncio.Event()
    redis_url = environment.get(REDIS_URL)
    gpus = Gpus.find()
    journal = Journal(state.path, commands_max=agent_limits.commands_max)
    outbox = Outbox(samples_max=agent_limits.samples_max)
    quarantine = QuarantineFile(state.quarantine_file)
    jobs = HostedJobs(
        state.path,
        node=identity.node,
        limits=limits,
        agent_limits=agent_limits,
        changed=awake.set,
    )
    client = HttpPlaneClient(plane=identity.plane, context=mutual(state), limits=agent_limits)
    return Parts(
        client=client,
        renewer=Renewer(
            state,
            node=identity.node,
            client=client,
            limits=agent_limits,
            chance=random.random(),  # noqa: S311 - keeps agents apart, and nobody out
        ),
        jobs=jobs,
        journal=journal,
        outbox=outbox,
        sender=Sender(
            boot=secrets.token_hex(8),
            jobs=jobs,
            journal=journal,
            outbox=outbox,
            limits=agent_limits,
            clock=time.monotonic,
        ),
        execution=Execution(
            jobs,
            quarantine=quarantine,
            environment=environment,
            limits=limits,
            agent_limits=agent_limits,
        ),
        quarantine=quarantine,
        collector=_collector(state, gpus, scenario),
        inventory=take_inventory(gpus),
        jobs_directory=jobs_directory(environment),
        wanted=state.wanted,
        addresses=AddressMirror(redis_url) if redis_url else None,
        awake=awake,
    )


def _collector(state: StateDirectory, gpus: Gpus | None, scenario: Scenario | None) -> Collector:
    """Choose the instruments; what is simulated wins over what is measured under its name."""
    collectors: list[Collector] = [HostCollector()]
    if gpus is not None:
        collectors.append(gpus)
    if scenario is not None:
        collectors.append(SimulatedCollector(scenario, control_file=state.degrade_file))
    return Collectors(collectors)
