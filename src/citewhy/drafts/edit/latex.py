"""Citations as an edit writes them in LaTeX."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from citewhy.base.records import Manuscript, Marker
from citewhy.drafts.edit.key_plan import KeyPlan

__all__ = ["COMMENT", "filled"]

COMMENT = re.compile(r"(?<!\\)%[^\n\r]*")
_BRACKET_COMMANDS = ("citep", "cite", "parencite", "autocite")
"""Commands that may replace a placeholder without one; the draft's most frequent one is used."""

_TEXT_COMMANDS = ("citet", "textcite", "citeasnoun", "citeA", "newcite")
_PAIRS = (("citet", "citep"), ("textcite", "parencite"), ("textcite", "autocite"))
"""Commands for a citation in the sentence, by those in brackets that a draft uses."""


def filled(manuscript: Manuscript, marker: Marker, written: str, keys: Sequence[str]) -> str:
    if marker.slot == marker.place:  # \citeneeded, [CITE]: all of it is replaced
        return f"\\{_usual_command(manuscript, marker)}{{{','.join(keys)}}}"
    shown = COMMENT.sub(lambda comment: " " * len(comment[0]), written)
    pieces = [(piece.start(), piece.end()) for piece in re.finditer(r"[^,\s](?:[^,]*[^,\s])?", shown)]
    found = KeyPlan(manuscript, [shown[slice(*piece)] for piece in pieces], keys)
    comma = ", " if re.search(r",[ \t]", shown) else ","
    if not pieces:
        return comma.join(keys) + (written if written.strip() else "")
    return _replaced(written, pieces, found, comma)


def _replaced(written: str, pieces: Sequence[tuple[int, int]], found: KeyPlan, separator: str) -> str:
    """`written` with some of its keys at `pieces` replaced; what stands between them stays, but the comma of
    a key that goes."""
    out: list[str] = []
    done = 0
    for place, (start, end) in enumerate(pieces):
        new = found.replaced.get(place)
        if new is not None and not new and len(pieces) > 1 and "%" not in written:
            done = end if place else pieces[1][0]  # with the separator before it, or after it
            continue
        out += [
            written[done:start],
            written[start:end] if not new else separator.join(new),
        ]
        done = end
        if place == len(pieces) - 1 and found.added:
            out.append(separator + separator.join(found.added))
    return "".join([*out, written[done:]])


def _usual_command(manuscript: Manuscript, marker: Marker) -> str:
    """The draft's most frequent citation command that fits; without a model, ``\\cite``."""
    counts = Counter(
        each.command
        for paragraph in manuscript.paragraphs
        for sentence in paragraph.sentences
        for each in sentence.markers
        if each.command in (*_BRACKET_COMMANDS, *_TEXT_COMMANDS)
    )
    wanted: tuple[str, ...] = _BRACKET_COMMANDS
    if marker.in_text:
        wanted = _TEXT_COMMANDS
        if not any(counts[command] for command in wanted):
            return next((text for text, bracket in _PAIRS if counts[bracket]), "cite")
    fitting = [command for command in counts if command in wanted]
    return max(fitting, key=lambda command: counts[command], default="cite")
