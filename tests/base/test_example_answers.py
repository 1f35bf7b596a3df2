"""The example drafts, asked of the starter library: is the right paper among the first three?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, get_args

import pytest

from citewhy.base.assets import example_draft, starter_folder
from citewhy.base.import_report import ImportReport
from citewhy.base.records import DraftSentence, Manuscript, Marker, Query
from citewhy.drafts.latex import reader as latex
from citewhy.drafts.markdown import reader as markdown
from citewhy.papers.formats import read as read_records
from citewhy.papers.library.store import Library
from citewhy.ranking.rank.ranker import Pipeline
from citewhy.ranking.recommender import Recommender
from citewhy.search.index import find_engine

Kind = Literal["latex", "markdown"]
KINDS: tuple[Kind, ...] = get_args(Kind)

ANSWERS: dict[Kind, list[dict[str, str | list[str]]]] = json.loads(
    Path(__file__).with_name("test_example_answers.json").read_text(encoding="utf-8")
)
"""For each open marker, in reading order: the words that stand before it, and the papers that are right."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The starter library, with its index."""
    report = ImportReport(strict=True)
    with Library.open(tmp_path_factory.mktemp("starter"), create=True) as opened:
        opened.add_all(
            (
                (name, read_records(starter_folder() / name, report))
                for name in ("papers.jsonl", "citations.tsv")
            ),
            report,
        )
        find_engine().refresh(opened)
        yield opened


def draft(kind: Kind) -> Manuscript:
    path = example_draft(kind)
    return latex.read(path) if kind == "latex" else markdown.read(path)


def open_markers(manuscript: Manuscript) -> list[tuple[DraftSentence, Marker]]:
    sentences = [sentence for paragraph in manuscript.paragraphs for sentence in paragraph.sentences]
    return [(sentence, marker) for sentence in sentences for marker in sentence.markers if marker.open]


@pytest.mark.parametrize("kind", KINDS)
def test_drafts_have_open_and_filled_citations(kind: Kind) -> None:
    """A draft has at least twelve open citations, several filled ones, and a bibliography for those."""
    manuscript = draft(kind)
    markers = [
        marker
        for paragraph in manuscript.paragraphs
        for sentence in paragraph.sentences
        for marker in sentence.markers
    ]
    filled = {key for marker in markers if not marker.open for key in marker.keys}
    assert sum(marker.open for marker in markers) >= 12
    assert len(filled) >= 5
    assert filled <= {reference.key for reference in manuscript.references}
    assert manuscript.problems == ()


@pytest.mark.parametrize("kind", KINDS)
def test_every_form_of_an_open_citation_is_there(kind: Kind) -> None:
    """The drafts show each way in which authors mark that a citation is missing."""
    manuscript = draft(kind)
    source = "".join(Path(name).read_text(encoding="utf-8") for name in manuscript.files)
    forms = {
        "latex": (r"\cite{}", r"\citep{?}", r"\cite{TODO}", r"\citeneeded", "[CITE]", "[?]"),
        "markdown": ("[@]", "[CITE]", "[?]", "[@?]", "[@TODO]"),
    }
    assert [form for form in forms[kind] if form not in source] == []
    defined = {reference.key for reference in manuscript.references}
    named = {key for _, marker in open_markers(manuscript) for key in marker.keys}
    assert named - defined  # a key that the bibliography does not have


@pytest.mark.parametrize("kind", KINDS)
def test_every_open_citation_has_an_answer(kind: Kind, library: Library) -> None:
    """Each open citation has one to three right papers in the library, none of them in the bibliography."""
    manuscript = draft(kind)
    cited = {library.find(reference.paper) for reference in manuscript.references}
    assert None not in cited  # the drafts' own references are recognised, too
    markers = open_markers(manuscript)
    assert len(markers) == len(ANSWERS[kind])
    for (sentence, marker), expected in zip(markers, ANSWERS[kind], strict=True):
        assert sentence.text[: marker.offset].rstrip().endswith(str(expected["before"]))
        assert 1 <= len(expected["answers"]) <= 3
        for paper_id in expected["answers"]:
            assert library.canonical(paper_id) == paper_id
            assert paper_id not in cited


@pytest.mark.parametrize(("pipeline", "floor"), [("bm25", 46), ("full", 48)])
def test_the_right_paper_is_among_the_first_three(library: Library, pipeline: Pipeline, floor: int) -> None:
    """Of all open citations of both drafts, at least `floor` have a right paper among the first three."""
    recommender = Recommender(library, pipeline)
    missed = []
    asked = 0
    for kind in KINDS:
        manuscript = draft(kind)
        found = [library.find(reference.paper) for reference in manuscript.references]
        known = tuple(paper_id for paper_id in found if paper_id)
        for (sentence, _), expected in zip(open_markers(manuscript), ANSWERS[kind], strict=True):
            query = Query(
                "local", text=sentence.text, title=manuscript.title, known_ids=known, year=manuscript.year
            )
            asked += 1
            best = [candidate.paper_id for candidate in recommender.rank(query, 3)]
            if not set(best) & set(expected["answers"]):
                missed.append(f"{expected['before']} → {best}")
    assert asked - len(missed) >= floor, f"{asked - len(missed)} of {asked}\n" + "\n".join(missed)
