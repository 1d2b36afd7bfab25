"""The root of the tree, and what several families share."""

import inspect
import re
from collections.abc import Iterable
from typing import ClassVar


class HotswapError(Exception):
    """Root of every error that this package raises on purpose."""

    code: ClassVar[str] = "hotswap_error"

    def __init__(self, message: str | None = None) -> None:
        """Take ``message``, or the class's docstring when nothing more can be said."""
        super().__init__(message or inspect.cleandoc(type(self).__doc__ or type(self).__name__))

    def __init_subclass__(cls) -> None:
        """Derive ``code`` from the class's name: ``FencedOff`` has ``fenced_off``."""
        super().__init_subclass__()
        cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


class NamesTensors(HotswapError):
    """Base of the errors that name tensors."""

    def __init__(self, message: str, *, tensors: Iterable[str]) -> None:
        """Keep the names, sorted, beside the text."""
        super().__init__(message)
        self.tensors = tuple(sorted(tensors))
