"""Index terms of a text: lower case, no accents, no stop words, Snowball stems."""

from __future__ import annotations

import functools
import re
import threading
import unicodedata
from typing import Protocol

_WORD = re.compile(r"[a-z0-9]+(?:[+#](?![a-z0-9]))*", re.ASCII)
"""``c++`` and ``c#`` are words; hyphens separate words: "part-of-speech" matches "part of speech"."""

_CITATION_PLACEHOLDERS = ("targetcit", "othercit")
"""As folded."""

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
"""Function words, and what citations leave behind ("et al.", "cf.")."""


class _Stems(dict[str, str]):
    """Maps a word to its stem, or to "" if it is not indexed; filled as words occur."""

    _LIMIT = 1_000_000
    """Maximum number of entries; words beyond it are stemmed each time."""

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
    with _STEMMER_LOCK:
        return _stemmer().stemWord(word)


_STEMMER_LOCK = threading.Lock()
"""PyStemmer's stemmers are not thread-safe."""

_STEMS = _Stems()


def fold(text: str) -> str:
    """The text in lower case without accents, so that "Šnajder" matches "Snajder". Other scripts are kept."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text)
    for letter in set(plain):
        if not letter.isascii() and unicodedata.combining(letter):
            plain = plain.replace(letter, "")
    return plain.casefold()


def words(text: str) -> list[str]:
    """The folded words of a text, in order, with stop words but without citation placeholders."""
    folded = fold(text)
    for placeholder in _CITATION_PLACEHOLDERS:
        folded = folded.replace(placeholder, " ")
    return _WORD.findall(folded)


def stems(text: str) -> list[str]:
    """The index terms of a text, in order: stemmed, without stop words and one-letter words.

    >>> stems("Statistical Phrase-Based Translation (TARGETCIT)")
    ['statist', 'phrase', 'base', 'translat']
    """
    return [stem for stem in map(_STEMS.__getitem__, words(text)) if stem]
