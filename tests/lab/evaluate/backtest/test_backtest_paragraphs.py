"""What is taken out of a draft before one of its paragraphs is asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from small_library import make, paper, unsynced

from citewhy.base.records import DraftSentence, Manuscript, Marker, Paragraph, Place, Reference
from citewhy_lab.evaluate.backtest.hiding import paragraph_topics, without


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
    before, asked, after = without(DRAFT, 1).paragraphs
    assert [each.text for each in asked.sentences] == ["parsing has a long history"]
    assert before.sentences[0].text == DRAFT.paragraphs[0].sentences[0].text
    assert before.sentences[0].markers == ()
    assert after == DRAFT.paragraphs[2]


def test_which_paragraphs_are_asked(tmp_path: Path) -> None:
    """Those whose first sentence has four words and no citation, and whose others cite two papers that the
    library has."""
    references = tuple(Reference(key, paper(key.upper(), f"A study of {key}")) for key in "ab")
    with unsynced(), make(tmp_path / "library", [each.paper for each in references]) as library:
        (topic,) = paragraph_topics(library, replace(DRAFT, references=references), 2100)
        assert (topic.query.kind, topic.query.text) == ("paragraph", "parsing has a long history")
        assert topic.relevant == ("A", "B")
        alone = replace(DRAFT, references=references[:1])
        assert paragraph_topics(library, alone, 2100) == []
