"""Entries of BibTeX files as texts that are complete by themselves, as far as possible verbatim."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from citewhy.text.bibtex_blocks import Field
from citewhy.text.dates import MONTHS_SHORT

_AFTER_FIELD = re.compile(r"\s*,?\s*")


def needs_macros(expression: str) -> bool:
    """Whether the value of a field means something only beside the ``@string`` definitions of its file."""
    if expression.startswith("{") and expression.endswith("}") and "#" not in expression:
        return False
    if expression.startswith(("{", '"')):
        return "#" in expression and not _is_one_value(expression)
    return not (expression.isdigit() or expression.lower() in MONTHS_SHORT)


def _is_one_value(expression: str) -> bool:
    """Whether the braces or quotation marks at its beginning are closed only at its end."""
    quoted, depth = expression[0] == '"', 0
    for mark in re.finditer(r'(?<!\\)[{}"]', expression[1:-1]):
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
        if depth < 0 or (quoted and depth == 0 and mark[0] == '"'):
            return False
    return expression.endswith('"' if quoted else "}")


def written_out(
    raw: str,
    written: Sequence[Field],
    values: Mapping[str, str | None],
    others: Mapping[str, str],
) -> str:
    """The entry `raw` with other values for some of its fields, and with the fields `others`.

    `written` are its fields in order, as they are in `raw`: name and expression. `values` are the new
    values in LaTeX by lower-case name; a field whose value is None is left out.
    """
    pieces: list[str] = []
    place = raw.find(",") + 1
    start = 0
    for name, expression, _ in written:
        begins = raw.find(name, place)
        value = raw.find(expression, raw.find("=", begins + len(name)) + 1)
        if begins < 0 or value < 0:
            break
        place = value + len(expression)
        if name.lower() not in values:
            continue
        new = values[name.lower()]
        if new is None:
            pieces.append(raw[start:begins])
            after = _AFTER_FIELD.match(raw, place)
            start = after.end() if after else place
        else:
            pieces += (raw[start:value], f"{{{new}}}")
            start = place
    text = "".join((*pieces, raw[start:]))
    if not others:
        return text
    body = text[:-1].rstrip().rstrip(",")
    added = "".join(f",\n  {name} = {{{value}}}" for name, value in others.items())
    return f"{body}{added}\n{text[-1:]}"


def made(kind: str, key: str, fields: Mapping[str, str]) -> str:
    """An entry of its fields, for one whose text BibTeX could not read."""
    return f"@{kind}{{{key}" + "".join(f",\n  {name} = {{{value}}}" for name, value in fields.items()) + "\n}"
