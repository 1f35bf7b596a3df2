"""The starter library: enough papers, true and connected; and drafts whose answers are in it."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from citewhy.base.assets import example_draft, starter_folder
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Citation, Paper
from citewhy.papers.formats import read
from citewhy.text.names import title_key

_ANTHOLOGY_ID = re.compile(r"[A-Z]\d{2}-\d{4}|\d{4}\.[a-z0-9-]+\.\d+")

_MISPRINTED = {"J02-4002", "J97-1003"}
"""Titles that the Anthology itself misprints: a word repeated in front, a name in two words."""

_PRESS_YEAR = 2022
"""The newest paper of the library."""


@cache
def papers() -> dict[str, Paper]:
    """The papers by id; fails where a record is bad or an id comes twice."""
    found = list(_records("papers.jsonl"))
    by_id = {record.id: record for record in found if isinstance(record, Paper)}
    assert len(by_id) == len(found)
    return by_id


@cache
def links() -> tuple[Citation, ...]:
    return tuple(record for record in _records("citations.tsv") if isinstance(record, Citation))


def _records(name: str) -> Iterator[object]:
    report = ImportReport(strict=True)
    yield from read(starter_folder() / name, report)


def test_the_library_is_large_enough() -> None:
    """There are at least 300 papers, with ids and titles that occur once."""
    assert len(papers()) >= 300
    titles = Counter(title_key(paper.title) for paper in papers().values())
    assert [title for title, times in titles.items() if times > 1] == []


def test_papers_are_complete() -> None:
    """Every paper has authors, a venue, a sane year and a summary of a sentence or two."""
    for paper in papers().values():
        assert 40 <= len(paper.abstract) <= 400, paper.id
        assert paper.year is not None, paper.id
        assert 1900 <= paper.year <= _PRESS_YEAR, paper.id
        assert 1 <= len(paper.authors) <= 8, paper.id
        assert all(" " in name for name in paper.authors), paper.id
        assert paper.venue, paper.id


def test_addresses_follow_from_ids() -> None:
    """A paper of the Anthology or of arXiv is linked there, and DOIs are plain ones."""
    for paper in papers().values():
        if _ANTHOLOGY_ID.fullmatch(paper.id):
            assert paper.url == f"https://aclanthology.org/{paper.id}"
        if paper.id.startswith("arXiv:"):
            assert paper.url == f"https://arxiv.org/abs/{paper.id.removeprefix('arXiv:')}"
        assert not paper.doi or re.fullmatch(r"10\.\d{4,5}/\S+", paper.doi), paper.id
    with_doi = [paper.doi for paper in papers().values() if paper.doi]
    assert len(with_doi) == len(set(with_doi))


def test_citations_resolve_and_obey_time() -> None:
    """A link joins two papers of the library, once, and never points to a later year."""
    assert len(links()) >= 1200
    pairs = Counter((link.citing_id, link.cited_id) for link in links())
    assert [pair for pair, times in pairs.items() if times > 1] == []
    for citing_id, cited_id in pairs:
        citing, cited = papers()[citing_id], papers()[cited_id]
        assert citing_id != cited_id
        assert (cited.year or 0) <= (citing.year or 0), (citing_id, cited_id)


def test_nearly_every_paper_is_connected() -> None:
    """At least nine papers in ten cite another one or are cited."""
    connected = {end for link in links() for end in (link.citing_id, link.cited_id)}
    assert len(connected) >= 0.9 * len(papers())


@pytest.mark.data
def test_facts_agree_with_the_anthology(shared_data: Path) -> None:
    """Title, year and authors are the Anthology's, for every paper that it has."""
    compared = 0
    with gzip.open(shared_data / "papers.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            theirs = json.loads(line)
            if (ours := papers().get(theirs["id"])) is None:
                continue
            compared += 1
            assert ours.year == theirs["year"], ours.id
            if ours.id not in _MISPRINTED:
                assert title_key(ours.title) == title_key(theirs["title"]), ours.id
            their_names = [name.replace("’", "'") for name in theirs["authors"]]
            assert list(ours.authors) == their_names[: len(ours.authors)], ours.id
            assert len(ours.authors) == min(len(their_names), 8), ours.id
    assert compared >= 200


def test_drafts_are_there() -> None:
    """Both drafts are files of the package, with their bibliography beside them."""
    for draft in (example_draft("latex"), example_draft("markdown")):
        assert draft.is_file()
        assert (draft.parent / "example.bib").is_file()
    with pytest.raises(ValueError, match="docx"):
        example_draft("docx")  # type: ignore[arg-type]
