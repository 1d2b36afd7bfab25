"""Fleets as other systems write them down, read into one form."""

from apps.fleet.domain.imports.reader import FORMATS, fleet_read
from apps.fleet.domain.imports.values import (
    TEXT_NBYTES_MAX,
    Fleet,
    FleetUnreadable,
    ReadClass,
    ReadDomain,
    ReadNode,
)

__all__ = [
    "FORMATS",
    "TEXT_NBYTES_MAX",
    "Fleet",
    "FleetUnreadable",
    "ReadClass",
    "ReadDomain",
    "ReadNode",
    "fleet_read",
]
