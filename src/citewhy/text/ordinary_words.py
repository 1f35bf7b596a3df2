"""Ordinary words that a text writes with a capital only because of where they stand: "See" and "Early" at the
beginning of a sentence are no names of Abigail See and Jay Early."""

from __future__ import annotations

import functools
import re

from citewhy.base.assets import words_file
from citewhy.text.markers import OTHER, TARGET
from citewhy.text.tokens import fold

_TOKEN = re.compile(r"[^\W\d_][\w'’\-]*|[^\w\s]")
_POSSESSIVE = re.compile(r"['’]s?$")
_STOPS = frozenset(".:;?!•") | {TARGET, OTHER}
"""After which every word has a capital; the words of a query that count twice follow a citation."""
_QUOTES = frozenset("“”‘’\"'([")
_CUES = frozenset({"see", "also", "cf", "eg", "ie", "compare"})
"""After which a remark begins, often with a capital: "cf. Note 3"."""
_AND = frozenset({"and", "&"})


def ordinary_words(text: str, around: str = "") -> frozenset[str]:
    """Returns the words, folded, whose capitals say nothing, wherever `text` writes them with one: they are
    words of the language (`is_ordinary`), or `text` or the text `around` it has them in small letters too;
    and they begin a sentence, a bracket or a remark ("cf."), or a name of several words ("Long Short-Term
    Memory").

    What only a name has behind it tells that it is one: "et al.", "and" before another name, a possessive.

    >>> sorted(ordinary_words("Best results need care; see Price et al. (Early work, e.g. Long TARGETCIT)"))
    ['best', 'early', 'long']
    """
    tokens = _TOKEN.findall(text)
    small = frozenset(token for token in (*tokens, *_TOKEN.findall(around)) if token.islower())
    placed: dict[str, bool] = {}
    for position, token in enumerate(tokens):
        word = fold(_POSSESSIVE.sub("", token))
        if token[0].isupper() and placed.get(word, True) and token not in _STOPS:
            common = word in small or is_ordinary(word)
            placed[word] = common and not _tells_a_name(tokens, position) and _by_place(tokens, position)
    return frozenset(word for word, by_place in placed.items() if by_place)


def is_ordinary(word: str) -> bool:
    """Tells whether a folded word is written in small letters rather than with a capital: "long", not "chen".
    The words are those of which this is so in abstracts of papers (`benchmarks/ordinary_words.py`)."""
    return word in _listed()


@functools.lru_cache(maxsize=1)
def _listed() -> frozenset[str]:
    return frozenset(words_file().read_text(encoding="ascii").split())


def begins(tokens: list[str], position: int) -> bool:
    """Tells whether the token begins a sentence, or its part after a colon or a citation. An initial does not
    end a sentence: "E. B. King"."""
    before = _before(tokens, position)
    initial = before > 0 and tokens[before] == "." and len(tokens[before - 1]) == 1
    initial = initial and tokens[before - 1].isupper()
    return before < 0 or (tokens[before] in _STOPS and not initial)


def _before(tokens: list[str], position: int) -> int:
    """The position of the token before this one and its quotes and brackets; -1 if there is none."""
    before = position - 1
    while before >= 0 and tokens[before] in _QUOTES:
        before -= 1
    return before


def _tells_a_name(tokens: list[str], position: int) -> bool:
    """Whether the token is followed by what only follows names, or is a possessive."""
    following = tokens[position + 1 : position + 3]
    if _POSSESSIVE.search(tokens[position]) or following == ["et", "al"]:
        return True
    joined = len(following) > 1 and following[0] in _AND
    return joined and following[1][0].isupper() and not is_ordinary(fold(following[1]))


def _by_place(tokens: list[str], position: int) -> bool:
    """Whether an ordinary word has its capital by its place."""
    before = _before(tokens, position)
    opened = position > 0 and tokens[position - 1] in "(["
    remark = before >= 0 and tokens[before - (tokens[before] in ".,")].casefold() in _CUES
    following = tokens[position + 1] if position + 1 < len(tokens) else ""
    of_a_name = following[:1].isupper() and all(map(is_ordinary, fold(following).split("-")))
    return begins(tokens, position) or opened or remark or of_a_name
