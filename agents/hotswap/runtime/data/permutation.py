"""A keyed permutation of 0..length-1 that needs no table: a data set of any size is shuffled.

A Feistel network permutes the numbers of ``(length - 1).bit_length()`` bits. A result outside the
range is permuted again until it falls inside ("cycle walking"), which restricts the permutation
to the range; since the network's domain is less than twice the range, two rounds of it are
enough on average.
"""

import struct
from hashlib import blake2b
from typing import Final

#: An even number. With four, neighbours in the order are correlated; from six on, they are not.
ROUNDS: Final = 8

_WORD_BITS: Final = 64
_WORD_MASK: Final = (1 << _WORD_BITS) - 1
_PERSON: Final = b"hotswap-order"


class Permutation:
    """One permutation of 0..length-1: ``permutation(position)`` is the index at that place.

    Args:
        length: how many numbers are permuted, at least 1, less than 2**63.
        key: text that selects the permutation; equal keys give equal permutations.
    """

    __slots__ = ("_high_mask", "_high_shift", "_keys", "_length", "_low_bits", "_low_mask",
                 "_low_shift")  # fmt: skip

    def __init__(self, *, length: int, key: str) -> None:
        bits = (length - 1).bit_length()
        self._length = length
        self._low_bits = (bits + 1) // 2
        high_bits = bits - self._low_bits
        self._low_mask = (1 << self._low_bits) - 1
        self._high_mask = (1 << high_bits) - 1
        # a half of b bits is hashed to the top b bits of a word: they depend on the whole input
        self._low_shift = _WORD_BITS - self._low_bits
        self._high_shift = _WORD_BITS - high_bits
        self._keys = _round_keys(key)

    def __call__(self, position: int) -> int:
        """Give the index at ``position``; both are in 0..length-1."""
        index = self._network(position)
        while index >= self._length:
            index = self._network(index)
        return index

    def _network(self, value: int) -> int:
        """Permute the numbers of the network's width."""
        high, low = value >> self._low_bits, value & self._low_mask
        for (low_factor, low_term), (high_factor, high_term) in self._keys:
            high ^= ((low * low_factor + low_term) & _WORD_MASK) >> self._high_shift
            low ^= ((high * high_factor + high_term) & _WORD_MASK) >> self._low_shift
        return high << self._low_bits | low


_RoundKey = tuple[int, int]


def _round_keys(key: str) -> tuple[tuple[_RoundKey, _RoundKey], ...]:
    """Derive factor (odd) and term of each round's hash, in pairs of rounds."""
    words: list[int] = []
    for pair in range(ROUNDS // 2):
        digest = blake2b(f"{pair}:{key}".encode(), digest_size=32, person=_PERSON).digest()
        words.extend(struct.unpack(">4Q", digest))
    return tuple(
        ((words[at] | 1, words[at + 1]), (words[at + 2] | 1, words[at + 3]))
        for at in range(0, len(words), 4)
    )
