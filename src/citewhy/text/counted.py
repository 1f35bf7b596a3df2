"""Numbers with their nouns and verbs, for messages."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """The number and the noun, whose plural has an ``s`` unless `plural` is given.

    >>> counted(1, "paper"), counted(2048, "paper"), counted(0, "query", "queries")
    ('1 paper', '2,048 papers', '0 queries')
    """
    return f"{count:,} {inflected(count, noun, plural)}"


def inflected(count: int, singular: str, plural: str = "") -> str:
    """The form that goes with the number, of a noun or a verb, without the number.

    >>> inflected(1, "is", "are"), inflected(3, "is", "are")
    ('is', 'are')
    """
    return singular if count == 1 else plural or f"{singular}s"
