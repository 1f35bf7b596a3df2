"""Reasons for a ranking, from its features: each states a single fact that can be looked up."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from citewhy.base.records import DraftCitation, Paper, Passage, Reason
from citewhy.papers.library.store import Library
from citewhy.ranking.explain.first_author import first_author_in
from citewhy.ranking.explain.words import UNTELLING, words_reason
from citewhy.ranking.rank.signals import Signals
from citewhy.search.index.arrays import Floats
from citewhy.search.retrieve.scoped import ScopedQuery
from citewhy.text.counted import counted, inflected
from citewhy.text.system_names import spellings

CONTRIBUTIONS: Mapping[str, tuple[str, ...]] = {
    "words": (
        *("text", "text_peak", "text_rank", "title", "title_cover"),
        *("passage", "passage_gap", "uncited_passage", "feedback", "feedback_peak"),
    ),
    "meaning": (
        *("cosine", "cosine_gap", "cosine_rank"),
        *("uncited_cosine", "uncited_cosine_gap", "uncited_cosine_rank"),
    ),
    "cited-as": (
        *("nearest_context", "contexts"),
        *("context_cosine", "context_cosine_gap", "context_cosine_rank"),
    ),
    "cocited": ("cocited", "cocited_sum", "coupled", "linked"),
    "near-known": ("known_cosine", "known_cosine_mean", "known_cosine_rank"),
    "authors": ("shared_author", "cited_before"),
    "often-cited": ("citations", "mentions"),
}
"""Kind of reason → the features whose contributions to the score it stands for."""

_NEAREST = {3: "very close", 10: "close", 30: "rather close"}
"""Highest rank by cosine that is worth mentioning, if at most one candidate in `_ONE_IN` is as near, and what
is said of it."""

_ONE_IN = 7

_ORIGINAL = 0.9
"""Minimum share of uses of a word with a first capital that are not older than its introduction, if it is
said to be a name."""

_QUOTED = 0.5
"""Cosine from which a citing sentence without a word of the query is quoted."""

_CLOSE = 0.7
"""Cosine from which it is mentioned that a paper is close to one that the draft cites."""

_TITLE_SHOWN = 70
"""Characters of a title in a reason."""

_SENTENCE_SHOWN = 200
"""Characters of a quoted sentence."""


@dataclass(frozen=True, slots=True)
class Explainer:
    """Makes the reasons for one query."""

    library: Library
    scoped: ScopedQuery
    signals: Signals
    idf: Mapping[str, float]
    """Inverse document frequency of each term of the query."""
    known_cosines: Mapping[int, Floats]
    """Row of each paper to explain → its cosines with the known papers of the query."""

    def reasons(self, row: int, paper: Paper, shares: Mapping[str, float]) -> tuple[Reason, ...]:
        """`shares`: kind → share of the score. Largest share first; empty if nothing supports the paper."""
        position = int(np.searchsorted(self.signals.rows, row))
        stated = [
            Reason(kind, text, round(max(shares.get(kind, 0.0), 0.0), 3))
            for kind, text in self._sentences(row, position, paper)
        ]
        if all(reason.kind == "often-cited" for reason in stated):
            # That a paper is often cited is not sufficient to cite it here.
            if self.signals.feedback[position] <= 0:
                return ()
            stated.append(Reason("feedback", "it shares words with the papers that match best", 0.0))
        if len(stated) > 1:
            stated = [reason for reason in stated if reason.text != UNTELLING] or stated
        return tuple(sorted(stated, key=lambda reason: -reason.weight))

    def _sentences(self, row: int, position: int, paper: Paper) -> Iterator[tuple[str, str]]:
        """Kinds of reasons and their texts; `position` is the index of the paper in the signals."""
        if matched := words_reason(self.scoped.query, paper, self.idf):
            yield "words", matched
        if near := self._near(row):
            yield "meaning", near
        if cited := self._own_citation(row):
            yield "own-citation", cited
        if name := self._named(row, paper):
            yield "named", name
        if sentence := self._cited_as(row):
            yield "cited-as", sentence
        if beside := self._beside(row) or self._linked(row):
            yield "cocited", beside
        if close := self._near_known(row):
            yield "near-known", close
        if written := self._authors(row, position):
            yield "authors", written
        times = int(self.signals.facts.times_cited[position])
        if times:
            papers, cite = counted(times, "paper"), inflected(times, "cites", "cite")
            yield "often-cited", f"{papers} in your library {cite} it"

    def _own_citation(self, row: int) -> str:
        """Says where the draft cites it in a similar sentence."""
        citation = self.scoped.best_citation(row)
        if citation is None:
            return ""
        where = [f"in “{shorten(citation.section, _TITLE_SHOWN)}”"] if citation.section else []
        where += [line_of(citation)] if citation.line else []
        sentence = shorten(citation.shown or citation.text)
        return f"you cite it {', '.join(where) or 'elsewhere'}: “{sentence}”"

    def _named(self, row: int, paper: Paper) -> str:
        """Says what the sentence names of it: a system, or its first author. The paper with the best claim to
        a name introduces it; how many others use it is evidence of its own."""
        scoped = self.scoped
        text = scoped.query.text
        for system in scoped.named.systems:
            if row not in system.rows:
                continue
            # A common word with a capital is older than a title that begins with it.
            uses = None if system.marked else system.uses(scoped.view, scoped.parameters.text)
            if uses is not None and uses.original < _ORIGINAL:
                continue
            name = spellings(text).get(system.name, system.name)
            if system.standings(scoped.index, scoped.view, np.array([row]))[0] < 1:
                return f"its title or abstract introduces the name {name}, too"
            users = system.users(scoped.view, scoped.parameters.text)
            others, use = counted(users, "other paper"), inflected(users, "uses", "use")
            used = f", which {others} in your library {use}" if users else ""
            return f"introduces the name {name}{used}"
        return first_author_in(text, paper, scoped.around)

    def _near(self, row: int) -> str:
        """Its rank by closeness in meaning, if high."""
        nearest = self.scoped.by_vector.rows
        asked = "sentence" if self.scoped.query.kind == "local" else "text"
        for count, close in _NEAREST.items():
            # Of three papers, each is one of the nearest three.
            if row in nearest[:count] and count * _ONE_IN <= len(nearest):
                return f"{close} in meaning to your {asked}"
        return ""

    def _cited_as(self, row: int) -> str:
        """The sentence that cites the paper and is most similar to the query, by words or else in meaning,
        shortened. For one of the owner's own writings, its section is named."""
        scoped, near = self.scoped, self.scoped.contexts_near
        number, _ = scoped.view.best_context(row, scoped.terms, scoped.parameters.nearest_context)
        if number < 0:
            meant = near.sentences[(near.rows == row) & (near.cosines >= _QUOTED)]
            number = int(meant[0]) if len(meant) else -1
        for _, context in self.library.numbered_contexts(numbers=[number] if number >= 0 else []):
            sentence = shorten(context.text.replace("TARGETCIT", "[…]").replace("OTHERCIT", "…"))
            writing = self.library.papers([context.citing_id]).get(context.citing_id)
            if writing is None or not writing.own:
                return f"cited in a similar context: “{sentence}”"
            where = f"“{shorten(context.section, _TITLE_SHOWN)}” of " if context.section else ""
            return f"you cite it in {where}{quoted(writing)}: “{sentence}”"
        return ""

    def _beside(self, row: int) -> str:
        """The number of papers that cite it together with the known paper with which it is cited most
        often."""
        known, edges = self.scoped.known, self.scoped.citing_known
        with_it = np.isin(edges.rows, self.scoped.view.citing(np.array([row])).rows)
        together = np.bincount(
            edges.positions[with_it & (known[edges.positions] != row)], minlength=len(known)
        )
        count = int(together.max(initial=0))
        if not count:
            return ""
        best = int(known[np.argmax(together)])
        papers, cite = counted(count, "paper"), inflected(count, "cites", "cite")
        return f"{papers} in your library {cite} it together with {self._title(best)}"

    def _linked(self, row: int) -> str:
        """A known paper that it cites, or that cites it."""
        view, known, this = self.scoped.view, self.scoped.known, np.array([row])
        cites, cited = np.isin(known, view.cited(this).rows), np.isin(known, view.citing(this).rows)
        linked = np.flatnonzero((cites | cited) & (known != row))
        if not len(linked):
            return ""
        title = self._title(int(known[linked[0]]))
        if cites[linked[0]]:
            return f"it cites {title}, which your draft cites"
        return f"{title}, which your draft cites, cites it"

    def _near_known(self, row: int) -> str:
        """The known paper that is closest to it in meaning."""
        known = self.scoped.known
        cosines = np.where(known == row, -1, self.known_cosines[row]) if len(known) else np.zeros(0)
        if cosines.max(initial=-1) < _CLOSE:
            return ""
        nearest = int(known[np.argmax(cosines)])
        return f"close in meaning to {self._title(nearest)}, which your draft cites"

    def _authors(self, row: int, position: int) -> str:
        if self.signals.written[position]:
            return "an author of your draft wrote it"
        if not self.signals.cited_before[position]:
            return ""
        view = self.scoped.view
        written = {paper for author in self.scoped.query.authors for paper in view.papers_by(author).tolist()}
        citing = set(view.citing(np.array([row])).rows.tolist())
        count = len(written & citing)  # two authors of one paper cited it once
        return f"authors of your draft have cited it before, in {counted(count, 'paper')}"

    def _title(self, row: int) -> str:
        return quoted(self.library.paper(self.scoped.index.ids(np.array([row]))[0]))


def credited_by(paper: Paper, passage: Passage) -> Reason:
    """The reason for a paper that a passage of another `paper` credits with the claim."""
    return Reason("credited", f"{quoted(paper)} credits it with this: “{shorten(passage.text)}”", 0.0)


_IN_LINE = "in line "
_NAMED_LINE = re.compile(rf"{_IN_LINE}(\d+)")


def line_of(citation: DraftCitation) -> str:
    """Says where a citation of the draft is; its line must be known."""
    return f"{_IN_LINE}{citation.line}{f' of {citation.file}' if citation.file else ''}"


def with_lines(reason: Reason, before: Sequence[DraftCitation], now: Sequence[DraftCitation]) -> Reason:
    """The reason, which was given when the draft had the citations `before`, with their lines of `now`."""
    named = _NAMED_LINE.search(reason.text)
    if named is None:
        return reason
    line = int(named[1])
    said = [one for one in before if one.line == line and line_of(one) in reason.text]
    if not said:
        return reason
    citation = max(said, key=lambda one: len(line_of(one)))
    nth = sum(_is_same(one, citation) for one in before[: before.index(citation)])
    same = (one for one in now if _is_same(one, citation))
    moved = next(itertools.islice(same, nth, None), None)
    text = reason.text if moved is None else reason.text.replace(line_of(citation), line_of(moved), 1)
    return replace(reason, text=text)


def _is_same(one: DraftCitation, other: DraftCitation) -> bool:
    """Whether two citations differ in their lines alone."""
    return (one.text, one.section, one.paper_ids) == (other.text, other.section, other.paper_ids)


def quoted(paper: Paper) -> str:
    """A paper's title as shown in reasons."""
    return f"“{shorten(paper.title, _TITLE_SHOWN)}”"


def shorten(text: str, limit: int = _SENTENCE_SHOWN) -> str:
    """`text` in one line of at most `limit` characters, cut between words."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    return line[: limit - 1].rsplit(" ", 1)[0] + "…"
