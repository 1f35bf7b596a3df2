"""`citewhy encode`: encodes a share of a library on a machine of its own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import click

from citewhy.base.errors import QueryError
from citewhy.base.reports import ToEncode
from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar
from citewhy.doors.present import as_json as json_form
from citewhy.doors.present import library_text
from citewhy.session.session import Session
from citewhy.session.vector_files import encode_to_file

EPILOG = """\b
Examples:
  citewhy encode --library field --shard 1/4 --out one.vectors
  citewhy encode papers.jsonl.gz --out all.vectors --device cuda
  citewhy encode --library field --encode titles --out titles.vectors

Each machine encodes another shard, of its own copy of the library or of the files that are added to it. The
library takes what they wrote with `citewhy add one.vectors two.vectors …`: vectors of equal texts by the
same encoder, and no others. All shards together are what one machine would have made.

Give the same command again to go on with what was interrupted. A file is there when all of its vectors are.
"""

_SHARD = re.compile(r"(\d{1,6})/(\d{1,6})")


@click.command("encode", epilog=EPILOG)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH…]")
@options.library
@click.option(
    "--shard", default="1/1", show_default=True, metavar="I/N", help="Encode the I-th of N equal shares."
)
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", required=True, help="File to write.")
@options.texts
@options.encoder
@options.device
@options.as_json
@click.option("--quiet", is_flag=True, help="Print nothing.")
def command(
    paths: tuple[Path, ...],
    library: Path | None,
    shard: str,
    out: Path,
    encode: ToEncode | None,
    encoder: Path | None,
    device: Literal["cpu", "cuda"],
    as_json: bool,
    quiet: bool,
) -> None:
    """Encode a share of a library, or of files, into a file that the library takes."""
    if paths and library:
        raise QueryError("the texts are either those of --library or those of files", hint="name one of them")
    matched = _SHARD.fullmatch(shard)
    if matched is None:
        raise QueryError(f"--shard {shard!r} is no share, expected a form like 1/4")
    of = int(matched[1]), int(matched[2])
    try:
        with (
            progress_bar(quiet or as_json) as progress,
            Session(library, create=bool(paths), encoder=encoder, device=device) as session,
        ):
            report = encode_to_file(session, out, of, paths=paths, texts=encode, progress=progress)
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt("what is encoded is kept; to go on, give the same command again") from stop
    if as_json:
        click.echo(json_form.dumps(json_form.report_of(report)))
    elif not quiet:
        click.echo(library_text.encoded(report))
