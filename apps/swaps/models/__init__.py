"""Rows of this app; one module per noun."""

from apps.swaps.models.controls import Brake, Hold, JobCursor, SwapLimit
from apps.swaps.models.swaps import Swap, SwapEvent

__all__ = ["Brake", "Hold", "JobCursor", "Swap", "SwapEvent", "SwapLimit"]
