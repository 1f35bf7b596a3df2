"""`citewhy info`: what is in a library, and whether it is whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citewhy.cli import options
from citewhy.cli.progress import progress_bar
from citewhy.config import default_library

if TYPE_CHECKING:
    from citewhy.library.store import Library

__all__ = ["command"]

EPILOG = """\b
Examples:
  citewhy info
  citewhy info --library corpus --json

Every row of the library is read and checked. A damaged library is named on standard error, with exit code 2.
"""


@click.command("info", epilog=EPILOG)
@options.library
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(library: Path | None, as_json: bool) -> None:
    """What is in the library, and whether it is whole.

    Without a library of your own: what is in the starter library, which answers in its place.
    """
    from citewhy.starter import open_library

    with progress_bar(as_json) as tell, open_library(library) as opened, opened.reading():
        tell("checking", None)
        opened.verify()
        tell("counting", None)
        starter = library is None and opened.folder != default_library()
        facts = {"library": str(opened.folder), "starter": starter, **_facts(opened)}
    files = (file for file in opened.folder.rglob("*") if file.is_file())
    facts["bytes"] = sum(
        file.stat().st_size for file in files
    )  # when it is closed: no files of the connection
    if as_json:
        import orjson

        click.echo(orjson.dumps(facts, option=orjson.OPT_INDENT_2))
    else:
        click.echo("\n".join(_lines(facts)))


def _facts(library: Library) -> dict[str, Any]:
    return {
        "generation": library.generation,
        **library.counts(),
        "index": _index_state(library),
    }


def _index_state(library: Library) -> str:
    """``current``; ``missing``, ``behind`` or ``damaged`` where the next command has to make it again."""
    from citewhy.artifact import read_manifest
    from citewhy.errors import DamagedError
    from citewhy.index.local.snapshot import read_state

    root = library.folder / "index"
    if not root.exists():
        return "missing"
    try:
        state = read_state(root)
        for name in state.folders():
            read_manifest(root / name)
    except DamagedError:
        return "damaged"
    return "current" if state.generation == library.generation else "behind"


def _lines(facts: dict[str, Any]) -> list[str]:
    years = f", {facts['first_year']} to {facts['last_year']}" if "first_year" in facts else ""
    stand_in = [
        f"{'':12} the starter library: nothing was added to {default_library()} yet",
        f"{'':12} begin with: citewhy add FILE…",
    ]
    return [
        f"Library      {facts['library']}",
        *(stand_in if facts["starter"] else []),
        f"papers       {facts['papers']:,}{years}",
        f"{'':12} {facts['with_abstract']:,} with an abstract, {facts['with_full_text']:,} with full text",
        f"contexts     {facts['contexts']:,}{_waiting(facts['contexts_waiting'])}",
        f"citations    {facts['citations']:,}{_waiting(facts['citations_waiting'])}",
        f"aliases      {facts['aliases']:,}",
        f"size         {facts['bytes'] / 1e6:,.1f} MB",
        f"generation   {facts['generation']:,}",
        f"index        {facts['index']}",
        "All stored rows are as they were written.",
    ]


def _waiting(count: int) -> str:
    return f" ({count:,} of them wait for papers that are not there)" if count else ""
