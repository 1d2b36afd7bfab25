"""Secrets that are shown once and kept as a digest.

They hold 256 bits of chance: nobody guesses one, so a plain SHA-256 keeps it as safely as a slow
hash does a password, and is found by an index.
"""

import hashlib
from dataclasses import dataclass
from typing import Final

TOKEN_PREFIX: Final = "hst_"  # noqa: S105 - what secrets begin with is none
ENROL_PREFIX: Final = "hse_"
CHANCE_BYTES: Final = 32
SHOWN_CHARACTERS: Final = 12
LENGTH_MAX: Final = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """A secret at the moment when it is made."""

    # the whole text: shown once
    text: str
    # SHA-256 of the text, in hex: kept
    digest: str
    # the first characters, by which a person knows it: kept
    shown: str


def secret_of(*, prefix: str, chance: str) -> Secret:
    """Return the secret that some chance makes."""
    text = prefix + chance
    return Secret(text=text, digest=secret_digest(text), shown=text[:SHOWN_CHARACTERS])


def secret_digest(text: str) -> str:
    """Return what a secret is looked up by."""
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()
