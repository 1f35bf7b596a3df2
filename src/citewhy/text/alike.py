"""Texts that are nearly the same: titles of one document, sentences that were copied."""

from __future__ import annotations

from functools import lru_cache

from citewhy.text.tokens import stems

_SAME_TITLE = 0.75
"""Shared part of all stems of two titles from which they may name one document."""

_SHARED = 0.5
"""Share of the stems of the shorter of two sentences above which they are near-duplicates."""


@lru_cache(maxsize=4096)
def _bag(text: str) -> frozenset[str]:
    return frozenset(stems(text))


@lru_cache(maxsize=1024)
def title_stems(title: str) -> frozenset[str]:
    """Returns what `same_title` compares, for a caller that compares one title with many."""
    return frozenset(stems(title))


def same_title(one: frozenset[str], other: frozenset[str]) -> bool:
    """Do two titles, as `title_stems`, share three quarters of their words?

    >>> same_title(title_stems("Parsing of Trees"), title_stems("Parsing Trees"))
    True
    """
    shared = len(one & other)
    return shared > 0 and shared >= _SAME_TITLE * (len(one) + len(other) - shared)


def near_duplicates(one: str, other: str) -> bool:
    """Do two sentences share more than half of the words of the shorter one?"""
    left, right = _bag(one), _bag(other)
    return len(left & right) > _SHARED * min(len(left), len(right))
