"""Suggests papers for each unit of a draft."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from citewhy.answers.own_entries import OwnEntries, among
from citewhy.answers.questions import DraftQuestions, units_of
from citewhy.answers.resolve import Resolver
from citewhy.answers.resolve.at_gap import named_at_gap
from citewhy.answers.resolve.in_question import named_in_question
from citewhy.base.records import (
    Intent,
    Manuscript,
    Only,
    Place,
    Query,
    Reason,
    Resolution,
    Suggestion,
    Unit,
    UnitAnswer,
    UnitKind,
)
from citewhy.drafts.keys import new_key
from citewhy.ranking.recommender import Recommender

__all__ = ["advise", "advise_on", "answer"]


def answer(
    recommender: Recommender, query: Query, question: str | Query, k: int, threshold: float | None = None
) -> list[Suggestion]:
    """The best `k` papers for `query`, which is made of a raw question: its citations are masked there. As in
    a draft, papers that a sentence names come first (`named_in_question`)."""
    text = question if isinstance(question, str) else question.text
    if query.kind != "local" or not text:
        return recommender.suggest(query, k, threshold=threshold)
    found = named_in_question(Resolver(recommender.library, recommender.index), text)
    named = tuple(_admitted(recommender, query, found))
    asked = UnitAnswer(
        Unit("place", Place("", 0, 0, 1)), resolutions=tuple(each for each in named if each.paper_ids)
    )
    return _suggest(recommender, query, asked, k, threshold)


def advise(
    recommender: Recommender,
    manuscript: Manuscript,
    k: int,
    year: int | None = None,
    threshold: float | None = None,
    units: Sequence[UnitKind] = ("place",),
    only: Only | None = None,
    intent: Intent | None = None,
) -> Iterator[UnitAnswer]:
    """The best `k` papers for each of the draft's `units` (`questions.units_of`), in reading order, each as
    soon as it is ready. Papers that undefined keys, notes or surnames at an open citation name come first.

    `year` None: the year of the draft, if it has one, otherwise no limit. `threshold` as for
    `Recommender.suggest`. `only`: papers that the draft's bibliography has (``mine``), or others (``new``).
    `intent`: papers that are cited with this intent come first.
    """
    asked = units_of(manuscript, units)
    yield from advise_on(asked, recommender, manuscript, k, year, threshold, only, intent)


def advise_on(
    units: Iterable[Unit],
    recommender: Recommender,
    manuscript: Manuscript,
    k: int,
    year: int | None = None,
    threshold: float | None = None,
    only: Only | None = None,
    intent: Intent | None = None,
) -> Iterator[UnitAnswer]:
    """As `advise`, for the given units of the draft."""
    questions = DraftQuestions.of(recommender.library, manuscript, year, recommender.index)
    resolver = Resolver(recommender.library, recommender.index)
    keys = _Keys(manuscript, questions)
    entries = OwnEntries.of(manuscript, questions.papers)
    mine = set(questions.papers.values())
    asked = list(units)
    queries = (replace(questions.query(unit), intent=intent) for unit in asked)
    for unit, query in zip(asked, recommender.ahead(queries), strict=True):
        if only == "new":
            query = replace(query, excluded_ids=(*query.excluded_ids, *mine))
        named = _admitted(recommender, query, _named(resolver, unit), mine if only == "mine" else None)
        answer = UnitAnswer(unit, resolutions=tuple(named))
        if only == "mine":
            found = _named_first(answer, _of_bibliography(recommender, query, mine, k), k)
        else:
            found = _suggest(recommender, query, answer, k, threshold)
        found = list(map(keys.with_key, found))
        own = [] if only == "new" else entries.fitting(unit, query)
        yield replace(answer, suggestions=tuple(among(found, own, max(k, len(found)))))


def _of_bibliography(
    recommender: Recommender, query: Query, mine: Collection[str], k: int
) -> list[Suggestion]:
    """The best `k` papers of the draft's own bibliography, however improbable."""

    def choose(ids: Sequence[str]) -> list[str]:
        return [each for each in ids if each in mine][:k]

    return [each for each in recommender.suggest(query, k, first=choose) if each.paper.id in mine]


# Named papers first ---------------------------------------------------------------------------------------


def _named(resolver: Resolver, unit: Unit) -> list[Resolution]:
    """What the undefined keys of a citation name; or else its note, or the words between it and the citations
    beside it in its sentence (`named_at_gap`)."""
    if unit.undefined:
        return [resolver.resolve(key) for key in unit.undefined]
    if unit.marker is None or unit.sentence is None or not unit.marker.open:
        return []
    text, here = unit.sentence.text, unit.marker.offset
    others = [each.offset for each in unit.sentence.markers if each != unit.marker]
    start = max((each for each in others if each <= here), default=0)
    end = min((each for each in others if each >= here), default=len(text))
    return named_at_gap(resolver, unit.marker.note, text[start:here], text[here:end])


def _admitted(
    recommender: Recommender,
    query: Query,
    resolutions: Sequence[Resolution],
    allowed: Collection[str] | None = None,
) -> Iterator[Resolution]:
    """Yields the resolutions without the papers that may not be suggested: those that are no candidates of
    the query (`Recommender.admitted`), and those that are not `allowed` (None: all are)."""
    for resolution in resolutions:
        papers = recommender.library.papers(resolution.paper_ids)
        candidates = {paper.id for paper in recommender.admitted(query, list(papers.values()))}
        kept = tuple(
            paper_id
            for paper_id in resolution.paper_ids
            if papers[paper_id].id in candidates and (allowed is None or paper_id in allowed)
        )
        if kept == resolution.paper_ids:
            yield resolution
        else:
            yield replace(resolution, paper_ids=kept) if kept else Resolution(resolution.text)


def _suggest(
    recommender: Recommender, query: Query, answer: UnitAnswer, k: int, threshold: float | None
) -> list[Suggestion]:
    """As `Recommender.suggest`. Named papers come first: those that are named for certain, then those that
    alone fit, then several that fit equally, in the order of the ranking."""
    if not answer.resolutions:
        return recommender.suggest(query, k, threshold=threshold)
    by_paper = _by_paper(answer)
    found = recommender.suggest(query, k, first=lambda _: list(by_paper), threshold=threshold)
    there = {each.paper.id for each in found}
    papers = recommender.library.papers([each for each in by_paper if each not in there][:k])
    beyond = [
        # No candidate for its sentence, which makes it improbable unless it is named for certain.
        Suggestion(paper, 0.0, (_reason(answer, by_paper[each]),), probability=_improbable(by_paper[each]))
        for each, paper in papers.items()
    ]
    return _named_first(answer, [*found, *recommender.attach(query, beyond)], k)


def _named_first(answer: UnitAnswer, found: Sequence[Suggestion], k: int) -> list[Suggestion]:
    by_paper = _by_paper(answer)
    every = [_marked(answer, each, by_paper) for each in found]
    every.sort(key=lambda each: _strength(by_paper[each.paper.id]) if each.paper.id in by_paper else 3)
    return every[: max(k, sum(each.certain for each in answer.resolutions))]


def _by_paper(answer: UnitAnswer) -> dict[str, Resolution]:
    """The strongest resolution of each named paper."""
    found: dict[str, Resolution] = {}
    for each in sorted(answer.resolutions, key=_strength):
        for paper_id in each.paper_ids:
            found.setdefault(paper_id, each)
    return found


def _improbable(found: Resolution) -> float | None:
    return None if found.certain else 0.0


def _strength(found: Resolution) -> int:
    return 0 if found.certain else 1 if len(found.paper_ids) == 1 else 2


def _marked(answer: UnitAnswer, found: Suggestion, by_paper: Mapping[str, Resolution]) -> Suggestion:
    """The suggestion with the reason that it is named, and the undefined key that it alone fits."""
    resolution = by_paper.get(found.paper.id)
    if resolution is None:
        return found
    reasons = tuple(reason for reason in found.reasons if reason.kind != "key")
    alone = len(resolution.paper_ids) == 1 and resolution.text in answer.unit.undefined
    return replace(
        found, reasons=(_reason(answer, resolution), *reasons), for_key=resolution.text if alone else ""
    )


def _reason(answer: UnitAnswer, found: Resolution) -> Reason:
    key = found.text in answer.unit.undefined
    who = f"your undefined key “{found.text}”" if key else f"your note “{found.text}”"
    several = len(found.paper_ids)
    if several > 1:
        fits = f"fits it and {several - 1} other paper{'' if several == 2 else 's'} in your library equally"
    elif found.kind in ("id", "doi", "arxiv"):
        fits = {"id": "is its id in your library", "doi": "has its DOI", "arxiv": "has its number at arXiv"}[
            found.kind
        ]
    elif found.kind == "name":
        fits = "is a name that it introduces"
    else:
        fits = "names it" if found.certain else "fits it and no other paper in your library"
    if found.kind == "authors":
        who = f"“{found.text}” at the citation"
    elif answer.unit.marker is None:  # a typed sentence
        who = f"“{found.text}” in your text"
    return Reason("key", f"{who} {fits}", 1.0)


# Keys -----------------------------------------------------------------------------------------------------


class _Keys:
    """Assigns each suggested paper a citation key: that of the draft, even if undefined there, or a new key
    that the draft does not use. A paper has the same key wherever it is suggested."""

    def __init__(self, manuscript: Manuscript, questions: DraftQuestions) -> None:
        self._defined = {reference.key for reference in manuscript.references}
        self._keys = {paper_id: key for key, paper_id in reversed(list(questions.papers.items()))}
        self._taken = self._defined | _cited(manuscript)

    def with_key(self, suggestion: Suggestion) -> Suggestion:
        paper = suggestion.paper
        if paper.id not in self._keys:
            self._keys[paper.id] = suggestion.for_key or new_key(paper, self._taken)
            self._taken.add(self._keys[paper.id])
        key = self._keys[paper.id]
        return replace(suggestion, key=key, in_bibliography=key in self._defined)


def _cited(manuscript: Manuscript) -> set[str]:
    """All keys in the text, defined or undefined."""
    return {
        key
        for paragraph in manuscript.paragraphs
        for sentence in paragraph.sentences
        for marker in sentence.markers
        for key in marker.keys
    }
