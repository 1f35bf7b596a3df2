"""One paper of a library, by its id or by what else names it; an error says what to do if it is not one."""

from __future__ import annotations

import difflib

from citewhy.answers.resolve.resolver import Resolver
from citewhy.base.errors import QueryError
from citewhy.base.records import Paper
from citewhy.papers.library.store import Library
from citewhy.search.index import Index

_SHOWN = 3
"""Number of ids that an error lists."""


def one_paper(library: Library, index: Index, text: str) -> Paper:
    """The paper with an id or alias, or else the only paper that a text names (`Resolver.resolve`). Raises
    QueryError if there is none, or more than one."""
    paper_ids = Resolver(library, index).resolve(text).paper_ids
    if len(paper_ids) > 1:
        shown = ", ".join(paper_ids[:_SHOWN]) + (", …" if len(paper_ids) > _SHOWN else "")
        raise QueryError(
            f"{text!r} fits {len(paper_ids)} papers in the library", hint=f"name one by its id: {shown}"
        )
    return paper_with_id(library, paper_ids[0] if paper_ids else text)


def paper_with_id(library: Library, paper_id: str) -> Paper:
    """The paper with an id or alias. Raises QueryError for an unknown id, with a hint of similar ids."""
    papers = library.papers([paper_id])
    if paper_id in papers:
        return papers[paper_id]
    ids = {known_id.casefold(): known_id for known_id in library.ids()}
    near = [ids[match] for match in difflib.get_close_matches(paper_id.casefold(), ids, _SHOWN)]
    raise QueryError(
        f"no paper in the library matches {paper_id!r}",
        hint=f"did you mean: {', '.join(near)}" if near else "look for it with: citewhy find",
    )
