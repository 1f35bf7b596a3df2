"""Whatever the bytes: readers give records or raise CiteWhyError, soon."""

from __future__ import annotations

import gzip
import json
import resource
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sample_records import SAMPLES
from test_sources import sample_file

from citewhy.base.errors import CiteWhyError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Paper
from citewhy.papers.formats import (
    anthology,
    bibtex,
    csl,
    detect,
    jsonlines,
    tables,
    tagged,
    tei,
)
from citewhy.text.source import FilePath
from citewhy_lab.evaluate.corpora import clscisumm, parscit

Reader = Callable[[FilePath, ImportReport], Iterator[object]]

READERS: dict[str, tuple[str, Reader]] = {
    "papers": ("papers.jsonl", jsonlines.read_papers),
    "contexts": ("contexts.jsonl", jsonlines.read_contexts),
    "papers by id": ("papers.json", jsonlines.read_papers_by_id),
    "contexts by id": ("contexts.json", jsonlines.read_contexts_by_id),
    "full texts": ("fulltext.jsonl", jsonlines.read_full_texts),
    "aliases": ("paper_aliases.tsv", tables.read_aliases),
    "citations": ("citations.tsv", tables.read_citations),
    "bibtex": ("refs.bib", bibtex.read),
    "old anthology": ("anthology_old.xml", anthology.read),
    "new anthology": ("anthology_new.xml", anthology.read),
    "csl": ("csl.json", csl.read),
    "ris": ("refs.ris", tagged.read_ris),
    "tei": ("full_texts/N03-1017.grobid.tei.xml", tei.read),
    "parscit": ("full_texts/P03-1021-parscit.130908.xml", parscit.read),
    "clscisumm": ("clscisumm/P02-1040/Reference_XML/P02-1040.xml", clscisumm.read),
    "annotations": (
        "clscisumm/P02-1040/annotation/P02-1040.ann.txt",
        lambda path, report: iter(clscisumm.read_annotations(path, report)),
    ),
}

SOURCES = [sample.file for sample in SAMPLES]
"""Samples of the layouts of other sources; each is read by the reader that it asks for."""

TOKENS = [
    *(b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\xed\xa0\x80"),
    *(b"\n", b"\r", b"\t", b'"', b"'", b"\\", b"{", b"}", b"[", b"]", b"(", b")", b",", b"=", b"#", b"@"),
    *(b"@article{", b"@string{a = b}", b"@comment{", b"crossref = {", b" and ", b"\\'", b"\\begin{x}", b"~"),
    *(b"null", b"NaN", b"1e999", b"\\ud800", b'"id"', b'"title": ', b"[[[[", b"{" * 300, b"[" * 2000, b"-1"),
    *(b"<", b">", b"&", b"&x;", b"&#xD800;", b"<!DOCTYPE x [", b"<![CDATA[", b"<paper id='1'>", b"</title>"),
    *(b"TY  - ", b"ER  - ", b"AU  - ", b"XX  - ", b"ID  - ", b"\nTI  - ", b"  - ", b"10.1000/x", b"n.d."),
    *(
        b"$",
        b"%",
        b"--",
        b"\xc3",
        b"\nER\n",
        b"\nPT J\n",
        b"\nPMID- ",
        b"\n%0 ",
        b"\n%T ",
        b"\\bibitem{",
        b";",
    ),
    *(b'"abstract_inverted_index": {"a": [9999999999]}', b'"start": -1', b'"end": 1e9', b"{}", b"9" * 5000),
    *(
        b"<S sid='1'>",
        b"</S>",
        b'<SECTION title="',
        b"<ref type='bibr' target='#b0'>",
        b"<s>",
        b"<div>",
        b"</p>",
    ),
    *(b" | Reference Offset: ['1'", b"Citance Number: 1 | ", b"&nbsp;", b"-\nx", b"(Och, 2003)", b"[1]"),
]

BEGINNINGS = [
    *(b"", b'{"id": "a", "title": ', b"citing_id\tcited_id\n", b"id\tsame_as\n", b"@article{a, title={"),
    *(b"TY  - ", b"<volume id='P02'>", b"<collection id='P02'><volume id='1'>", b"[{", b"\x1f\x8b\x08"),
    *(b"<TEI>", b"<algorithms><algorithm name='SectLabel'>", b"<PAPER><S sid='1'>", b"Citance Number: 1 | "),
    *(b"\x28\xb5\x2f\xfd", b"FN Clarivate Analytics Web of Science\nVR 1.0\nPT J\n", b"PMID- 1\nTI  - "),
    *(
        b"%0 Book\n%T ",
        b"Title,DOI\n",
        b"\\bibitem{a} ",
        b"<xml><records><record>",
        b"<dblp><article key='a'>",
    ),
    *(
        b'{"results": [',
        b'{"id": "https://openalex.org/W1", "title": ',
        b'{"corpusid": 1, "body": {"text": "',
    ),
    *(b"SQLite format 3\x00", b"<article><front>", b"<PubmedArticleSet><PubmedArticle>", b"10.1000/x\n"),
]
"""What makes a reader feel addressed."""

edits = st.tuples(
    st.sampled_from(["insert", "delete", "flip", "copy", "cut"]),
    st.floats(0, 1, exclude_max=True),
    st.integers(1, 60),
    st.one_of(st.sampled_from(TOKENS), st.binary(min_size=1, max_size=8)),
)
Edit = tuple[str, float, int, bytes]


def mutated(data: bytes, changes: list[Edit]) -> bytes:
    """The data after small changes, each at a place given as a share of its length."""
    for kind, share, length, token in changes:
        place = int(share * len(data))
        before, piece, after = data[:place], data[place : place + length], data[place + length :]
        if kind == "insert":
            data = before + token + piece + after
        elif kind == "delete":
            data = before + after
        elif kind == "flip":
            data = before + bytes(byte ^ 1 << length % 8 for byte in piece[:1]) + piece[1:] + after
        elif kind == "copy":
            data = before + piece * 3 + after
        else:
            data = before
    return data


def source(name: str, folder: Path) -> tuple[bytes, Reader]:
    path = sample_file(name, folder)
    return path.read_bytes(), detect(path).read


def check(path: Path, data: bytes, reader: Reader) -> None:
    """Read by the reader itself, and by the one that the content asks for: records, or one of our errors."""
    path.write_bytes(data)
    for read in (reader, lambda file, report: detect(file).read(file, report)):
        report = ImportReport()
        try:
            records = list(read(path, report))
        except CiteWhyError as error:
            assert "\n" not in str(error)  # noqa: PT017
        else:
            for record in records:
                str(record).encode()  # no half of a surrogate pair comes in
                if isinstance(record, Paper):
                    assert record.id
                    assert record.title


def fuzz(data: bytes, reader: Reader, path: Path, examples: int) -> None:
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(edits, min_size=1, max_size=8))
    def mutate(changes: list[Edit]) -> None:
        check(path, mutated(data, changes), reader)

    mutate()


@pytest.mark.parametrize("name", READERS)
def test_mutations_are_read_or_refused(toy: Path, tmp_path: Path, name: str) -> None:
    """Small changes to a good file: never anything but records and CiteWhyError."""
    file, reader = READERS[name]
    fuzz((toy / file).read_bytes(), reader, tmp_path / "fuzz", 300)


@pytest.mark.parametrize("name", SOURCES)
def test_mutated_exports_are_read_or_refused(tmp_path: Path, name: str) -> None:
    """The same for the export of each source."""
    data, reader = source(name, tmp_path)
    fuzz(data, reader, tmp_path / "fuzz", 60)


@pytest.mark.full
@pytest.mark.parametrize("name", SOURCES)
def test_ten_thousand_mutated_exports_are_read_or_refused(tmp_path: Path, name: str) -> None:
    """The same in full."""
    data, reader = source(name, tmp_path)
    fuzz(data, reader, tmp_path / "fuzz", 10_000)


@pytest.mark.parametrize("name", SOURCES)
def test_an_export_may_end_anywhere(tmp_path: Path, name: str) -> None:
    """Cut at forty places: read as far as it goes, or refused."""
    data, reader = source(name, tmp_path)
    for part in range(40):
        check(tmp_path / "cut", data[: len(data) * part // 40], reader)


@pytest.mark.full
@pytest.mark.parametrize("name", READERS)
def test_ten_thousand_mutations_are_read_or_refused(toy: Path, tmp_path: Path, name: str) -> None:
    """The same in full, with memory that does not grow."""
    file, reader = READERS[name]
    unit = 1024 if sys.platform == "linux" else 1
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    fuzz((toy / file).read_bytes(), reader, tmp_path / "fuzz", 10_000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit - before < 500_000_000


@pytest.mark.parametrize("name", READERS)
def test_random_bytes_are_read_or_refused(tmp_path: Path, name: str) -> None:
    """Noise, with and without a beginning that some reader knows."""
    _, reader = READERS[name]

    @settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from(BEGINNINGS), st.binary(max_size=300) | st.text(max_size=100).map(str.encode))
    def noise(beginning: bytes, data: bytes) -> None:
        check(tmp_path / "noise", beginning + data, reader)

    noise()


@pytest.mark.parametrize("compress", [gzip.compress, lambda data: data], ids=["gzip", "plain"])
@pytest.mark.parametrize("name", READERS)
def test_a_file_may_end_anywhere(
    toy: Path, tmp_path: Path, name: str, compress: Callable[[bytes], bytes]
) -> None:
    """Cut at forty places: a download that broke off is read as far as it goes, or refused."""
    file, reader = READERS[name]
    data = compress((toy / file).read_bytes())
    for part in range(40):
        check(tmp_path / "cut", data[: len(data) * part // 40], reader)


def deep(opening: str, closing: str, count: int = 100_000) -> str:
    return opening * count + closing * count


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(deep("[", "]"), id="JSON lists"),
        pytest.param('{"id": "a", "title": ' + deep("[", "]") + "}", id="a JSON line"),
        pytest.param('{"a":' * 100_000 + "1" + "}" * 100_000, id="JSON objects"),
        pytest.param("@article{a, title=" + deep("{", "}") + "}", id="braces"),
        pytest.param("@article{a, title={" + deep("\\textbf{", "}") + "}}", id="commands"),
        pytest.param("@article{a, title={" + "\\textbf" * 100_000 + "}}", id="commands without braces"),
        pytest.param("@article{a, author={" + "a and " * 100_000 + "}}", id="authors"),
        pytest.param("@article{a, title=" + "a # " * 100_000 + "a}", id="concatenation"),
        pytest.param("@article{a, title={x} " + "b={x} " * 100_000 + "}", id="fields without commas"),
        pytest.param("@" * 1_000_000 + "{", id="at signs"),
        pytest.param("@article{" * 20_000, id="unclosed entries"),
        pytest.param("<collection>" + deep("<i>", "</i>") + "</collection>", id="elements"),
        pytest.param("<!-- -->" * 100_000 + "<TEI", id="comments"),
        pytest.param("<!--" * 100_000, id="unclosed comments"),
        pytest.param("<TEI><text><body>" + deep("<div>", "</div>"), id="divisions"),
        pytest.param("<TEI><text><body><p>" + "<ref type='bibr'>(</ref>" * 50_000, id="references"),
        pytest.param("<TEI><text><body><p>" + "&x;" * 100_000, id="entities"),
        pytest.param("<PAPER>" + "<S sid='1'>" * 100_000, id="sentences without an end"),
        pytest.param("<PAPER>" + '<S sid="' * 100_000, id="attributes without an end"),
        pytest.param("<PAPER><S sid='1'>" + "â€" * 200_000 + "&amp;amp;" * 50_000, id="what is broken twice"),
        pytest.param(
            "<algorithms><algorithm name='SectLabel'><variant><bodyText>" + "a-\n" * 100_000,
            id="broken words",
        ),
        pytest.param("TY  - JOUR\n" * 20_000, id="records without an end"),
        pytest.param("TY  - JOUR\nTI  - x\n" + "AU  - a,b\n" * 50_000 + "ER  - \n", id="RIS authors"),
        pytest.param("TY  - JOUR\nTI  - x\n" + "more\n" * 20_000 + "ER  - \n", id="continuations"),
        pytest.param("\n" * 1_000_000 + json.dumps({"id": "a", "title": "T"}), id="empty lines"),
        pytest.param("citing_id\tcited_id" + "\t" * 100_000 + "\nA\tB" + "\t" * 100_000, id="columns"),
    ],
)
def test_what_is_deep_or_long_is_read_or_refused_in_time(tmp_path: Path, text: str) -> None:
    """No recursion and nothing quadratic, in whatever direction a file grows."""
    check(tmp_path / "deep", text.encode(), lambda file, report: iter(()))
