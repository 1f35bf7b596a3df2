"""Paragraphs from full texts, with a tagger that takes "Topic:" for a topic sentence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from citewhy.base.records import Paper, SentenceInContext
from citewhy.papers.library.store import Library
from citewhy.ranking.classify import Probabilities
from citewhy.ranking.classify.discourse import TAGS, TOPIC
from citewhy_lab.evaluate.datasets.building import Builder, BuiltParagraph, split_by_year
from citewhy_lab.evaluate.datasets.settings import Sections

PAPERS = [
    Paper("q", "Our Parser", abstract="We parse.", authors=("Quinn Doe",), year=2010),
    Paper("a", "Fast Parsing of Trees", authors=("Ann Arbor",), year=2001),
    Paper("b", "Slow Tagging of Words", authors=("Bob Berg",), year=2002),
    Paper("c", "A Corpus of News", authors=("Cem Can",), year=2003),
    Paper("d", "Reading of Books", authors=("Dan Dorn",), year=2004),
]


class ByFirstWord:
    """A tagger for sentences that begin with "Topic:"."""

    name = "by first word"
    fingerprint = "0"
    labels = TAGS

    def predict(self, sentences: Sequence[SentenceInContext]) -> list[str]:
        return [TOPIC if each.text.startswith("Topic:") else "Other" for each in sentences]

    def probabilities(self, sentences: Sequence[SentenceInContext]) -> Probabilities:
        return np.eye(len(TAGS), dtype=np.float32)[[self.labels.index(t) for t in self.predict(sentences)]]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library.open(tmp_path / "library", create=True)
    library.add(PAPERS)
    return library


RELATED = [
    "Topic: parsing has a long history.",
    "Arbor (2001) is fast at parsing of trees.",
    "Topic: tagging is much younger.",
    "Slow tagging of words was first (Berg, 2002).",
    "It is still slow.",
]


def write(path: Path, rows: Sequence[tuple[str, str]], paper: str = "q", **more: object) -> Path:
    sentences = [{"sid": sid, "section": section, "text": text} for sid, (section, text) in enumerate(rows)]
    path.write_bytes(orjson.dumps({"id": paper, "sentences": sentences, **more}))
    return path


def build(
    library: Library, *paths: Path, sections: Sections = "related"
) -> tuple[list[BuiltParagraph], Builder]:
    builder = Builder(library, ByFirstWord(), sections=sections)
    return list(builder.build(paths, lambda what, share: None)), builder


def test_a_section_without_paragraph_breaks(library: Library, tmp_path: Path) -> None:
    """A paragraph begins with each topic sentence; what its other sentences cite is relevant, what the rest
    of the section and of the paper cites is kept apart."""
    rows = [
        ("title", "Our Parser"),
        ("1 Introduction", "A corpus of news was made by Can (2003)."),
        *(("2 Related Work", text) for text in RELATED),
        ("3 Data", "Reading of books is that of Dorn (2004)."),
    ]
    found, builder = build(library, write(tmp_path / "f.jsonl", rows))
    common: dict[str, Any] = {
        "paper": "q",
        "year": 2010,
        "title": "Our Parser",
        "abstract": "We parse.",
        "n_citations": 1,
    }
    assert found == [
        BuiltParagraph(
            query_id="q_0",
            topic_sentence=RELATED[0],
            cited_ids=("a",),
            topic_ids=(),
            related_ids=("b",),
            other_ids=("c", "d"),
            **common,
        ),
        BuiltParagraph(
            query_id="q_1",
            topic_sentence=RELATED[2],
            cited_ids=("b",),
            topic_ids=(),
            related_ids=("a",),
            other_ids=("c", "d"),
            **common,
        ),
    ]
    counts = builder.counts
    assert (counts.papers, counts.sections, counts.paragraphs, counts.topics) == (1, 1, 2, 2)
    assert (counts.queries, counts.citations, counts.resolved) == (2, 4, 4)


def test_what_the_topic_sentence_cites(library: Library, tmp_path: Path) -> None:
    """It is no answer, and no paper that another paragraph or section cites, though both cite it, too."""
    rows = [
        ("title", "Our Parser"),
        ("1 Introduction", "Slow tagging of words was first (Berg, 2002)."),
        ("2 Related Work", "Topic: slow tagging of words was first (Berg, 2002)."),
        ("2 Related Work", RELATED[1]),
        ("2 Related Work", RELATED[2]),
        ("2 Related Work", "Slow tagging of words is that of Berg (2002), reading of books of Dorn (2004)."),
    ]
    first, second = build(library, write(tmp_path / "f.jsonl", rows))[0]
    assert (first.cited_ids, first.topic_ids) == (("a",), ("b",))
    assert (first.related_ids, first.other_ids) == (("d",), ())
    assert (second.cited_ids, second.topic_ids, second.related_ids) == (("b", "d"), (), ("a",))


def test_nothing_but_related_work_that_cites(library: Library, tmp_path: Path) -> None:
    """Other sections give no query, nor do paragraphs that cite nothing that the library has, that do not
    begin with a topic sentence, or that are one sentence."""
    rows = [
        ("title", "Our Parser"),
        ("1 Introduction", RELATED[0]),
        ("1 Introduction", RELATED[1]),
        ("2 Related Work", "Arbor (2001) is fast at parsing of trees."),
        ("2 Related Work", "Topic: translation is another matter."),
        ("2 Related Work", "Nobody (1999) translated it."),
        ("2 Related Work", "Topic: this is the last sentence."),
    ]
    found, builder = build(library, write(tmp_path / "f.jsonl", rows))
    assert found == []
    assert (builder.counts.paragraphs, builder.counts.topics, builder.counts.queries) == (1, 1, 0)


def test_paragraphs_of_the_source(library: Library, tmp_path: Path) -> None:
    """Where the file says where paragraphs begin, a topic sentence in the middle begins none."""
    texts = ["Topic: parsing has a long history.", "Topic: and more.", RELATED[1], *RELATED[3:]]
    sentences = [
        {"sid": sid, "section": "Related Work", "text": text, "paragraph": 0 if sid < 4 else 1}
        for sid, text in enumerate(texts, start=1)
    ]
    path = tmp_path / "f.jsonl"
    path.write_bytes(orjson.dumps({"id": "q", "sentences": sentences}))
    found, _ = build(library, path)
    assert [(each.topic_sentence, each.cited_ids) for each in found] == [(texts[0], ("a",))]


def test_all_sections(library: Library, tmp_path: Path) -> None:
    """Every section but the abstract and what follows the text gives queries; related are the papers of the
    same section, others those of any other section. A section that cites nothing known is not read."""
    rows = [
        ("title", "Our Parser"),
        *(("Abstract", text) for text in RELATED[:2]),
        *(("1 Introduction", text) for text in RELATED),
        ("2 Method", "Topic: we read as others do."),
        ("2 Method", "Reading of books is that of Dorn (2004)."),
        ("3 Results", "Topic: nothing is cited here."),
        ("3 Results", "They are good."),
        *(("Acknowledgements", text) for text in RELATED[:2]),
    ]
    found, builder = build(library, write(tmp_path / "f.jsonl", rows), sections="all")
    assert [(each.topic_sentence, each.cited_ids, each.related_ids, each.other_ids) for each in found] == [
        (RELATED[0], ("a",), ("b",), ("d",)),
        (RELATED[2], ("b",), ("a",), ("d",)),
        ("Topic: we read as others do.", ("d",), (), ("a", "b")),
    ]
    assert (builder.counts.sections, builder.counts.paragraphs, builder.counts.queries) == (1, 3, 3)


def test_an_unknown_year(library: Library, tmp_path: Path) -> None:
    """A paper of unknown year is left out and counted: it cannot be split by year."""
    rows = [("title", "New"), *(("Related Work", text) for text in RELATED)]
    found, builder = build(library, write(tmp_path / "f.jsonl", rows, paper="unknown"))
    assert (found, builder.counts.unknown_year) == ([], 1)


def test_by_year(library: Library, tmp_path: Path) -> None:
    """Before the year, of it, after it."""
    rows = [("title", "Our Parser"), *(("Related Work", text) for text in RELATED)]
    found, _ = build(library, write(tmp_path / "f.jsonl", rows))
    sizes = {
        year: {name: len(each) for name, each in split_by_year(found, year).items()}
        for year in (2009, 2010, 2011)
    }
    assert sizes == {
        2009: {"train": 0, "val": 0, "test": 2},
        2010: {"train": 0, "val": 2, "test": 0},
        2011: {"train": 2, "val": 0, "test": 0},
    }
