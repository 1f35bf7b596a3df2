"""`citewhy suggest`: papers for the open citations of a draft, or for one sentence."""

from __future__ import annotations

import io
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import orjson
import pytest

from citewhy.base.assets import example_draft
from citewhy.base.config import CACHE_VARIABLE, LIBRARY_VARIABLE
from citewhy.doors.cli import author, main
from citewhy.doors.cli.terminal import echo_styled, look, remark
from citewhy.doors.present.lines import STYLES
from citewhy.drafts import read
from citewhy.ranking.recommender import Recommender

SENTENCE = "Translation needs attention alone, without recurrence or convolution."
RIGHT = "arXiv:1706.03762"

Run = Callable[..., tuple[int, str, str]]

PASSAGE = {"text", "section", "sid", "last_sid", "facet", "credits", "before", "after", "score"}


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the starter library is made once for all tests of this file."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def environment(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who asks for the starter library."""
    monkeypatch.setenv(CACHE_VARIABLE, str(cache))
    monkeypatch.setenv(LIBRARY_VARIABLE, "starter")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `citewhy suggest` with arguments and typed lines: exit code, standard output, standard error."""

    def call(*arguments: object, typed: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["citewhy", "suggest", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        return int(left.value.code or 0), printed.out, printed.err

    return call


@pytest.fixture
def drafts(tmp_path: Path) -> Path:
    """A folder with copies of the example drafts."""
    return Path(shutil.copytree(example_draft("latex").parent, tmp_path / "drafts"))


def document(run: Run, *arguments: object, typed: str = "") -> dict[str, Any]:
    """Standard output, which must be one JSON document and nothing else."""
    code, out, _ = run(*arguments, "--json", typed=typed)
    assert code == 0
    answer: dict[str, Any] = orjson.loads(out)
    return answer


def state(folder: Path) -> dict[str, bytes]:
    """Every file of a draft's folder but the journal."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and ".citewhy" not in file.parts
    }


def check_suggestions(suggestions: list[dict[str, Any]]) -> None:
    """Every field is there with its type; ranks run from 1, scores do not rise, reasons are never missing."""
    assert [suggestion["rank"] for suggestion in suggestions] == list(range(1, len(suggestions) + 1))
    scores = [suggestion["score"] for suggestion in suggestions]
    assert scores == sorted(scores, reverse=True) or any(
        reason["kind"] == "key" for suggestion in suggestions for reason in suggestion["reasons"]
    )
    for suggestion in suggestions:
        types = {name: type(value) for name, value in suggestion.items()}
        optional = {"key": str, "for_key": str, "doi": str, "url": str, "probability": float, "year": int}
        for name, kind in optional.items():
            assert types.pop(name) in (kind, type(None))
        assert types == {
            "rank": int,
            "id": str,
            "title": str,
            "authors": list,
            "venue": str,
            "own": bool,
            "in_bibliography": bool,
            "library": str,
            "proposed": bool,
            "score": float,
            "reasons": list,
            "source": str,
            "passages": list,
        }
        assert suggestion["reasons"]
        for reason in suggestion["reasons"]:
            assert {name: type(value) for name, value in reason.items()} == {
                "kind": str,
                "text": str,
                "weight": float,
            }
        for passage in suggestion["passages"]:
            assert passage.keys() == PASSAGE


# One sentence ---------------------------------------------------------------------------------------------


def test_one_sentence(run: Run) -> None:
    """The right paper comes first, with authors, year, id, and why."""
    code, out, err = run("--text", SENTENCE, "-k", 2)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    first = next(line for line in lines if line.startswith("    1  "))
    assert first == "    1  Attention Is All You Need"
    assert any(line.lstrip().startswith("– matches: ") for line in lines)
    assert any(f"id {RIGHT}," in line for line in lines)
    assert [line for line in lines if line.startswith("    3 ")] == []


@pytest.mark.parametrize("pipeline", ["bm25", "full"])
def test_one_sentence_for_programs(run: Run, cache: Path, pipeline: str) -> None:
    """One document, the same in every run: library, pipeline, the text, and suggestions."""
    answer = document(run, "--text", SENTENCE, "-k", 4, "--pipeline", pipeline)
    assert answer.keys() == {"library", "pipeline", "text", "several", "suggestions"}
    assert 0 < answer["several"] < 1
    assert Path(answer["library"]).parent == cache
    assert (answer["pipeline"], answer["text"]) == (pipeline, SENTENCE)
    assert len(answer["suggestions"]) == 4
    assert RIGHT in [suggestion["id"] for suggestion in answer["suggestions"]]
    assert [suggestion["key"] for suggestion in answer["suggestions"]] == [None] * 4
    check_suggestions(answer["suggestions"])
    assert document(run, "--text", SENTENCE, "-k", 4, "--pipeline", pipeline) == answer


def test_as_of(run: Run) -> None:
    """Nothing newer than the year is suggested."""
    years = [
        suggestion["year"] for suggestion in document(run, "--text", SENTENCE, "--as-of", 2014)["suggestions"]
    ]
    assert len(years) == 5
    assert max(years) <= 2014


def test_nothing_fits(run: Run) -> None:
    """Where no paper is old enough, a sentence says so in place of a list."""
    assert run("--text", SENTENCE, "--as-of", 1500) == (0, "   Nothing in the library fits well.\n", "")
    assert document(run, "--text", SENTENCE, "--as-of", 1500)["suggestions"] == []


def test_own_library(run: Run, toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was added answers instead of the starter library: by --library, or as the user's own."""
    monkeypatch.setattr(
        sys, "argv", ["citewhy", "add", str(toy), "--library", str(tmp_path / "own"), "--quiet"]
    )
    with pytest.raises(SystemExit):
        main()
    text = "We report case-insensitive BLEU, an automatic measure of machine translation."
    named = document(run, "--text", text, "--library", tmp_path / "own")
    assert named["suggestions"][0]["id"] == "P02-1040"
    assert {reason["kind"] for reason in named["suggestions"][0]["reasons"]} >= {"cited-as", "often-cited"}
    assert named["suggestions"][0]["passages"][0]["section"]
    monkeypatch.setenv(LIBRARY_VARIABLE, str(tmp_path / "own"))
    assert document(run, "--text", text) == named


# A draft --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "count"), [("example.tex", 26), ("example.md", 25)])
def test_a_draft(run: Run, drafts: Path, name: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a summary, every open place is listed in reading order with its line, in at most 80 columns and
    eight lines."""
    monkeypatch.chdir(drafts)
    code, out, err = run(drafts / name)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    heads = [line for line in lines if re.match(r"\d+\. ", line)]
    assert [int(head.split(".")[0]) for head in heads] == list(range(1, count + 1))
    form = r"\d+\. (example|sections/\w+)\.\w+:\d+(  \(not in the bibliography: .+\))?(  This place .+)?"
    assert all(re.fullmatch(form, head) for head in heads)
    assert lines[0].startswith(f"{count} open citations; ")
    assert len(lines) <= 8 * count
    assert sum(line.count("[?]") for line in lines) == count
    assert [line for line in lines if len(line) > 80] == []
    assert [line for line in lines if line != line.rstrip()] == []
    shown = [sum(line.startswith(f"    {rank} ") for line in lines) for rank in (1, 2, 3)]
    assert count == shown[0] >= shown[1] >= shown[2] > 0  # later ones below 1 % are left out


@pytest.mark.parametrize("name", ["example.tex", "example.md"])
def test_a_draft_for_programs(run: Run, drafts: Path, name: str) -> None:
    """Each place says where its marker stands, in the file as it lies on the disk."""
    answer = document(run, drafts / name, "-k", 2)
    assert answer.keys() == {
        "library",
        "pipeline",
        "draft",
        "places",
        "paragraphs",
        "whole",
        "problems",
    }
    assert (answer["draft"], answer["problems"]) == (str(drafts / name), [])
    markers = [
        marker
        for paragraph in read(drafts / name).paragraphs
        for sentence in paragraph.sentences
        for marker in sentence.markers
        if marker.open
    ]
    assert len(answer["places"]) == len(markers)
    for place, marker in zip(answer["places"], markers, strict=True):
        text = Path(place["file"]).read_text(encoding="utf-8")
        written = text[place["start"] : place["end"]]
        assert written[0] in "\\[@"
        assert text[: place["start"]].count("\n") + 1 == place["line"] == marker.place.line
        assert place["keys"] == list(marker.keys)
        assert 0 <= place["offset"] <= len(place["sentence"])
        assert len(place["suggestions"]) == 2
        assert all(suggestion["key"] for suggestion in place["suggestions"])
        check_suggestions(place["suggestions"])


def test_a_name_that_the_library_lacks(run: Run) -> None:
    """It is told that nothing has it, and not left to improbable papers; names it has, numbers and plurals
    are no such names. Printed citations are told by their authors."""
    _, _, told = run("--text", "We use FooNet and bar2vec (Smith, 2019).", "-k", "1")
    assert told == (
        "citewhy: no title or abstract in the library has the name FooNet or bar2vec\n"
        "citewhy: the library has no paper that is cited as Smith 2019\n"
    )
    for text in ("BERT and LSTMs are used [CITE] since 2019.", "We use 300-d vectors [3]."):
        assert run("--text", text, "-k", "1")[2] == ""
    assert run("--text", "We use FooNet.", "--quiet")[2] == ""


def test_plain_text(run: Run, tmp_path: Path) -> None:
    """A text file without any markup is a draft too."""
    draft = tmp_path / "notes.txt"
    draft.write_text(f"A Title\n\n{SENTENCE[:-1]} [CITE].\n", encoding="utf-8")
    (place,) = document(run, draft)["places"]
    assert place["line"] == 3
    assert RIGHT in [suggestion["id"] for suggestion in place["suggestions"][:3]]


def test_problems_of_a_draft(run: Run, tmp_path: Path) -> None:
    """What cannot be read is said on standard error, one line each; the rest is answered."""
    draft = tmp_path / "draft.tex"
    draft.write_text(f"\\input{{gone}}\n{SENTENCE[:-1]} \\cite{{}}.\n", encoding="utf-8")
    code, out, err = run(draft, "-k", 1)
    assert code == 0
    assert f"1. {draft}:2" in out.splitlines()
    assert err.startswith(f"citewhy: {draft}:1: ")
    assert err.count("\n") == 2  # the missing input, and where the bibliography may be


def test_remarks_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """They are wrapped, and paths in them are whole; elsewhere a remark is one line."""
    monkeypatch.setenv("COLUMNS", "80")
    path = f"/home/{'long-name/' * 9}refs.bib"
    text = f"{path}:1: {'something is missing ' * 6}"
    remark(text)
    assert capsys.readouterr().err == f"citewhy: {text}\n"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    remark(text)
    lines = capsys.readouterr().err.splitlines()
    assert [len(line) > 80 for line in lines if path not in line] == [False] * (len(lines) - 1)
    assert " ".join(" ".join(lines).split()) == f"citewhy: {text}".strip()


def test_a_finished_draft(run: Run, tmp_path: Path) -> None:
    """No open citation: a sentence says so, and there is nothing to write."""
    draft = tmp_path / "draft.md"
    draft.write_text("Nothing is claimed here.\n", encoding="utf-8")
    nothing = (
        f"{draft}: no open citations. Mark one with [@?] or [CITE].\n"
        f"Sentences without a citation that probably need one: citewhy review {draft}\n"
    )
    assert run(draft) == (0, nothing, "")
    assert run(draft, "--choose") == (0, f"{nothing}Nothing to write.\n", "")
    code, out, _ = run(draft, "--write", "--yes")
    assert (code, out) == (0, f"{nothing}Nothing to write.\n")


def test_units(run: Run, tmp_path: Path) -> None:
    """Each unit has its place in the document; the edit is for open citations only."""
    draft = tmp_path / "draft.md"
    draft.write_text(f"# A\n\n{SENTENCE}\n", encoding="utf-8")
    answer = document(run, draft, "--unit", "paragraph", "--unit", "draft")
    assert answer["places"] == []
    assert [paragraph["line"] for paragraph in answer["paragraphs"]] == [3]
    assert answer["whole"]["unit"] == "draft"
    assert RIGHT in [suggestion["id"] for suggestion in answer["paragraphs"][0]["suggestions"]]
    assert document(run, draft)["whole"] is None
    for arguments, message in (
        ([draft, "--write"], "--write and --choose fill open citations only; omit --unit"),
        (["--text", "a"], "--unit needs a DRAFT; omit --unit"),
    ):
        assert run(*arguments, "--unit", "draft") == (2, "", f"citewhy: {message}\n")


# Writing --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["example.tex", "example.md"])
def test_write_and_undo(run: Run, drafts: Path, name: str) -> None:
    """After a yes every marker has a key that the bibliography defines; undo restores every byte."""
    before = state(drafts)
    code, out, err = run(drafts / name, "-k", 2, "--write", "--at-least", 0, typed="y\n")
    assert code == 0
    assert f"+++ b/{name}" in out.splitlines()
    assert "+++ b/example.bib" in out.splitlines()
    assert "Apply this edit?" in err
    assert f"citewhy suggest {drafts / name} --undo" in err
    assert before.keys() == state(drafts).keys()
    assert before != state(drafts)
    filled = read(drafts / name)
    assert filled.problems == ()
    code, out, err = run(drafts / name)
    assert (code, err) == (0, "")
    assert out.startswith(f"{drafts / name}: no open citations. ")
    code, out, err = run(drafts / name, "--undo")
    assert (code, err) == (0, "")
    assert f"restored {drafts / name}" in out.splitlines()
    assert state(drafts) == before


@pytest.mark.parametrize("typed", ["n\n", "\n", "no\n"])
def test_no(run: Run, drafts: Path, typed: str) -> None:
    """Anything but a yes leaves everything as it was."""
    before = state(drafts)
    code, _, err = run(drafts / "example.md", "-k", 1, "--write", "--pipeline", "bm25", typed=typed)
    assert code == 0
    assert err.endswith("Nothing was changed.\n")
    assert state(drafts) == before
    assert run(drafts / "example.md", "--undo")[0] == 2


def test_choose(run: Run, tmp_path: Path) -> None:
    """Each place is asked for: the paper that was chosen is written, what was not chosen is listed with the
    reason, and after "stop" nothing more is asked."""
    draft = tmp_path / "draft.md"
    text = f"{SENTENCE[:-1]} [CITE].\n\nWords have vectors [@?, p. 3].\n\n{SENTENCE[:-1]} [see @?].\n"
    draft.write_text(text, encoding="utf-8")
    first, *_ = document(run, draft, "--pipeline", "bm25")["places"]
    second = first["suggestions"][1]["key"]
    code, out, err = run(draft, "--choose", "--pipeline", "bm25", typed="2\nn\ns\ny\n")
    assert code == 0
    assert f"1. {draft}:1" in out
    assert re.findall(r"(\d of 3): which paper", err) == ["1 of 3", "2 of 3", "3 of 3"]
    assert f"you chose none: {draft}:3 you stopped before it: {draft}:5" in " ".join(err.split())
    assert f"To write: 1: {draft}:1\n" in err
    written = draft.read_text(encoding="utf-8")
    assert written.endswith(text.replace("[CITE]", f"[@{second}]", 1))
    assert [reference.key for reference in read(draft).references] == [second]
    run(draft, "--undo")
    assert draft.read_text(encoding="utf-8") == text


def test_choose_for_a_key(run: Run, tmp_path: Path) -> None:
    """An undefined key is asked for by its name, and the entry is written under it."""
    (tmp_path / "refs.bib").write_text("@misc{a, title = {A}}\n", encoding="utf-8")
    draft = tmp_path / "draft.tex"
    text = (
        f"\\begin{{document}}\n{SENTENCE[:-1]} \\cite{{a,mine}}.\n\\bibliography{{refs}}\n\\end{{document}}\n"
    )
    draft.write_text(text, encoding="utf-8")
    code, _, err = run(draft, "--choose", "--yes", "--pipeline", "bm25", typed="1\n")
    assert code == 0
    assert "1 of 1, key mine: which paper?" in err
    assert draft.read_text(encoding="utf-8") == text
    assert [reference.key for reference in read(draft).references] == ["a", "mine"]


LINES = """\
# A

## Part

Attention alone translates, without recurrence [CITE].

Words have vectors [CITE].

Parsers are scored [CITE].
"""


@pytest.fixture
def three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A draft with three open citations, and a bibliography with one entry."""
    monkeypatch.chdir(tmp_path)
    entry = "@misc{kuhn, title = {The Structure of Scientific Revolutions}, author = {Kuhn, T.}, year = 1962}"
    Path("refs.bib").write_text(f"{entry}\n", encoding="utf-8")
    Path("draft.md").write_text(f"---\nbibliography: refs.bib\n---\n\n{LINES}", encoding="utf-8")
    return Path("draft.md")


def chosen(run: Run, draft: Path, typed: str) -> tuple[list[str], str, str]:
    """The citations after these answers, and what was printed and said."""
    code, out, err = run(draft, "--choose", "--yes", "--pipeline", "bm25", typed=typed)
    assert code == 0
    return re.findall(r"\[(@.+?|CITE)\]", draft.read_text(encoding="utf-8")), out, err


def test_choose_several_for_one_place(run: Run, three: Path) -> None:
    """Two numbers are two papers; a number that is none of those shown is told, and asked again."""
    first = [each["key"] for each in document(run, three, "--pipeline", "bm25")["places"][0]["suggestions"]]
    citations, _, err = chosen(run, three, "9\n1 2\n\ns\n")
    assert citations == [f"@{first[0]}; @{first[1]}", "CITE", "CITE"]
    assert "“9” is no answer" in err
    assert "To write: 1: draft.md:9\nLeft open: 2\n" in err


def test_choose_goes_back(run: Run, three: Path) -> None:
    """The place before is asked again, and the last answer holds."""
    first = [each["key"] for each in document(run, three, "--pipeline", "bm25")["places"][0]["suggestions"]]
    citations, out, err = chosen(run, three, "1\nb\n2\ns\n")
    assert citations == [f"@{first[1]}", "CITE", "CITE"]
    assert re.findall(r"(\d) of 3: which", err) == ["1", "2", "1", "2"]
    assert out.count("1. draft.md:9\n") == 2


def test_choose_what_is_looked_up(run: Run, three: Path) -> None:
    """Words, or a key, lead to a paper that was not among the first; where nothing has it, this is told."""
    citations, out, err = chosen(run, three, "/zzyzx\n/kuhn\n1\nk nobody\nk kuhn\ns\n")
    assert citations == ["@kuhn", "@kuhn", "CITE"]
    assert "Nothing in the library fits “zzyzx”." in out
    assert re.search(r"^    1 +kuhn  .*The Structure of Scientific Revolutions$", out, re.MULTILINE)
    assert "No bibliography has the key “nobody”; look for it: /nobody" in err


def test_choose_with_more_context(run: Run, three: Path) -> None:
    """The whole paragraph and the reasons."""
    _, out, _ = chosen(run, three, "c\ns\n")
    assert "   Part\n   Attention alone translates, without recurrence [?].\n" in out
    assert "– matches: " in out


def test_choose_later(run: Run, three: Path) -> None:
    """What was chosen before the end of the answers is written; the next time, only the rest is asked."""
    citations, _, err = chosen(run, three, "k kuhn\n")
    assert citations == ["@kuhn", "CITE", "CITE"]
    assert "you stopped before it: draft.md:11, 13" in err
    assert "1 of 2: which paper" in chosen(run, three, "s\n")[2]


def test_choose_nothing(run: Run, three: Path) -> None:
    """A place that was skipped is not asked about again, unless one wishes so."""
    citations, _, err = chosen(run, three, "\nk kuhn\ns\n")
    assert citations == ["CITE", "@kuhn", "CITE"]
    assert "that you skipped before" not in err
    _, out, err = chosen(run, three, "s\n")
    assert "citewhy: 1 place that you skipped before: --again asks about them\n" in err
    assert ("1. draft.md:13" in out, "draft.md:9" in out) == (True, False)
    assert "1 of 1: which paper" in err
    code, out, err = run(three, "--choose", "--again", "--pipeline", "bm25", typed="\n\n")
    assert (code, "1 of 2: which paper" in err, "1. draft.md:9" in out) == (0, True, True)
    _, _, err = chosen(run, three, "")
    assert "2 places that you skipped before" in err
    assert "which paper" not in err


def test_choose_with_single_keys(run: Run, three: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal a key is enough, and several papers, words and keys of entries are read as lines; Ctrl-C
    stops."""
    first = [each["key"] for each in document(run, three, "--pipeline", "bm25")["places"][0]["suggestions"]]
    pressed = iter("b+k")

    def key() -> str:
        if (key := next(pressed, "")) == "":
            raise KeyboardInterrupt
        return key

    monkeypatch.setattr(author, "_has_keys", lambda: True)
    monkeypatch.setattr(click, "getchar", key)
    citations, _, err = chosen(run, three, "1 2\nkuhn\n")
    assert citations == [f"@{first[0]}; @{first[1]}", "@kuhn", "CITE"]
    assert "One key is enough" in err


def test_only_mine_and_only_new(run: Run, tmp_path: Path) -> None:
    """Papers of the draft's bibliography are marked; they alone are suggested, or none of them."""
    suggestions = document(run, "--text", SENTENCE, "-k", 2)["suggestions"]
    assert suggestions[0]["id"] == RIGHT
    (tmp_path / "refs.bib").write_text(
        "@misc{mine, title = {Attention Is All You Need}, author = {Vaswani, Ashish}, year = 2017}\n",
        encoding="utf-8",
    )
    draft = tmp_path / "draft.md"
    draft.write_text(f"---\nbibliography: refs.bib\n---\n\n{SENTENCE[:-1]} [CITE].\n", encoding="utf-8")

    def suggested(*arguments: str) -> list[tuple[str, bool]]:
        (place,) = document(run, draft, *arguments)["places"]
        return [(suggestion["id"], suggestion["in_bibliography"]) for suggestion in place["suggestions"]]

    assert (RIGHT, True) in suggested()
    assert suggested("--only", "mine") == [(RIGHT, True)]
    new = suggested("--only", "new")
    assert new
    assert RIGHT not in dict(new)
    assert not any(mine for _, mine in new)
    assert "in your bibliography" in run(draft, "--only", "mine", "-v")[1]
    assert "in your bibliography" not in run(draft, "--only", "new")[1]
    exported = run(draft, "--only", "mine", "--bibtex")[1]
    assert (exported.count("@"), "{mine," in exported) == (1, True)
    assert "{mine," not in run(draft, "--only", "new", "--bibtex")[1]
    assert "{mine," not in run(draft, "--bibtex")[1]  # the bibliography has it


def test_at_least_with_what_has_no_probability(run: Run, tmp_path: Path) -> None:
    """Entries that the library lacks and papers that a key names for certain have none; that is no reason to
    refuse a minimum."""
    (tmp_path / "refs.bib").write_text(
        "@misc{own, title = {Recurrence replaced in the translation}, author = {Nobody, N.}, year = 2011}\n",
        encoding="utf-8",
    )
    draft = tmp_path / "draft.md"
    text = f"---\nbibliography: refs.bib\n---\n\n{SENTENCE[:-1]} [@arXiv:1706.03762; @?].\n"
    draft.write_text(text, encoding="utf-8")
    code, _, err = run(draft, "--write", "--yes", "--at-least", "0.9")
    assert (code, "no probabilities" in err) == (0, False)


def test_quiet(run: Run, tmp_path: Path) -> None:
    """Answers only: neither what is wrong with the draft nor what stays open."""
    draft = tmp_path / "draft.tex"
    draft.write_text("\\input{gone}\nIt works \\cite{}.\n", encoding="utf-8")
    code, out, err = run(draft, "--quiet", "--write", "--at-least", "1")
    assert (code, err) == (0, "")
    assert out.endswith("Nothing to write.\n")


def test_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    """Styles are for terminals, and not where NO_COLOR is set or the terminal is dumb."""
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert not look().styles
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert look().styles
    monkeypatch.setenv("TERM", "dumb")
    assert not look().styles
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not look().styles


def test_styles_are_ours_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """Marked parts get the codes of a terminal; those in foreign data are shown."""
    echo_styled(f"{STYLES['strong']}a\x1b[2Jb{STYLES['end']}")
    assert capsys.readouterr().out == "\x1b[1ma\\u001b[2Jb\x1b[0m\n"


def test_no_answer(run: Run, drafts: Path) -> None:
    """Where nobody can be asked, nothing is changed, and the exit code says so."""
    before = state(drafts)
    code, _, err = run(drafts / "example.md", "--write", "--pipeline", "bm25", typed="")
    assert code == 1
    assert err.endswith("citewhy: no confirmation was given; nothing was changed\n")
    assert state(drafts) == before


def test_a_paragraph_on_one_line(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal shows what is around the change, a pipe the whole diff."""
    draft = tmp_path / "long.md"
    draft.write_text(
        f"{'Words of other sentences are many. ' * 40}{SENTENCE[:-1]} [CITE].\n", encoding="utf-8"
    )

    def widest(out: str) -> int:
        return max(map(len, out[out.index("--- a/long.md") :].splitlines()[:9]))

    arguments = (draft, "-k", "1", "--write", "--at-least", "0")
    assert widest(run(*arguments, typed="n\n")[1]) > 1000
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    out = run(*arguments, typed="n\n")[1]
    assert widest(out) <= 80
    assert "convolution [@vaswani2017attention]." in out


def test_yes(run: Run, drafts: Path) -> None:
    """With --yes nobody is asked; with --json the diff is not on standard output."""
    code, out, err = run(drafts / "example.md", "--write", "--yes", "--json", "--pipeline", "bm25")
    assert code == 0
    places = orjson.loads(out)["places"]
    assert "Apply" not in err
    assert "+++ b/example.bib" in err.splitlines()
    text = (drafts / "example.md").read_text(encoding="utf-8")
    written = [place for place in places if not place["undefined"]]
    assert written
    assert "[CITE]" not in text
    assert "[?]" not in text
    defined = {reference.key for reference in read(drafts / "example.md").references}
    assert len(defined) > len(written) / 2


def test_keys_are_new(run: Run, tmp_path: Path) -> None:
    """A key that another entry has, in whatever case, is not given to a new one."""
    taken = document(run, "--text", SENTENCE, "-k", 1)["suggestions"][0]
    assert taken["id"] == RIGHT
    (tmp_path / "refs.bib").write_text(
        "@misc{Vaswani2017Attention, title = {Attention in Bees}, author = {Vaswani, Bee}, year = 2017}\n"
        "@misc{vaswani2017attentiona, title = {Attention in Ants}, author = {Vaswani, Ant}, year = 2017}\n",
        encoding="utf-8",
    )
    draft = tmp_path / "draft.tex"
    draft.write_text(
        "\\begin{document}\n" + f"{SENTENCE[:-1]} \\cite{{}}.\n" + "\\bibliography{refs}\n\\end{document}\n",
        encoding="utf-8",
    )
    assert run(draft, "-k", 1, "--write", "--yes")[0] == 0
    assert "\\cite{vaswani2017attentionb}" in draft.read_text(encoding="utf-8")
    keys = [reference.key.casefold() for reference in read(draft).references]
    assert keys == ["vaswani2017attention", "vaswani2017attentiona", "vaswani2017attentionb"]


def test_undo_does_not_lose_later_work(run: Run, drafts: Path) -> None:
    """In a draft that was changed after the edit, what the edit wrote is taken back, and the rest kept."""
    before = state(drafts)
    assert run(drafts / "example.md", "--write", "--yes", "--pipeline", "bm25")[0] == 0
    with (drafts / "example.md").open("a", encoding="utf-8") as file:
        file.write("\nA sentence written later.\n")
    code, out, err = run(drafts / "example.md", "--undo")
    assert (code, err) == (0, "")
    assert f"took back what was written in {drafts / 'example.md'}, and kept your changes\n" in out
    assert f"restored {drafts / 'example.bib'}\n" in out
    before["example.md"] += b"\nA sentence written later.\n"
    assert state(drafts) == before


# What is wrong --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "give either a DRAFT or --text"),
        (["{draft}", "--text", "x"], "give either a DRAFT or --text"),
        (["--text", ""], "the text is empty"),
        (["--text", " \n"], "the text is empty"),
        (["{folder}/gone.tex"], "gone.tex: no such file"),
        (["{folder}/empty"], "empty: a folder: no draft among the files; name its root file"),
        (
            ["--text", "x", "--pipeline", "best"],
            "there is no pipeline best; choose from: bm25, dense, hybrid, full",
        ),
        (["--text", "x", "--library", "{folder}"], "there is no library in this folder"),
        (["--text", "x", "--library", "{folder}/none"], "there is no library in this folder"),
        (["{draft}", "--as-of", "soon"], "'--as-of': 'soon' is not"),
        (["{draft}", "--as-of", "20"], "'--as-of': 20 is not in the range"),
        (["{draft}", "-k", "0"], "'-k': 0 is not in the range"),
        (["--text", "x", "--write"], "--write, --choose, --undo and --only are for a draft"),
        (["{draft}", "--undo"], "nothing to undo"),
        (["{draft}", "--again"], "--again is for --choose; omit it, or add --choose"),
        (["{draft}", "--frobnicate"], "No such option"),
    ],
)
def test_misuse(run: Run, drafts: Path, arguments: list[str], words: str) -> None:
    """One line on standard error that says what to do, exit code 2, nothing on standard output."""
    (drafts / "empty").mkdir()
    given = [part.format(draft=drafts / "example.md", folder=drafts) for part in arguments]
    code, out, err = run(*given)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("citewhy: ")
    assert words in err
    assert "Traceback" not in err


@pytest.mark.parametrize("name", ["paper.pdf", "paper.tex", "paper.md", "paper.txt", "paper"])
def test_a_draft_that_is_no_text(run: Run, tmp_path: Path, name: str) -> None:
    """A PDF, say, is refused with its name, whatever its suffix says."""
    draft = tmp_path / name
    draft.write_bytes(b"%PDF-1.5\n%\xd0\xd4\xc5\xd8\n1 0 obj\n")
    code, out, err = run(draft)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"citewhy: {draft}: this is a PDF file, which is not read as a draft")


def test_a_text_in_a_pipe(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its open citations are answered, from a bibliography in the working folder, or else it is one question;
    nothing is written anywhere."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "refs.bib").write_text(
        "@book{kuhn1962,author={Kuhn, Thomas},title={The Structure of Scientific Revolutions},year={1962}}\n",
        encoding="utf-8",
    )
    begun = "\\documentclass{article}\\begin{document}"
    code, out, err = run(
        Path("-"), typed=f"{begun}Paradigms \\cite{{kuhn62}}.\\bibliography{{refs}}\\end{{document}}"
    )
    assert (code, err) == (0, "")
    assert "1 open citation; 1 with a likely paper" in out
    assert "1. -:1  (not in the bibliography: kuhn62)" in out
    answer = document(run, Path("-"), typed="Translation needs attention alone.")
    assert answer["text"] == "Translation needs attention alone."
    assert answer["suggestions"][0]["id"] == RIGHT
    assert [path.name for path in tmp_path.iterdir()] == ["refs.bib"]


def test_interrupted(run: Run, drafts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while it works: 130, as for every command, and no traceback."""

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Recommender, "suggest", interrupt)
    code, out, err = run(drafts / "example.md")
    assert (code, out, err.split()) == (130, "", ["citewhy:", "stopped"])


# As a process ---------------------------------------------------------------------------------------------


def start(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", "from citewhy.doors.cli import main; main()", "suggest", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_interrupted_at_the_question(drafts: Path) -> None:
    """Ctrl-C in place of a yes changes nothing and leaves no traceback."""
    before = state(drafts)
    with start(drafts / "example.md", "-k", 1, "--write", "--json", "--pipeline", "bm25") as process:
        assert process.stderr is not None
        asked = ""
        while not asked.endswith("[y/N]: "):
            asked += process.stderr.read(1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert process.returncode == 1
    assert "Traceback" not in err
    assert state(drafts) == before


def test_a_reader_that_leaves(drafts: Path) -> None:
    """`citewhy suggest … | head -1` ends without a traceback."""
    with start(drafts / "example.tex", "-k", 5, "--pipeline", "bm25") as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("26 open citations; ")
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
        assert process.wait() in (0, 1)
