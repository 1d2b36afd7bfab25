"""Which ranks form a group: the part of a process group that outlives an epoch."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSpec:
    """One process group of the script, the same in every epoch."""

    # name, equal on all members: the rendezvous key
    name: str
    # this process's rank in the group
    rank: int
    # global ranks of the members, in group order
    global_ranks: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of members."""
        return len(self.global_ranks)
