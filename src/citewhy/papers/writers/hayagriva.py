"""Papers as Hayagriva's YAML, the bibliographies of Typst."""

from __future__ import annotations

import json

from citewhy.base.records import Paper
from citewhy.papers.writers.venues import PublicationKind, publication_kind
from citewhy.text.person import can_invert, parts
from citewhy.text.tidy import tidy

__all__ = ["entry"]


_TYPES: dict[PublicationKind, str] = {
    "journal": "article",
    "proceedings": "article",
    "chapter": "chapter",
    "book": "book",
    "other": "misc",
}
_PARENTS: dict[PublicationKind, str] = {
    "journal": "periodical",
    "proceedings": "proceedings",
    "chapter": "anthology",
}


def entry(paper: Paper, key: str) -> str:
    """One entry, ending with a line feed. Texts are in quotation marks, so that YAML takes them as they are;
    the venue is the `parent` of the work, unless it is a publisher or an institution."""
    kind = publication_kind(paper)
    people = [_quoted(_person(author)) for author in paper.authors]
    lines = [
        f"{_quoted(key)}:",
        f"  type: {_TYPES[kind]}",
        f"  title: {_quoted(paper.title)}",
    ]
    lines += [f"  author: [{', '.join(people)}]"] if people else []
    lines += [f"  date: {paper.year}"] if paper.year is not None else []
    lines += ["  serial-number:", f"    doi: {_quoted(paper.doi)}"] if paper.doi else []
    lines += [f"  url: {_quoted(paper.url)}"] if paper.url else []
    lines += [f"  abstract: {_quoted(paper.abstract)}"] if paper.abstract else []
    if kind in _PARENTS:
        lines += ["  parent:", f"    type: {_PARENTS[kind]}", f"    title: {_quoted(paper.venue)}"]
    elif paper.venue:
        lines += [f"  {'publisher' if kind == 'book' else 'organization'}: {_quoted(paper.venue)}"]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A string of JSON, which is one of YAML, too."""
    return json.dumps(tidy(text), ensure_ascii=False)


def _person(author: str) -> str:
    """``Last, First``, with particles before the surname; a name with commas of its own as it is."""
    if not can_invert(author):
        return author
    name = parts(author)
    last = f"{name.particle} {name.family}".strip()
    return ", ".join(part for part in (last, name.given, name.suffix) if part)
