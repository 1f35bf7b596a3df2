"""One door for all formats: recognised by content, counted by kind."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard

from citewhy.base.errors import InputError
from citewhy.base.import_report import ImportReport
from citewhy.base.records import Paper
from citewhy.papers.formats import detect, read
from citewhy.text.names import surname, title_key

TOY = {
    "papers.jsonl": ("papers as JSON lines", {"papers": 14}),
    "paper_aliases.tsv": ("a table of aliases", {"aliases": 1}),
    "contexts.jsonl": ("contexts as JSON lines", {"contexts": 14}),
    "papers.json": ("papers as one JSON object", {"papers": 14}),
    "contexts.json": ("contexts as one JSON object", {"contexts": 14}),
    "citations.tsv": ("a table of citations", {"citations": 13}),
    "fulltext.jsonl": ("full texts as JSON lines", {"full texts": 3}),
    "refs.bib": ("BibTeX", {"papers": 14}),
    "anthology_old.xml": ("ACL Anthology XML", {"papers": 2}),
    "anthology_new.xml": ("ACL Anthology XML", {"papers": 2}),
    "csl.json": ("CSL-JSON", {"papers": 13}),
    "refs.ris": ("RIS", {"papers": 13}),
}


def papers_of(path: Path) -> list[Paper]:
    return [paper for paper in read(path, ImportReport()) if isinstance(paper, Paper)]


def identity(paper: Paper) -> tuple[str, tuple[str, ...], int | None]:
    return title_key(paper.title), tuple(map(surname, paper.authors)), paper.year


@pytest.mark.parametrize("wrap", ["plain", "gzip", "zstd", "byte order mark"])
@pytest.mark.parametrize("name", TOY)
def test_a_format_is_told_by_its_content(toy: Path, tmp_path: Path, name: str, wrap: str) -> None:
    """Every toy file is recognised under a misleading name, in every wrapping, and read without complaint."""
    data = (toy / name).read_bytes()
    wrapped = {
        "plain": data,
        "gzip": gzip.compress(data),
        "zstd": zstandard.compress(data),
        "byte order mark": b"\xef\xbb\xbf" + data,
    }[wrap]
    path = tmp_path / "refs.docx"
    path.write_bytes(wrapped)
    report = ImportReport(strict=True)
    expected_format, expected_counts = TOY[name]
    assert detect(path).name == expected_format
    assert list(read(path, report)) == list(read(toy / name, ImportReport()))
    assert report.read == expected_counts
    assert report.warnings == []


@pytest.mark.parametrize(
    "name", ["papers.json", "refs.bib", "anthology_old.xml", "anthology_new.xml", "csl.json", "refs.ris"]
)
def test_every_format_says_the_same_of_a_paper(toy: Path, name: str) -> None:
    """Title, authors and year of a paper do not depend on the format that it came in."""
    known = {
        identity(paper) for paper in read(toy / "papers.jsonl", ImportReport()) if isinstance(paper, Paper)
    }
    papers = [paper for paper in read(toy / name, ImportReport()) if isinstance(paper, Paper)]
    volumes = {"acl-2020"}  # the one entry of refs.bib that is no paper
    assert {identity(paper) for paper in papers if paper.id not in volumes} <= known
    assert len(papers) - len(volumes) >= 1


def test_an_empty_file_is_a_warning(tmp_path: Path) -> None:
    """Nothing, white space or a bare byte order mark: no records, no failure, but a word about it."""
    for data in (b"", b"\n \r\n", b"\xef\xbb\xbf", gzip.compress(b"")):
        path = tmp_path / "papers.jsonl"
        path.write_bytes(data)
        report = ImportReport(strict=True)
        assert list(read(path, report)) == []
        assert [str(warning) for warning in report.warnings] == [f"{path}:1: the file is empty"]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"PK\x03\x04" + bytes(range(256)), id="an archive"),
        pytest.param(b"just some words\nand more of them\n", id="prose"),
        pytest.param(b'{"query_id": "P02-1040", "cited_ids": ["P96-1021"], "year": 2002}\n', id="queries"),
        pytest.param(b'{"sentences": ["One."], "tags": ["Other"], "id": "1_0"}\n', id="annotations"),
        pytest.param(b"id\tname\nP02-1040\tBleu\n", id="another table"),
        pytest.param(b"<html><body>404</body></html>", id="an error page"),
        pytest.param("id,title".encode("utf-16"), id="UTF-16"),
        pytest.param(b"\x1f\x8bnot a gzip", id="damaged gzip"),
    ],
)
def test_what_is_no_corpus_is_refused(tmp_path: Path, data: bytes) -> None:
    """A content that no reader knows is an InputError with the path, not an empty import."""
    path = tmp_path / "papers.jsonl.gz"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        list(read(path, ImportReport()))
    assert caught.value.path == str(path)


def test_a_name_that_promises_gzip_does_not_matter(toy: Path, tmp_path: Path) -> None:
    """A plain file that is named .gz is read as what it is."""
    path = tmp_path / "papers.jsonl.gz"
    path.write_bytes((toy / "papers.jsonl").read_bytes())
    assert len(list(read(path, ImportReport()))) == 14


def test_first_lines_may_be_broken(tmp_path: Path) -> None:
    """JSON lines are recognised by the first row that can be, and the broken ones before it are named."""
    path = tmp_path / "x"
    path.write_bytes(b'[1, 2]\n{"id": \nnonsense\n{"id": "A", "title": "Title"}\n')
    report = ImportReport()
    assert [record.id for record in read(path, report) if isinstance(record, Paper)] == ["A"]
    assert [problem.line for problem in report.skips] == [1, 2, 3]


def test_parsers_are_imported_when_needed() -> None:
    """Knowing the formats costs none of the parsers behind them."""
    heavy = "{'bibtexparser', 'lxml', 'rispy', 'pylatexenc', 'numpy', 'zstandard'}"
    code = f"import citewhy.papers.formats, sys; sys.exit(str({heavy} & set(sys.modules)) != 'set()')"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


INVALID_UTF8 = {
    "only.jsonl": b'{"id": "a", "title": "Caf\xe9"}\n',
    "items.json": b'[{"id": "a",\n"title": "Caf\xe9"}]',
    "volume.xml": b'<?xml version="1.0" encoding="UTF-8"?>\n<volume id="P02">\n<paper>\xe9</paper></volume>',
    "refs.bib": b"@misc{a,\n title = {Caf\xe9}}\n",
    "refs.ris": b"TY  - JOUR\nTI  - Caf\xe9\nAU  - Lee, Ann\nER  - \n",
    "papers.jsonl": b'{"id": "a", "title": "A"}\n{"id": "b", "title": "Caf\xe9"}\n',
}


@pytest.mark.parametrize("name", INVALID_UTF8)
def test_invalid_utf8_is_named(tmp_path: Path, name: str) -> None:
    """Whatever the format, and whether the file, the record or nothing is lost by it: the line of the byte,
    and what to do."""
    path = tmp_path / name
    path.write_bytes(INVALID_UTF8[name])
    line = INVALID_UTF8[name][: INVALID_UTF8[name].index(b"\xe9")].count(b"\n") + 1
    report = ImportReport()
    told = []
    try:
        list(read(path, report))
    except InputError as error:
        told.append(str(error))
    told += map(str, [*report.skips, *report.warnings])
    assert len(told) == 1
    assert told[0].startswith(f"{path}:{line}: invalid UTF-8 (byte ")
    assert told[0].endswith("; save the file as UTF-8")


def test_another_encoding_is_no_invalid_utf8(tmp_path: Path) -> None:
    """XML may name its encoding; what is wrong with it then is another thing."""
    path = tmp_path / "volume.xml"
    path.write_bytes(b'<?xml version="1.0" encoding="ISO-8859-1"?>\n<volume id="P02">Caf\xe9</paper>')
    with pytest.raises(InputError, match="not well-formed XML"):
        list(read(path, ImportReport()))
