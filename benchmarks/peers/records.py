"""What the probes wrote, as values: parsing alone, no decision."""

import json
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A training process has started."""

    # time that all processes of the machine share
    monotonic_ns: int
    # process number
    pid: int
    # which of the wanted processes it is
    slot: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """A training process has worked out its part of a step, which may or may not come to count."""

    monotonic_ns: int
    pid: int
    # number of the step, from 1
    step: int
    # rank in the job
    rank: int
    # loss of this rank's samples, hexadecimal
    loss: str
    # numbers of these samples
    samples: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A training process has applied a step."""

    monotonic_ns: int
    pid: int
    step: int
    rank: int
    # number of ranks that the step is the mean of
    ranks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """A training process has done all steps."""

    monotonic_ns: int
    pid: int
    # SHA-256 of parameters and optimizer state
    digest: str


Record = Process | Computed | Commit | End
_KINDS = {"process": Process, "computed": Computed, "commit": Commit, "end": End}


def parse(lines: Iterable[str]) -> list[Record]:
    """Parse the lines of one process's file, the first of which says who it is.

    Raises:
        ValueError: the lines are not what a probe writes.

    """
    records: list[Record] = []
    pid = -1
    for line in lines:
        facts = json.loads(line)
        kind = facts.pop("kind")
        if kind not in _KINDS:
            raise ValueError(f"a probe writes no line of kind {kind!r}")
        pid = facts.setdefault("pid", pid)
        if "samples" in facts:
            facts["samples"] = tuple(facts["samples"])
        records.append(_KINDS[kind](**facts))
    return records
