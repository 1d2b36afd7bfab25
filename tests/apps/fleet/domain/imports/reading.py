"""Samples of what other systems print, and what is made of them."""

from pathlib import Path

from apps.fleet.domain.imports import Fleet, ReadNode, fleet_read

SAMPLES = Path(__file__).parent / "samples"


def sample(name: str) -> str:
    return (SAMPLES / name).read_text()


def read(form: str, text: str) -> Fleet:
    return fleet_read(form=form, text=text)


def by_name(fleet: Fleet) -> dict[str, ReadNode]:
    return {node.name: node for node in fleet.nodes}
