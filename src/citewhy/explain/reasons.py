"""From the numbers behind a rank to reasons: each says one thing that can be looked up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from citewhy.explain.words import matched_words
from citewhy.index.local.tables import Tables
from citewhy.library.store import Library
from citewhy.records import Paper, Query, Reason
from citewhy.retrieve.lexical import Terms
from citewhy.retrieve.signals import Signals

__all__ = ["CONTRIBUTIONS", "Explainer", "quoted", "shorten"]

CONTRIBUTIONS: Mapping[str, tuple[str, ...]] = {
    "words": (
        "text",
        "text_peak",
        "text_rank",
        "title",
        "title_cover",
        "passage",
        "passage_gap",
        "new_passage",
        "feedback",
        "feedback_peak",
    ),
    "meaning": (
        "meaning",
        "meaning_gap",
        "meaning_rank",
        "new_meaning",
        "new_meaning_gap",
        "new_meaning_rank",
    ),
    "cited-as": (
        "sentence",
        "sentences",
        "sentence_meaning",
        "sentence_meaning_gap",
        "sentence_meaning_rank",
    ),
    "cocited": ("cocited", "cocited_sum", "coupled", "linked"),
    "company": ("company", "company_three", "company_rank"),
    "authors": ("own", "history"),
    "often-cited": ("citations", "mentions"),
}
"""Kind of reason → the features whose share of the score it stands for."""

_NEAREST = (3, 10, 30)
"""Places by meaning that are worth telling, where no more than one candidate in `_OF` is as near."""

_OF = 7

_ECHO = 0.5
"""Cosine from which a sentence without a word of the query is worth quoting."""

_COMPANY = 0.7
"""Cosine from which it is worth telling that a paper is close to one that the draft cites."""

_TITLE_SHOWN = 70
"""Characters of a title within a reason."""

_SENTENCE_SHOWN = 200
"""Characters of a quoted sentence."""


@dataclass(frozen=True, slots=True)
class Explainer:
    """Makes the reasons for one query."""

    library: Library
    tables: Tables
    query: Query
    signals: Signals
    rarity: Terms
    """idf of each term of the query."""

    def reasons(self, row: int, paper: Paper, shares: Mapping[str, float]) -> tuple[Reason, ...]:
        """`shares`: kind → share of the score. The weightiest first; empty where nothing speaks for it."""
        found = [
            Reason(kind, text, round(max(shares.get(kind, 0.0), 0.0), 3))
            for kind, text in self._sentences(row, paper)
        ]
        if all(reason.kind == "often-cited" for reason in found):
            # That a paper is cited often is no reason to cite it here.
            if self.signals.feedback[row] <= 0:
                return ()
            found.append(Reason("feedback", "its words are those of the papers that fit best", 0.0))
        return tuple(sorted(found, key=lambda reason: -reason.weight))

    def _sentences(self, row: int, paper: Paper) -> Iterator[tuple[str, str]]:
        if matched := matched_words(self.query, paper, self.rarity):
            yield "words", f"matches: {', '.join(matched)}"
        if near := self._near(row):
            yield "meaning", near
        if quoted := self._cited_as(row):
            yield "cited-as", f"cited elsewhere as: “{quoted}”"
        if beside := self._beside(row) or self._linked(row):
            yield "cocited", beside
        if close := self._company(row):
            yield "company", close
        if written := self._authors(row):
            yield "authors", written
        times = int(self.signals.evidence.times_cited[row])
        if times:
            yield "often-cited", f"{_count(times, 'paper')} of your library {_cite(times)} it"

    def _near(self, row: int) -> str:
        """Among how few papers it is the nearest in meaning."""
        nearest = self.signals.meaning.nearest
        for count in _NEAREST:
            # Of three papers, each is one of the nearest three.
            if row in nearest[:count] and count * _OF <= len(nearest):
                return f"one of the {count} papers that are nearest in meaning"
        return ""

    def _cited_as(self, row: int) -> str:
        """The sentence that cites the paper and comes closest to the query, cut to a readable length: by its
        words, or else in meaning."""
        evidence, echoes = self.signals.evidence, self.signals.echoes
        mine = evidence.pair_rows[self.tables.pair_cited[evidence.pair_rows] == row]
        contexts = self.tables.pair_context[mine]
        scores = self.signals.sentences.single[contexts]
        if not scores.max(initial=0.0):
            near = np.isin(echoes.sentences, contexts) & (echoes.cosines >= _ECHO)
            contexts, scores = echoes.sentences[near], echoes.cosines[near]
        if not len(contexts):
            return ""
        best = int(contexts[np.argmax(scores)])
        for _, context in self.library.numbered_contexts(numbers=[best]):
            return shorten(context.text.replace("TARGETCIT", "[…]").replace("OTHERCIT", "…"))
        return ""

    def _beside(self, row: int) -> str:
        """How many papers cite it next to the known paper that it is cited with most."""
        if self.signals.neighbours is None:
            return ""
        mine = self._citing(row)
        together = {known: len(mine & self._citing(known)) for known in self.signals.known if known != row}
        best = max(together, key=lambda known: (together[known], -known), default=-1)
        if best < 0 or not together[best]:
            return ""
        other = self.library.paper(self.tables.paper_id(best))
        count = together[best]
        return f"{_count(count, 'paper')} in your library {_cite(count)} it next to {quoted(other)}"

    def _linked(self, row: int) -> str:
        """A known paper that it cites, or that cites it."""
        for known in self.signals.known:
            for citing, cited, text in (
                (row, known, "it cites {}, which your draft cites"),
                (known, row, "{}, which your draft cites, cites it"),
            ):
                if citing != cited and citing in self._citing(cited):
                    other = self.library.paper(self.tables.paper_id(known))
                    return text.format(quoted(other))
        return ""

    def _company(self, row: int) -> str:
        """The known paper that is nearest to it in meaning."""
        others = np.array([known for known in self.signals.known if known != row])
        if not len(others):
            return ""
        vectors = self.signals.meaning.index
        cosines = vectors.scores(vectors.vectors(np.array([row]))[0], others)
        nearest = int(np.argmax(cosines))
        if cosines[nearest] < _COMPANY:
            return ""
        other = self.library.paper(self.tables.paper_id(int(others[nearest])))
        return f"close in meaning to {quoted(other)}, which your draft cites"

    def _citing(self, row: int) -> set[int]:
        received = self.tables.received_by(row)
        counted = received[self.signals.evidence.citations[received]]
        return set(self.tables.citing[counted].tolist())

    def _authors(self, row: int) -> str:
        if self.signals.own[row]:
            return "an author of your draft wrote it"
        if not self.signals.history[row]:
            return ""
        written = {int(paper) for author in self.query.authors for paper in self.tables.papers_of(author)}
        count = len(written & self._citing(row))  # two authors of one paper cited it once
        return f"authors of your draft cited it before (in {_count(count, 'paper')})"


def quoted(paper: Paper) -> str:
    """A paper's title as reasons name it."""
    return f"“{shorten(paper.title, _TITLE_SHOWN)}”"


def shorten(text: str, limit: int = _SENTENCE_SHOWN) -> str:
    """`text` in one line of at most `limit` characters, cut between words."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    return line[: limit - 1].rsplit(" ", 1)[0] + "…"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _cite(number: int) -> str:
    return "cites" if number == 1 else "cite"
