"""What the benchmark of paragraphs takes out of a draft."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from citewhy.records import DraftSentence, Manuscript, Marker, Paragraph, Place
from paragraphs import cited, earlier, without, write


def sentence(line: int, text: str, *keys: str) -> DraftSentence:
    place = Place("d.md", line * 100, line * 100 + len(text), line)
    markers = (Marker(place, keys, False, len(text)),) if keys else ()
    return DraftSentence(text, place, markers)


DRAFT = Manuscript(
    "d.md",
    "markdown",
    paragraphs=(
        Paragraph((sentence(1, "chart parsers fill tables with many edges", "a"),)),
        Paragraph(
            (
                sentence(2, "parsing has a long history"),
                sentence(3, "chart parsers fill large tables with edges", "a", "b"),
            )
        ),
        Paragraph((sentence(4, "translation models learn from aligned text", "b"),)),
    ),
)


def test_the_rest_of_the_paragraph_is_hidden() -> None:
    """Of the paragraph, the first sentence remains. A near-duplicate of a hidden sentence keeps its words and
    loses its citation; what else cites a hidden paper stays."""
    assert list(cited(DRAFT.paragraphs[1].sentences[1:], {"a": "A", "b": "B"})) == ["A", "B"]
    before, asked, after = without(DRAFT, 1).paragraphs
    assert [each.text for each in asked.sentences] == ["parsing has a long history"]
    assert before.sentences[0].text == DRAFT.paragraphs[0].sentences[0].text
    assert before.sentences[0].markers == ()
    assert after == DRAFT.paragraphs[2]


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    """Rows are read again for the same options, and for no others; documents without a question do not
    count."""
    measures = {"Rprec": 0.5, "R@5": 0.5, "R@10": 1.0, "RR": 1.0}
    rows: list[dict[str, Any]] = [
        {"name": "d", "paragraphs": 2, "cited": 4, "measures": {"full": measures, "bm25": measures}},
        {"name": "empty"},
    ]
    out = tmp_path / "out.json"
    assert earlier(out, {"paragraphs": 5}) == []
    write(out, {"paragraphs": 5}, rows)
    assert earlier(out, {"paragraphs": 5}) == rows
    assert earlier(out, {"paragraphs": 6}) == []
    assert b'"documents": 1' in out.read_bytes()
