"""Words as the lexical index counts them: lower case, no accents, no stop words, Snowball stems."""

from __future__ import annotations

import functools
import re
import threading
import unicodedata
from typing import Protocol

__all__ = ["STOP_WORDS", "fold", "stems", "words"]

_WORD = re.compile(r"[a-z0-9]+(?:[+#](?![a-z0-9]))*", re.ASCII)
"""``c++`` and ``c#`` are words; hyphens separate, so that "part-of-speech" meets "part of speech"."""

_NO_WORDS = re.compile(r"targetcit|othercit", re.IGNORECASE)

_FUNCTION_WORDS = """
a about above after again all also am an and any are as at be because been before being below
between both but by can could did do does doing down during each few for from further had has have
having he her here hers him his how however i if in into is it its itself just may me might more
most must my no nor not now of off on once only or other our ours out over own same shall she should
so some such than that the their theirs them then there these they this those through thus to too
under until up upon us very was we were what when where whether which while who whom why will with
within without would you your et al eg ie cf
"""

STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Function words, and the debris of citations."""


class _Stems(dict[str, str]):
    """Word → its stem, or "" for a word that is not indexed; filled as words are met."""

    _LIMIT = 1_000_000
    """Entries; noise beyond it is stemmed each time."""

    def __missing__(self, word: str) -> str:
        stem = "" if word in STOP_WORDS or len(word) < 2 else _stemmed(word)
        if len(self) < self._LIMIT:
            self[word] = stem
        return stem


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 (PyStemmer's name)


@functools.lru_cache(maxsize=1)
def _stemmer() -> _Stemmer:
    import Stemmer

    stemmer: _Stemmer = Stemmer.Stemmer("english")
    return stemmer


def _stemmed(word: str) -> str:
    with _ONE_AT_A_TIME:
        return _stemmer().stemWord(word)


_ONE_AT_A_TIME = threading.Lock()
"""A stemmer of PyStemmer is not for several threads."""

_STEMS = _Stems()


def fold(text: str) -> str:
    """Lower case without accents: "Šnajder" and "Snajder" meet. Characters outside Latin stay."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()


def words(text: str) -> list[str]:
    """Folded words in their order, stop words included, citation placeholders left out."""
    return _WORD.findall(_NO_WORDS.sub(" ", fold(text)))


def stems(text: str) -> list[str]:
    """Index terms in their order: stop words out, one-letter words out, the rest stemmed.

    >>> stems("Statistical Phrase-Based Translation (TARGETCIT)")
    ['statist', 'phrase', 'base', 'translat']
    """
    return [stem for stem in map(_STEMS.__getitem__, words(text)) if stem]
