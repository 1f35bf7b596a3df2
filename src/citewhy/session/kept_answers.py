"""`KeptAnswers`: the answers to the places of a draft, kept while its text changes elsewhere.

What is asked of a place falls into two parts. Its *question* is what the author writes there: the sentence,
its paragraph and heading, what stands just before, what the place cites already, and the wishes. Its
*evidence* is what the rest of the draft and the library say: which papers the draft cites in which sections,
its bibliography, and the state of the library that answers.

While both are the same, the answer is. If only the evidence has changed, or what stands around the same
sentence, the answer is of an earlier state: it can be shown at once, and should be asked again. Where a
citation stands, in lines or in order, is not part of the evidence: a line that is written above a place
changes no answer.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from citewhy.answers.answering import DraftAnswering
from citewhy.answers.options import DraftOptions
from citewhy.base.records import Query, Unit, UnitAnswer

MOST_KEPT = 2_000
"""Answers that are kept for a draft; those that were used longest ago are forgotten first."""

_BEFORE = 300
"""Characters before the sentence, in other paragraphs, too, that the ranking looks at."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a place was asked for: its question, and the evidence for it."""

    question: Hashable
    """The sentence with what stands around it, what it cites already, and the wishes."""
    sentence: Hashable
    """The same without what stands around it."""
    evidence: Hashable
    query: Query = field(compare=False)


def asked(unit: Unit, query: Query, options: DraftOptions, state: Hashable) -> Asked:
    """What `query`, that of `unit`, asks for; `state` names the state of what answers."""
    note = "" if unit.marker is None else unit.marker.note
    sentence = (
        *(
            query.kind,
            query.text,
            query.member_ids,
            query.may_be_complete,
            query.intent,
            query.year,
            query.excluded_ids,
        ),
        *(unit.kind, unit.undefined, note, options.k, options.only, options.threshold),
    )
    draft = query.draft
    cited = frozenset(
        (paper_id, citation.section)
        for citation in (draft.citations if draft else ())
        for paper_id in citation.paper_ids
    )
    bibliography = frozenset(draft.bibliography) if draft else frozenset()
    around = query.title, query.section, query.paragraph, query.preceding[-_BEFORE:]
    return Asked(
        (sentence, around),
        sentence,
        (
            *(state, cited, bibliography, query.known_ids, query.abstract, query.authors),
            *(query.citing_id, query.copy_ids),
        ),
        query,
    )


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer that was kept."""

    answer: UnitAnswer
    current: bool
    """Whether nothing has changed of what it was made from, and it is not preliminary."""
    preliminary: bool = False
    """Whether it was made from words alone, because texts are encoded in this moment."""


class KeptAnswers:
    """The answers to the places of one draft. Thread-safe."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._answers: OrderedDict[Hashable, tuple[Asked, UnitAnswer, bool]] = OrderedDict()
        self._latest: dict[Hashable, Hashable] = {}
        """The question that was answered last for each sentence."""
        self._lock = threading.Lock()

    def get(self, what: Asked) -> tuple[Asked, UnitAnswer, bool] | None:
        """The answer to a question, or else the last one for the same sentence; what it was asked for then,
        and whether it is preliminary; None if there is none."""
        with self._lock:
            question = what.question
            if question not in self._answers:
                question = self._latest.get(what.sentence)
            known = self._answers.get(question)
            if known is not None:
                self._answers.move_to_end(question)
            return known

    def keep(self, what: Asked, answer: UnitAnswer, *, preliminary: bool = False) -> None:
        """Keeps an answer."""
        with self._lock:
            self._answers[what.question] = what, answer, preliminary
            self._answers.move_to_end(what.question)
            self._latest[what.sentence] = what.question
            while len(self._answers) > self._most:
                question, (old, *_) = self._answers.popitem(last=False)
                if self._latest.get(old.sentence) == question:
                    del self._latest[old.sentence]

    def answers(
        self,
        answering: DraftAnswering,
        units: Sequence[Unit],
        options: DraftOptions,
        state: Hashable,
        ask: Callable[[Sequence[Unit]], Iterator[UnitAnswer]],
        *,
        preliminary: bool = False,
    ) -> Iterator[Kept]:
        """The answers to `units`: those that are kept, at once, also those of earlier evidence; then what
        `ask` says of those that are new; last, of those of earlier evidence, once more. `preliminary`: what
        it says is."""
        questions = [(unit, asked(unit, answering.query(unit, options), options, state)) for unit in units]
        new: list[tuple[Unit, Asked]] = []
        earlier: list[tuple[Unit, Asked]] = []
        for unit, what in questions:
            if (known := self.get(what)) is None:
                new.append((unit, what))
                continue
            before, answer, first = known
            if not (current := before == what):
                earlier.append((unit, what))
            shown = answering.kept(answer, unit, before.query, what.query)
            yield Kept(shown, current and not first, first)
        for some in (new, earlier):
            for (_, what), answer in zip(some, ask([unit for unit, _ in some]), strict=True):
                self.keep(what, answer, preliminary=preliminary)
                yield Kept(answer, not preliminary, preliminary)
