"""A fact that holds for every reader of drafts, for tests with arbitrary text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypothesis import strategies as st

from citewhy.drafts import read

__all__ = ["check_places", "texts_of"]


def texts_of(pieces: Sequence[str]) -> st.SearchStrategy[str]:
    """One to thirty of `pieces` in any order: an empty draft is refused."""
    return st.lists(st.sampled_from(pieces), min_size=1, max_size=30).map("".join)


def check_places(path: Path, text: str) -> None:
    """`text` is read from `path`, and the places of its citations are in it."""
    path.write_bytes(text.encode())
    for paragraph in read(path).paragraphs:
        for sentence in paragraph.sentences:
            for marker in sentence.markers:
                assert 0 <= marker.place.start < marker.place.end <= len(text)
