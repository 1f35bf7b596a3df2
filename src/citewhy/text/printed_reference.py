"""Entries of printed reference lists, parsed by best effort for the common styles.

The year follows the authors (ACL, APA, Chicago, Harvard, ACM, Springer) or is near the end (IEEE, LNCS,
Vancouver, MLA)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citewhy.text.sentences import spans

__all__ = ["Parsed", "parse"]

_YEAR = r"(?P<year>(?:1[89]|20)\d\d)(?P<suffix>[a-z])?"
_YEAR_IN_BRACKETS = re.compile(rf"(?<![\s,])[\s,]*+\(\s*{_YEAR}(?:,[^()]{{0,30}})?\)[\s.,:]*")
_BARE_YEAR = re.compile(rf"(?<=[.,])\s+{_YEAR}(?:[.,:;]+\s*|\s+(?=[“\"]))")
_ANY_YEAR = re.compile(rf"(?<![\w/.–:-]){_YEAR}(?![\w–-])(?!\.\d)")
_QUOTED = re.compile(r"[“\"„«»]\s?(?P<title>[^“”\"„«»]{4,400}?)[,.]?\s?[”\"“»«]")
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>]+", re.IGNORECASE)
_LABELLED_DOI = re.compile(rf"(?:\bdoi:?\s*)?{_DOI.pattern}", re.IGNORECASE)
_URL = re.compile(r"https?://[^\s\"<>]+")
_VENUE_ENDS = re.compile(
    r"(?:,|(?<!\s))\s+(?:\(?\d+(?!\w)|Bd\.|Nr\.|Jg\.|S\.\s?\d|vol\b|no\b|pp?\.|pages?\b|volume\b)|[.,;]\s|[.,;]?\Z",
    re.IGNORECASE,
)
_SUBTITLE = re.compile(r"(?!In\b|Proc|Adv|Trans|Journal)(?:[^\s,\d]+\s+){2,30}[^\s,\d]+")
"""The part of a title after a question or exclamation mark: "Sampling Matters! An Empirical Study"."""
_MONTH = re.compile(r"(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*")
_LONGEST_NAME_LIST = 3000
_MOST_AUTHORS = 300

# Names, of bounded length so that long lists of capitalised words are matched quickly.
_CAPITAL = r"(?=[^\W\d_a-z])[\w'’´`¨\u0300-\u036f-]{2,40}"
_SMALL = r"(?:(?:van|von|der|den|de|del|della|di|da|dos|du|la|le|ten|ter|el|al|bin|zu|af|y|e)\s){0,3}"
_FAMILY = rf"{_SMALL}{_CAPITAL}(?:\s{_SMALL}{_CAPITAL}){{0,2}}"
_INITIALS = r"[^\W\d_a-z]\.(?:\s?-?[^\W\d_a-z]\.){0,3}"
_GENERATION = r"(?P<generation>,?\s(?:Jr|Sr)\b\.?|,?\s(?:II|III|IV)\b)?"
_GIVEN = rf"(?:{_INITIALS}|{_CAPITAL})(?:\s(?:{_INITIALS}|{_CAPITAL}|[A-Z]{{1,2}})){{0,2}}"
_FAMILY_INITIALS = re.compile(rf"(?P<family>{_FAMILY}),\s?(?P<given>{_INITIALS}){_GENERATION}")
_INITIALS_FAMILY = re.compile(rf"(?P<given>{_INITIALS})\s?(?P<family>{_FAMILY}){_GENERATION}")
_FAMILY_CAPITALS = re.compile(
    rf"(?P<family>{_FAMILY})\s(?P<given>[A-Z]{{2,3}}(?=[\s.,:;(]|\Z)|[A-Z](?=[\s,:;(]|\Z)){_GENERATION}"
)
_FAMILY_CAPITALS_AGAIN = re.compile(
    rf"(?P<family>{_FAMILY})\s(?P<given>[A-Z]{{1,3}})(?=[\s.,:;(]|\Z){_GENERATION}"
)
_GIVEN_FAMILY = re.compile(rf"(?P<given>{_GIVEN})\s(?P<family>{_SMALL}{_CAPITAL}){_GENERATION}")
_FAMILY_GIVEN = re.compile(rf"(?P<family>{_FAMILY}),\s(?P<given>{_GIVEN}){_GENERATION}")
_FORMS = (
    (_FAMILY_INITIALS, _FAMILY_INITIALS),  # Brown, P. F., & Mercer, R. L.
    (_INITIALS_FAMILY, _INITIALS_FAMILY),  # P. F. Brown and R. L. Mercer
    (_FAMILY_CAPITALS, _FAMILY_CAPITALS_AGAIN),  # Brown PF, Mercer RL
    (_GIVEN_FAMILY, _GIVEN_FAMILY),  # Peter F. Brown and Robert L. Mercer
    (_FAMILY_GIVEN, _GIVEN_FAMILY),  # Brown, Peter F., and Robert L. Mercer
    (_FAMILY_GIVEN, _FAMILY_GIVEN),  # Brown, Peter F.; Mercer, Robert L.
)
"""The form of the first author's name, and that of the others."""
_WITH_INITIALS = frozenset([_FAMILY_INITIALS, _INITIALS_FAMILY])
_GROUP = re.compile(
    rf"(?P<family>{_CAPITAL}(?:\s(?:of|for|the|and|{_CAPITAL})){{0,6}})(?P<given>)(?P<generation>)"
)
_AND = r"(?:and|&|und|et|y|ed?|en|i)"
_JOINT = re.compile(rf"\s?(?:[;,]\s?(?:{_AND}\s)?|\s{_AND}\s)")
_ET_AL = re.compile(
    rf"[,;]?\s(?:{_AND}\s)?(?:et\.?\sal\b\.?|others\b\.?|andere\b|otros\b|outros\b|altri\b|autres\b)|,?\s(?:…|\.\.\.)"
    r"|[,;]?\s(?:u\.\s?a\.|e\.\s?a\.|i\sin\.)"
)
_LIST_ENDS = re.compile(
    r"\s?(?:[.:?]\s|,?\s?[“\"]|[.,:]?\s?\((?:eds?|Hrsg|Hg|dirs?|coords?)\.?\)|[.,:]?\s?\Z)"
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The fields of an entry. `authors` are "First Last"; `et_al` if the entry omits some of them."""

    authors: tuple[str, ...] = ()
    et_al: bool = False
    year: int | None = None
    suffix: str = ""
    title: str = ""
    venue: str = ""
    doi: str = ""
    url: str = ""


def parse(text: str) -> Parsed:
    """Parses an entry, given as one line without its number. Fields that are not found stay empty."""
    doi, url = _DOI.search(text), _URL.search(text)
    bare = _LABELLED_DOI.sub("", _URL.sub("", text))
    names, year = _names_and_year(bare)
    rest = bare[year.end() :] if year else bare[names.end :]
    if year is None:
        years = list(_ANY_YEAR.finditer(bare))
        year = years[-1] if years else None
    title, behind = _title(rest)
    return Parsed(
        authors=names.names,
        et_al=names.et_al,
        year=int(year["year"]) if year else None,
        suffix=(year["suffix"] or "") if year else "",
        title=title,
        venue=_venue(behind),
        doi=doi[0].lower().rstrip(".,;)") if doi else "",
        url=url[0].rstrip(".,;)") if url else "",
    )


def _names_and_year(text: str) -> tuple[_Names, re.Match[str] | None]:
    """The authors, and the year if it directly follows them."""
    for form in (_YEAR_IN_BRACKETS, _BARE_YEAR):
        year = form.search(text, 0, _LONGEST_NAME_LIST)
        if year and year.start() > 0:
            names = _names(text[: year.start()], (*_FORMS, (_GROUP, _GROUP)), whole=True)
            if names.names:
                return names, year
    return _names(text[:_LONGEST_NAME_LIST]), None


# Authors --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Names:
    names: tuple[str, ...] = ()
    et_al: bool = False
    end: int = 0
    """Offset of what follows the names."""


_Forms = Sequence[tuple[re.Pattern[str], re.Pattern[str]]]


def _names(text: str, forms: _Forms = _FORMS, *, whole: bool = False) -> _Names:
    """The names at the beginning of `text`, as "First Last"; with `whole`, `text` must consist of names.

    `forms` are pairs: the form of the first name, and that of the others.
    """
    for first, others in forms:
        names = _list_of(first, others, text)
        if names.names and (not text[names.end :].strip(" .,:;()") if whole else _ends(names, others, text)):
            return names
    return _Names()


def _ends(names: _Names, form: re.Pattern[str], text: str) -> bool:
    """Whether a list of names may end where it does, and the title begin."""
    if names.et_al or text[names.end - 1 : names.end + 1] == ". " or _LIST_ENDS.match(text, names.end):
        return True
    return form in _WITH_INITIALS and text.startswith(", ", names.end)


def _list_of(form: re.Pattern[str], others: re.Pattern[str], text: str) -> _Names:
    names: list[str] = []
    end = begin = 0
    while len(names) < _MOST_AUTHORS and (name := form.match(text, begin)):
        names.append(_in_reading_order(name))
        form, end = others, name.end()
        if et_al := _ET_AL.match(text, end):
            return _Names(tuple(names), True, et_al.end())
        joint = _JOINT.match(text, end)
        if joint is None:
            break
        begin = joint.end()
    return _Names(tuple(names), False, end)


def _in_reading_order(name: re.Match[str]) -> str:
    given = name["given"]
    if given.isupper() and given.isalpha() and len(given) < 4:
        given = " ".join(f"{initial}." for initial in given)
    generation = (name["generation"] or "").strip(" ,")
    return " ".join(f"{given} {name['family']} {generation}".split())


# Title and venue ------------------------------------------------------------------------------------------


def _title(text: str) -> tuple[str, str]:
    """The title, and the text after it."""
    text = text.lstrip(" .,:;")
    quoted = _QUOTED.match(text)
    if quoted:
        return quoted["title"].strip(), text[quoted.end() :]
    sentences = spans(text)
    if not sentences:
        return "", ""
    start, end = sentences[0]
    early = re.search(
        r"\.\s+In:?\s+[A-Z]|,\s+in:?\s+(?:Proc|Adv|Int|[A-Z])|,\s+(?:Bd|[Vv]ol)\.", text[start:end]
    )
    if early:
        end = start + early.start()
    elif (
        text[start:end].endswith(("?", "!"))
        and len(sentences) > 1
        and _SUBTITLE.fullmatch(text, *sentences[1])
    ):
        end = sentences[1][1]
    title = text[start:end].strip()
    return (title if title.endswith(("?", "!")) else title.rstrip(" .,")), text[end:]


def _venue(text: str) -> str:
    text = re.sub(r"\A[\s.,]*(?:(?:Bd|[Vv]ol)\.\s?\d+[.,]?\s+)?(?:[Ii]n:?\s+)?", "", text)
    end = _VENUE_ENDS.search(text)
    venue = text[: end.start()].strip(" .,")[:300] if end else ""
    return "" if _MONTH.fullmatch(venue) else venue
