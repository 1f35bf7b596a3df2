"""From a draft to questions, and from answers to an edit of the draft."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from citewhy.library.store import Library
from citewhy.manuscript.edit.fill import add_entries, fill
from citewhy.manuscript.edit.patch import Edit, Patch
from citewhy.manuscript.keys import new_key
from citewhy.manuscript.placeholders import OPEN_BRACKET
from citewhy.pipeline import Recommender
from citewhy.present.as_bibtex import entry
from citewhy.records import (
    Advice,
    DraftSentence,
    Manuscript,
    Marker,
    Paper,
    Place,
    Query,
    Reason,
    Suggestion,
)
from citewhy.text.markers import mask

__all__ = ["advise", "first_choices", "identify", "open_places", "patch", "question", "sentence_query"]

_WRITTEN = re.compile(r"\\[A-Za-z]*cite[A-Za-z]*\*?(?:\[[^\]]*\])*(?:\{[^}]*\})?|\[[^\][]*@[^\]]*\]")
"""Citations as LaTeX and Markdown write them."""

_KEY_PARTS = re.compile(r"[^\W\d_]+|\d+")


def sentence_query(text: str, year: int | None = None) -> Query:
    """The query for one sentence; citations and placeholders in it are no words."""
    return Query("local", text=mask(_WRITTEN.sub(" ", OPEN_BRACKET.sub(" TARGETCIT ", text))), year=year)


def identify(library: Library, manuscript: Manuscript) -> dict[str, str]:
    """Paper id for each key of the draft's bibliography whose paper the library has."""
    found = {reference.key: library.find(reference.paper) for reference in manuscript.references}
    return {key: paper_id for key, paper_id in found.items() if paper_id is not None}


def open_places(manuscript: Manuscript) -> Iterator[tuple[DraftSentence, Marker]]:
    """Every open citation with its sentence, in reading order."""
    for paragraph in manuscript.paragraphs:
        for sentence in paragraph.sentences:
            for marker in sentence.markers:
                if marker.open:
                    yield sentence, marker


def advise(
    recommender: Recommender,
    manuscript: Manuscript,
    k: int,
    year: int | None = None,
    threshold: float | None = None,
) -> Iterator[Advice]:
    """The best `k` papers for each open place. `year` None: the draft's own, else everything is known;
    `threshold` as for `Recommender.suggest`."""
    library = recommender.library
    papers = identify(library, manuscript)
    keys = {paper_id: key for key, paper_id in reversed(papers.items())}
    taken = {reference.key for reference in manuscript.references}
    defined = frozenset(taken)
    for sentence, marker in open_places(manuscript):
        query = question(library, manuscript, sentence, marker, papers, year)
        suggestions = _by_key(recommender, query, marker, manuscript, k, threshold)
        named = []
        for suggestion in suggestions:
            key = keys.get(suggestion.paper.id)
            if key is None:
                key = keys[suggestion.paper.id] = new_key(suggestion.paper, taken)
                taken.add(key)
            named.append(replace(suggestion, key=key))
        undefined = tuple(key for key in marker.keys if key not in defined)
        yield Advice(marker, sentence, tuple(named), undefined)


def question(
    library: Library,
    manuscript: Manuscript,
    sentence: DraftSentence,
    marker: Marker,
    papers: dict[str, str],
    year: int | None,
) -> Query:
    """The query for one place: its sentence, and what the draft cites elsewhere.

    What the same sentence cites already is no answer; what other sentences cite may be. Entries of the
    bibliography that the text does not cite are not known: one file may serve many drafts. Nor is the draft
    itself, where the library has it. Where a sentence has several citations, the words that lead to this one
    count twice.
    """
    cited = {papers[key] for key in _cited_keys(manuscript) if key in papers}
    beside = {key for other in sentence.markers for key in other.keys if key in papers}
    itself = library.find(Paper("", manuscript.title, authors=manuscript.authors, year=manuscript.year))
    text = sentence.text
    return Query(
        kind="local",
        id=f"{marker.place.file}:{marker.place.start}",
        text=" ".join([text[: marker.offset], "TARGETCIT", text[marker.offset :], _clause(sentence, marker)]),
        title=manuscript.title,
        abstract=manuscript.abstract,
        authors=manuscript.authors,
        known_ids=tuple(sorted(each for each in cited if each != itself)),
        year=year or manuscript.year,
        excluded_ids=tuple(sorted(papers[key] for key in beside)),
        citing_id=itself or "",
    )


def _cited_keys(manuscript: Manuscript) -> Iterator[str]:
    for paragraph in manuscript.paragraphs:
        for sentence in paragraph.sentences:
            for marker in sentence.markers:
                yield from marker.keys


def _clause(sentence: DraftSentence, marker: Marker) -> str:
    """The words between the citation before and this one, or after it where there are next to none; empty
    for the only citation of a sentence."""
    others = [other.offset for other in sentence.markers if other.offset != marker.offset]
    if not others:
        return ""
    before = max((offset for offset in others if offset < marker.offset), default=0)
    after = min((offset for offset in others if offset > marker.offset), default=len(sentence.text))
    leading = sentence.text[before : marker.offset]
    return leading if len(leading.split()) > 1 else sentence.text[marker.offset : after]


def _by_key(
    recommender: Recommender,
    query: Query,
    marker: Marker,
    manuscript: Manuscript,
    k: int,
    threshold: float | None,
) -> list[Suggestion]:
    """Suggestions; a paper that an undefined key of the marker names, as in ``papineni2002``, comes first."""
    defined = {reference.key for reference in manuscript.references}
    hints = [key for key in marker.keys if key not in defined]
    if not hints:
        return recommender.suggest(query, k, threshold=threshold)
    named: dict[str, str] = {}

    def choose(ids: Sequence[str]) -> list[str]:
        papers = recommender.library.papers(ids)
        named.update(
            (paper_id, key)
            for paper_id in ids
            for key in hints
            if paper_id in papers and _reads_like(key, papers[paper_id])
        )
        return list(named)[:k]

    return [
        replace(suggestion, reasons=(_key_reason(named[suggestion.paper.id]), *suggestion.reasons))
        if suggestion.paper.id in named
        else suggestion
        for suggestion in recommender.suggest(query, k, first=choose, threshold=threshold)
    ]


def _key_reason(key: str) -> Reason:
    return Reason("key", f"your key “{key}” reads like it", 1.0)


def _names_a_paper(key: str) -> bool:
    return any(part.isdigit() and len(part) in (2, 4) for part in _KEY_PARTS.findall(key))


def _reads_like(key: str, paper: Paper) -> bool:
    """Does the key hold the first author's surname and the year?"""
    if not paper.authors or paper.year is None:
        return False
    name = new_key(Paper("", "", authors=paper.authors[:1]), ())
    parts = [part.casefold() for part in _KEY_PARTS.findall(key)]
    years = {str(paper.year), f"{paper.year % 100:02d}"}
    return any(part.startswith(name) for part in parts) and not years.isdisjoint(parts)


def first_choices(found: Iterable[Advice]) -> list[tuple[Marker, tuple[Suggestion, ...]]]:
    """The first suggestion for each place that an edit can fill; no paper twice in one sentence.

    A key with a year, as in ``smith2019``, names a paper: it gives way only to one that it reads like.
    """
    chosen: list[tuple[Marker, tuple[Suggestion, ...]]] = []
    cited: set[tuple[Place, str]] = set()
    for advice in found:
        here = advice.sentence.place
        fresh = [each for each in advice.suggestions if (here, each.paper.id) not in cited]
        if any(_names_a_paper(key) for key in advice.undefined):
            fresh = [each for each in fresh if any(reason.kind == "key" for reason in each.reasons)]
        if fresh and advice.marker.slot is not None:
            chosen.append((advice.marker, (fresh[0],)))
            cited.add((here, fresh[0].paper.id))
    return chosen


def patch(manuscript: Manuscript, chosen: Iterable[tuple[Marker, Sequence[Suggestion]]]) -> Patch:
    """The edit that cites the chosen papers: keys into the markers, new entries into the bibliography."""
    defined = {reference.key for reference in manuscript.references}
    edits: list[Edit] = []
    entries: dict[str, str] = {}
    for marker, suggestions in chosen:
        edits.append(fill(manuscript, marker, [suggestion.key for suggestion in suggestions]))
        for suggestion in suggestions:
            if suggestion.key not in defined:
                entries.setdefault(
                    suggestion.key, entry(replace(suggestion.paper, abstract=""), suggestion.key)
                )
    edits.extend(add_entries(manuscript, list(entries.values())))
    return Patch(edits, manuscript.path)
