"""An audit for a terminal: the worst first, what is known only counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import get_args

from citewhy.answers.audit import VERDICTS, Audit, AuditedEntry, Remark, RemarkKind
from citewhy.base.records import Paper
from citewhy.doors.present.lines import PLAIN, Look, clean, from_here, shortened, styled, wrapped
from citewhy.text.counted import counted, inflected

_INDENT = " " * 4
_OF_STYLE = frozenset(("case",))
"""Remarks that are shown only if all is wanted."""
_UNUSED_SHOWN = 8
HEADS = {
    "impossible": "Impossible: no paper can be so",
    "mixed": "Mixed: parts of two papers",
    "differs": "Differs: this paper, but a field says something else",
    "unknown": "Unknown: the library does not have it, which says nothing about the entry",
    "known": "Known",
}
NAMES = {"doi": "DOI", "concern": "expression of concern"}
OF_KEYS = {
    "undefined": "cited without an entry",
    "repeated": "given to more than one entry",
    "unused": "never cited",
}
SUPPORT = {"found": "found", "weak": "weak", "absent": "not in what the library has"}
_CLAIMS_SHOWN = 12
_TAKEN_BACK = frozenset(("retracted", "withdrawn", "concern"))
_OTHERS = frozenset(get_args(RemarkKind)) - _TAKEN_BACK


def audit(audit: Audit, look: Look = PLAIN) -> str:
    """The verdicts with their evidence, then the remarks, then a line that counts everything."""
    lines = [*_counts(audit, look), "", *_remarks(audit, "Taken back, or doubted", _TAKEN_BACK, look)]
    for verdict in VERDICTS:
        entries = [entry for entry in audit.entries if entry.verdict == verdict]
        shown = entries if verdict in VERDICTS[:3] or look.verbose else []
        if shown:
            lines += [styled(HEADS[verdict], "strong", look)]
            for entry in shown:
                lines += _entry(entry, look)
            lines.append("")
    lines += _remarks(audit, "Remarks", _OTHERS, look)
    lines += _claims(audit, look)
    lines += _keys(audit, look)
    unknown = audit.counts.get("unknown", 0)
    if unknown and not look.verbose:
        them = "it" if unknown == 1 else "them"
        lines += [f"{counted(unknown, 'entry', 'entries')} unknown to the library: -v lists {them}."]
    return "\n".join(lines).rstrip("\n")


def _counts(audit: Audit, look: Look) -> Iterator[str]:
    names = ", ".join(clean(from_here(file)) for file in audit.files)
    parts = [f"{audit.counts[verdict]} {verdict}" for verdict in VERDICTS if audit.counts.get(verdict)]
    yield from wrapped(
        f"{names}: {counted(len(audit.entries), 'entry', 'entries')}, {', '.join(parts) or 'none read'}",
        rest="  ",
        width=look.width,
    )
    itself = sum(entry.itself for entry in audit.entries)
    if itself:
        was, they = inflected(itself, "is", "are"), inflected(itself, "it was", "they were")
        yield from wrapped(
            f"{itself} of the known {was} in the library from this very file: {they} "
            "compared with nothing else.",
            "  ",
            width=look.width,
        )


def _entry(entry: AuditedEntry, look: Look) -> Iterator[str]:
    mark = " (certain)" if entry.certain else ""
    room = look.width - len(_INDENT)
    yield f"{styled(_where(entry), 'key', look)}{mark}"
    yield f"{_INDENT}{shortened(entry.reference.paper.title, room)}"
    for line in evidence(entry):
        yield from wrapped(line, f"{_INDENT}– ", f"{_INDENT}  ", look.width)


def _where(entry: AuditedEntry) -> str:
    place = entry.reference.place
    where = clean(from_here(entry.file)) + (f":{place.line}" if place else "")
    return f"{where} {clean(entry.reference.key)}"


def evidence(entry: AuditedEntry) -> list[str]:
    """Says what a verdict rests on, a sentence or less each."""
    lines = list(entry.reasons)
    if entry.verdict == "mixed" or entry.other is not None:
        if entry.paper is not None:
            lines.append(f"title of {_named(entry.paper)}")
        if entry.other is not None:
            parts = ", ".join(NAMES.get(part, part) for part in entry.parts)
            lines.append(f"{parts} of {_named(entry.other)}")
        if entry.paper is None:
            lines.append("no paper of this title is known")
    for one in entry.differences:
        sure = ", certain" if one.certain else ""
        says, known = shortened(one.says, 200), shortened(one.known, 200)
        lines.append(f"{NAMES.get(one.field, one.field)}: “{says}”; the library: “{known}”{sure}")
    if entry.paper is not None and entry.verdict == "differs":
        lines.append(f"beside {_named(entry.paper)}")
    return lines


def _named(paper: Paper) -> str:
    about = ", ".join(filter(None, [paper.venue and shortened(paper.venue, 60), str(paper.year or "")]))
    first = f"{paper.authors[0]}{' and others' if len(paper.authors) > 1 else ''}: " if paper.authors else ""
    return f"{first}“{shortened(paper.title, 90)}”" + (f" ({about})" if about else "") + f" [{paper.id}]"


def remarks_of(entry: AuditedEntry, *, verbose: bool) -> list[Remark]:
    """The remarks of an entry that are shown."""
    return [remark for remark in entry.remarks if verbose or remark.kind not in _OF_STYLE]


def _remarks(audit: Audit, head: str, kinds: Collection[str], look: Look) -> Iterator[str]:
    pairs = [
        (entry, one)
        for entry in audit.entries
        for one in remarks_of(entry, verbose=look.verbose)
        if one.kind in kinds
    ]
    if not pairs:
        return
    yield styled(head, "strong", look)
    for entry, one in pairs:
        sure = ", certain" if one.certain else ""
        kind = NAMES.get(one.kind, one.kind)
        yield from wrapped(f"{_where(entry)}: {kind}{sure}: {one.text}", rest=_INDENT, width=look.width)
    yield ""


def _claims(audit: Audit, look: Look) -> Iterator[str]:
    """The citing sentences with which the library's text of the cited paper does not agree."""
    if not audit.claims:
        return
    counts = Counter(claim.support for claim in audit.claims)
    silent = sum(claim.source == "none" for claim in audit.claims)
    yield styled("Do the papers say that?", "strong", look)
    yield from wrapped(
        f"{counted(len(audit.claims), 'citation')} compared with the text of the cited paper: "
        f"{counts['found']} found, {counts['weak']} weak, {counts['absent']} not in what the library has"
        + (f" ({silent} of them of papers without abstract or full text)" if silent else ""),
        rest=_INDENT,
        width=look.width,
    )
    doubtful = [claim for claim in audit.claims if claim.support != "found" and claim.source != "none"]
    listed = list(audit.claims) if look.verbose else doubtful[:_CLAIMS_SHOWN]
    for claim in listed:
        where = f"{clean(from_here(claim.place.file))}:{claim.place.line}"
        name = SUPPORT[claim.support]
        yield from wrapped(
            f"{styled(where, 'key', look)} {clean(claim.key)}: {name}: {shortened(claim.text, 160)}",
            rest=_INDENT,
            width=look.width,
        )
        if claim.passage is not None:
            nearest = f"{_INDENT}nearest, {claim.source}: “{shortened(claim.passage.text, 160)}”"
            yield from wrapped(nearest, rest=_INDENT, width=look.width)
    if len(listed) < len(doubtful):
        yield f"{len(doubtful) - len(listed)} more: -v lists all."
    yield ""


def _keys(audit: Audit, look: Look) -> Iterator[str]:
    for kind in ("undefined", "repeated", "unused"):
        keys = [remark for remark in audit.keys if remark.kind == kind]
        if not keys:
            continue
        what = OF_KEYS[kind]
        names = [one.key for one in (keys if look.verbose or kind != "unused" else keys[:_UNUSED_SHOWN])]
        more = f" and {len(keys) - len(names)} more" if len(names) < len(keys) else ""
        yield from wrapped(
            f"{counted(len(keys), 'key')} {what}: {', '.join(names)}{more}", rest=_INDENT, width=look.width
        )
