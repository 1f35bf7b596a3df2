"""Answers texts and drafts: resolves what they name, ranks, and puts named papers first."""

from __future__ import annotations

import functools
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from citewhy.answers.entries_beside import KIND, EntriesBeside
from citewhy.answers.named_first import admitted, named_first, suggest_named_first
from citewhy.answers.options import DraftOptions
from citewhy.answers.questions import DraftQuestions
from citewhy.answers.resolve import Resolver
from citewhy.answers.resolve.again import cited_again
from citewhy.answers.resolve.at_gap import named_at_gap
from citewhy.answers.resolve.in_question import NamedInText, named_in_text
from citewhy.base.progress import Progress, silent
from citewhy.base.records import (
    Advice,
    Manuscript,
    Only,
    Paper,
    Place,
    Query,
    Reason,
    Reference,
    Resolution,
    Suggestion,
    Unit,
    UnitAnswer,
)
from citewhy.drafts.edit.bibliography_file import new_key
from citewhy.ranking.explain.reasons import with_lines
from citewhy.ranking.recommender import Recommender
from citewhy.ranking.sets.several import wants_several
from citewhy.search.index import Index

_IN_ORDER = (Reason("order", "in the order of the ranking"),)

Suggested = TypeVar("Suggested", UnitAnswer, Advice)

if TYPE_CHECKING:
    from citewhy.answers.missing import MissingWorks


def answer_text(
    recommender: Recommender, query: Query, text: str, k: int, threshold: float | None = None
) -> tuple[list[Suggestion], NamedInText]:
    """The best `k` papers for `query`, which is made of the raw `text`, whose citations are masked there; and
    what the text names. As in a draft, papers that a sentence names come first."""
    if not text:
        return recommender.suggest(query, k, threshold=threshold), NamedInText()
    named = named_in_text(Resolver(recommender.library, recommender.index), text)
    if query.kind != "local":
        return recommender.suggest(query, k, threshold=threshold), named
    resolutions = (
        resolution for resolution in admitted(recommender, query, named.resolved) if resolution.paper_ids
    )
    unanswered = UnitAnswer(Unit("place", Place("", 0, 0, 1)), resolutions=tuple(resolutions))
    return suggest_named_first(recommender, query, unanswered, k, threshold), named


def without_probabilities(suggestions: Iterable[Suggestion]) -> Iterator[Suggestion]:
    """The suggestions without their probabilities, as of a pipeline that gives none."""
    return (replace(suggestion, probability=None) for suggestion in suggestions)


def uncalibrated(answers: Iterable[Suggested]) -> Iterator[Suggested]:
    """The answers, with suggestions without probabilities."""
    return (
        replace(answer, suggestions=tuple(without_probabilities(answer.suggestions))) for answer in answers
    )


class DraftAnswering:
    """Answers the units of one draft from one state of a library. Its questions, the papers of its
    bibliography and the keys of suggested papers are kept from one answer to the next."""

    def __init__(
        self,
        recommender: Recommender,
        manuscript: Manuscript,
        year: int | None = None,
        beside: Sequence[Reference] = (),
        before: DraftAnswering | None = None,
    ) -> None:
        """`year` None: the year of the draft, if it has one, otherwise no limit. `beside` are entries of
        bibliographies that the draft does not name (`EntriesBeside`). `before` answered the draft when it was
        read last: if bibliography and library are the same, so are the papers."""
        self._recommender = recommender
        known = None
        if before is not None and before._recommender is recommender and not manuscript.unread:
            same = before._questions.manuscript.references is manuscript.references
            known = before._questions if same else None
        self._questions: DraftQuestions = DraftQuestions.of(
            recommender.library, manuscript, year, recommender.index, known
        )
        self._resolver = Resolver(recommender.library, recommender.index)
        papers = self._questions.papers
        self._beside = EntriesBeside.of(recommender.library, manuscript, beside, papers)
        self._keys = _Keys(manuscript, papers, self._beside.written)
        self._mine = set(papers.values())

    def answers(self, units: Iterable[Unit], options: DraftOptions) -> Iterator[UnitAnswer]:
        """The answers to `units` of the draft, in their order, each as soon as it is ready. Papers that
        undefined keys, notes or surnames at an open citation name come first."""
        asked = list(units)
        queries = (self.query(unit, options) for unit in asked)
        for unit, query in zip(asked, self._recommender.ahead(queries), strict=True):
            yield self._answer(unit, query, options)

    def query(self, unit: Unit, options: DraftOptions) -> Query:
        """The question that is asked for a unit."""
        return replace(self._questions.query(unit), intent=options.intent)

    @property
    def papers(self) -> Mapping[str, str]:
        """Paper id for each key of the draft's bibliography whose paper is in the library."""
        return self._questions.papers

    @property
    def index(self) -> Index:
        """The index that answers."""
        return self._recommender.index

    def kept(self, answer: UnitAnswer, unit: Unit, before: Query, now: Query) -> UnitAnswer:
        """An earlier answer to the same question, at the place where `unit` has it now, with the keys by
        which the draft would cite its papers now, and the lines of its citations: those of the query `before`
        stand where the query `now` has them."""
        old, new = ((one.draft.citations if one.draft else ()) for one in (before, now))
        suggestions = []
        for one in answer.suggestions:
            if one.reasons[0].kind != KIND:
                one = self._keys.with_key(one)
            reasons = tuple(
                with_lines(reason, old, new) if reason.kind in ("own-citation", "together") else reason
                for reason in one.reasons
            )
            suggestions.append(replace(one, reasons=reasons))
        return replace(answer, unit=unit, suggestions=tuple(suggestions))

    def missing(self, most: int | None = None, only: Only | None = None) -> MissingWorks:
        """The works that the draft does not cite and should consider, at most `most` (None: as many as a
        person would want to read), `only` those that its bibliography has, or others."""
        from citewhy.answers.missing import MOST, missing_works  # with the audit, which answers do without

        def admits(paper: Paper) -> bool:
            return only is None or (paper.id in self._mine) == (only == "mine")

        most = MOST if most is None else most
        return missing_works(self._recommender, self._questions, most, admits, self._keys.with_key)

    def answers_like(self, other: DraftAnswering) -> bool:
        """Whether `other` answers from the same state of the library, with the same models."""
        return self._recommender is other._recommender

    def prepare(self, progress: Progress = silent) -> None:
        """Computes what all answers share, so that the first is as fast as the others: the vectors of the
        draft's other citations, and what opens with the first question."""
        self._recommender.remember(
            [citation.text for citation in self._questions.citations.citations], progress
        )
        places = (
            Unit("place", marker.place, marker, sentence, paragraph)
            for paragraph in self._questions.manuscript.paragraphs
            for sentence in paragraph.sentences
            for marker in sentence.markers
        )
        if (first := next(places, None)) is not None:
            self.order(first, 1)

    def order(self, unit: Unit, k: int) -> list[Suggestion]:
        """The best `k` papers for a unit in their order alone, without reasons and passages, which take
        longest: each with the key that the draft would cite it by."""
        # Who writes now may cite what appeared after the year that the draft states.
        ranked = self._recommender.rank(replace(self._questions.query(unit), year=None), k)
        entries = self._own_entries
        papers = self._recommender.library.papers([name for name in ranked.ids if name not in entries])
        suggestions = []
        for one in ranked:
            if (found := entries.get(one.paper_id) or papers.get(one.paper_id)) is not None:
                paper, key = self._keys.of(found)
                there = self._keys.defines(key)
                suggestions.append(
                    Suggestion(
                        paper,
                        one.score,
                        _IN_ORDER,
                        probability=one.probability,
                        key=key,
                        in_bibliography=there,
                    )
                )
        return suggestions

    @functools.cached_property
    def _own_entries(self) -> Mapping[str, Paper]:
        """The papers of the draft's bibliography as it describes them, by paper id."""
        ids = self._questions.papers
        return {
            ids[reference.key]: replace(reference.paper, id=ids[reference.key])
            for reference in self._questions.manuscript.references
            if reference.key in ids
        }

    def _of_key(self, key: str) -> Resolution:
        """Which papers an undefined key may mean: of several that fit equally, the one of the draft's own
        bibliography, if it has one."""
        return self._own_first(self._beside.resolution(key) or self._resolver.resolve(key))

    def _own_first(self, resolution: Resolution) -> Resolution:
        mine = tuple(paper_id for paper_id in resolution.paper_ids if paper_id in self._mine)
        return replace(resolution, paper_ids=mine) if len(mine) == 1 else resolution

    def look_up(self, text: str, k: int) -> list[Suggestion]:
        """The best `k` papers that a text names, and those with its words, with the keys that the draft would
        cite them by (`Resolver.find`)."""
        reason = Reason("looked-up", f"looked up by “{text}”")
        papers = self._resolver.find(text, k).papers
        return [self._keys.with_key(Suggestion(paper, 0.0, (reason,))) for paper in papers[:k]]

    def with_key(self, key: str) -> Suggestion | None:
        """The paper of a key: an entry of the draft's bibliography, or of one beside it, or else the paper of
        the library that the key names for certain."""
        reason = Reason("key", f"you gave the key “{key}”", 1.0)
        for reference in self._questions.manuscript.references:
            if reference.key == key:
                paper = replace(reference.paper, id=self._questions.papers.get(key, key))
                return Suggestion(paper, 0.0, (reason,), key=key, in_bibliography=True)
        if entry := self._beside.lacking([key]).get(key):
            return replace(entry, for_key="")
        named = self._beside.resolution(key) or self._resolver.resolve(key)
        if not named.certain:
            return None
        (paper,) = self._recommender.library.papers(named.paper_ids).values()
        return self._keys.with_key(Suggestion(paper, 0.0, (reason,)))

    def _answer(self, unit: Unit, query: Query, options: DraftOptions) -> UnitAnswer:
        k, only, mine = options.k, options.only, self._mine
        if only == "new":
            query = replace(query, excluded_ids=(*query.excluded_ids, *mine))
        named = [self._of_key(key) for key in unit.undefined]
        again = cited_again(self._questions.manuscript, unit, self.papers)
        named = named or ([again] if again else [*map(self._own_first, _named(self._resolver, unit))])
        resolutions = admitted(self._recommender, query, named, mine if only == "mine" else None)
        several = None if unit.undefined else wants_several(query)
        answer = UnitAnswer(unit, resolutions=tuple(resolutions), several=several)
        if only == "mine":
            suggestions = named_first(answer, _of_bibliography(self._recommender, query, mine, k), k, mine)
        else:
            suggestions = suggest_named_first(self._recommender, query, answer, k, options.threshold, mine)
        suggestions = list(map(self._keys.with_key, suggestions))
        return _with_first(
            replace(answer, suggestions=tuple(suggestions)), self._beside.lacking(unit.undefined)
        )


def _of_bibliography(
    recommender: Recommender, query: Query, mine: Collection[str], k: int
) -> list[Suggestion]:
    """The best `k` papers of the draft's own bibliography, however improbable."""

    def choose(ids: Sequence[str]) -> list[str]:
        return [paper_id for paper_id in ids if paper_id in mine][:k]

    return [
        suggestion
        for suggestion in recommender.suggest(query, k, first=choose)
        if suggestion.paper.id in mine
    ]


def _named(resolver: Resolver, unit: Unit) -> list[Resolution]:
    """Returns what the note of a citation names, or the words between it and the citations beside it in its
    sentence (`named_at_gap`)."""
    if unit.marker is None or unit.sentence is None or not unit.marker.open:
        return []
    text, here = unit.sentence.text, unit.marker.offset
    others = [marker.offset for marker in unit.sentence.markers if marker != unit.marker]
    start = max((offset for offset in others if offset <= here), default=0)
    end = min((offset for offset in others if offset >= here), default=len(text))
    return named_at_gap(resolver, unit.marker.note, text[start:here], text[here:end])


def _with_first(answer: UnitAnswer, entries: Mapping[str, Suggestion]) -> UnitAnswer:
    """The answer with `entries`, by undefined key, before its other suggestions."""
    if not entries:
        return answer
    resolutions = (
        Resolution(named.text, "key", (named.text,), certain=True) if named.text in entries else named
        for named in answer.resolutions
    )
    suggestions = (*entries.values(), *answer.suggestions)
    return replace(answer, resolutions=tuple(resolutions), suggestions=suggestions)


# Keys -----------------------------------------------------------------------------------------------------


class _Keys:
    """Assigns each suggested paper a citation key: that of the draft, even if undefined there, or a new key
    that the draft does not use. A paper has the same key wherever it is suggested. What the author has
    written of a paper in other bibliographies takes the place of what the library says of it."""

    def __init__(
        self, manuscript: Manuscript, papers: Mapping[str, str], written: Mapping[str, Paper]
    ) -> None:
        """`papers` are the ids of the papers in the bibliography, by key; `written` the author's records of
        others, by paper id."""
        self._defined = {reference.key for reference in manuscript.references}
        # Of several entries of one paper, the author goes on with the one that the draft cites.
        times = Counter(key for marker in manuscript.markers for key in marker.keys)
        self._keys: dict[str, str] = {}
        for key, paper_id in sorted(papers.items(), key=lambda entry: -times[entry[0]]):
            self._keys.setdefault(paper_id, key)
        self._written = written
        self._taken = self._defined | manuscript.cited_keys
        self._lock = threading.Lock()

    def with_key(self, suggestion: Suggestion) -> Suggestion:
        paper, key = self.of(suggestion.paper, suggestion.for_key)
        return replace(suggestion, paper=paper, key=key, in_bibliography=self.defines(key))

    def of(self, paper: Paper, for_key: str = "") -> tuple[Paper, str]:
        """A paper as the author has written it, if so, and its key; a new one is `for_key`, if given."""
        identifier = paper.id
        written = self._written.get(identifier, paper)
        with self._lock:  # all answers of a draft session share the keys
            key = self._keys.get(identifier)
            if key is None:
                key = self._keys[identifier] = for_key or new_key(written, self._taken)
                self._taken.add(key)
        return written if written.id == identifier else replace(written, id=identifier), key

    def defines(self, key: str) -> bool:
        """Whether the bibliography has the key."""
        return key in self._defined
