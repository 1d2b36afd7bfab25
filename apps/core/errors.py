"""What a service raises: one class per decision that a caller can take.

::

    PlaneError
    ├── NotFound              404: look elsewhere; also for what the caller may not see
    ├── Forbidden             403: ask one of `who_can`
    ├── Conflict              409: look at the present state, then decide again
    │   └── TransitionRefused     `allowed` says what can be done in this state
    ├── Invalid               422: mend the request; `fields` says where
    ├── LimitReached          429: try again after `retry_after_s`
    └── Unavailable           503: try again later

Every app derives its own. ``code``, the class's name in snake case, is stable: programs compare it,
never the text. ``core.problems`` makes the answer to a request of it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar


class PlaneError(Exception):
    """The request could not be done."""

    code: ClassVar[str] = "plane_error"
    status: ClassVar[int] = 500
    title: ClassVar[str] = "The request could not be done."

    def __init_subclass__(cls) -> None:
        """Take code and title from the class's name and docstring."""
        cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        if "title" not in cls.__dict__ and cls.__doc__:
            cls.title = cls.__doc__.partition("\n")[0].strip()

    def __init__(self, detail: str = "", *, extra: Mapping[str, Any] | None = None) -> None:
        """Make an error.

        Args:
            detail: what to do next; the title if empty.
            extra: JSON values that a program needs to decide.
        """
        self.detail = detail or self.title
        self.extra = dict(extra or {})
        super().__init__(self.detail)


class NotFound(PlaneError):
    """There is no such thing, or you may not see it."""

    status = 404


class Forbidden(PlaneError):
    """You may not do this."""

    status = 403

    def __init__(self, detail: str = "", *, who_can: Iterable[str] = ()) -> None:
        """Make an error; ``who_can`` names people or roles that may."""
        self.who_can = tuple(who_can)
        super().__init__(detail, extra={"who_can": list(self.who_can)})


class Conflict(PlaneError):
    """The present state does not allow this."""

    status = 409


class TransitionRefused(Conflict):
    """This cannot be done in the present state."""

    def __init__(self, *, state: str, action: str, allowed: Sequence[str]) -> None:
        """Make an error; ``allowed`` holds the actions that the state has."""
        self.state, self.action, self.allowed = state, action, tuple(allowed)
        what = ", ".join(self.allowed) or "nothing"
        super().__init__(
            f"{action} is not possible in state {state}; possible: {what}.",
            extra={"state": state, "action": action, "allowed": list(self.allowed)},
        )


class Invalid(PlaneError):
    """The request is not valid."""

    status = 422

    def __init__(
        self, detail: str = "", *, fields: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """Make an error; ``fields`` maps names in the request to what is wrong with them."""
        self.fields = {name: list(texts) for name, texts in (fields or {}).items()}
        super().__init__(detail, extra={"fields": self.fields})


class LimitReached(PlaneError):
    """Too much at once."""

    status = 429

    def __init__(self, detail: str = "", *, retry_after_s: float | None = None) -> None:
        """Make an error; ``retry_after_s`` is unknown if None."""
        self.retry_after_s = retry_after_s
        super().__init__(detail, extra={"retry_after_s": retry_after_s})


class Unavailable(PlaneError):
    """Something that is needed for this cannot be reached."""

    status = 503
