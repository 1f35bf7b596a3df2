"""`citewhy.toml`: what holds where the command line does not say."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner, Result
from small_library import make, paper

from citewhy.base.config import CACHE_VARIABLE, LIBRARY_VARIABLE
from citewhy.base.errors import InputError, LibraryError
from citewhy.doors.cli import cli, configuration
from citewhy.doors.cli.configuration import read_configuration
from citewhy.session import syncing

PAPERS = [paper(f"zebra{number}", f"Stripes of zebras {number}") for number in range(4)]


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's configuration file, which does not exist yet."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.delenv(LIBRARY_VARIABLE, raising=False)
    file = tmp_path / "config" / "citewhy.toml"
    file.parent.mkdir()
    monkeypatch.setattr(configuration, "user_file", lambda: file)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    make(tmp_path / "work" / "mine", PAPERS).close()
    return file


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def suggested(*more: object) -> list[str]:
    done = run("suggest", "draft.md", "--json", "--pipeline", "bm25", *more)
    assert not done.exception, done.output
    (place,) = orjson.loads(done.stdout)["places"]
    return [suggestion["id"] for suggestion in place["suggestions"]]


def test_a_draft_has_its_settings(user: Path) -> None:
    """The command line wins over the file beside the draft, and that over the user's."""
    Path("draft.md").write_text("Zebras have stripes [@].\n", encoding="utf-8")
    user.write_text(f'libraries = ["{Path("mine").resolve()}"]\nk = 3\n', encoding="utf-8")
    assert len(suggested()) == 3
    Path("citewhy.toml").write_text('libraries = ["mine"]\nk = 2\n', encoding="utf-8")
    assert len(suggested()) == 2
    assert len(suggested("-k", 1)) == 1
    make(Path("other"), [paper("horse", "Stripes of horses")]).close()
    assert suggested("--library", "other") == ["horse"]


def test_the_variable_for_the_library_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("citewhy.toml").write_text('libraries = ["mine"]\n', encoding="utf-8")
    make(Path("other"), [paper("horse", "Stripes of horses")]).close()
    monkeypatch.setenv(LIBRARY_VARIABLE, "other")
    assert "horse" in run("find", "horse").output


def test_what_holds_is_shown(user: Path) -> None:
    Path("citewhy.toml").write_text("k = 2\n", encoding="utf-8")
    user.write_text("at-least = 0.7\nk = 9\n", encoding="utf-8")
    rows = orjson.loads(run("info", "--config", "--json").stdout)
    assert rows["k"] == {"value": 2, "from": "citewhy.toml"}
    assert rows["at-least"] == {"value": 0.7, "from": str(user)}
    assert rows["libraries"]["from"] == "default"
    assert "citewhy.toml" in run("info", "--config").stdout


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("colour = 1", "no key 'colour'"),
        ("language = 'de'", "no key 'language'; omit it: languages are told by the text"),
        ("k = 0", "expected a number of papers"),
        ("k = true", "expected a number of papers"),
        ("at-least = 2", "expected a probability"),
        ('libraries = "mine"', "expected a list"),
        ("libraries = []", "expected a list"),
        ("k =", "cannot be read"),
    ],
)
def test_what_is_wrong_is_a_sentence(text: str, problem: str) -> None:
    Path("citewhy.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        read_configuration(Path())
    done = run("find", "zebra")
    assert done.exit_code
    assert isinstance(done.exception, InputError)


def test_the_library_follows_small_files(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `follow`, what was put into a file is there at the next command; without, an answer says that the
    file has changed. A file that is large is not read before an answer."""
    bibliography = Path("refs.bib")
    entry = "@article{{{0}, title = {{Stripes of {0}s}}, author = {{A. B.}}, year = 2001}}\n"
    bibliography.write_text(entry.format("zebra"), encoding="utf-8")
    assert run("add", bibliography, "--library", "lib", "--no-vectors", "--quiet").exit_code == 0

    def find() -> Result:
        return run("find", "Stripes of horses", "--library", "lib")

    bibliography.write_text(entry.format("zebra") + entry.format("horse"), encoding="utf-8")
    Path("citewhy.toml").write_text("follow = true\n", encoding="utf-8")
    assert "Stripes of horses" not in find().stdout  # a file beside a draft may be somebody else's
    Path("citewhy.toml").unlink()
    user.write_text("follow = true\n", encoding="utf-8")
    with monkeypatch.context() as changed:
        changed.setattr(syncing, "_SMALL", 10)
        assert "Stripes of horses" not in find().stdout
    done = find()
    assert "Stripes of horses" in done.stdout
    assert "citewhy: read again: refs.bib" in done.stderr
    assert "read again" not in find().stderr


def test_all_libraries_follow_their_folders(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each library that is named; a folder counts by the files that have appeared in it."""
    entry = "@article{{{0}, title = {{Stripes of {0}s}}, author = {{A. B.}}, year = 2001}}\n"
    for name in ("one", "two"):
        Path(name).mkdir()
        Path(name, "refs.bib").write_text(entry.format(f"zebra{name}"), encoding="utf-8")
        assert run("add", name, "--library", f"lib-{name}", "--no-vectors", "--quiet").exit_code == 0
        Path(name, "more.bib").write_text(entry.format(f"horse{name}"), encoding="utf-8")
    user.write_text('follow = true\nlibraries = ["../work/lib-one", "../work/lib-two"]\n', encoding="utf-8")
    monkeypatch.delenv(LIBRARY_VARIABLE, raising=False)
    with monkeypatch.context() as changed:
        changed.setattr(syncing, "_SMALL", 10)
        assert "read again" not in run("suggest", "--text", "Stripes of horsetwos.").stderr
    done = run("suggest", "--text", "Stripes of horsetwos.")
    assert done.stderr.count("citewhy: read again:") == 2
    assert "Stripes of horsetwos" in done.stdout


def test_following_needs_a_library(user: Path) -> None:
    """The starter library follows nothing, nor does a folder without a library, of which the command says
    so."""
    user.write_text("follow = true\n", encoding="utf-8")
    assert run("find", "BLEU", "--library", "starter").exit_code == 0
    assert isinstance(run("find", "BLEU", "--library", "none").exception, LibraryError)
