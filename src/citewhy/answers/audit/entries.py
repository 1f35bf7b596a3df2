"""What can be seen in a reference list alone: entries of one paper, missing fields, capitals to protect."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from citewhy.answers.audit import people, titles
from citewhy.answers.audit.fields import published, venue_of
from citewhy.answers.audit.verdicts import KeyRemark, Remark
from citewhy.base.records import Manuscript, Paper, Reference
from citewhy.text.dedupe import same_paper
from citewhy.text.taken_back import without_mark
from citewhy.text.traits import start_page

_NEEDS_CONTAINER = {
    "article-journal": "journal",
    "paper-conference": "booktitle",
    "chapter": "booktitle",
}
_NEEDS_PUBLISHER = {"thesis": "school", "book": "publisher", "report": "institution"}
_PROTECTED = re.compile(r'<span class="nocase">.*?</span>')
_TAG = re.compile(r"<[^<>]{1,40}>|\$[^$]*\$")
_CAPITALS = re.compile(r"(?<![\w\\])(?:[A-Z]{2,}\w*|[a-z]+[A-Z]\w*|[A-Z]\w*[a-z][A-Z]\w*|[A-Z]+\d\w*)")
"""Acronyms and names with capitals inside."""
_ALL_CAPITALS = 0.6


def missing_fields(paper: Paper) -> list[str]:
    """The fields that entries of its type need, and it lacks, by the names of BibTeX."""
    publication = published(paper)
    kind = publication.type
    missing = []
    if not paper.title or paper.title == paper.url:
        missing.append("title")
    if (
        not paper.authors
        and not publication.editors
        and kind not in ("webpage", "software", "dataset", "legislation")
    ):
        missing.append("author")
    if paper.year is None and kind not in ("webpage", "software") and not publication.date:
        missing.append("year")
    if kind in _NEEDS_CONTAINER and not publication.container:
        missing.append(_NEEDS_CONTAINER[kind])
    if kind in _NEEDS_PUBLISHER and not publication.publisher and not paper.venue:
        missing.append(_NEEDS_PUBLISHER[kind])
    return missing


def unprotected(paper: Paper) -> list[str]:
    """The words of a title of BibTeX whose capitals a style would take away: acronyms without braces.

    >>> from citewhy.base.records import SourceEntry
    >>> unprotected(Paper("a", "BERT and mRNA", source=SourceEntry("BibTeX", "")))
    ['BERT', 'mRNA']
    """
    if paper.source is None or paper.source.format != "BibTeX":
        return []
    text = _TAG.sub(" ", _PROTECTED.sub(" ", without_mark(published(paper).title or paper.title)))
    letters = [letter for letter in text if letter.isalpha()]
    if not letters or sum(map(str.isupper, letters)) > _ALL_CAPITALS * len(letters):
        return []
    return list(dict.fromkeys(_CAPITALS.findall(text)))


def of_entry(paper: Paper) -> Iterator[Remark]:
    """Yields what is to be remarked of an entry by itself."""
    if missing := missing_fields(paper):
        yield Remark("incomplete", f"lacks {', '.join(missing)}")
    if words := unprotected(paper):
        yield Remark("case", f"styles may write {', '.join(words)} in small letters: put braces around")


def duplicates(references: Sequence[Reference]) -> dict[int, int]:
    """The earlier entry of the same paper under another key, by the place of the entry."""
    groups: dict[object, list[int]] = defaultdict(list)
    found: dict[int, int] = {}
    for place, reference in enumerate(references):
        paper = reference.paper
        names = {("title", titles.plain_words(paper.title)), ("doi", paper.doi)}
        for name in names:
            for earlier in groups[name] if name[1] else ():
                other = references[earlier].paper
                if place not in found and references[earlier].key != reference.key and _same(other, paper):
                    found[place] = earlier
        for name in names:
            groups[name].append(place)
    return found


def _same(one: Paper, other: Paper) -> bool:
    if _continued(one, other):
        return False
    if same_paper(one, other):
        return True
    agreement = people.compare(one.authors, other.authors)
    alike = titles.relation(one.title, other.title) == "equal" and titles.distinctive(one.title)
    apart = abs((one.year or 0) - (other.year or 0)) if one.year and other.year else 0
    kinds = {published(one).type, published(other).type}
    return (
        alike
        and agreement.kind == "same"
        and apart <= 1
        and not kinds & {"thesis", "book", "chapter"}
        and (not venue_of(one) or not venue_of(other) or venue_of(one) == venue_of(other))
    )


def _continued(one: Paper, other: Paper) -> bool:
    """Whether they are parts of one article in numbers of a journal: both year and first page differ."""
    pages = start_page(published(one)), start_page(published(other))
    return bool(
        one.year
        and other.year
        and one.year != other.year
        and all(pages)
        and pages[0] != pages[1]
        and not (one.doi and one.doi == other.doi)
        and venue_of(one) == venue_of(other)
    )


def keys_of(manuscript: Manuscript) -> list[KeyRemark]:
    """The keys that a draft cites without an entry, and the entries that it does not cite."""
    defined = {reference.key for reference in manuscript.references}
    cited: dict[str, KeyRemark] = {}
    for marker in manuscript.markers:
        for key in marker.keys:
            cited.setdefault(key, KeyRemark("undefined", key, marker.place))
    for key in manuscript.nocite:
        cited.setdefault(key, KeyRemark("undefined", key))
    remarks = []
    if not manuscript.unread:
        remarks += [remark for key, remark in cited.items() if key not in defined and key != "*"]
    if manuscript.bibliographies and "*" not in manuscript.nocite:
        remarks += [
            KeyRemark("unused", reference.key, reference.place)
            for reference in manuscript.references
            if reference.key not in cited
        ]
    return remarks
