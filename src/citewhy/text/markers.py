"""Citations as printed in papers: finding them in plain text, masking them, resolving them to papers.

"(Brown et al., 1993; Och and Ney, 2003a, b)", "Collins' (1999)", "[Devlin et al. 2018]", "[3, 5–7]".
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from citewhy.base.records import Name, Paper
from citewhy.text.author_year import HINT, LOCATOR, Group, PrintedMarker, author_year
from citewhy.text.names import acronym, surname, without_umlauts
from citewhy.text.printed_names import names_before
from citewhy.text.tokens import fold

TARGET = "TARGETCIT"
OTHER = "OTHERCIT"

CITED = "[1]"
"""A printed citation, where its form does not matter."""


def find(text: str) -> list[PrintedMarker]:
    """The citations in a text, in order and not overlapping.

    Years without names and numbers in round brackets are not citations. Takes linear time.
    """
    dated = list(author_year(text))
    numbered = _numeric(text, {marker.end for marker in dated})
    markers = sorted([*dated, *numbered], key=lambda marker: (marker.start, -marker.end))
    kept: list[PrintedMarker] = []
    for marker in markers:
        if not kept or marker.start >= kept[-1].end:
            kept.append(marker)
    return kept


# Numeric citations ----------------------------------------------------------------------------------------

_SQUARE = re.compile(r"\[([^\[\]]{1,100})\](?:\s?[–—-]\s?\[(\d{1,3})\])?")
_NUMBER = r"[1-9]\d{0,2}"
_NUMBER_ALONE = re.compile(_NUMBER)
_NUMBERS = re.compile(
    rf"\s?(?:{HINT}\s)?(?P<list>{_NUMBER}(?:\s?[–—-]\s?{_NUMBER})?(?:\s?[,;]\s?{_NUMBER}(?:\s?[–—-]\s?{_NUMBER})?)*)"
    rf"{LOCATOR}?\s?"
)
_RANGE = re.compile(rf"({_NUMBER})(?:\s?[–—-]\s?({_NUMBER}))?")
_WIDEST_RANGE = 50
_WORD_BEFORE = re.compile(r"[^\W_]*$|[^\W_]{30}$")


def _numeric(text: str, ends: Collection[int]) -> Iterator[PrintedMarker]:
    """`ends`: where other citations end; what directly follows one is no index."""
    floor = 0
    for square in _SQUARE.finditer(text):
        position, numbers = _numbers(square)
        if not numbers or (square.start() not in ends and _is_index(text, square.start())):
            continue
        names = None
        before = text[max(floor, square.start() - 160) : square.start()]
        if before[-8:].rstrip().endswith(("al.", "al")):
            end = square.start() - len(before) + len(before.rstrip())
            names = names_before(text, end, square.start() - len(before))
        floor = square.end()
        in_text = names is not None and names.et_al
        printed = names.names if names is not None and in_text else ()
        start = names.start if names is not None and in_text else square.start()
        groups = tuple([Group(*position, printed, in_text, number=number) for number in numbers])
        yield PrintedMarker(start, square.end(), "numeric", groups, in_text)


def _numbers(square: re.Match[str]) -> tuple[tuple[int, int], list[int]]:
    """The numbers in square brackets, and where they are; none if there is anything else."""
    inside, last = square.groups()
    if _NUMBER_ALONE.fullmatch(inside):
        listed, position = inside, square.span(1)
    else:
        numbers = _NUMBERS.fullmatch(inside)
        if numbers is None:
            return square.span(1), []
        start = square.start(1)
        listed, position = numbers["list"], (start + numbers.start("list"), start + numbers.end("list"))
    if last:
        return (square.start(1), square.end(2)), _expanded(f"{listed}-{last}")
    return position, _expanded(listed)


def _is_index(text: str, position: int) -> bool:
    """Whether a bracket directly follows something other than a word: x[3], f(x)[1]."""
    before = _WORD_BEFORE.search(text[max(0, position - 30) : position])
    word = before[0] if before else ""
    return 0 < len(word) < 3 or (position > 0 and text[position - 1] in "_)")


def _expanded(numbers: str) -> list[int]:
    """The numbers of a list such as ``3, 5-7``, up to a range that is none."""
    if numbers.isdigit():
        return [int(numbers)]
    listed: list[int] = []
    for part in _RANGE.finditer(numbers):
        first, last = int(part[1]), int(part[2] or part[1])
        if not first <= last <= first + _WIDEST_RANGE:
            break
        listed += range(first, last + 1)
    return listed


# Masking and resolving ------------------------------------------------------------------------------------


def mask(text: str, targets: Collection[Group] = ()) -> str:
    """`text` with every citation replaced: by ``TARGETCIT`` if it has one of `targets`, else by ``OTHERCIT``.

    `targets` are groups that `find` returned for the same text. Brackets and words such as "see" are kept.
    Works cited together become one placeholder: "(see Och, 2003; Lin, 1998)" becomes "(see TARGETCIT)".
    """
    pieces: list[str] = []
    end = 0
    for marker in find(text):
        position = (marker.start, marker.end)
        if not marker.in_text:
            position = (marker.groups[0].start, marker.groups[-1].end)
        pieces += [
            text[end : position[0]],
            TARGET if any(group in targets for group in marker.groups) else OTHER,
        ]
        end = position[1]
    return "".join([*pieces, text[end:]])


def uniform(text: str) -> str:
    """The text with `CITED` in place of each printed citation.

    >>> uniform("Parsers (Collins, 1999; Charniak, 2000) and taggers [7] work.")
    'Parsers [1] and taggers [1] work.'
    """
    pieces, done = list[str](), 0
    for marker in find(text):
        pieces += [text[done : marker.start], CITED]
        done = marker.end
    return "".join((*pieces, text[done:]))


class Resolver:
    """Finds papers by what a printed citation says: surnames, number of authors, and year."""

    def __init__(self, papers: Iterable[Paper]) -> None:
        self._papers: defaultdict[tuple[str, int], list[Paper]] = defaultdict(list)
        for paper in papers:
            if paper.authors and paper.year is not None:
                for form in printed_forms(paper.authors[0]):
                    self._papers[form, paper.year].append(paper)

    def fits(self, group: Group) -> list[Paper]:
        """The papers of that year by exactly these authors ("et al.": at least three, failing that two)."""
        if group.year is None or not group.names:
            return []
        names = group.names
        while not (papers := self._exact(names, group.et_al, group.year)) and len(names) > 2:
            names = names[1:]  # "For Dutch, Smith and Lee (2001)": the first is not an author
        return papers

    def resolve(self, group: Group) -> Paper | None:
        """The only paper that fits; None if there is none or more than one."""
        papers = self.fits(group)
        return papers[0] if len(papers) == 1 else None

    def _exact(self, names: tuple[str, ...], et_al: bool, year: int) -> list[Paper]:
        candidates = [
            paper
            for paper in self._papers.get((_last_part(names[0]), year), ())
            if len(paper.authors) >= len(names) and all(map(_same_name, names, paper.authors))
        ]
        if not et_al:
            return [paper for paper in candidates if len(paper.authors) == len(names)]
        several = [paper for paper in candidates if len(paper.authors) > max(2, len(names))]
        return several or [paper for paper in candidates if len(paper.authors) > len(names)]


def resolve(group: Group, papers: Iterable[Paper]) -> Paper | None:
    """The one of `papers` that `group` cites; None if none fits or more than one does.

    >>> och = Paper("J03-1002", "A Systematic …", authors=("Franz Josef Och", "Hermann Ney"), year=2003)
    >>> resolve(find("We follow Och and Ney (2003).")[0].groups[0], [och]).id
    'J03-1002'
    """
    return Resolver(papers).resolve(group)


def forms_of(group: Group) -> list[str]:
    """Those `printed_forms` of which the first author of a paper that `group` cites has one."""
    return list(dict.fromkeys(map(_last_part, group.names)))


def printed_forms(author: str) -> tuple[str, ...]:
    """Lists what a printed citation of an author may end with, in the form of `forms_of`: folded surnames
    without what stands before a hyphen, and acronyms."""
    forms = [_last_part(author)]
    if isinstance(author, Name) and author.is_literal:
        forms.append(acronym(author))
    elif isinstance(author, Name):
        forms.append(_last_part(author.family.split()[0]))
    return tuple(dict.fromkeys(filter(None, forms)))


def _last_part(name: str) -> str:
    """The part that "Boyd-Graber", "Boyd Graber" and "Jordan Boyd-Graber" have in common; the same for
    "Müller" and "Mueller"."""
    return without_umlauts(surname(_clean(name)).rpartition("-")[2])


def _clean(name: str) -> str:
    return re.sub("[\u0300-\u036f\ufffd´¨`ˇ˜¸.]", "", name)


def _same_name(printed: str, author: str) -> bool:
    """Tells whether a printed name may be that of an author: the surname, or one of the first of two; of an
    organisation, the end of its name or its acronym."""
    one, other = without_umlauts(fold(_clean(printed))), without_umlauts(fold(_clean(author)))
    loose = f" {other}".replace("-", " ").endswith(f" {one}".replace("-", " "))
    if isinstance(author, Name) and author.is_literal:
        return loose or one == acronym(author)
    first = fold(author.family.split()[0]) if isinstance(author, Name) else ""
    return loose or surname(one) == surname(other) or without_umlauts(first) == one
