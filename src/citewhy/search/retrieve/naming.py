"""Finds papers that a sentence names, by their authors or by the name of a system or data set that they
introduce."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np

from citewhy.search.index import Index, View
from citewhy.search.index.arrays import Floats, Rows
from citewhy.search.index.fields import BM25
from citewhy.text.ordinary_words import is_ordinary, ordinary_words
from citewhy.text.system_names import is_marked, spellings
from citewhy.text.tokens import fold, stems

_MARKER = re.compile(r"\b(?:TARGETCIT|OTHERCIT)\b")
_WORD = re.compile(r"[^\W\d_][\w'’\-]*")
_YEAR = re.compile(r"\b(1[89]\d\d|20\d\d)\b")

_BEFORE = 5
"""Number of words before a citation among which the name of its author is searched."""


_UNDATED = 9999


_CITATIONS = ("TARGETCIT", "OTHERCIT")

_USES = 300
"""Candidates among which the uses of a name are counted."""

_ALL = 1_000_000
"""More papers than a name has users."""

_TOKEN = re.compile(r"TARGETCIT|OTHERCIT|[^\W_][\w+\-./@]*")

_NEXT = 3
"""Number of words after a name among which a citation belongs to it."""

_FEW = 4
"""Number of words up to which a text is a name or a topic rather than a sentence."""


@dataclass(frozen=True, slots=True)
class Uses:
    """Candidates whose title or abstract has a name."""

    earlier: int
    """Number of those that are older than every paper that introduces it: the name is older too."""
    later: int
    """Number of the others."""

    @property
    def original(self) -> float:
        """Share of the uses, in [0, 1], that are not older than the introduction; 1 if there are none."""
        return self.later / (self.earlier + self.later) if self.earlier else 1.0


@dataclass(frozen=True, slots=True)
class Introducers:
    """Papers that introduce one name of a system or data set."""

    rows: Rows
    """Ascending."""
    in_title: Rows
    """The titles of these do."""
    name: str
    """In folded form."""
    marked: bool
    """Whether the sentence writes the name as only names are written, with a second capital or a digit."""
    before: bool
    """Whether the open citation, or the end of a text that marks none, is among the few words after the
    name."""

    def uses(self, view: View, bm25: BM25) -> Uses:
        """How the candidates use the name, by the words of their titles and abstracts; at most `_USES` are
        looked at. A name of several words or stems counts as used by nobody."""
        terms = stems(self.name)
        claims = self.rows[view.admits(self.rows)]
        dated = view.facts(claims).years if len(claims) else np.zeros(0, dtype=np.int16)
        if len(terms) != 1 or not (dated > 0).any():
            return Uses(0, 0)
        first = int(dated[dated > 0].min())
        rows = view.search("text", {terms[0]: 1.0}, bm25, _USES).rows
        years = view.facts(rows).years
        return Uses(int(((years > 0) & (years < first)).sum()), int((years >= first).sum()))

    def users(self, view: View, bm25: BM25) -> int:
        """The number of candidates whose title or abstract has the name, without those that introduce it: as
        of the query's year. 0 for a name of several words or stems."""
        terms = stems(self.name)
        if len(terms) != 1:
            return 0
        rows = view.search("text", {terms[0]: 1.0}, bm25, _ALL).rows
        return int((~np.isin(rows, self.rows)).sum())

    def standings(self, index: Index, view: View, rows: Rows) -> Floats:
        """[n] for `rows`, ascending: 1 for the candidate that has the best claim to the name, 1/2 for the
        second, …, 0 for all others. Titles come before abstracts, earlier papers before later ones."""
        of_rows = np.zeros(len(rows), dtype=np.float32)
        claims = self.rows[view.admits(self.rows)]
        if not len(claims):
            return of_rows
        years = view.facts(claims).years
        order = np.lexsort(
            (index.id_ranks(claims), np.where(years > 0, years, _UNDATED), ~np.isin(claims, self.in_title))
        )
        values = np.zeros(len(claims), dtype=np.float32)
        values[order] = 1 / np.arange(1, len(claims) + 1)
        there = np.isin(rows, claims)
        of_rows[there] = values[np.searchsorted(claims, rows[there])]
        return of_rows


@dataclass(frozen=True, slots=True)
class Named:
    """The papers that a sentence names, as rows in ascending order."""

    first_authors: Rows
    """Papers whose first author's surname is a word of the sentence."""
    authors: Rows
    """Papers with any author whose surname is a word of the sentence."""
    authors_before: Rows
    """Papers whose first author's surname is among the few words before the open citation, or at the end of a
    text that marks none."""
    systems: tuple[Introducers, ...]
    """The introducing papers of each name of a system or data set in the sentence."""
    years: frozenset[int]

    @property
    def introduced(self) -> Rows:
        """Returns the papers whose title or abstract introduces a name that is a word of the sentence."""
        rows = [np.zeros(0, dtype=np.int64), *(system.rows for system in self.systems)]
        return np.unique(np.concatenate(rows)).astype(np.int64)


def named_in(index: Index, text: str, around: str = "", *, ends_open: bool = True) -> Named:
    """The papers that the sentence `text` names. ``TARGETCIT`` in it marks the open citation; without it, the
    citation is taken to be at the end, unless `ends_open` is False. Words that have a capital only because of
    their place name nobody (`ordinary_words` of the text and what is `around` it); a few words in small
    letters may all be names, unless they are ordinary words."""
    text = _as_names(text)
    if ends_open and "TARGETCIT" not in text:
        text = f"{text} TARGETCIT"
    before = text.partition("TARGETCIT")[0] if "TARGETCIT" in text else ""
    plain = _MARKER.sub(" ", text)
    ordinary = ordinary_words(text, around)
    names = [name for name in capitalised(plain) if name not in ordinary]
    just_before = capitalised(" ".join(before.split()[-_BEFORE:]))
    return Named(
        first_authors=index.named("first author", names),
        authors=index.named("author", names),
        authors_before=index.named("first author", [name for name in just_before if name not in ordinary]),
        systems=tuple(_introducers(index, text, ordinary)),
        years=frozenset(map(int, _YEAR.findall(plain))),
    )


def _as_names(text: str) -> str:
    """A word alone is a name, however it is written: it gets the capitals that only names have. A few words
    in small letters are typed like that: those that are not ordinary ones get the capital of a name."""
    words = text.split()
    if len(words) == 1 and text not in _CITATIONS:
        return text.upper()
    if not 0 < len(words) <= _FEW or not text.islower():
        return text
    return " ".join(word if is_ordinary(fold(word)) else word.capitalize() for word in words)


def _introducers(index: Index, text: str, ordinary: Collection[str]) -> Iterator[Introducers]:
    """Names directly before the citation of another paper are left out: they are cited already."""
    cited = _cited_names(text)
    for name, spelling in spellings(_MARKER.sub(" ", text)).items():
        if name in ordinary and not is_marked(spelling):
            continue
        rows = index.named("introduced", [name])
        if len(rows) and cited.get(name) != "OTHERCIT":
            in_title = index.named("titled", [name])
            yield Introducers(rows, in_title, name, is_marked(spelling), cited.get(name) == "TARGETCIT")


def _cited_names(text: str) -> dict[str, str]:
    """Returns by name, in folded form, the first citation among the `_NEXT` words after it; for a name that
    occurs several times, the open one if it follows any."""
    tokens = _TOKEN.findall(text)
    citations: dict[str, str] = {}
    for position, token in enumerate(tokens):
        following = [token for token in tokens[position + 1 : position + 1 + _NEXT] if token in _CITATIONS]
        for name in spellings(token) if following and token not in _CITATIONS else ():
            if citations.get(name) != "TARGETCIT":
                citations[name] = following[0]
    return citations


def capitalised(text: str) -> list[str]:
    """Words that may be surnames, in folded form (`text.tokens.fold`), without possessive endings; of a
    hyphenated word, which may be one surname or several ("Gauss-Markov"), also the parts that are names.

    >>> capitalised("A Gauss-Markov model's Bayes-optimal Self-Attention")
    ['gauss-markov', 'gauss', 'markov', 'bayes-optimal', 'bayes', 'self-attention']
    """
    names: dict[str, None] = {}
    for word in _WORD.findall(text):
        if word[0].isupper() and len(word) > 1:
            whole = re.sub(r"['’]s$", "", word)
            names |= dict.fromkeys((fold(whole), *_parts(whole)))
    return list(names)


def _parts(word: str) -> Iterator[str]:
    """The parts of a hyphenated word that may be surnames, folded: not those that are ordinary words, unless
    a surname follows ("Black-Scholes")."""
    parts = word.split("-")
    for part, following in itertools.zip_longest(parts, parts[1:], fillvalue=""):
        if len(parts) > 1 and _like_a_name(part):
            joined = _like_a_name(following) and not is_ordinary(fold(following))
            if joined or not is_ordinary(fold(part)):
                yield fold(part)


def _like_a_name(part: str) -> bool:
    """Whether it has a first capital and small letters behind it."""
    return len(part) > 1 and part[0].isupper() and any(map(str.islower, part[1:]))
