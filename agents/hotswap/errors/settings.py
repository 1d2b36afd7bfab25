"""Errors about what a process was told at its start."""

from hotswap.errors.base import HotswapError


class EnvironmentInvalid(HotswapError):
    """A HOTSWAP_ variable is missing or malformed."""


class LimitsOutOfOrder(HotswapError):
    """One limit has to be below another, and is not."""

    def __init__(self, *, lower: tuple[str, float], upper: tuple[str, float], why: str) -> None:
        """Take the two limits, each as name and value, and what goes wrong in this order."""
        super().__init__(
            f"{lower[0]} = {lower[1]:g} has to be below {upper[0]} = {upper[1]:g}: {why}; "
            f"set HOTSWAP_{lower[0].upper()} or HOTSWAP_{upper[0].upper()}"
        )
        self.lower = lower
        self.upper = upper
