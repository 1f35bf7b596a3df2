"""Author names in printed citations ("van der Berg, Šnajder, and Lee"), read backwards from the year."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from citewhy.text.tokens import fold

WINDOW = 160
"""Number of characters before a year in which its authors are looked for."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MARKS = "\u0300-\u036f\ufffd\u00ad´¨`ˇ˜¸"  # accents and hyphens as PDF extraction leaves them
_TOKEN = re.compile(
    rf"[^\W\d_][\w'’{_MARKS}-]*(?:(?<=[{_MARKS}-])\s{{1,2}}(?!and\b|et\b)[a-z][\w'’{_MARKS}-]*)*\.?|[&,]|\S"
)
_LAST_OF_NAMES = re.compile(rf"[^\W\d_][\w.'’{_MARKS}-]{{0,5}}\s?[.'’]?$|[\w.]{{6}}$")
_PLACEHOLDER = re.compile("TARGETCIT|OTHERCIT")
_INITIALS = re.compile(r"(?:[A-Z]\.?(?:-?[A-Z]\.)*|[A-Z]{1,2})")
_GENERATION = frozenset({"jr", "sr", "ii", "iii", "iv"})
_GLUED_AND = re.compile(r"(.*[^\W\d_A-Z])and([A-Z].+)")
_GLUED_PARTICLE = re.compile(r"(?:[a-z]{1,3}['’-]|[a-z]{1,3}(?=[A-Z][a-z]))")
_POSSESSIVE = re.compile(r"(?<=\w)['’\ufffd]s?$")
_PARTICLES = _words(
    "van von der den de del della di da dos das du la le ten ter el al bin ibn im zu zum af av"
)
_AND = frozenset({"and", "&", "und", "et", "y", "e", "ed", "en", "och", "og", "i", "и"})
"""Words between two names, in the languages of `text.languages`."""
_IN_SURNAMES = frozenset({"y", "e", "i"})
"""Those of them that are within a surname in an English sentence: "Ortega y Gasset (1930)"."""
_ENGLISH = re.compile(r"\b(?:the|of|and|that|was|were|has|with|for|by)\b")
_AROUND = 200
"""Characters before and after a word that tell whether the sentence is English."""
_CO_AUTHORS = _words(
    """others colleagues coworkers co-workers coauthors co-authors al andere anderen kollegen mitarbeiter
    collaborateurs autres coll collab otros otras cols col colaboradores outros outras altri altre
    collaboratori collega's collegas andra inni др другие"""
)
_AND_OTHERS = frozenset({("u.", "a"), ("e.", "a"), ("m.", "fl"), ("i", "in")})
"""Abbreviations of two words: "u. a.", "e.a.", "m.fl.", "i in."; the last full stop may have been cut off."""
_LONGEST_LIST = 12
_LONGEST_NAME = 4

_NOT_NAMES = _words(
    """a about according accordingly additionally after algorithm algorithms all also although among an
    analogously and another any appendix approach approaches april as at august authors background
    based because before both but by chapter chinese classifier compared conference contrary
    conversely corpora corpus data dataset december despite due during each earlier early either
    english eq equation equations especially essentially even every example experiments extending
    february fig figs figure figures final finally first following for formally found french from
    further furthermore german given hence here however if in inspired instead it its january japanese
    july june large later like likewise many march math may meanwhile method methods model models
    moreover most motivated nevertheless next no nonetheless not note november october of on one only
    or other others our page pages parser part previous previously proc proceedings
    proposition rather recent recently regarding related result results rule sec second section
    sections see september several similar similarly since so some spanish step such system systems
    table tables task that the their then theorem there therefore these they third this
    those though through thus to today two under unlike upon use used using various version we what
    when where whereas whether which while with within without work works workshop yet
    vgl siehe laut nach selon voir dans chez vease segun segundo secondo cfr zie volgens zob według
    conforme"""
)
"""Words that are not names, although they may be capitalised before a name or stand alone before a year."""

_MAY_BE_NAMES = _words("see may page march april june august early second rule step")
"""These are names after all if "et al." or another name is beside them: "(May and Knight, 2007)"."""


@dataclass(frozen=True, slots=True)
class PrintedNames:
    """The `names` as printed, without possessive, and where they `start`; `et_al` if there are more authors.

    The first of three or more may be part of the sentence: "For Dutch, Smith and Lee".
    """

    start: int
    names: tuple[str, ...]
    et_al: bool


class _Token:
    """Not a frozen record: dozens are made for each year in a text."""

    __slots__ = ("end", "start", "text")

    def __init__(self, start: int, end: int, text: str) -> None:
        self.start = start
        self.end = end
        self.text = text

    @property
    def folded(self) -> str:
        return _folded(self.text)


@functools.lru_cache(maxsize=1 << 14)
def _folded(word: str) -> str:
    return fold(word).rstrip(".")


def names_before(text: str, end: int, floor: int = 0) -> PrintedNames | None:
    """The names that end at `end`, looking back no further than `floor`; None if there are none."""
    if not _LAST_OF_NAMES.search(text, max(floor, end - 6), end):
        return None  # most years are just years: a quick test before tokenizing
    begin = max(floor, end - WINDOW)
    tokens = [
        _Token(begin + match.start(), begin + match.end(), match[0])
        for match in _TOKEN.finditer(text[begin:end])
    ]
    if begin > floor and tokens:
        tokens = tokens[1:]  # it may be cut off
    if not tokens:
        return None
    tokens[-1] = _without_possessive(tokens[-1], tokens)
    if tokens[-1].text in {"'s", "’s", "'", "’"}:
        tokens.pop()
    return _Reader(text, [token for token in tokens if token.text]).read()


def _without_possessive(last: _Token, tokens: list[_Token]) -> _Token:
    plain = _POSSESSIVE.sub("", last.text)
    if plain == "s" and len(tokens) > 1 and tokens[-2].text in "'’":  # "al.'s" is three tokens
        tokens[-2] = _Token(tokens[-2].start, tokens[-2].end, "")
        plain = ""
    return _Token(last.start, last.end, plain)


class _Reader:
    """Reads a list of names from its last token to its first."""

    def __init__(self, text: str, tokens: list[_Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.position = len(tokens) - 1

    def read(self) -> PrintedNames | None:
        et_al, after_comma = self._et_al()
        beside = self._peek(1)
        last = self._name(has_co_authors=et_al or (beside is not None and beside.text in _AND))
        if last is None:
            return None
        names = [last]
        if et_al:
            names = self._comma_list(names) if after_comma else names
        elif len(pair := _unglue(last[1])) == 2:
            names = [(last[0], pair[0]), (last[0], pair[1])]
        elif (before := self._before_and()) is not None:
            names = self._comma_list([before, last])
        elif last[1].isupper() and len(more := self._comma_list(names, ";")) > 1:
            names = more  # "(SILVA; SOUZA, 2010)"
        elif last[1].lower() in _MAY_BE_NAMES:
            return None
        return PrintedNames(names[0][0], tuple(name for _, name in names), et_al)

    def _peek(self, back: int = 0) -> _Token | None:
        position = self.position - back
        return self.tokens[position] if position >= 0 else None

    def _et_al(self) -> tuple[bool, bool]:
        """Steps over "et al." or "and others": whether it was there, and whether a comma preceded it."""
        last, before = self._peek(), self._peek(1)
        if last is None:
            return False, False
        others = before is not None and last.folded in _CO_AUTHORS and before.text in _AND
        if last.folded in {"etal", "et.al"}:
            self.position -= 1
        elif others or (before is not None and _and_others(before, last)):
            self.position -= 2
        elif before is not None and last.folded == "al" and re.fullmatch(r"[A-Z].+et", before.text):
            self.tokens[self.position - 1] = _Token(before.start, before.end - 2, before.text[:-2])
            self.position -= 1
        else:
            return False, False
        comma = self._peek()
        if comma is not None and comma.text == ",":
            self.position -= 1
            return True, True
        return True, False

    def _name(self, has_co_authors: bool = True) -> tuple[int, str] | None:
        """One author: start and family name as printed, with particles and first names before it."""
        mark = self.position
        last = self._peek()
        if last is not None and _INITIALS.fullmatch(last.text):
            position = self.position
            while position > 0 and _INITIALS.fullmatch(self.tokens[position].text):
                position -= 1
            if self.tokens[position].text == ",":  # "Smith, J. A."
                self.position = position - 1
                last = self._peek()
        core = self.position
        if last is not None and last.folded in _GENERATION and core > 0:
            core -= 1
        if core < 0 or not self._may_end_a_name(core, has_co_authors):
            self.position = mark
            return None
        first = self._first_of(core)
        end = self.tokens[self.position]
        self.position = first - 1
        name = self.text[self.tokens[first].start : end.start + len(end.text)]
        return self.tokens[first].start, " ".join(name.split()).rstrip(".,")

    def _may_end_a_name(self, core: int, has_co_authors: bool) -> bool:
        token = self.tokens[core]
        if _is_name(token):
            return True
        if not token.text[0].isupper():
            return False
        if len(token.text) == 1:  # "Ramakrishnan A"
            return core > 0 and len(self.tokens[core - 1].text) > 1 and _is_name(self.tokens[core - 1])
        return has_co_authors and token.text.lower() in _MAY_BE_NAMES

    def _first_of(self, core: int) -> int:
        """Index of the first token of the name that ends with token `core`."""
        all_capitals = self.tokens[core].text.isupper()
        first = core
        while first > 0 and core - first < _LONGEST_NAME - 1:
            token = self.tokens[first - 1]
            gap = self.text[token.end : self.tokens[first].start]
            if gap.strip() or "\n\n" in gap:
                break
            if token.text not in _PARTICLES and not _is_first_name(token, all_capitals):
                break
            if token.text.endswith(".") and not _INITIALS.fullmatch(token.text):
                break  # the end of a sentence
            if first > 1 and token.text == "B." and self.tokens[first - 2].text == "z.":
                break  # "z. B." is no initial
            first -= 1
        while first < core and self.tokens[first].text in {"A", "I"}:
            first += 1
        return first

    def _before_and(self) -> tuple[int, str] | None:
        token = self._peek()
        if token is None or token.text not in _AND:
            return None
        around = max(token.start - _AROUND, 0)
        if token.text in _IN_SURNAMES and _ENGLISH.search(self.text, around, token.end + _AROUND):
            return None
        mark = self.position
        self.position -= 1
        comma = self._peek()
        if comma is not None and comma.text == ",":
            self.position -= 1
        name = self._name()
        if name is None:
            self.position = mark
        return name

    def _comma_list(self, names: list[tuple[int, str]], mark_between: str = ",") -> list[tuple[int, str]]:
        """`names`, preceded by the names that are joined to them by commas; by semicolons only if they are
        in capitals."""
        names = list(names)
        while len(names) < _LONGEST_LIST:
            comma = self._peek()
            if comma is None or comma.text != mark_between:
                break
            mark = self.position
            self.position -= 1
            name = self._name()
            if (
                name is None
                or (mark_between == ";" and not name[1].isupper())
                or (_is_acronym(name[1]) and not _is_acronym(names[-1][1]))
            ):
                self.position = mark  # "(PMI, Church and Hanks, 1990)"
                break
            names.insert(0, name)
        return names


def _and_others(before: _Token, last: _Token) -> bool:
    """Whether two words are "et al." or what other languages have for it."""
    abbreviated = (before.text, last.text.rstrip(".")) in _AND_OTHERS
    return abbreviated or (before.folded, last.folded) == ("et", "al")


def _is_first_name(token: _Token, all_capitals: bool) -> bool:
    """Whether a word before a family name can be part of it or a first name."""
    if len(token.text) == 1:
        return token.text.isupper()
    return _is_name(token) and (all_capitals or not _is_acronym(token.text))


def _is_acronym(word: str) -> bool:
    return len(word) > 2 and word.isupper()


def _is_name(token: _Token) -> bool:
    word = token.text
    if not word[0].isalpha() or token.folded in _NOT_NAMES or _PLACEHOLDER.search(word):
        return False
    return word[0].isupper() or bool(
        (glued := _GLUED_PARTICLE.match(word)) and word[glued.end() :][:1].isupper()
    )


def _unglue(name: str) -> list[str]:
    """Splits "LinandOch" into two names: PDF extraction may lose the spaces."""
    glued = _GLUED_AND.fullmatch(name)
    return [glued[1], glued[2]] if glued else [name]
