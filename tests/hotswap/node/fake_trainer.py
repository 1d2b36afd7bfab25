"""A training script without tensors: the real protocol, over a state that is a number of steps.

Run by the launcher as its SCRIPT. How far it goes is in ``control.json`` of the job's directory:
``{"steps": 3, "finish": false}``.

Files stand in for the all-reduce of the vote, and for the links between owners and mirrors: an
owner writes how far it is, a mirror what it holds, and an owner casts no ballot for a step whose
gradients its mirrors do not hold.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from hotswap.channel.addresses import Address, known_addresses, latest_leader
from hotswap.coordinator.core import member_effects as effects
from hotswap.coordinator.core.member import MemberCore
from hotswap.coordinator.core.member_step import Effects
from hotswap.coordinator.core.member_values import Identity
from hotswap.coordinator.core.mirror import MirrorCore
from hotswap.environment import MemberEnvironment
from hotswap.limits import Limits
from hotswap.runtime.control import ControlThread
from hotswap.wire import messages
from tests.hotswap.node.fake_vote import FakeVote
from tests.hotswap.node.whole_file import write_whole

POLL_S = 0.005
DIGEST = "ab" * 32


class FakeTrainer:
    """One member. The control thread and the main thread take turns under one lock."""

    def __init__(self, environment: MemberEnvironment) -> None:
        self._directory = environment.job_directory
        self._lock = threading.RLock()
        self._left: effects.Leave | None = None
        self._links: tuple[str, ...] = ()
        self._vote = FakeVote(environment.job_directory, world_size=environment.world_size)
        self._core = MemberCore(
            identity=Identity(
                job=environment.job,
                name=environment.member,
                pid=os.getpid(),
                endpoint=messages.Endpoint(host=environment.host, store_port=1, mirror_port=1),
                wanted_rank=environment.wanted_rank,
                torch_version="none",
            )
        )
        self._control = ControlThread(
            self,
            name=environment.member,
            key=environment.job_key,
            limits=Limits.from_environment(os.environ),
        )

    # ------------------------------------------------------------ called by the control thread

    def hello(self) -> messages.Hello:
        with self._lock:
            return self._core.hello()

    def heartbeat(self) -> messages.Heartbeat:
        with self._lock:
            return self._core.heartbeat()

    def addresses(self) -> Iterable[Address]:
        return known_addresses(self._directory)

    def control_failed(self, error: Exception) -> None:
        with self._lock:
            self._left = effects.Leave(ok=False, code="control_failed", reason=str(error))

    def leader_token(self) -> int:
        leader = latest_leader(self._directory)
        return 0 if leader is None else leader.token

    def command(self, message: messages.FromCoordinator) -> None:
        with self._lock:
            self._do(self._core.on_command(message))
            if isinstance(message, messages.Verify) and message.rank in self._core.mirrors:
                self._verified(message.swap, message.rank, message.at_step, "mirror")

    # ---------------------------------------------------------------------------- main thread

    def run(self) -> int:
        """Follow the control file until the job is over for this member."""
        self._control.start()
        while True:
            steps, finish = read_control(self._directory)
            with self._lock:
                self._advance(steps)
                done = finish and self._core.running and self._core.committed >= steps
                if done:
                    finished = messages.Finished(
                        epoch=self._core.epoch, committed=self._core.committed
                    )
                    self._control.send(finished, keep=True)
                if done or self._left is not None:
                    self._control.close()
                    return self._status()
            time.sleep(POLL_S)

    def _status(self) -> int:
        """Give the exit status, and tell in the log of this member why it is no good one."""
        if self._left is None or self._left.ok:
            return 0
        print(f"left: {self._left}", file=sys.stderr)
        return 1

    def _advance(self, steps: int) -> None:
        """Do one step, on each copy and on the rank that is owned."""
        for rank, mirror in self._core.mirrors.items():
            self._follow(rank, mirror, steps)
        core = self._core
        if not core.running:
            return
        write_whole(self._progress_file(core.rank), f"{core.epoch} {core.committed}")
        if self._vote.is_open(core.epoch):
            self._take_result()
        elif core.committed < steps and self._mirrors_hold(core.committed):
            self._cast_ballot()

    def _follow(self, rank: int, mirror: MirrorCore, steps: int) -> None:
        """Bring a copy to where its owner is, and hold the gradients of the step that comes."""
        try:
            epoch, committed = map(int, self._progress_file(rank).read_text().split())
        except FileNotFoundError:
            return
        if mirror.version is None:
            mirror.describe(epoch=epoch, version=committed)
            mirror.copied(epoch=epoch, complete=True)
        if mirror.version is not None and mirror.version < committed:
            mirror.commit(epoch=epoch, step=mirror.version)
        if mirror.version is not None and mirror.version < steps:
            mirror.gradients(epoch=epoch, step=mirror.version)
        self._report(rank, mirror)

    def _cast_ballot(self) -> None:
        core = self._core
        core.gradients_acknowledged(step=core.committed, mirrors=frozenset(self._links))
        ballot = core.ballot()
        assert ballot is not None, "it runs"
        assert core.rank is not None, "and owns a rank"
        self._vote.cast(ballot, rank=core.rank)

    def _take_result(self) -> None:
        """Commit the step, if all ranks have voted."""
        result = self._vote.result()
        if result is None:
            return
        core, step = self._core, self._core.committed
        epoch, (ready, next_epoch) = core.epoch, result
        ended_s = time.monotonic()
        self._do(core.on_vote(epoch=epoch, ready=ready, next_epoch=next_epoch, ended_s=ended_s))
        if ready:
            self._report_step(step)
        self._do(core.at_boundary())

    def _report_step(self, step: int) -> None:
        core = self._core
        assert core.rank is not None, "a rank has voted"
        committed = messages.Committed(
            epoch=core.epoch,
            rank=core.rank,
            step=step,
            loss=3.0 - step / 10,
            step_s=0.25,
            samples=4,
            protected_by=self._links,
        )
        self._control.send(committed)

    # ---------------------------------------------------------------------------- what it says

    def _do(self, todo: Effects) -> None:
        """Carry out what the core asks for; most of it is nothing where there are no tensors."""
        for effect in todo:
            match effect:
                case effects.Send(message=message):
                    self._control.send(message)
                case effects.Bind(epoch=epoch, background=True):
                    self._do(self._core.bound(epoch))
                case effects.Bind(epoch=epoch) | effects.Switch(epoch=epoch):
                    self._do(self._core.resumed(epoch=epoch, at_s=time.monotonic()))
                case effects.PrepareRole(rank=rank):
                    self._do(self._core.prepared(rank))
                case effects.LinkMirrors(mirrors=mirrors):
                    self._links = tuple(line.member for line in mirrors)
                case effects.Leave():
                    self._left = effect
        for effect in todo:
            self._digest(effect)

    def _digest(self, effect: effects.MemberEffect) -> None:
        """Digest states as the core asks; that takes time, so what happened is told before."""
        match effect:
            case effects.DigestState(swap=swap, rank=rank, at_step=step):
                self._verified(swap, rank, step, "owner")
            case effects.Retire(swap=swap) if self._core.rank is not None:
                self._verified(swap, self._core.rank, self._core.committed, "owner")
            case effects.BecomeOwner(swap=swap, rank=rank, version=version) if swap:
                self._verified(swap, rank, version, "mirror")

    def _verified(self, swap: str, rank: int, step: int, kind: Literal["owner", "mirror"]) -> None:
        self._control.send(
            messages.Verified(swap=swap, rank=rank, step=step, kind=kind, digest=DIGEST)
        )

    def _report(self, rank: int, mirror: MirrorCore) -> None:
        """Say how far the copy of ``rank`` is, to the coordinator and to the rank's owner."""
        holding = mirror.holding()
        if holding is None:
            return
        file, held = self._copy_file(self._core.name, rank), str(holding.version + holding.pending)
        if not file.exists() or file.read_text() != held:
            write_whole(file, held)
            self._control.send(messages.MirrorReport(holding=holding, lag_steps=0))

    def _mirrors_hold(self, step: int) -> bool:
        """Whether each mirror of the rank that is owned holds the gradients of ``step``."""
        files = [self._copy_file(name, self._core.rank) for name in self._links]
        return all(int(file.read_text()) > step for file in files if file.exists())

    def _progress_file(self, rank: int | None) -> Path:
        return self._directory / f"progress-{rank}"

    def _copy_file(self, member: str, rank: int | None) -> Path:
        return self._directory / f"copy-{rank}-{member}"


def read_control(directory: Path) -> tuple[int, bool]:
    """Read how many steps are to be done, and whether the script ends then."""
    try:
        control = json.loads((directory / "control.json").read_text())
    except FileNotFoundError:
        return 0, False
    return int(control["steps"]), bool(control["finish"])


if __name__ == "__main__":
    found = MemberEnvironment.from_environment(os.environ)
    assert found is not None, "started by the launcher"
    sys.exit(FakeTrainer(found).run())
