"""A heading tells what its section is for."""

from __future__ import annotations

import functools
import re

_HEADINGS = {
    "abstract": r"abstract",
    "introduction": r"introduc|motivation|background",
    "related": r"related|previous|relevant|prior work",
    "conclusion": r"conclu|summary|discussion|future",
    "results": r"experiment|result|evaluat|performance|analys|comparison|empirical|test",
    "data": r"data|corpus|corpora|resource",
    "method": r"method|model|approach|algorithm|system|feature|learn|framework|architecture|our |training"
    r"|inference|decoding|search",
    "end": r"acknow|reference|appendi",
}
_PATTERNS = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _HEADINGS.items()}
"""The first that is found decides: "experimental data" tells of results."""

KINDS = ("title", *_HEADINGS, "other")


def section_kind(heading: str, position: int) -> str:
    """One of `KINDS`, for the sentence at `position` (from 0) of a paper: the first is the title."""
    return "title" if position == 0 else _kind(heading)


@functools.lru_cache(maxsize=4096)
def _kind(heading: str) -> str:
    return next((kind for kind, pattern in _PATTERNS.items() if pattern.search(heading)), "other")
