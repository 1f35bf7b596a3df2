"""Which papers complete the letters of a key, and in which order."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from citewhy.base.records import Paper, Suggestion
from citewhy.text.names import latin, surname
from citewhy.text.tokens import STOP_WORDS

_WORD = re.compile(r"\w+")
_NO_LETTER = re.compile(r"[\W_]+")

_KEY_OR_AUTHOR, _COAUTHOR, _TITLE, _WITHIN = range(4)


@dataclass(frozen=True, slots=True)
class Completion:
    """A key that can be written."""

    key: str
    paper: Paper
    in_bibliography: bool
    matched: str
    """What of it begins with the letters: the key, a surname, a word of the title; the key if there are
    none."""
    probability: float | None = None


def completions(
    letters: str,
    ranked: Sequence[Suggestion],
    entries: Iterable[tuple[str, Paper]],
    beside: Collection[str] = (),
    k: int = 50,
    around: Collection[str] = (),
) -> list[Completion]:
    """The best `k` keys that complete `letters`, all if there are none: papers that fit the sentence in their
    order, then the other entries of the bibliography. Those whose key or first author begins with the letters
    come before those with such a coauthor, a year or a word of the title. Keys `beside` are cited already by
    the same citation; those `around`, by others of the sentence, which come first if they have the
    letters."""
    found: list[tuple[int, Completion]] = []
    wanted = _plain(letters)
    for one in _in_order(ranked, entries):
        if one.key in beside:
            continue
        match = (_KEY_OR_AUTHOR, one.key) if not wanted else _match(wanted, one)
        if match is not None:
            kind = -1 if wanted and match[0] == _KEY_OR_AUTHOR and one.key in around else match[0]
            found.append(
                (kind, Completion(one.key, one.paper, one.in_bibliography, match[1], one.probability))
            )
        if not wanted and len(found) == k:
            break
    found.sort(key=lambda pair: pair[0])
    return [completion for _, completion in found[:k]]


def _in_order(ranked: Sequence[Suggestion], entries: Iterable[tuple[str, Paper]]) -> Iterator[Completion]:
    there: set[str] = set()
    for suggestion in ranked:
        if suggestion.key and suggestion.key not in there:
            there.add(suggestion.key)
            yield Completion(
                suggestion.key, suggestion.paper, suggestion.in_bibliography, "", suggestion.probability
            )
    for key, paper in entries:
        if key not in there:
            there.add(key)
            yield Completion(key, paper, True, "")


def _match(wanted: str, one: Completion) -> tuple[int, str] | None:
    paper = one.paper
    forms = _forms(one.key, paper.authors, paper.title, paper.year)
    for kind, plain, written in forms:
        if plain.startswith(wanted):
            return kind, written
    return (_WITHIN, one.key) if len(wanted) > 1 and wanted in forms[0][1] else None


@functools.lru_cache(maxsize=65_536)
def _forms(
    key: str, authors: tuple[str, ...], title: str, year: int | None
) -> tuple[tuple[int, str, str], ...]:
    """What people type of a paper: how strongly it says which, in plain letters, and as it is written."""
    names = [surname(name) for name in authors]
    forms = [(_KEY_OR_AUTHOR, _plain(key), key)]
    if names:
        forms.append((_KEY_OR_AUTHOR, _plain(f"{names[0]}{year or ''}"), names[0]))
    forms += [(_COAUTHOR, _plain(name), name) for name in names[1:]]
    forms += [(_TITLE, str(year), str(year))] if year else []
    words = dict.fromkeys(_WORD.findall(title))
    forms += [(_TITLE, _plain(word), word) for word in words if word.lower() not in STOP_WORDS]
    return tuple(forms)


def _plain(text: str) -> str:
    return _NO_LETTER.sub("", latin(text)).lower()
