"""Tells what `citewhy enrich` will send, and what was answered, for a terminal."""

from __future__ import annotations

from citewhy.base.reports import EnrichPlan, EnrichReport
from citewhy.text.counted import counted


def plan(found: EnrichPlan) -> str:
    """Tells what will be sent, and where."""
    lacking = ", ".join(f"{count:,} lack {_NAMES[name]}" for name, count in found.lacking.items())
    lines = [f"{found.papers:,} papers in the library: {lacking}"]
    if not found.requests:
        return "\n".join([*lines, f"Nothing to ask: {found.service} knows no more, or was asked before."])
    lines.append(f"Will be sent to {found.address}, in {counted(found.requests, 'request')}:")
    if found.identifiers:
        lines.append(f"  {counted(found.identifiers, 'DOI or arXiv number', 'DOIs or arXiv numbers')}")
    if found.titles:
        without = "them" if found.identifiers else "a DOI or an arXiv number"
        lines.append(f"  {counted(found.titles, 'title')} of papers without {without}")
    if found.email:
        lines.append(f"  with each request: {found.email}")
    if found.cannot_be_asked:
        lines.append(
            f"{found.cannot_be_asked:,} papers have nothing by which {found.service} could know them."
        )
    lines.append(f"Nothing else is sent. It takes {_duration(found.seconds)} or more.")
    return "\n".join(lines)


def report(found: EnrichReport) -> str:
    """Tells what was answered."""
    counts = found.counts
    lines = [
        f"{found.service}: {counts['asked']:,} papers asked for, {counts['found']:,} found, "
        f"{counts['unknown']:,} unknown to it",
        f"new: {counted(counts['abstract'], 'abstract')}, {counted(counts['doi'], 'DOI')}, "
        f"{counted(counts['references'], 'reference')}",
    ]
    if counts["another paper"]:
        lines.append(
            f"{counted(counts['another paper'], 'paper')} left alone: the DOI is that of another title"
        )
    return "\n".join(lines)


_NAMES = {"abstract": "an abstract", "doi": "a DOI", "references": "references"}


def _duration(seconds: float) -> str:
    return f"{seconds / 60:,.0f} minutes" if seconds >= 120 else counted(max(round(seconds), 1), "second")
