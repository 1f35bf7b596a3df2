"""What no reference can say: a year to come, a DOI that cannot be one, authors who are nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citewhy.answers.audit import venues
from citewhy.answers.audit.fields import venue_of
from citewhy.base.records import Paper
from citewhy.papers.formats.fields import arxiv_numbers
from citewhy.text.tokens import fold

_DOI = re.compile(r"10\.(\d{4,9})(?:\.\d+)*/\S+|10/[a-z0-9]{3,}")
"""A DOI, or one that shortdoi.org has shortened."""
_LARGEST_REGISTRANT = 90_000
"""Registrants of DOIs are numbered one after the other from 1000; none of five digits is as large yet."""
_NOT_REGISTERED = frozenset((1234, 9999, 12345))
_PLACEHOLDER_DOI = re.compile(
    r"10\.\d+/(?:x{3}[\dx./-]*|nnnnnnn\.nnnnnnn|n{4,}|0+(?:\.0+)*|1234567(?:\.\d{7})?|xxx.*|todo.*|doi|example.*|"
    r"\[.*|\?+|placeholder.*)",
    re.IGNORECASE,
)
_PLACEHOLDERS = frozenset(
    """anonymous authors|first author|second author|firstname lastname|first last|author one|
    author two|author name|author names|author 1|author 2|a author|b author|author a|author b|
    john doe|jane doe|jane smith and john doe|lorem ipsum|your name|unknown author|
    unknown authors|unknown|n/a|tbd|todo|xxx|name surname|test author|benchmark authors|
    lastname firstname|last first|various authors|author|authors""".replace("\n    ", "").split("|")
)
_PLACEHOLDER_TITLE = re.compile(
    r"(?:no title|untitled|title|unknown title|title of (?:the )?paper)(?: no title)*"
)
_REPEATED = 2
_MOST_READ = 15
"""Authors up to which nobody is of the same name as another."""
_INITIALS = 2
"""Letters of the longest group of initials."""
_PUT_THERE_LATER = frozenset(("uai",))
"""Meetings of which arXiv has the papers of all earlier years."""
_ET_AL = re.compile(r"\bet\.?\s+al\b", re.IGNORECASE)
_FIRST_YEARS = {
    "neurips": 1987, "icml": 1980, "iclr": 2013, "aaai": 1980, "cvpr": 1983, "iccv": 1987, "eccv": 1990,
    "emnlp": 1996, "naacl": 1986, "acl": 1962, "tacl": 2013, "coling": 1965, "lrec": 1998, "kdd": 1989,
    "www": 1994,
    "jmlr": 2000, "tmlr": 2022, "colt": 1988, "aistats": 1985, "uai": 1985, "corl": 2017, "recsys": 2007,
    "wsdm": 2008, "sigir": 1971, "conll": 1997, "interspeech": 1987, "semeval": 1998,
    "aacl": 2020,
}  # fmt: skip
"""Years in which usual venues met first, or what they grew from did: of 30,000 entries, none is earlier."""


def impossible(paper: Paper, this_year: int) -> Iterator[str]:
    """Yields why no paper can be as an entry says, a sentence each."""
    if paper.year is not None and paper.year > this_year + 1:
        yield f"the year {paper.year} is yet to come"
    yield from _of_doi(paper.doi)
    yield from _of_authors(paper)
    if is_placeholder(paper.title):
        yield f"“{paper.title}” is a placeholder for a title"
    yield from _of_arxiv(paper)
    first = _FIRST_YEARS.get(venues.series(venue_of(paper)))
    if first is not None and paper.year is not None and 1000 < paper.year < first - 1:
        yield f"{venue_of(paper)} first met in {first}"


def is_placeholder(title: str) -> bool:
    """Whether a title only stands for one.

    >>> is_placeholder("No Title No Title"), is_placeholder("No Title Is Needed")
    (True, False)
    """
    return _PLACEHOLDER_TITLE.fullmatch(fold(title).strip(" .")) is not None


def _of_doi(doi: str) -> Iterator[str]:
    if not doi:
        return
    form = _DOI.fullmatch(doi)
    if form is None:
        yield f"{doi} has not the form of a DOI"
    elif _PLACEHOLDER_DOI.fullmatch(doi):
        yield f"the DOI {doi} is a placeholder"
    elif not form[1]:
        return
    elif (len(form[1]) > 4 and int(form[1]) >= _LARGEST_REGISTRANT) or int(form[1]) in _NOT_REGISTERED:
        yield f"no registrant of DOIs has the number {form[1]} ({doi})"


def _of_authors(paper: Paper) -> Iterator[str]:
    names = [fold(name).strip(" .,") for name in paper.authors]
    for name in names:
        if name in _PLACEHOLDERS:
            yield f"“{name}” is a placeholder for an author"
            break
    several = [name for name in paper.authors if len(name.split()) > 1]
    keys = [fold(name) for name in several] if len(several) <= _MOST_READ else []
    repeated = [name for name, key in zip(several, keys, strict=False) if keys.count(key) >= _REPEATED]
    if any(map(_in_full, repeated)) or len(set(map(fold, repeated))) > 1:
        yield f"{next(filter(_in_full, repeated), repeated[0])} is named twice as an author"
    written = " ; ".join(paper.authors)
    if _ET_AL.search(written):
        yield "“et al.” stands as an author"


def _in_full(name: str) -> bool:
    """Whether a name has more than a surname and initials, so that hardly two people of a paper share it."""
    return sum(len(word.strip(".")) > _INITIALS for word in name.split()) > 1


def _of_arxiv(paper: Paper) -> Iterator[str]:
    if venues.series(venue_of(paper)) in _PUT_THERE_LATER:
        return
    for number in arxiv_numbers(paper):
        date = re.match(r"(\d\d)(\d\d)\.\d{4,5}", number)
        if date is None or paper.year is None:
            continue
        year, month = 2000 + int(date[1]), int(date[2])
        if not 1 <= month <= 12 or year < 2007:
            yield f"arXiv has no number {number}: its month is {date[2]}"
        elif paper.year < year - 1:
            yield f"arXiv:{number} is of {year}, after the year {paper.year}"
