"""What a rank's small state is held by: anything that can say its state and take it back."""

from typing import Any, Protocol


class Stateful(Protocol):
    """A holder of state, such as a schedule, an average of the weights, a counter of the script."""

    def state_dict(self) -> dict[str, Any]:
        """Return the state: plain values and tensors, which may be the live ones."""
        ...

    def load_state_dict(self, state_dict: dict[str, Any], /) -> object:
        """Take the state back."""
        ...


class Scheduler(Stateful, Protocol):
    """A learning-rate schedule that needs nothing but the count of its steps."""

    def step(self) -> object:
        """Set the hyperparameters of the next step."""
        ...
