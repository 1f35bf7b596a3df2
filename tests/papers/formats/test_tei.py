"""TEI of GROBID."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory import memory_limit

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import CitingSentence, FullText, Header, Paper, ReferenceList, Sentence
from citewhy.papers.formats import Record, detect, read, tei
from citewhy.text.sentence_flow import Flow
from citewhy_lab.evaluate.corpora import clscisumm, parscit

Take = Callable[..., tuple[list[Record], ImportReport]]

TEI = (
    '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>T</title></titleStmt>'
    "</fileDesc></teiHeader><text><body>%s</body></text></TEI>"
)


def texts(records: list[Record]) -> list[str]:
    return [s.text for record in records if isinstance(record, FullText) for s in record.sentences]


@pytest.fixture(scope="module")
def toy_file(toy: Path) -> tuple[list[Record], ImportReport]:
    path = toy / "full_texts" / "N03-1017.grobid.tei.xml"
    assert detect(path).name == "TEI of GROBID"
    report = ImportReport(strict=True)
    return list(read(path, report)), report


def test_the_header_is_a_paper(toy_file: tuple[list[Record], ImportReport]) -> None:
    """Named by its file; authors without a name are none."""
    assert toy_file[0][0] == Header(
        Paper(
            "N03-1017",
            "Statistical Phrase-Based Translation",
            "We put several phrase translation models into one framework. We compare them.",
            ("Philipp Koehn", "Franz Josef Och", "Daniel Marcu"),
            2003,
            doi="10.3115/1073445.1073462",
        )
    )
    assert toy_file[1].read == {"papers": 1, "full texts": 1, "reference lists": 1}
    assert toy_file[1].warnings == []


def test_sentences_are_those_of_the_file_or_cut(toy_file: tuple[list[Record], ImportReport]) -> None:
    """Markers stand as printed; notes, formulas, figures and what comes behind the body are no sentences."""
    assert toy_file[0][1] == FullText(
        "N03-1017",
        (
            Sentence(0, "title", "Statistical Phrase-Based Translation"),
            Sentence(1, "abstract", "We put several phrase translation models into one framework."),
            Sentence(2, "abstract", "We compare them."),
            Sentence(
                3,
                "Introduction",
                "Words are translated one by one in the early models (Brown et al., 1993; Vogel et al., "
                "1996).",
            ),
            Sentence(4, "Introduction", "We measure with the score of Papineni et al. (2002), see Figure 1."),
            Sentence(5, "Introduction", "Others count errors (Smith, 1990)."),
            Sentence(6, "Model", "A foreign sentence is cut into phrases."),
            Sentence(7, "Model", "The Treebank [3] has none."),
        ),
    )


def test_references_and_where_they_are_cited(toy_file: tuple[list[Record], ImportReport]) -> None:
    """Works cited in one breath are one piece, brackets stay; an entry without a title is no reference."""
    found = toy_file[0][2]
    assert isinstance(found, ReferenceList)
    assert (found.citing_id, found.year, found.source) == ("N03-1017", 2003, "grobid")
    assert [
        (r.key, r.paper.title[:12], r.paper.authors, r.paper.year, r.paper.doi) for r in found.references
    ] == [
        ("b0", "The Mathemat", ("Peter F Brown",), 1993, ""),
        ("b1", "BLEU: a meth", ("K Papineni",), 2002, "10.3115/1073083.1073135"),
        ("b2", "Building a l", ("M Marcus",), 1994, ""),
    ]
    assert found.sentences == (
        CitingSentence(
            3,
            "Introduction",
            ("Words are translated one by one in the early models (", ("b0", "b7"), ")."),
        ),
        CitingSentence(4, "Introduction", ("We measure with the score of ", ("b1",), ", see Figure 1.")),
        CitingSentence(7, "Model", ("The Treebank [", ("b2",), "] has none.")),
    )


def test_a_citation_that_is_not_linked_is_another_one(take: Take) -> None:
    """GROBID leaves out what it cannot resolve; in the sentence it is a citation all the same."""
    body = (
        '<p>We follow <ref type="bibr">Och (2003)</ref> and <ref type="bibr" target="#b1">(Lin, 1998)</ref> '
        "as (Collins, 1999).</p>"
    )
    entry = '<biblStruct xml:id="b1"><monogr><title>A Title</title></monogr></biblStruct>'
    back = f"</body><back><listBibl>{entry}</listBibl></back>"
    records, _ = take((TEI % body).replace("</body>", back))
    (found,) = (record for record in records if isinstance(record, ReferenceList))
    assert "".join(
        piece if isinstance(piece, str) else str(piece) for piece in found.sentences[0].pieces
    ) == ("We follow OTHERCIT and (('b1',)) as (OTHERCIT).")


def test_nested_divisions_and_lists_are_read_in_order(take: Take) -> None:
    """A division without a heading goes on under the one before."""
    body = (
        "<div><head>One</head><p>A a.</p><div><head>Two</head><list><item>B b.</item></list></div></div>"
        "<div><p>C c.</p><figure><p>No.</p></figure></div>"
    )
    records, _ = take(TEI % body.replace("<item>B b.</item>", "<item><p>B b.</p></item>"))
    (text,) = (record for record in records if isinstance(record, FullText))
    assert [(sentence.section, sentence.text) for sentence in text.sentences] == [
        ("title", "T"),
        ("One", "A a."),
        ("Two", "B b."),
        ("", "C c."),
    ]


def test_what_is_no_xml_is_mended_with_a_warning(take: Take) -> None:
    """Wrong bytes, HTML's entities, bare ampersands, control characters, a tag left open."""
    body = b"<p>Daum\xe9&nbsp;&amp; R&D \x0b at AT&T.</p><p>Next &nosuch; <b>bold.</p>"
    records, report = take((TEI % "BODY").encode().replace(b"BODY", body))
    assert texts(records) == ["T", "Daumé & R&D at AT&T.", "Next &nosuch; bold."]
    assert report.warned == 1
    assert "not well-formed XML" in report.warnings[0].why


def test_a_file_without_text_or_title_says_so(take: Take) -> None:
    """A header alone makes a paper and no text; a text alone makes no paper."""
    records, report = take(TEI % "")
    assert [type(record) for record in records] == [Header]
    assert report.skips[0].why == "the file has no text"
    records, report = take((TEI % "<p>A a.</p>").replace("<title>T</title>", "<title/>"))
    assert [type(record) for record in records] == [FullText]
    assert "no title" in report.warnings[0].why


def test_other_xml_is_refused(take: Take) -> None:
    """With what would have been read."""
    for xml in ("<page><TEI/></page>", "<!-- <TEI> --><other/>", "<?xml version='1.0'?>\n<x:other/>"):
        with pytest.raises(InputError, match="of no known format"):
            take(xml)


EXPANDED = 1_000_000_000
"""Bytes of the least of the following when all entities are replaced."""

LAUGHS = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 20))


@pytest.mark.parametrize("root", ["TEI", "algorithms", "PAPER"])
@pytest.mark.parametrize(
    "declared",
    [
        f"<!ENTITY l0 'ha'>{LAUGHS}",
        f"<!ENTITY l19 '{'x' * 200_000}'>",
        "<!ENTITY l19 SYSTEM 'file://SECRET'>",
        "<!ENTITY % p SYSTEM 'file://SECRET'> %p; <!ENTITY l19 'x'>",
    ],
)
def test_hostile_full_texts_are_harmless(tmp_path: Path, root: str, declared: str) -> None:
    """Entities are neither expanded nor fetched, by the readers themselves and where the file is mended; the
    memory that they ask for is not taken."""
    secret = tmp_path / "secret"
    secret.write_text("TOP SECRET")
    body = {
        "TEI": "<text><body><p>A&l19;B.</p></body></text>",
        "algorithms": "<algorithm name='SectLabel'><variant><bodyText>A&l19;B.</bodyText></variant>"
        "</algorithm>",
        "PAPER": "<S sid='1'>A&l19;B.</S>",
    }[root]
    reader = {"TEI": tei.read, "algorithms": parscit.read, "PAPER": clscisumm.read}[root]
    uses = body.replace("&l19;", "&l19;" * (EXPANDED // 200_000 if "x" * 100 in declared else 1))
    for end in (f"</{root}>", "<open>"):  # the second one has to be mended
        path = tmp_path / "hostile.xml"
        path.write_text(f"<!DOCTYPE x [{declared}]><{root}>{uses}{end}".replace("SECRET", str(secret)[1:]))
        try:
            with memory_limit(EXPANDED // 4):
                records: list[Record] = list(reader(path, ImportReport()))
        except InputError:
            continue
        for text in texts(records):
            assert "SECRET" not in text
            assert "ha" not in text
            assert "xx" not in text


@given(st.lists(st.tuples(st.booleans(), st.text(alphabet="ab .()[];A\n", max_size=20)), max_size=8))
def test_citations_are_found_again_in_their_sentences(pieces: list[tuple[bool, str]]) -> None:
    """Wherever sentences are cut, each mark lies in its sentence and no text is lost."""
    flow = Flow()
    for cited, text in pieces:
        if cited:
            flow.cite(text, ["b1"])
        else:
            flow.write(text)
    said = flow.sentences()
    for text, marks in said:
        assert all(0 <= mark.start < mark.end <= len(text) for mark in marks)
        assert [mark.start for mark in marks] == sorted(mark.start for mark in marks)
    written = "".join("".join(text for _, text in pieces).split())
    assert "".join("".join(text for text, _ in said).split()) == written
