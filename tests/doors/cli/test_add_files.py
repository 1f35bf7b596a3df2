"""`citewhy add`: files of every kind, pipes, files that are refused, and a table that adds up."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from citewhy.doors.cli import main
from citewhy.papers.library.store import Library

Run = Callable[..., tuple[int, str, str]]

SAMPLES = Path(__file__).parents[2] / "papers" / "formats" / "samples"
BIB = "@article{lee2004moss,\n  title = {Moss on Northern Walls},\n  author = {Lee, Ann},\n  year = 2004\n}\n"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `citewhy add` with arguments: exit code, standard output, standard error."""

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["citewhy", "add", "--no-vectors", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        return int(left.value.code or 0), printed.out, printed.err

    return call


def document(run: Run, *arguments: object, code: int = 0) -> dict[str, Any]:
    left, out, err = run(*arguments, "--json")
    assert (left, err) == (code, "")
    report: dict[str, Any] = orjson.loads(out)
    return report


def check_sums(report: dict[str, Any]) -> None:
    """Every record that was read has become one thing, and the library holds what follows from that."""
    for kind, read in report["read"].items():
        outcomes = (report[name].get(kind, 0) for name in ("new", "updated", "unchanged", "refused"))
        assert read == sum(outcomes), kind
    before, after = report["papers_before"], report["papers_after"]
    assert after == before + report["new"].get("papers", 0) - report["merged"]


def test_the_table_adds_up(run: Run, toy: Path, tmp_path: Path) -> None:
    """Over files that repeat each other, records that are refused, aliases that unite, and a second time."""
    folder = tmp_path / "files"
    shutil.copytree(toy, folder / "toy")
    shutil.copytree(SAMPLES, folder / "samples")
    (folder / "more.jsonl").write_text(
        '{"id": "P02-1040", "title": "Bleu"}\n{"id": "P02-1040", "title": "BLEU"}\n{"id": "x"}\nnot JSON\n'
        '{"id": "P02-1040", "title": "Quite another paper", "authors": ["Zoe Zed"]}\n'
    )
    for _ in range(2):
        report = document(run, folder, "--library", tmp_path / "library", code=0)
        check_sums(report)
        assert report["refused"]["papers"] >= 2
        with Library.open(tmp_path / "library") as library:
            assert library.counts()["papers"] == report["papers_after"]
            library.verify()
    assert report["new"] == {}
    (folder / "later.bib").write_text(
        BIB.replace("lee2004moss", "poe2004").replace("Moss", "Ferns").replace("Lee, Ann", "Poe, Dee")
    )
    later = document(run, folder / "later.bib", "--library", tmp_path / "library")
    check_sums(later)
    assert later["papers_after"] == report["papers_after"] + 1


def test_the_table_for_people(run: Run, tmp_path: Path) -> None:
    """A line a kind that adds up, the library's count, and the fields that were not kept."""
    (tmp_path / "a.bib").write_text(BIB + "@misc{b, title={B}, note={N}, pages={1}}\n@misc{c, year=2001}\n")
    code, out, _ = run(tmp_path / "a.bib", "--library", tmp_path / "library")
    lines = out.splitlines()
    assert code == 0
    assert lines[1].split() == ["read", "new", "updated", "unchanged", "refused"]
    assert lines[2].split() == ["papers", "3", "2", "0", "0", "1"]
    assert "Papers in the library: 2 (before: 0)" in lines
    assert not any(line.startswith("Fields not kept") for line in lines)


def test_a_refused_file_does_not_stop_the_others(run: Run, tmp_path: Path) -> None:
    """It is named, nothing of it is added, and the exit code says that not all went well."""
    good, bad, prose = tmp_path / "good.bib", tmp_path / "bad.json", tmp_path / "prose.txt"
    good.write_text(BIB)
    bad.write_text('[{"id": "a", "title": "A", "type": "book"},\n{"id": "b", ')
    prose.write_text("Dear diary,\n")
    missing = tmp_path / "missing.bib"
    report = document(run, bad, good, missing, prose, "--library", tmp_path / "library", code=1)
    assert [line.split(": ")[0] for line in report["files_refused"]] == [str(missing), str(prose), f"{bad}:2"]
    assert report["read"] == {"papers": 1}
    with Library.open(tmp_path / "library") as library:
        assert [paper.id for _, paper in library.numbered_papers()] == ["lee2004moss"]
    code, out, err = run(bad, good, "--library", tmp_path / "library")
    assert (code, err) == (1, "")
    assert "Files refused: 1" in out.splitlines()
    code, out, err = run(bad, good, "--library", tmp_path / "library", "--quiet")
    assert (code, out, err.count("\n")) == (1, "", 1)
    code, out, err = run(bad, good, "--library", tmp_path / "other", "--strict")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert not (tmp_path / "other").exists()


@pytest.mark.usefixtures("unforeseen")
@pytest.mark.parametrize("name", ["bad.bib", "bad.md"])
def test_what_nobody_foresaw(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A reader that fails in any way costs its own file alone; the error says where it was, and to report
    it."""

    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError("nobody knows")

    drafts = tmp_path / "mine"
    drafts.mkdir()
    (drafts / name).write_text(BIB.replace("lee2004moss", "other") if name == "bad.bib" else "See [@a].\n")
    (drafts / "good.ris").write_text("TY  - BOOK\nTI  - Trees\nER  - \n")
    place = {"bad.bib": "papers.formats.bibtex.read", "bad.md": "drafts.markdown.parts.read_front_matter"}
    monkeypatch.setattr(f"citewhy.{place[name]}", fails)
    report = document(run, drafts, "--library", tmp_path / "library", code=1)
    (refused,) = report["files_refused"]
    assert refused.startswith(f"{drafts / name}: it cannot be read, by a mistake of CiteWhy (ZeroDivision")
    assert ": nobody knows); please report this line" in refused
    assert report["read"] == {"papers": 1}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "the file is empty"),
        (b"[]", "the file holds no papers: an empty list"),
        (b'{"results": [], "meta": {}}', "the list “results” of an answer of OpenAlex is empty"),
        (b"@misc{a, year={2001}}", "found no records when reading it as BibTeX (entry 'a' has no title)"),
        (b"TY  - JOUR\nER  - \n", "found no records when reading it as RIS"),
        (b"Title,Authors\n,Ann Lee\n", "found no records when reading it as a table with a header"),
        (b"<dblp></dblp>", "found no records when reading it as DBLP XML"),
    ],
)
def test_a_file_that_gives_nothing_is_an_error(run: Run, tmp_path: Path, content: bytes, why: str) -> None:
    """One line, with what was expected, and no library is made of it."""
    file = tmp_path / "file"
    file.write_bytes(content)
    code, out, err = run(file, "--library", tmp_path / "library")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert why in err
    assert "; expected " in err
    assert not (tmp_path / "library").exists()


def test_macros_go_from_file_to_file(run: Run, tmp_path: Path) -> None:
    """The @string of one .bib file holds in the others, whatever their names; a file of nothing else is no
    mistake."""
    (tmp_path / "z-strings.bib").write_text("@string{jws = {Journal of Wall Studies}}\n")
    (tmp_path / "refs.bib").write_text(BIB.replace("year", "journal = JWS,\n  year"))
    report = document(run, tmp_path, "--library", tmp_path / "library")
    assert report["warnings"]["count"] == 0
    with Library.open(tmp_path / "library") as library:
        assert library.paper("lee2004moss").venue == "Journal of Wall Studies"


def test_a_list_of_ids_is_matched(run: Run, tmp_path: Path) -> None:
    """What the library has, also under another id or by its DOI, is found; what is missing is listed."""
    report = document(run, SAMPLES / "openalex.jsonl", SAMPLES / "ids.txt", "--library", tmp_path / "library")
    check_sums(report)
    assert report["read"]["identifiers"] == 7
    assert report["missing"] == ["10.5555/stone.2011.7", "arXiv:0403.00001", "W04-0001"]
    _, out, _ = run(SAMPLES / "ids.txt", "--library", tmp_path / "library")
    assert "Not in the library: 3" in out.splitlines()
    assert "  W04-0001" in out.splitlines()


def test_references_become_citations(run: Run, tmp_path: Path) -> None:
    """By DOI, by an id of the source, by title: whatever the source gives."""
    (tmp_path / "doe.bib").write_text(
        "@misc{doe2011, title={Brick and Lichen: Growth under Drought}, author={Doe, Cy}, year=2011,\n"
        " doi={10.5555/stone.2011.7}}\n"
    )
    for number, name in enumerate(("crossref.json", "wos.txt", "jats.xml")):
        folder = tmp_path / str(number)
        document(run, SAMPLES / name, tmp_path / "doe.bib", "--library", folder)
        with Library.open(folder) as library:
            assert [cited_id for _, cited_id in library.edges()] == ["doe2011"], name
    folder = tmp_path / "s2"
    document(run, SAMPLES / "s2orc_parses.jsonl", SAMPLES / "s2orc_metadata.jsonl", "--library", folder)
    (tmp_path / "brick.jsonl").write_text('{"corpusid": 555000002, "title": "Brick", "authors": []}\n')
    document(run, tmp_path / "brick.jsonl", SAMPLES / "s2orc_parses.jsonl", "--library", folder)
    with Library.open(folder) as library:
        contexts = [context.text for _, context in library.numbered_contexts()]
    assert contexts == ["Lichen grows under drought [TARGETCIT]."]


def test_abstracts_that_come_apart_from_their_papers(run: Run, tmp_path: Path) -> None:
    """Semantic Scholar ships them in files of their own: they are added to papers that are there."""
    library = tmp_path / "library"
    code, _, err = run(SAMPLES / "s2_abstracts.jsonl", "--library", library, "--strict")
    assert (code, err.count("\n")) == (2, 1)
    assert "belongs to no paper of the library" in err
    report = document(run, SAMPLES / "s2_abstracts.jsonl", "--library", library)
    assert report["refused"] == {"papers": 1}
    check_sums(document(run, SAMPLES / "s2_papers.jsonl", "--library", library))
    report = document(run, SAMPLES / "s2_abstracts.jsonl", "--library", library)
    assert (report["updated"], report["refused"]) == ({"papers": 1}, {})
    with Library.open(library) as opened:
        assert opened.paper("CorpusId:555000001").abstract == "We count the mosses of forty walls."


def test_pdfs_are_named_with_what_to_run(run: Run, tmp_path: Path) -> None:
    """One line for all of a folder; one alone is refused with the same words."""
    for name in ("a.pdf", "b.pdf"):
        (tmp_path / name).write_bytes(b"%PDF-1.5\n%\xd0\xd4\xc5\xd8\n")
    code, _, err = run(tmp_path, "--library", tmp_path / "library")
    assert code == 2
    assert "found PDFs, but no file in a supported format" in err
    assert "GROBID" in err
    (tmp_path / "refs.bib").write_text(BIB)
    code, out, _ = run(tmp_path, "--library", tmp_path / "library")
    assert code == 0
    assert "GROBID" in out
    code, _, err = run(tmp_path / "a.pdf", "--library", tmp_path / "library")
    assert (code, "GROBID" in err) == (2, True)


# Pipes ----------------------------------------------------------------------------------------------------


def piped(data: bytes, tmp_path: Path, *arguments: str) -> tuple[int, str, str]:
    """`citewhy add` of a process of its own, with data on its standard input."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "citewhy",
            "add",
            "--no-vectors",
            "--library",
            str(tmp_path / "library"),
            *arguments,
        ],
        input=data,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_standard_input_is_read_whole(tmp_path: Path, name: str) -> None:
    """All that was piped in arrives, although its beginning is looked at first; errors name it."""
    rows = b"".join(b'{"id": "p%d", "title": "Paper number %d of many"}\n' % (n, n) for n in range(20_000))
    code, out, err = piped(rows + b"not JSON\n", tmp_path, name, "--json")
    report = orjson.loads(out)
    assert (code, err) == (0, "")
    assert report["new"] == {"papers": 20_000}
    assert report["files"] == ["standard input"]
    assert report["skipped"]["first"][0].startswith("standard input:20001: ")


def test_a_pipe_that_gives_nothing(tmp_path: Path) -> None:
    """Refused like a file, by its name; so is a format whose papers go by the name of their file."""
    code, out, err = piped(b"Dear diary,\n", tmp_path, "-")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("citewhy: standard input: the content is of no known format")
    code, _, err = piped(b"<TEI><teiHeader/></TEI>", tmp_path, "-")
    assert (code, "goes by the name of its file" in err) == (2, True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_read_whole(run: Run, tmp_path: Path) -> None:
    """As a shell makes one for `citewhy add <(zcat refs.bib.gz)`."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    entries = "".join(BIB.replace("lee2004moss", f"k{n}").replace("Moss", f"Moss{n}") for n in range(3000))
    (tmp_path / "refs.bib").write_text(entries)
    with subprocess.Popen(["cp", tmp_path / "refs.bib", pipe]):
        report = document(run, pipe, "--library", tmp_path / "library")
    assert report["new"] == {"papers": 3000}


def test_a_device_is_no_file(run: Run, tmp_path: Path) -> None:
    """What never ends is refused before a byte is read."""
    if not Path("/dev/zero").exists():
        pytest.skip("no such device here")
    code, _, err = run("/dev/zero", "--library", tmp_path / "library")
    assert (code, "this is a device" in err) == (2, True)
