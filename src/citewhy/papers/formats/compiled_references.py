"""Reference lists that say what each part is: biber's ``.bbl`` files, and ``\\bibitem``s whose style writes
``\\bibinfo`` (Elsevier, Nature, REVTeX, ACM)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citewhy.base.records import Paper
from citewhy.text.bibtex_values import Written, paper_of
from citewhy.text.doi import clean_doi, doi_in_url

_LONGEST = 20_000
"""Characters of an entry that are read."""
_SPACE = re.compile(r"(?:\s|%[^\n]*\n)*")
_BRACE = re.compile(r"(?<!\\)[{}]")


def _argument(text: str, place: int) -> tuple[str, int] | None:
    """The argument in braces after `place`, and the offset after it."""
    space = _SPACE.match(text, place)
    start = space.end() if space else place
    if not text.startswith("{", start):
        return None
    depth = 0
    for brace in _BRACE.finditer(text, start, start + _LONGEST):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return text[start + 1 : brace.start()], brace.end()
    return None


# Items with \bibinfo ------------------------------------------------------------------------------------

_INFO = re.compile(r"\\bibinfo(?![A-Za-z])|\\showarticletitle(?![A-Za-z])")
_ADDRESS = re.compile(r"\\(?:href|url|doi|showDOI|path|Eprint)(?![A-Za-z])")
_NAME_FONT = re.compile(r"\\bib(?:f?name|nname)font(?![A-Za-z])\s*|\\bibinitperiod|\\natexlab")
_PEOPLE = {"author": "author", "person": "author", "editor": "editor"}


def paper_of_bibinfo(key: str, latex: str) -> Paper | None:
    """The paper of a ``\\bibitem`` with the text `latex`; None if it does not say what its parts are."""
    latex = latex[:_LONGEST]
    if "\\bibinfo" not in latex and "\\showarticletitle" not in latex:
        return None
    fields: dict[str, str] = {}
    for command in _INFO.finditer(latex):
        if command[0].startswith("\\show"):
            name, value = "title", _argument(latex, command.end())
        else:
            first = _argument(latex, command.end())
            name, value = (first[0].strip(), _argument(latex, first[1])) if first else ("", None)
        if value is None:
            continue
        content = _NAME_FONT.sub("", value[0]).strip()
        if name in _PEOPLE:
            known = fields.get(_PEOPLE[name])
            fields[_PEOPLE[name]] = f"{known} and {content}" if known else content
        else:
            fields.setdefault(name, content)
    for command in _ADDRESS.finditer(latex):
        address = _argument(latex, command.end())
        doi = address and (doi_in_url(address[0]) or clean_doi(address[0]))
        if doi:
            fields.setdefault("doi", doi)
    kind = "article" if "journal" in fields else "inproceedings" if "booktitle" in fields else "misc"
    paper, _ = paper_of(Written(key, 1, fields, fields, kind), None, _quiet)
    return paper if paper.title and paper.authors else None


def _quiet(line: int, why: str) -> None:
    """A printed list is read by best effort."""


# biber --------------------------------------------------------------------------------------------------

IS_BIBER = re.compile(r"\\(?:datalist|sortlist|entry)\b|biblatex bbl format")
_ENTRY = re.compile(r"\\entry(?![A-Za-z])")
_ENTRY_ENDS = re.compile(r"\\endentry(?![A-Za-z])")
_PART = re.compile(r"\\(name|list|field|strng)(?![A-Za-z])")
_VERBATIM = re.compile(r"\\verb\s*\{(\w+)\}\s*\\verb ((?:(?!\\verb\b)[^\n])*+)\n\s*\\endverb")
_PERSON_PART = re.compile(r"(?<![A-Za-z])(family|given|prefix|suffix)\s*=\s*(?=\{)")
_DELIMITERS = re.compile(r"\\bibnamedelim[a-i](?![A-Za-z])\s*|\\bibrangedash(?![A-Za-z])\s*")
_LIST_NAMES = {"location": "location", "publisher": "publisher", "institution": "institution"}


def papers_of_biber(text: str) -> Iterator[tuple[str, int, int, Paper]]:
    """The entries of biber's ``.bbl``: key, offsets of its start and end, paper."""
    for entry in _ENTRY.finditer(text):
        key = _argument(text, entry.end())
        kind = _argument(text, key[1]) if key else None
        if key is None or kind is None:
            continue
        ends = _ENTRY_ENDS.search(text, kind[1], kind[1] + _LONGEST)
        end = ends.start() if ends else min(len(text), kind[1] + _LONGEST)
        body = text[kind[1] : end]
        fields = dict(_fields(body))
        written = Written(key[0].strip(), 1, fields, fields, kind[0].strip().lower())
        yield written.key, entry.start(), end, paper_of(written, None, _quiet)[0]


def _fields(body: str) -> Iterator[tuple[str, str]]:
    """The fields of an entry in LaTeX, names by parts as biblatex writes them in a ``.bib``."""
    for name, value in _VERBATIM.findall(body):
        yield name, value.strip()
    for part in _PART.finditer(body):
        name = _argument(body, part.end())
        value = _argument(body, name[1]) if name else None
        if name is None or value is None:
            continue
        if part[1] == "field":
            yield name[0], _DELIMITERS.sub("--", value[0])
        elif part[1] == "list" and name[0] in _LIST_NAMES:
            items = _argument(body, value[1])
            first = _argument(items[0], 0) if items else None
            if first:
                yield name[0], first[0]
        elif part[1] == "name":
            content = _argument(body, value[1])
            people = _argument(body, content[1]) if content else None
            if people:
                yield name[0], " and ".join(_people(people[0]))


def _people(listed: str) -> Iterator[str]:
    place = 0
    while person := _argument(listed, place):
        place = person[1]
        parts = [
            f"{part[1]}={{{_DELIMITERS.sub(' ', value[0])}}}"
            for part in _PERSON_PART.finditer(person[0])
            if (value := _argument(person[0], part.end()))
        ]
        if len(parts) == 1 and parts[0].startswith("family="):
            yield parts[0].removeprefix("family=")
        elif parts:
            yield ", ".join(parts)
