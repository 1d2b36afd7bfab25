"""What can be done with swaps."""

from apps.swaps.services.takeovers import facts_arrived

# what whoever takes in reports calls
__all__ = ["facts_arrived"]
