"""What a Markdown draft says about itself before its text: YAML between ``---``, or pandoc's ``%`` lines.

Only the keys that CiteWhy needs are read, and only the YAML that people write for them; what is not
understood is left out, never an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewhy.records import Paper, Reference
from citewhy.text.person import from_inverted

__all__ = ["FrontMatter", "read_front_matter"]

Item = str | dict[str, str]
Value = str | list[Item]

_FENCE = re.compile(r"(?:---)[ \t]*\Z")
_END = re.compile(r"(?:---|\.\.\.)[ \t]*\Z")
_TOP_KEY = re.compile(r"([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*))?\Z")
_PAIR = re.compile(r"([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*))?\Z")
_COMMENT = re.compile(r"(?:^|\s)#.*")
_BLOCK_SCALAR = re.compile(r"([|>])[+-]?\d?[+-]?\s*\Z")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_MOST_LINES = 2000
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/"}


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """`lines` is how many lines it takes, fences included; the other fields are those of `Manuscript`."""

    lines: int = 0
    title: str = ""
    abstract: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    bibliographies: tuple[str, ...] = ()
    """As written; relative to the draft."""
    nocite: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    """Entries that stand in the front matter itself, under ``references:``."""


def read_front_matter(lines: list[str]) -> FrontMatter:
    """The front matter at the beginning of a file's `lines`; an empty one where there is none."""
    if lines and lines[0].startswith("%"):
        return _title_block(lines)
    if not lines or not _FENCE.match(lines[0]):
        return FrontMatter()
    for end in range(1, min(len(lines), _MOST_LINES)):
        if _END.match(lines[end]):
            return _from_yaml(lines[1:end], end + 1)
    return FrontMatter()


def _title_block(lines: list[str]) -> FrontMatter:
    """``% title``, ``% authors; and more``, ``% date``, each continued by indented lines."""
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
    title, authors, date = (*fields, "", "", "")[:3]
    return FrontMatter(end, title, authors=_people(authors), year=_year(date))


def _from_yaml(lines: list[str], taken: int) -> FrontMatter:
    values = {key: _value(first, rest) for key, first, rest in _top_level(lines)}
    return FrontMatter(
        lines=taken,
        title=_text(values.get("title", "")),
        abstract=_text(values.get("abstract", "")),
        authors=_people(values.get("author") or values.get("authors") or ""),
        year=_year(_text(values.get("date", ""))) or _year(_text(values.get("year", ""))),
        bibliographies=tuple(path for path in _texts(values.get("bibliography", "")) if path),
        nocite=tuple(
            re.findall(r"@(\*|[\w][\w:.#$%&+?<>~/-]*\w|\w)", " ".join(_texts(values.get("nocite", ""))))
        ),
        references=tuple(_references(values.get("references", ""))),
    )


def _top_level(lines: list[str]) -> list[tuple[str, str, list[str]]]:
    """Keys at the left margin, each with the rest of its line and the lines that belong to it."""
    entries: list[tuple[str, str, list[str]]] = []
    for line in lines:
        found = _TOP_KEY.match(line)
        if found:
            entries.append((found[1].lower(), (found[2] or "").strip(), []))
        elif entries and not line.startswith("#"):
            entries[-1][2].append(line)
    return entries


def _value(first: str, rest: list[str]) -> Value:
    if block := _BLOCK_SCALAR.match(first):
        return _block_text(rest, folded=block[1] == ">")
    first = first if first[:1] in {'"', "'"} else _COMMENT.sub("", first).strip()
    if first.startswith("["):
        return _flow_list(" ".join([first, *(line.strip() for line in rest)]))
    if not first and any(re.match(r"\s*-(?:\s|\Z)", line) for line in rest):
        return _block_list(rest)
    if not first and (pairs := _pairs(rest)):
        return [pairs]
    return _scalar(" ".join([first, *(line.strip() for line in rest)]))


def _block_text(lines: list[str], *, folded: bool) -> str:
    text = "\n".join(line.strip() for line in lines).strip()
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text) if folded else text


def _scalar(text: str) -> str:
    text = text.strip()
    if text.startswith('"'):
        inside = re.match(r'"((?:[^"\\]|\\.)*)', text)
        return re.sub(r"\\(.)", lambda c: _ESCAPES.get(c[1], c[0]), inside[1]) if inside else ""
    if text.startswith("'"):
        quoted = re.match(r"'((?:[^']|'')*)", text)
        return quoted[1].replace("''", "'") if quoted else ""
    return "" if text in {"~", "null"} else text


def _flow_list(text: str) -> list[Item]:
    inside = text[1:].partition("]")[0] if '"' not in text and "'" not in text else text[1 : text.rfind("]")]
    parts = re.findall(r'"(?:[^"\\]|\\.)*"|\'(?:[^\']|\'\')*\'|[^,\s][^,]*', inside)
    return [_scalar(part) for part in parts]


def _block_list(lines: list[str]) -> list[Item]:
    """Items at the smallest indentation of a dash; deeper lines belong to the item before."""
    dashes = [len(line) - len(line.lstrip()) for line in lines if re.match(r"\s*-(?:\s|\Z)", line)]
    indent = min(dashes)
    items: list[list[str]] = []
    for line in lines:
        if re.match(rf"\s{{{indent}}}-(?:\s|\Z)", line):
            items.append([line[indent + 1 :].strip()])
        elif items and line.strip():
            items[-1].append(line)
    return [_pairs(item) or _scalar(" ".join(part.strip() for part in item)) for item in items]


def _pairs(lines: list[str]) -> dict[str, str]:
    """``key: value`` lines of a list's item, nested ones too: a name's ``family`` may stand deep inside."""
    found: dict[str, str] = {}
    key = ""
    for line in lines:
        pair = _PAIR.match(re.sub(r"^\s*(?:-\s+)*", "", line))
        if pair:
            key = pair[1].lower()
            said = (
                _COMMENT.sub("", pair[2] or "").strip()
                if not (pair[2] or "").startswith(("'", '"'))
                else pair[2]
            )
            found[key] = f"{found[key]}\n{_scalar(said)}" if key in found else _scalar(said)
        elif key:
            found[key] = f"{found[key]} {_scalar(line.strip())}".strip()
    return found


def _text(value: Value) -> str:
    return " ".join(_texts(value))


def _texts(value: Value) -> list[str]:
    if isinstance(value, str):
        return [value] if value else []
    return [" ".join(item.values()) if isinstance(item, dict) else item for item in value]


def _people(value: Value) -> tuple[str, ...]:
    if isinstance(value, str):
        parts = re.split(r"\s*;\s*|\s+and\s+|\s*&\s*", value)
        if len(parts) == 1 and value.count(",") > 1:
            parts = value.split(",")  # "Ann Lee, Bo Li, Cy Ng"
    else:
        parts = [_person(item) if isinstance(item, dict) else item for item in value]
    plain = (re.sub(r"\^[^^]*\^|\[\^[^\]]*\]|<[^>]*>|\*", "", part).strip() for part in parts)
    return tuple(from_inverted(name) for name in plain if name)


def _person(item: dict[str, str]) -> str:
    given = item.get("given") or item.get("firstname") or ""
    family = item.get("family") or item.get("lastname") or item.get("surname") or ""
    return f"{given} {family}".strip() or item.get("name") or item.get("literal") or ""


def _year(text: str) -> int | None:
    found = _YEAR.search(text)
    return int(found[0]) if found else None


def _references(value: Value) -> list[Reference]:
    """CSL entries written into the draft; enough of them to recognise the paper."""
    found = []
    for item in value if isinstance(value, list) else []:
        if not isinstance(item, dict) or not item.get("id"):
            continue
        key = item["id"].split("\n")[0]
        families = item.get("family", "").split("\n")
        givens = item.get("given", "").split("\n")
        names = tuple(f"{given} {family}".strip() for given, family in zip(givens, families, strict=False))
        paper = Paper(
            id=key,
            title=item.get("title", "").split("\n")[0],
            authors=names
            if len(givens) == len(families) and families != [""]
            else tuple(filter(None, families)),
            year=_year(
                item.get("issued", "") + " " + item.get("year", "") + " " + item.get("date-parts", "")
            ),
            venue=item.get("container-title", "").split("\n")[0],
            doi=item.get("doi", "").lower().removeprefix("https://doi.org/"),
        )
        found.append(Reference(key, paper))
    return found
