"""Author-year citations in plain text, found by looking backwards from each year."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from citewhy.text.printed_names import names_before


@dataclass(frozen=True, slots=True)
class Group:
    """One cited work in a marker: names and year, or a number in the reference list."""

    start: int
    end: int
    names: tuple[str, ...] = ()
    """Family names as printed, particles included: ``("van der Berg", "Ney")``."""
    et_al: bool = False
    year: int | None = None
    """None also for papers "to appear" or "in press"."""
    suffix: str = ""
    """The letter after the year: ``b`` in 2003b."""
    number: int | None = None


@dataclass(frozen=True, slots=True)
class PrintedMarker:
    """A citation in plain text: characters ``[start, end)``, brackets included."""

    start: int
    end: int
    kind: Literal["author-year", "numeric"]
    groups: tuple[Group, ...]
    in_text: bool = False
    """True where the names are part of the sentence: "Collins (1999)"."""


_YEAR = r"(?<![\w–-])(?<!\d[.,/])(?P<year>1[789]\d\d|20\d\d)(?P<suffix>[a-z]|[A-E])?(?![\w%])(?![.,]\d)"
_SOON = r"\b(?P<soon>(?:to appear|in press|forthcoming|under review|n\.d\.))"
_STEP = re.compile(rf"[()\[\]]|{_YEAR}|{_SOON}")
_DATED = re.compile(f"{_YEAR}|{_SOON}")
_BRACKET = re.compile(r"[()\[\]]")
_OPENING, _CLOSING = "([", ")]"
_BRACKETS = frozenset(_OPENING + _CLOSING)
_AFTER_OPENING = frozenset({*_OPENING, ";"})
_BEFORE_CLOSING = frozenset({*_CLOSING, ";"})
_LONGEST_BRACKET = 2000
_MORE_SUFFIXES = re.compile(r"\s?(?:,|/|&|\band\b)\s?([a-z])(?![\w.'’])")
_DIRECTLY_BEFORE = re.compile(r"[(\[][\s,]*$")
_AFTER_TEXTUAL = re.compile(r"\s{0,3}(?:[,;:)\]]|and\b|&)")
LOCATOR = (
    r"(?:[,:]?\s{0,2}(?:pp?\.|pages?|chap(?:ter)?\.?|ch\.|sec(?:tion)?\.?|§|fig(?:ure)?\.?|table|vol\.|"
    r"[Ss]\.|Seiten?|págs?\.|pág(?:inas?)?|blz\.|str\.|с\.|[Kk]ap\.|cap\.|chapitre|Abschn\.|Abb\.|Tab\.|Bd\.|"
    r"Rn\.|Rz\.|Anm\.|nota?)\s{0,2}"
    r"[\w.:–-]{1,12}(?:,\s?\d[\d–-]{0,9})?(?:\s(?:ff?|sqq?|ss?|n)\.)?|\s?:\s?\d[\d–-]{0,9}|"
    r",\s?\d{1,4}\s?ff?\.)"
)
"""A place in the work, in the languages of `text.languages`."""
_BETWEEN = r"(?:and|und|et|y|ed?|en|i)"
_GAP = re.compile(rf"{LOCATOR}?\s{{0,3}}(?:[,;&/]|\b{_BETWEEN}\b)?\s{{0,3}}(?:\b{_BETWEEN}\b|&)?\s{{0,3}}")
HINT = (
    r"(?:see|also|e\.\s?g\.,?|eg\.?,|i\.\s?e\.,?|cf\.?,?|compare|as in|for example,?|for instance,?|"
    r"among others,?|inter alia,?|in particular,?|following|from|by|or|and|but|both|in|of|after|adapted|"
    r"based on|"
    r"[Vv]gl\.|siehe|[sS]\.|z\.\s?B\.,?|u\.\s?a\.|auch|dazu|hierzu|etwa|so|zit(?:iert|\.)|nach|bei|sowie|und|"
    r"[Vv]oir|aussi|notamment|par exemple,?|entre autres,?|d['’]après|et|"
    r"[Vv]éa(?:n)?se|[Vv]er|también|por ejemplo,?|p\.\s?ej\.,?|según|citado (?:en|por)|y|"
    r"veja|também|por exemplo,?|p\.\s?ex\.,?|conforme|segundo|apud|e|"
    r"si veda(?:no)?|[Vv]edi|[Cc]fr\.|anche|ad esempio,?|ad es\.,?|"
    r"[Zz]ie|ook|bijv\.|[Zz]ob\.|[Pp]or\.|także|np\.|см\.)"
)
_BEFORE_GROUPS = re.compile(rf"\s{{0,3}}(?:{HINT}\s{{1,3}}){{0,4}}")
_AFTER_GROUPS = re.compile(
    rf"{LOCATOR}?[,;.]?\s{{0,3}}(?:(?:and references therein|among (?:many )?others|inter alia|etc\.|i\.a\.|"
    r"for (?:an? )?(?:overview|review|survey|details|discussion|example|instance))\s{0,2}){0,2}"
)
_BETWEEN_GROUPS = re.compile(
    rf"{LOCATOR}?\s{{0,3}}(?:[;,:&]\s{{0,3}}){{0,3}}(?:{HINT}\s{{1,3}}|&\s{{0,3}}|[;,]\s{{0,3}}){{0,4}}"
)
_SMALL_NAMES = re.compile(
    r"\s{0,2}(?P<first>[a-z]{3,20})(?:\s?,)?\s(?:(?:and|&)\s(?P<second>[a-z]{3,20})|et\s?al\.?)\s?,?\s{0,2}"
)


@dataclass(slots=True, eq=False)
class _Bracket:
    start: int
    end: int


def author_year(text: str) -> Iterator[PrintedMarker]:
    """The author-year citations of a text, in the order of their years.

    Two of them may overlap where brackets are unbalanced.
    """
    runs: list[tuple[_Bracket | None, list[Group], bool]] = []
    for bracket, group, textual in _groups(text):
        if runs:
            same, run, _ = runs[-1]
            if same is bracket and not textual and _BETWEEN_GROUPS.fullmatch(text, run[-1].end, group.start):
                run.append(group)
                continue
        runs.append((bracket, [group], textual))
    for bracket, run, textual in runs:
        if textual:
            end = run[-1].end
            if bracket and end < bracket.end and _AFTER_GROUPS.fullmatch(text, end, bracket.end - 1):
                end = bracket.end
            yield PrintedMarker(run[0].start, end, "author-year", tuple(run), in_text=True)
        else:
            start, end = _whole_bracket(text, bracket, run)
            yield PrintedMarker(start, end, "author-year", tuple(run))


def _whole_bracket(text: str, bracket: _Bracket | None, run: list[Group]) -> tuple[int, int]:
    """The span of the bracket if it holds nothing else, otherwise that of the citations alone."""
    if (
        bracket is not None
        and _BEFORE_GROUPS.fullmatch(text, bracket.start + 1, run[0].start)
        and _AFTER_GROUPS.fullmatch(text, run[-1].end, bracket.end - 1)
    ):
        return bracket.start, bracket.end
    return run[0].start, run[-1].end


def _groups(text: str) -> Iterator[tuple[_Bracket | None, Group, bool]]:
    """Each cited work, the bracket that its year is in, and whether its names precede that bracket."""
    if not _DATED.search(text):
        return
    ends = _bracket_ends(text)
    stack: list[_Bracket] = []
    floor = 0
    last: tuple[_Bracket | None, Group] | None = None
    for step in _STEP.finditer(text):
        position = step.start()
        if step[0] in _BRACKETS:
            if position in ends:
                stack.append(_Bracket(position, ends[position]))
            elif stack and stack[-1].end == position + 1:
                stack.pop()
            continue
        bracket = stack[-1] if stack else None
        if step["year"]:
            year = Group(position, step.end(), year=int(step["year"]), suffix=step["suffix"] or "")
        elif bracket:
            year = Group(position, step.end())
        else:
            continue
        named = _named(text, year, bracket, floor, last)
        if named is None:
            continue
        group, textual = named
        for part in _with_suffixes(text, group):
            yield bracket, part, textual
            textual = False
            last = (bracket, part)
            floor = part.end


def _bracket_ends(text: str) -> dict[int, int]:
    """The end of each bracket by its start; unbalanced and overlong brackets are left out."""
    ends: dict[int, int] = {}
    stack: list[int] = []
    for step in _BRACKET.finditer(text):
        if step[0] in _OPENING:
            stack.append(step.start())
        elif stack and _OPENING.index(text[stack[-1]]) == _CLOSING.index(step[0]):
            start = stack.pop()
            if step.end() - start <= _LONGEST_BRACKET:
                ends[start] = step.end()
        else:
            stack.clear()
    return ends


def _named(
    text: str, year: Group, bracket: _Bracket | None, floor: int, last: tuple[_Bracket | None, Group] | None
) -> tuple[Group, bool] | None:
    """The year with its names, and whether they precede the bracket; None if the year is just a number."""
    if last is not None and last[0] is bracket and bracket is not None:
        gap = _GAP.fullmatch(text, last[1].end, year.start)
        if gap and gap[0].strip() and year.year:
            return _with_names(year, year.start, last[1].names, last[1].et_al), False
    opening = _DIRECTLY_BEFORE.search(text, max(floor, year.start - 8), year.start)
    if opening and (bracket is None or bracket.start == opening.start()):
        return _before_bracket(text, year, opening.start(), bracket, floor)
    group = _before_year(text, year, bracket, floor)
    return None if group is None else (group, False)


def _before_bracket(
    text: str, year: Group, opening: int, bracket: _Bracket | None, floor: int
) -> tuple[Group, bool] | None:
    """Names before the bracket that opens right before the year: "Collins (1999)"."""
    end = len(text[max(floor, opening - 5) : opening].rstrip()) + max(floor, opening - 5)
    if text[:end].endswith("al.,", max(floor, end - 4)):
        end -= 1
    names = names_before(text, end, floor)
    if names is None or not ((bracket is None and names.et_al) or _AFTER_TEXTUAL.match(text, year.end)):
        return None
    closed = bracket is not None and year.end + 1 == bracket.end
    stop = year.end + 1 if closed else year.end
    return replace(year, start=names.start, end=stop, names=names.names, et_al=names.et_al), True


def _before_year(text: str, year: Group, bracket: _Bracket | None, floor: int) -> Group | None:
    floor = max(floor, bracket.start + 1) if bracket else floor
    head = text[max(floor, year.start - 12) : year.start]
    bare = head.rstrip(" ,\n\t\r\xa0")
    comma = "," in head[len(bare) :]
    end = year.start - len(head) + len(bare)
    if bare.endswith(".") and not bare.endswith(("al.", "al .")):
        end -= 1 if comma else 0
    names = names_before(text, end, floor)
    if names is None:
        small = (
            _SMALL_NAMES.fullmatch(text, floor, year.start) if bracket and year.start - floor < 60 else None
        )
        if small is None:
            return None
        printed = tuple(name for name in (small["first"], small["second"]) if name)
        return _with_names(year, small.start("first"), printed, len(printed) == 1)
    if not _is_citation(text, names.names, names.et_al, comma, names.start, year.end, bracket):
        return None
    return _with_names(year, names.start, names.names, names.et_al)


def _with_names(year: Group, start: int, names: tuple[str, ...], et_al: bool) -> Group:
    return Group(start, year.end, names, et_al, year.year, year.suffix)


def _is_citation(
    text: str,
    names: tuple[str, ...],
    et_al: bool,
    comma: bool,
    start: int,
    end: int,
    bracket: _Bracket | None,
) -> bool:
    """Whether names directly before a year are a citation, unlike "the Treebank of Prague 2003"."""
    if et_al:
        return True
    if bracket is None:  # the other half of the bracket is in another sentence
        opened = text[max(0, start - 3) : start].rstrip()[-1:] in _AFTER_OPENING
        return opened or ((comma or len(names) > 1) and text[end : end + 2].lstrip()[:1] in _BEFORE_CLOSING)
    if comma or len(names) > 1:
        return True
    alone = _BEFORE_GROUPS.fullmatch(text, bracket.start + 1, start) or text[
        max(0, start - 3) : start
    ].rstrip()[-1:] in {";", ","}
    return bool(alone) and not names[0].isupper()


def _with_suffixes(text: str, group: Group) -> Iterator[Group]:
    """The group, and another one for each letter that follows, as in "2003a, b"."""
    yield group
    while group.suffix and (more := _MORE_SUFFIXES.match(text, group.end)):
        group = replace(group, start=more.start(1), end=more.end(1), suffix=more[1])
        yield group
