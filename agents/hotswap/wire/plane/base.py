"""What all structs of this vocabulary have in common."""

import msgspec


class PlaneValue(msgspec.Struct, frozen=True, kw_only=True):
    """Base of everything that agent and plane say to each other."""
