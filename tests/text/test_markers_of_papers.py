"""How many of the citations in real papers are found."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import orjson
import pytest

from citewhy.text.author_year import Group
from citewhy.text.markers import find


def rows(path: Path) -> list[dict[str, list[dict[str, str]]]]:
    with gzip.open(path) as lines:
        return [orjson.loads(line) for line in lines]


def covered(text: str, place: int, groups: list[Group]) -> bool:
    return any(group.start <= place < group.end for group in groups)


@pytest.mark.data
def test_annotated_markers_of_related_work_are_found(shared_data: Path) -> None:
    """Of the citation markers that annotators saw in related-work paragraphs, nearly all are found."""
    hits = missed = 0
    for row in rows(shared_data / "corwa.train.jsonl.gz"):
        text = " ".join(str(sentence) for sentence in row["sentences"])
        groups = [group for marker in find(text) for group in marker.groups]
        for citation in row["citations"]:
            said = re.findall(r"\d{4}", citation["marker"]) or re.findall(
                r"^\W*(\d{1,3})\W*$", citation["marker"]
            )
            places = [place.start() for place in re.finditer(re.escape(citation["marker"]), text)]
            if not said or not places:
                continue  # a scrap such as "(Molnar;", or not in the text
            hit = any(covered(text, text.find(said[-1], place), groups) for place in places)
            hits, missed = hits + hit, missed + (not hit)
    print(f"annotated markers found: {hits / (hits + missed):.4f} of {hits + missed}")
    assert hits / (hits + missed) > 0.99


@pytest.mark.data
def test_years_in_brackets_of_papers_are_citations(shared_data: Path) -> None:
    """Of all years that stand in a bracket in published papers, nearly all belong to a found citation."""
    hits = missed = 0
    for row in rows(shared_data / "fulltext.citing.jsonl.gz"):
        text = " ".join(sentence["text"] for sentence in row["sentences"])
        groups = iter([group for marker in find(text) for group in marker.groups])
        group = next(groups, None)
        for year in re.finditer(r"\b(?:19|20)\d\d[a-z]?\b", text):
            before = text[max(0, year.start() - 300) : year.start()]
            if max(before.rfind("("), before.rfind("[")) <= max(before.rfind(")"), before.rfind("]")):
                continue
            while group is not None and group.end <= year.start():
                group = next(groups, None)
            hit = group is not None and group.start <= year.start()
            hits, missed = hits + hit, missed + (not hit)
    print(f"years in brackets that are found: {hits / (hits + missed):.4f} of {hits + missed}")
    assert hits / (hits + missed) > 0.96
