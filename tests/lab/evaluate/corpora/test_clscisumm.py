"""Papers of CL-SciSumm, as well as they were written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import FullText, Header, Paper, Sentence
from citewhy.papers.formats import Record, detect, read

Take = Callable[..., tuple[list[Record], ImportReport]]


def sentences_of(records: list[Record]) -> list[Sentence]:
    (text,) = (record for record in records if isinstance(record, FullText))
    return list(text.sentences)


def test_a_paper_is_told_by_its_content_and_named_by_its_file(toy: Path) -> None:
    """Title and abstract make a header; sections are headings, numbers those of the file."""
    path = toy / "clscisumm" / "P02-1040" / "Reference_XML" / "P02-1040.xml"
    assert detect(path).name == "CL-SciSumm XML"
    header, text = read(path, ImportReport(strict=True))
    assert header == Header(
        Paper(
            "P02-1040",
            "Bleu: a Method for Automatic Evaluation of Machine Translation",
            "People are slow and costly judges of machine translation. "
            "We propose a score that a program computes from reference translations.",
        )
    )
    assert isinstance(text, FullText)
    assert text.paper_id == "P02-1040"
    assert [(sentence.sid, sentence.section) for sentence in text.sentences] == [
        (0, "title"),
        (1, "abstract"),
        (2, "abstract"),
        (3, "Introduction"),
        (4, "Modified precision."),
        (5, "Modified precision."),
        (6, "Brevity penalty."),
    ]


def test_no_xml_parser_would_read_it(take: Take) -> None:
    """Mixed encodings, bare signs, unknown entities, control characters and quotes in quotes are read."""
    lines = [
        b"<PAPER>",
        b'<SECTION title="The "best" of p > 1. " number = "1">',
        b'<S sid ="1" ssid = "1">Daum\xe9 \x93so\x94 if x < y & y > z\x0b, Erkan&apos;s.</S>',
        "<S sid = '2' ssid = '2'>Daumé&nbsp;writes &amp;quot;so&amp;quot; modelâ€™s &nosuch;</S>".encode(),
        b'<S ssid="3" sid="3">The token <s> begins,\n and </s> ends.</S>',
        b"</SECTION>",
        b"</PAPER>",
    ]
    records, report = take(b"\n".join(lines))
    assert sentences_of(records) == [
        Sentence(1, 'The "best" of p > 1.', "Daumé “so” if x < y & y > z , Erkan's."),
        Sentence(2, 'The "best" of p > 1.', 'Daumé writes "so" model’s &nosuch;'),
        Sentence(3, 'The "best" of p > 1.', "The token <s> begins, and </s> ends."),
    ]
    assert (report.skipped, report.warned) == (0, 0)


def test_sentences_that_cannot_be_used_are_named(take: Take) -> None:
    """Without a number, without a text, there already, cut off: skipped with their lines."""
    xml = """<PAPER>
<S sid="1">First.</S>
<S ssid="2">No number.</S>
<S sid="3"> </S>
<S sid="1">Again.</S>
<S sid="4">Not closed.
<S sid="5">Closed.</S>
<S sid="6">Cut of"""
    records, report = take(xml)
    assert [(sentence.sid, sentence.text) for sentence in sentences_of(records)] == [
        (1, "First."),
        (4, "Not closed."),
        (5, "Closed."),
    ]
    assert [(problem.line, problem.why) for problem in report.skips] == [
        (3, "a sentence has no number"),
        (4, "sentence 3 has no text"),
        (5, "sentence 1 occurs twice; the first one is used"),
        (8, "the file is truncated in sentence 6"),
    ]


def test_a_paper_that_breaks_off_between_sentences_is_warned_about(take: Take) -> None:
    """What is there is read, and the report says after which sentence it ends."""
    records, report = take('<PAPER>\n<S sid="1">First.</S>\n<S sid="2">Second.</S>\n<SECT')
    assert len(sentences_of(records)) == 2
    assert [(problem.line, problem.why) for problem in report.warnings] == [
        (3, "the paper has no end: sentence 2 is the last one")
    ]


@pytest.mark.parametrize("xml", ["<PAPER></PAPER>", "<PAPER><S>no number</S></PAPER>", "<PAPER>"])
def test_a_paper_without_sentences_is_refused(take: Take, xml: str) -> None:
    """Nothing can be added from it, and the person is told."""
    with pytest.raises(InputError, match="no sentence"):
        take(xml)
