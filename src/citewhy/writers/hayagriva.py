"""Papers as Hayagriva's YAML, the bibliographies of Typst."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from citewhy.base.publication_types import type_in
from citewhy.base.records import Paper, Publication
from citewhy.text.person import can_invert, parts
from citewhy.text.tidy import tidy
from citewhy.writers.described import IN_BOOKS, PERIODICAL, date_parts, publication_of, source_text

FORMAT = "Hayagriva"
"""Its name in the registry of formats."""

_KEY = re.compile(
    r"\A[^\S\n]*(?P<key>\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'|[^\s#](?:[^\S\n]*+(?!:\s)\S)*+)[^\S\n]*+:(?=\s)"
)
_PARENTS = {"paper-conference": "proceedings", "chapter": "anthology", "article-newspaper": "newspaper"}
_BARE = re.compile(r"\d{1,9}")


def entry(paper: Paper, key: str) -> str:
    """One entry, ending with a line feed: that of the source, under the key, if it was read from Hayagriva.
    Otherwise texts are in quotation marks, so that YAML takes them as they are; what the work appeared in is
    its `parent`."""
    given = source_text(paper, FORMAT)
    if head := _KEY.match(given):
        same = head["key"].strip("\"'") == key
        return (given if same else f"{_quoted(key)}:{given[head.end() :]}").rstrip() + "\n"
    known = publication_of(paper)
    return "".join(f"{line}\n" for line in (f"{_quoted(key)}:", *_lines(paper, known)))


def _lines(paper: Paper, known: Publication) -> Iterator[str]:
    contained = known.type in (*PERIODICAL, *IN_BOOKS) and bool(known.container)
    yield f"  type: {type_in(known.type, 'hayagriva')}"
    yield f"  title: {_quoted(paper.title)}"
    yield from _people("  author", paper.authors if paper.authors != known.editors else ())
    yield from _people("  editor", () if contained else known.editors)
    dates = date_parts(known.date)
    if dates and dates[0][0] >= 0:
        year, *rest = dates[0]
        yield "  date: " + "-".join((f"{year:04d}" if rest else str(year), *(f"{part:02d}" for part in rest)))
    yield from _field("  page-range", known.pages)
    yield from _field("  edition", known.edition)
    yield from _field("  genre", known.genre)
    yield from _field("  language", known.language)
    numbers = {
        "doi": paper.doi,
        "isbn": known.isbn,
        "issn": "" if contained else known.issn,
        "pmid": known.pmid,
        "pmcid": known.pmcid,
        "arxiv": known.arxiv,
    }
    if any(numbers.values()):
        yield "  serial-number:"
        for name, value in numbers.items():
            yield from _field(f"    {name}", value)
    yield from _field("  url", paper.url)
    yield from _field("  note", known.note)
    yield from _field("  abstract", paper.abstract)
    if contained:
        yield "  parent:"
        other = "periodical" if known.type in PERIODICAL else "reference"
        yield f"    type: {_PARENTS.get(known.type, other)}"
        yield f"    title: {_quoted(known.container)}"
        yield from _people("    editor", known.editors)
        yield from _field("    volume", known.volume)
        yield from _field("    issue", known.number)
        yield from _field("    publisher", known.publisher)
        yield from _field("    location", known.place)
        return
    yield from _field("  volume", known.volume)
    yield from _field("  issue", known.number)
    organised = known.type in ("document", "thesis", "report")
    yield from _field("  organization" if organised else "  publisher", known.publisher)
    yield from _field("  location", known.place)
    if known.series or known.container:
        yield "  parent:"
        yield f"    type: {'anthology' if known.type == 'book' else 'misc'}"
        yield f"    title: {_quoted(known.series or known.container)}"


def _field(name: str, value: str) -> Iterator[str]:
    if value:
        yield f"{name}: {value if _BARE.fullmatch(value) else _quoted(value)}"


def _people(name: str, people: Iterable[str]) -> Iterator[str]:
    if written := ", ".join(_quoted(_person(person)) for person in people):
        yield f"{name}: [{written}]"


def _quoted(text: str) -> str:
    """A string of JSON, which is one of YAML, too."""
    return json.dumps(tidy(text), ensure_ascii=False)


def _person(author: str) -> str:
    """``Last, First``, with particles before the surname; a name with commas of its own as it is."""
    if not can_invert(author):
        return str(author)
    name = parts(author)
    last = f"{name.particle} {name.family}".strip()
    given = f"{name.given} {name.dropping}".strip()
    return ", ".join(part for part in (last, given, name.suffix) if part)
