"""Tells what `citewhy enrich` will send, and what was answered, for a terminal."""

from __future__ import annotations

from citewhy.base.reports import EnrichPlan, EnrichReport
from citewhy.doors.present.library_text import doubtful, papers
from citewhy.text.counted import counted


def plan(asked: EnrichPlan) -> str:
    """Tells what will be sent, and where."""
    lacking = ", ".join(f"{count:,} lack {_NAMES[name]}" for name, count in asked.lacking.items())
    lines = [f"{asked.papers:,} papers in the library: {lacking}"]
    if not asked.requests:
        return "\n".join([*lines, f"Nothing to ask: {asked.service} knows no more, or was asked before."])
    lines.append(f"Will be sent to {asked.address}, in {counted(asked.requests, 'request')}:")
    if asked.identifiers:
        lines.append(f"  {counted(asked.identifiers, 'DOI or arXiv number', 'DOIs or arXiv numbers')}")
    if asked.titles:
        without = "them" if asked.identifiers else "a DOI or an arXiv number"
        lines.append(f"  {counted(asked.titles, 'title')} of papers without {without}")
    if asked.email:
        lines.append(f"  with each request: {asked.email}")
    if asked.cannot_be_asked:
        lines.append(
            f"{asked.cannot_be_asked:,} papers have nothing by which {asked.service} could know them."
        )
    lines.append(f"Nothing else is sent. It takes {_duration(asked.seconds)} or more.")
    return "\n".join(lines)


def report(answered: EnrichReport) -> str:
    """Tells what was answered."""
    counts = answered.counts
    lines = [
        f"{answered.service}: {counts['asked']:,} papers asked for, {counts['found']:,} found, "
        f"{counts['unknown']:,} unknown to it",
        f"new: {counted(counts['abstract'], 'abstract')}, {counted(counts['doi'], 'DOI')}, "
        f"{counted(counts['references'], 'reference')}",
    ]
    if counts["another paper"]:
        lines.append(
            f"{counted(counts['another paper'], 'paper')} left alone: the DOI is that of another title"
        )
    if answered.merges:
        lines.append(f"{counted(len(answered.merges), 'paper')} recognised as another one of the library")
        lines += [*doubtful(answered.merges), papers(answered)]
    if counts["refused"]:
        lines.append(f"{counted(counts['refused'], 'paper')} refused by it, to be asked for again")
    if counts["ids of others"]:
        lines.append(f"{counted(counts['ids of others'], 'id')} left out: of another paper of the library")
    return "\n".join(lines)


_NAMES = {"abstract": "an abstract", "doi": "a DOI", "references": "references"}


def _duration(seconds: float) -> str:
    return f"{seconds / 60:,.0f} minutes" if seconds >= 120 else counted(max(round(seconds), 1), "second")
