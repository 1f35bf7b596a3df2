"""`citewhy sync`: what it tells."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner

from citewhy.doors.cli import cli

ENTRY = "@article{{{0}, title = {{{1}}}, author = {{A. B.}}, year = 2001}}\n"
ZEBRA, LEOPARD, HORSE = (
    ENTRY.format(*one)
    for one in (
        ("zebra", "Stripes of zebras"),
        ("leopard", "Spots of leopards"),
        ("horse", "Manes of horses"),
    )
)


def sync(*more: str) -> str:
    """What the command prints."""
    done = CliRunner().invoke(
        cli, ["sync", "--library", "lib", "--no-vectors", *more], catch_exceptions=False
    )
    assert done.exit_code == 0
    return done.stdout


@pytest.fixture(autouse=True)
def bibliography(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that has changed since it was added."""
    monkeypatch.chdir(tmp_path)
    file = Path("refs.bib")
    file.write_text(ZEBRA + LEOPARD, encoding="utf-8")
    CliRunner().invoke(cli, ["add", "refs.bib", "--library", "lib", "--no-vectors"], catch_exceptions=False)
    file.write_text(ZEBRA + HORSE, encoding="utf-8")
    return file


def test_what_would_change() -> None:
    """A table of counts, what would be removed, and that nothing was; the next call finds the same."""
    told = sync("--dry-run")
    assert "1 file would be read again" in told
    assert "papers               2         1         0           1         0" in told
    assert "  leopard: Spots of leopards" in told
    assert told.endswith("Nothing was changed (--dry-run).\n")
    assert sync("--dry-run") == told


def test_what_has_changed() -> None:
    """The same, done; then there is nothing to do."""
    assert "  leopard: Spots of leopards" in sync()
    assert sync() == "1 source of lib: nothing has changed\n"


def test_a_file_that_is_missing(bibliography: Path) -> None:
    """It is named, and nothing of it is removed."""
    bibliography.unlink()
    told = sync()
    assert "Missing, and nothing of them removed: 1" in told
    assert str(bibliography.resolve()) in told
    assert "leopard" in CliRunner().invoke(cli, ["find", "leopards", "--library", "lib"]).stdout


def test_as_json() -> None:
    """For programs, with the papers that are removed and what was added."""
    document = orjson.loads(sync("--json"))
    assert document["removed"] == [{"id": "leopard", "title": "Spots of leopards"}]
    assert document["added"]["new"] == {"papers": 1}
    assert not document["dry_run"]
