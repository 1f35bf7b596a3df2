"""Parts of names: records have "First Last", most file formats "Last, First", and BibTeX both."""

from __future__ import annotations

import re

from citewhy.base.records import Name
from citewhy.text.tidy import tidy

_SUFFIX = re.compile(r"(?:[JS]r|JR|SR)\.?|II|III|IV|PhD|Ph\.D\.")
"""Case-sensitive: Ii is a family name."""
PARTICLES = frozenset(
    ("van", "von", "vom", "der", "den", "het", "de", "del", "della", "di", "da", "das", "do", "dos", "du",
     "la", "le", "ten", "ter", "zu", "zum", "zur", "af", "av", "bin", "ibn", "el", "al")
)  # fmt: skip
NOBODY = frozenset({"others", "and others", "et al.", "et al", "et. al.", "...", "…"})
"""These stand for further people at the end of a list of names."""
_UNKNOWN = NOBODY | {"anonymous", "[anonymous]"}
_CONJUNCTIONS = frozenset({"y", "e", "i"})
"""These join the two family names of a person, as in Ortega y Gasset."""

_OF_ORGANISATIONS = re.compile(
    r"\b(?:universit\w+|institut\w*|organi[sz]ations?|organi[sz]acion|associations?|committees?"
    r"|commissions?|consortium|collaborations?|societ(?:y|ies)|société|foundation|ministr(?:y|ies)|ministère"
    r"|ministerio|department|agency|council|federation|centers?|centres?|laborator(?:y|ies)|network|groups?|team"
    r"|initiative|alliance|bureau|corporation|museum|academy|académie|congress|parliament|government|nations"
    r"|investigators|programme|authority|administration|hospital|inc\.|ltd|llc|gmbh)(?!\w)",
    re.IGNORECASE,
)
"""Words that names of organisations have, and those of people do not have beside others."""
_JOINED = re.compile(r"(?:^the| (?:of|for|the|and|&|für)) ")
"""Words between others that no name of a person has."""
_COMPANY = re.compile(r"(?:inc|ltd|llc|corp|gmbh|plc)\.?", re.IGNORECASE)
_LONGEST_COMPANY = 5
_INITIALS = re.compile(r"(?:[^\W\d_]\.?[ -]?){1,4}")
_SMALL = re.compile(r"[^\W\d_]{1,2}['’]")
"""A particle without a space before the name."""


def parts(name: str) -> Name:
    """The parts of a name: those that are known (`Name`), or a guess from "First von Last Jr.".

    A guess takes the last word for the family name, without particles and suffix. A family name of several
    words without a particle counts as a middle name and a family name.

    >>> parts("Jan van der Berg").family, parts("Jan van der Berg").particle
    ('Berg', 'van der')
    """
    if isinstance(name, Name):
        return name
    words = name.replace(",", " ").split()
    suffix = words.pop() if len(words) > 1 and is_suffix(words[-1]) else ""
    family = words.pop() if words else ""
    start = len(words)
    while start > 0 and words[start - 1] in PARTICLES:
        start -= 1
    return Name(" ".join(words[:start]), family, " ".join(words[start:]), suffix)


def is_company(word: str) -> bool:
    """Whether what stands behind the comma of a name says that it is a company's: "Inc.", "Ltd"."""
    return len(word) <= _LONGEST_COMPANY and _COMPANY.fullmatch(word) is not None


def is_suffix(word: str) -> bool:
    """Whether a part of a name is "Jr.", "III" or the like."""
    return _SUFFIX.fullmatch(word) is not None


def can_invert(name: str) -> bool:
    """Whether a name can be written as "Last, First": not if it is one whole, or has commas itself
    ("Amazon.com, Inc.")."""
    if isinstance(name, Name):
        return not name.is_literal
    head, comma, tail = name.partition(",")
    own_comma = comma and not (head.strip() and is_suffix(tail.strip()))
    return not own_comma and not is_suffix(parts(name).given)


def is_organisation(text: str) -> bool:
    """Whether a name without commas has a word that no person's name has.

    >>> [is_organisation(name) for name in ("World Health Organization", "Bank of Towns", "Ann Lee")]
    [True, True, False]
    """
    if " " not in text:
        return False
    return _OF_ORGANISATIONS.search(text) is not None or _JOINED.search(text) is not None


def name_of(text: str) -> str:
    """The name in "von Last, First, Jr." with its parts, or an organisation as a whole; a name in reading
    order stays text, as its parts are unknown. Empty for "et al.".

    >>> name_of("van der Berg, Jan").family, name_of("World Health Organization").is_literal
    ('Berg', True)
    """
    text = tidy(text)
    if "," not in text:
        if text.lower() in _UNKNOWN:
            return ""
        return Name.literal(text) if is_organisation(text) else text
    family, *others = text.split(",")
    family, rest = family.strip(), [part for part in map(str.strip, others) if part]
    if not family:
        return " ".join(rest)
    if not rest:
        return Name.literal(family)
    return of_pieces(family, rest) or Name.literal(text.rstrip(" ,"))


def of_pieces(family: str, rest: list[str], suffix_first: bool = False) -> Name | None:
    """The name of a family name and what follows it between commas: given name and suffix, in this order
    unless `suffix_first` says otherwise or a word does; None for an organisation with commas in its name."""
    first = rest[0]
    if is_company(rest[-1]) or (is_organisation(family) and not is_initials(first)):
        return None
    if len(rest) == 1:
        return natural(family, first) if is_suffix(first) else inverted(family, first)
    last = " ".join(rest[1:])
    if is_suffix(first) or (suffix_first and not is_suffix(last)):
        return inverted(family, last, first)
    return inverted(family, first, last)


def is_initials(text: str) -> bool:
    """Whether a text is at most four capital letters, with or without points."""
    return text.isupper() and _INITIALS.fullmatch(text) is not None


def inverted(last: str, first: str, suffix: str = "") -> Name:
    """The name "von Last, Jr, First": small words before the last name are its particle, and particles after
    the first name fall away when the last name stands alone."""
    family = particle = last
    if " " not in last:
        particle = ""
    else:
        words = last.split()
        begin = 0
        while begin < len(words) - 1 and words[begin][0].islower():
            begin += 1
        if not suffix and len(words) - begin > 1 and is_suffix(words[-1]):
            suffix = words.pop()
        particle, family = " ".join(words[:begin]), " ".join(words[begin:])
    dropping = ""
    if " " in first and _falls_away(first.rpartition(" ")[2]):
        words = first.split()
        end = len(words)
        while end > 1 and _falls_away(words[end - 1]):
            end -= 1
        first, dropping = " ".join(words[:end]), " ".join(words[end:])
    return Name(first, family, particle, suffix, dropping)


def _falls_away(word: str) -> bool:
    return word in PARTICLES or _SMALL.fullmatch(word) is not None


def of_parts(family: str, given: str, suffix: str = "") -> str:
    """The name of the parts that a service has. A part that stands alone may be the whole name of an
    organisation, or of a person who has only one.

    >>> of_parts("Lee", "Ann"), of_parts("World Health Organization", "").is_literal
    ('Ann Lee', True)
    """
    if not family or (is_organisation(family) and not (given or suffix)):
        return Name.literal(family or given) if family or given else ""
    return inverted(family, given, suffix)


def natural(text: str, suffix: str = "") -> Name:
    """The name "First von Last": the small words in it are its particle, as in BibTeX; or an organisation as
    a whole."""
    if is_organisation(text):
        return Name.literal(f"{text} {suffix}".strip())
    words = text.split()
    if not suffix and len(words) > 1 and is_suffix(words[-1]):
        suffix = words.pop()
    last = max(len(words) - 1, 0)
    begin = 0
    while begin < last and not (words[begin][0].islower() and (begin or words[0] in PARTICLES)):
        begin += 1
    end = begin
    while end < last and words[end][0].islower():
        end += 1
    if end == begin + 1 and begin and words[begin] in _CONJUNCTIONS:
        begin = end = begin - 1
    return Name(" ".join(words[:begin]), " ".join(words[end:]), " ".join(words[begin:end]), suffix)
