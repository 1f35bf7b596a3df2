"""References in ``thebibliography`` and ``.bbl`` files."""

from __future__ import annotations

import re

from citewhy.manuscript.printed_reference import parse
from citewhy.records import Paper

__all__ = ["BLOCK", "paper"]

BLOCK = "\x1e"
"""A character that represents ``\\newblock``."""

_YEAR_ALONE = re.compile(r"\(?(?:19|20)\d\d[a-z]?\)?\.?")


def paper(key: str, text: str) -> Paper:
    """The paper that a printed reference describes, best effort. If it has blocks, they delimit the title."""
    blocks = [block for part in text.split(BLOCK) if (block := " ".join(part.split()))]
    said = parse(" ".join(blocks))
    title, venue = said.title, said.venue
    # "Papineni. 2002. BLEU: …" has the year in the block where others have the title.
    parts = [block for block in blocks[1:] if not _YEAR_ALONE.fullmatch(block)]
    if parts:
        title, venue = parts[0].strip(' .,“”"'), " ".join(parts[1:]).strip(" .,")
    return Paper(key, title, authors=said.authors, year=said.year, venue=venue, doi=said.doi, url=said.url)
