"""The metadata at the beginning of a Markdown draft: a YAML block, or Pandoc's title block."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from citewhy.drafts.flow import first_year
from citewhy.text.person import name_of
from citewhy.text.yaml_values import Value, YamlError, load, strings

_FENCE = re.compile(r"---[ \t]*\Z")
_END = re.compile(r"(?:---|\.\.\.)[ \t]*\Z")
_FIELD = re.compile(r"([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*))?\Z")
_NOCITE = re.compile(r"@(\*|[\w][\w:.#$%&+?<>~/-]*\w|\w)")
_MOST_LINES = 20_000


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Metadata. `lines` is their number of lines, delimiters included; other fields as in `Manuscript`."""

    lines: int = 0
    title: str = ""
    """Markdown, like the abstract."""
    abstract: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    bibliographies: tuple[str, ...] = ()
    """Paths as written, relative to the draft's folder."""
    nocite: tuple[str, ...] = ()
    references: Value = ""
    """The CSL items under ``references:``."""
    problems: tuple[tuple[int, str], ...] = ()
    """Line (from 1) and description of each problem."""


def read_front_matter(lines: list[str]) -> FrontMatter:
    """The metadata at the beginning of a file's `lines`; empty if there are none."""
    if lines and lines[0].startswith("%"):
        return _title_block(lines)
    if not lines or not _FENCE.match(lines[0]):
        return FrontMatter()
    for end in range(1, min(len(lines), _MOST_LINES)):
        if _END.match(lines[end]):
            return _header(lines[1:end])
    return FrontMatter()


def _title_block(lines: list[str]) -> FrontMatter:
    """``% title``, ``% authors; separated``, ``% date``, each continued by indented lines."""
    fields: list[str] = []
    end = 0
    for line in lines[:_MOST_LINES]:
        if line.startswith("%") and len(fields) < 3:
            fields.append(line[1:].strip())
        elif fields and line[:1] in {" ", "\t"} and line.strip():
            fields[-1] += "; " + line.strip() if len(fields) == 2 else " " + line.strip()
        else:
            break
        end += 1
    title, people, date = (*fields, "", "", "")[:3]
    return FrontMatter(end, title, authors=authors(people), year=first_year(date))


def _header(lines: list[str]) -> FrontMatter:
    fields, problems = _fields(lines)
    if fields is None:  # text between two horizontal rules
        return FrontMatter()
    return FrontMatter(
        lines=len(lines) + 2,
        title=_title(fields.get("title", "")),
        abstract="\n\n".join(strings(fields.get("abstract", ""))),
        authors=authors(fields.get("author") or fields.get("authors") or ""),
        year=first_year(" ".join(strings([fields.get("date", ""), fields.get("year", "")]))),
        bibliographies=tuple(strings(fields.get("bibliography", ""))),
        nocite=tuple(_NOCITE.findall(" ".join(strings(fields.get("nocite", ""))))),
        references=fields.get("references", ""),
        problems=tuple((line + 2, why) for line, why in problems),
    )


def _fields(lines: list[str]) -> tuple[dict[str, Value] | None, list[tuple[int, str]]]:
    """The fields by their names in lower case, and problems with their lines (from 0).

    None if the text is not meant to be YAML.
    """
    try:
        value, problems = load("\n".join(lines))
    except YamlError as error:
        return _valid_fields(lines, error)
    if isinstance(value, dict):
        return {name.lower(): field for name, field in value.items()}, problems
    if value and not lines[0].strip():
        return None, []
    return {}, [*problems, (0, "expected fields such as `title: …`")] if value else problems


def _valid_fields(
    lines: list[str], error: YamlError
) -> tuple[dict[str, Value] | None, list[tuple[int, str]]]:
    """The fields of a block that is not valid YAML, each parsed by itself.

    A mistake in one field, in a draft that is being written, must not hide the bibliography. A field of one
    line that is not valid YAML (``title: Parsing: a survey``) is taken as written.
    """
    starts = [number for number, line in enumerate(lines) if _FIELD.match(line)]
    if not starts and not lines[0].strip():
        return None, []
    fields: dict[str, Value] = {}
    problems: list[tuple[int, str]] = []
    for start, end in pairwise([*starts, len(lines)]):
        match = _FIELD.match(lines[start])
        assert match is not None
        try:
            value, wrong = load("\n".join(lines[start:end]))
            problems += [(line + start, why) for line, why in wrong]
            fields |= (
                {name.lower(): field for name, field in value.items()} if isinstance(value, dict) else {}
            )
        except YamlError as own:
            problems.append((own.line + start, f"invalid YAML: {own.problem}"))
            if not any(line.strip() for line in lines[start + 1 : end]):
                fields[match[1].lower()] = (match[2] or "").strip()
    whole = (error.line, f"invalid YAML: {error.problem}")
    return fields, problems if whole in problems else [whole, *problems]


def _title(value: Value) -> str:
    """A title; of several with types, as for EPUB, the main one."""
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        titles = [item for item in value if isinstance(item, dict)]
        value = next((item for item in titles if item.get("type") == "main"), titles[0])
    if isinstance(value, dict):
        value = value.get("text") or value.get("main") or value
    return " ".join(strings(value))


# Authors, in the many forms in which metadata list them -------------------------------------------------

_GIVEN = ("given", "firstname", "first_name", "first")
_FAMILY = ("family", "lastname", "last_name", "surname", "last")
_WHOLE = ("name", "literal")
_MARKS = re.compile(
    r"\^\[[^\]]{0,1000}\]|\[\^[^\]]{0,1000}\]|\^[^^]{0,1000}\^|\$[^$]{0,1000}\$|<[^>]{0,1000}>|\*"
)
"""Footnotes, superscripts, addresses and emphasis that may accompany a name."""


def authors(value: Value) -> tuple[str, ...]:
    """The names in the field ``author`` (a text, a list, or a mapping) as "First Last"."""
    if isinstance(value, str):
        names = _split(value)
    elif isinstance(value, list):
        names = [name for item in value for name in ([item] if isinstance(item, str) else _names(item))]
    else:
        names = _names(value)
    plain = (" ".join(_MARKS.sub("", name).split()) for name in names)
    return tuple(filter(None, map(name_of, plain)))


def _split(text: str) -> list[str]:
    text = " ".join(text.split())
    parts = re.split(r" ?[;&] ?| and ", text)
    return text.split(",") if len(parts) == 1 and text.count(",") > 1 else parts  # "Ann Lee, Bo Li, Cy Ng"


def _names(item: Value) -> list[str]:
    """The names in one item of a list of authors."""
    if isinstance(item, str):
        return [item]
    if isinstance(item, list):
        return [name for part in item for name in _names(part)]
    given, family = _first(item, _GIVEN), _first(item, _FAMILY)
    if family:
        return [f"{given} {family}"]
    for field in _WHOLE:
        if item.get(field):
            return _names(item[field])
    # "Ann Lee: {institute: x}": the key is the name.
    return [name for name, value in item.items() if isinstance(value, dict | list)] or [given]


def _first(item: dict[str, Value], fields: tuple[str, ...]) -> str:
    return next((" ".join(strings(item[field])) for field in fields if item.get(field)), "")
