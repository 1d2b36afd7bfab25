"""Follows the files of the probes while a run is going on."""

from pathlib import Path

from benchmarks.peers.records import Record, parse


class ProbeFiles:
    """All that the training processes of one run have written so far."""

    def __init__(self, directory: Path) -> None:
        """Follow the probe files in ``directory``."""
        self._directory = directory
        self._offsets: dict[Path, int] = {}
        self._heads: dict[Path, str] = {}
        self.records: list[Record] = []

    def read_new(self) -> list[Record]:
        """Return what has been added since the last call; a line half written waits."""
        added: list[Record] = []
        for path in sorted(self._directory.glob("*.jsonl")):
            added.extend(self._read_file(path))
        added.sort(key=lambda record: record.monotonic_ns)
        self.records.extend(added)
        return added

    def _read_file(self, path: Path) -> list[Record]:
        """Return the new records of one file."""
        offset = self._offsets.get(path, 0)
        if path.stat().st_size == offset:
            return []
        with path.open("rb") as file:
            file.seek(offset)
            data = file.read()
        complete = data[: data.rfind(b"\n") + 1]
        self._offsets[path] = offset + len(complete)
        lines = complete.decode().splitlines()
        if not lines:
            return []
        # the first line says whose the others are
        known = path in self._heads
        head = self._heads.setdefault(path, lines[0])
        return parse([head, *lines])[1:] if known else parse(lines)
