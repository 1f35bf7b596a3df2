"""How two titles compare: articles, spelling, punctuation and a missing subtitle make no difference."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from rapidfuzz.distance import Levenshtein

from citewhy.text.names import latin
from citewhy.text.taken_back import without_mark
from citewhy.text.traits import is_column, words_of

__all__ = ["TitleRelation", "distinctive", "nearly_equal", "plain_words", "relation"]

TitleRelation = Literal["equal", "variant", "near", "other"]
"""``variant``: one lacks the subtitle of the other, or what a program put around it;
``near``: a few words differ."""

_OMITTED = frozenset(("a", "an", "the", "and"))
_MARKUP = re.compile(r"\$|\\[A-Za-z]+|<[^<>]{1,20}>|\bsqrt\b")
_GREEK = """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau
    upsilon phi chi psi omega""".split()  # noqa: SIM905
_GREEK_COMMAND = re.compile(rf"\\(?:var)?({'|'.join(_GREEK)})(?![A-Za-z])", re.IGNORECASE)
_GREEK_LETTERS = str.maketrans(
    {letter: f" {name} " for name, letter in zip(_GREEK, "αβγδεζηθικλμνξοπρστυφχψω", strict=True)}
)
_AROUND = re.compile(r"[.?!]\s*(?:19|20)\d\d\.?\s*$|(?<!\s)\s*+\[[A-Z]\]\s*$|^\s*[IVXL]+\.\s+(?=\w)")
"""The year of the first printing behind a title, as PubMed has it; a mark of its type; its number."""
_SUBTITLE = re.compile(r"[:?!]\s|\.\s(?=[A-Z])|\s[-–—]+\s|—|--|\s\(|,?\s\[|\*\*")
_SPELLINGS = (
    (re.compile(r"(\w{3,})is(e[srd]?|ing|ation|ations)$"), r"\1iz\2"),
    (re.compile(r"(\w{3,})ys(e[srd]?|ing)$"), r"\1yz\2"),
    (re.compile(r"(col|behavi|lab|fav|neighb|hon|mod|hum|vap|tum)our(\w*)$"), r"\1or\2"),
    (re.compile(r"(cent|fib|theat|met|lit)re(s?)$"), r"\1er\2"),
    (re.compile(r"(\w{3,})og(ue|ues)$"), r"\1og"),
    (re.compile(r"(\w*(?:model|label|travel|channel|signal|level))l(ed|ing|er)$"), r"\1\2"),
    (re.compile(r"towards$"), "toward"),
)
_NUMBERED = re.compile(r"\d|^(?:i{1,3}|iv|vi{0,3}|ix|x|one|two|three|first|second|third)$")
_SHARE_OF_OTHER_WORDS = 0.25
_GARBLED = re.compile(r"\?\?|�")
"""Letters that a program could not read."""
_WORDS_FOR_ONE = 7
_DISTINCTIVE = 5
"""Words of a title that hardly two papers have in common by chance."""


@lru_cache(maxsize=16384)
def plain_words(title: str) -> tuple[str, ...]:
    """The words of a title as they are compared."""
    text = _GREEK_COMMAND.sub(r" \1 ", _AROUND.sub("", without_mark(title))).translate(_GREEK_LETTERS)
    text = latin(_MARKUP.sub(" ", text))
    return tuple(_spelled(word) for word in words_of(text) if word not in _OMITTED)


@lru_cache(maxsize=65536)
def _spelled(word: str) -> str:
    for pattern, spelling in _SPELLINGS:
        word, changed = pattern.subn(spelling, word)
        if changed:
            break
    return word


def distinctive(title: str) -> bool:
    """Whether a title is long enough that two papers hardly share it by chance."""
    return len(plain_words(title)) >= _DISTINCTIVE


@lru_cache(maxsize=16384)
def relation(one: str, other: str) -> TitleRelation:
    """How the titles compare.

    >>> relation("The Colour of Words: A Study", "Color of words")
    'variant'
    >>> relation("Parsing with Trees", "Parsing for Trees")
    'near'
    """
    ours, theirs = plain_words(one), plain_words(other)
    if not ours or not theirs:
        return "other"
    left, right = "".join(ours), "".join(theirs)
    if left == right:
        return "equal"
    short, long = sorted((left, right), key=len)
    if long.startswith(short):
        whole, short_title = (one, other) if long == left else (other, one)
        if any("".join(plain_words(head)) == short for head in _heads(whole)) and not is_column(short_title):
            return "variant"
    fewer, more = sorted((ours, theirs), key=len)
    if len(fewer) >= _DISTINCTIVE and fewer in (more[: len(fewer)], more[-len(fewer) :]):
        return "variant" if _numbers_of(ours) == _numbers_of(theirs) else "other"
    if _numbers_of(ours) != _numbers_of(theirs):
        return "other"
    if not _near(ours, theirs):
        return "other"
    return "variant" if _GARBLED.search(one) or _GARBLED.search(other) else "near"


def differ_in_plurals(one: str, other: str) -> bool:
    """Whether all that differs is an "s" at the end of words."""
    ours, theirs = plain_words(one), plain_words(other)
    return [word.removesuffix("s") for word in ours] == [word.removesuffix("s") for word in theirs]


def nearly_equal(one: str, other: str) -> bool:
    """Whether at most a seventh of the words of two long titles differ."""
    ours, theirs = plain_words(one), plain_words(other)
    most = max(len(ours), len(theirs)) // _WORDS_FOR_ONE
    return most > 0 and Levenshtein.distance(ours, theirs, score_cutoff=most) <= most


def _heads(title: str) -> list[str]:
    """What may be the title without subtitles: up to each of the signs between."""
    return [title[: sign.start()] for sign in _SUBTITLE.finditer(title)]


def _numbers_of(title: tuple[str, ...]) -> list[str]:
    return [word for word in title if _NUMBERED.search(word)]


def _near(ours: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    longest = max(len(ours), len(theirs))
    most = max(1, int(_SHARE_OF_OTHER_WORDS * longest))
    if longest >= 3 and Levenshtein.distance(ours, theirs, score_cutoff=most) <= most:
        return True
    left, right = " ".join(ours), " ".join(theirs)
    typed = max(1, len(left) // 20)
    return len(left) >= 10 and Levenshtein.distance(left, right, score_cutoff=typed) <= typed
