"""Real collections: every row arrives, and nearly every entry of other people's bibliographies."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Paper
from citewhy.papers.formats import read
from citewhy.papers.formats.bibtex import read_entries
from citewhy.text.source import decode, read_bytes

pytestmark = pytest.mark.data

ROWS = {
    "papers.jsonl.gz": ("papers", 73_891),
    "paper_aliases.tsv.gz": ("aliases", 541),
    "fulltext.jsonl.gz": ("full texts", 975),
    "fulltext.citing.jsonl.gz": ("full texts", 419),
    "contexts.train.jsonl.gz": ("contexts", 9_757),
    "contexts.val.jsonl.gz": ("contexts", 1_289),
    "citations.tsv.gz": ("citations", 21_542),
}
"""Rows as the README of the data counts them."""


@pytest.mark.parametrize("name", ROWS)
def test_every_row_is_read(shared_data: Path, name: str) -> None:
    """As many records as the collection says it has; nothing is skipped."""
    kind, rows = ROWS[name]
    report = ImportReport(strict=True)
    records = list(read(shared_data / name, report))
    assert len(records) == rows
    assert report.read == {kind: rows}


def test_what_is_no_corpus_is_refused(shared_data: Path) -> None:
    """Queries, annotations and clusters of the benchmarks are not taken for papers."""
    others = sorted(path for path in shared_data.glob("*.gz") if path.name not in ROWS)
    assert others
    for path in others:
        with pytest.raises(InputError, match="no known format"):
            list(read(path, ImportReport()))


def test_other_peoples_bibliographies_are_read(shared_drafts: Path) -> None:
    """At least 99.5 % of what begins like an entry is one; the rest is named; nothing crashes."""
    entries = lost = 0
    paths = sorted(shared_drafts.rglob("*.bib"))
    assert paths
    for path in paths:
        text, _ = decode(read_bytes(path))
        problems: list[str] = []
        found = read_entries(text, str(path), problems)
        entries += len(found)
        lost += sum(": '@" in problem and "is broken" in problem for problem in problems)
        for entry in found:
            assert text[entry.start] == "@"
            assert text[entry.end - 1] in "})"
            assert text.count("\n", 0, entry.start) + 1 == entry.line
        report = ImportReport()
        papers = [record for record in read(path, report) if isinstance(record, Paper)]
        assert len(papers) + report.skipped <= len(found)
    assert entries > 1000
    assert lost <= 0.005 * (entries + lost)


def test_their_names_and_titles_are_plain_text(shared_drafts: Path) -> None:
    """No LaTeX is left in the titles and names of the entries but here and there in one of a hundred."""
    entries = odd = 0
    for path in sorted(shared_drafts.rglob("*.bib")):
        for entry in read_entries(decode(read_bytes(path))[0], str(path), []):
            entries += 1
            shown = entry.paper.title + " ".join(entry.paper.authors) + entry.paper.venue
            odd += any(mark in shown for mark in ("\\", "{", "}", "$"))
    assert odd <= entries / 100
