"""What the plane wanted, and what became of it: each command once, each answer for ever."""

from datetime import datetime
from pathlib import Path

import msgspec

from hotswap.node.agent.admission import Admitted, CommandRecord, Declined, admit, refused
from hotswap.node.agent.records import Records, is_key
from hotswap.wire.plane import Command, CommandResult


class Fence(msgspec.Struct, frozen=True, kw_only=True):
    """The newest decision about a job that this node has heard of."""

    fence: int


class Journal:
    """Commands by id, and the highest fence by job; both on disk.

    1. ``take`` for each command that comes; what is admitted is to be carried out, now or, after a
       restart, once more: ``unfinished`` gives those whose end is not known;
    2. ``finish`` once with the result;
    3. ``untold`` gives what the plane has to be told; ``tell`` when it has taken that in.
    """

    def __init__(self, directory: Path, *, commands_max: int) -> None:
        """Go on with what is in ``directory``; keep ``commands_max`` commands at most."""
        self._commands = Records(directory / "commands", CommandRecord)
        self._fences = Records(directory / "fences", Fence)
        self._commands_max = commands_max
        self._number = max((each.number for each in self._commands), default=0)

    def take(self, command: Command, *, now: datetime) -> Admitted | None:
        """Note a command; None: there is nothing to do but to tell its result."""
        if not is_key(command.id):
            return None  # nothing can be answered under such an id
        known = self._commands.get(command.id)
        if known is not None:
            if known.final and known.told:  # the plane asks again: tell it again
                self._commands.put(command.id, msgspec.structs.replace(known, told=False))
            return None
        highest = self._highest_fence(command.job)
        decision = admit(command, highest_fence=highest, now=now)
        if isinstance(decision, Declined):
            self._note(command, decision.result)
            return None
        if command.job is not None:
            self._fences.put(command.job, Fence(fence=max(highest, command.fence)))
        self._note(command, CommandResult(command=command.id, state="accepted"))
        return decision

    def unfinished(self) -> tuple[Command, ...]:
        """Return the commands that were admitted and have no end yet, in their order."""
        records = sorted(self._commands, key=lambda record: record.number)
        return tuple(record.command for record in records if not record.final)

    def finish(self, result: CommandResult) -> None:
        """Keep the final result of a command; the first one counts."""
        record = self._commands.get(result.command)
        if record is not None and not record.final:
            changed = msgspec.structs.replace(record, result=result, told=False)
            self._commands.put(result.command, changed)

    def untold(self) -> tuple[CommandResult, ...]:
        """Return the results that the plane has not taken in, in order of arrival."""
        records = sorted(self._commands, key=lambda record: record.number)
        return tuple(record.result for record in records if not record.told)

    def tell(self, results: tuple[CommandResult, ...]) -> None:
        """Note that the plane has taken these results in."""
        for result in results:
            record = self._commands.get(result.command)
            if record is not None and record.result == result:
                told = msgspec.structs.replace(record, told=True)
                self._commands.put(result.command, told)
        self._forget_oldest()

    def readmit(self, command: Command) -> Admitted | None:
        """Admit an unfinished command once more after a restart; None: it can't be understood."""
        deadless = msgspec.structs.replace(command, deadline=None)
        decision = admit(deadless, highest_fence=0, now=datetime.min)  # noqa: DTZ901 - not looked at
        if isinstance(decision, Admitted):
            return decision
        self.finish(refused(command, "malformed", decision.result.detail))
        return None

    def _highest_fence(self, job: str | None) -> int:
        fence = None if job is None or not is_key(job) else self._fences.get(job)
        return 0 if fence is None else fence.fence

    def _note(self, command: Command, result: CommandResult) -> None:
        self._number += 1
        record = CommandRecord(command=command, result=result, number=self._number)
        self._commands.put(command.id, record)

    def _forget_oldest(self) -> None:
        """Forget what the plane knows the end of, beyond the limit."""
        over = len(self._commands) - self._commands_max
        if over > 0:
            records = sorted(self._commands.items(), key=lambda item: item[1].number)
            done = [key for key, record in records if record.final and record.told]
            for key in done[:over]:
                self._commands.remove(key)
