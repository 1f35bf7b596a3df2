"""The texts that an encoder reads: one form for queries, one for papers, wherever vectors are made.

A sentence comes before the title of the paper that it stands in: what is cut off at the end matters least.
Nothing says whether a paper has an abstract but the abstract itself.
"""

from __future__ import annotations

import re

from citewhy.records import Context, Paper, Query

__all__ = ["context_text", "paper_text", "query_text"]

_MARKERS = re.compile(r"\b(?:TARGETCIT|OTHERCIT)\b")

_LONGEST = 2000
"""Characters that are looked at; more than any encoder of sentences reads."""


def query_text(query: Query) -> str:
    """A sentence with the title around it, or, for a whole paper, title and abstract."""
    if query.kind == "global":
        return _text(query.title, query.abstract)
    return _tidy(f"{_MARKERS.sub(' ', query.text)} {query.title}")


def context_text(context: Context) -> str:
    """A citing sentence without its markers: what `query_text` makes of it where no title is known."""
    return _tidy(_MARKERS.sub(" ", context.text))


def paper_text(paper: Paper) -> str:
    """Title and abstract."""
    return _text(paper.title, paper.abstract)


def _text(title: str, abstract: str) -> str:
    return _tidy(f"{title}. {abstract}" if abstract else title)


def _tidy(text: str) -> str:
    # Halves of characters, as broken files have them, are none to a tokenizer.
    whole = text[:_LONGEST].encode("utf-8", "replace").decode("utf-8")
    return " ".join(whole.split())
