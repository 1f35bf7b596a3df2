"""`citewhy embeddings`: makes an encoder of published vectors."""

from __future__ import annotations

from pathlib import Path

import click

from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar
from citewhy.doors.present import as_json as json_form
from citewhy.doors.present import library_text
from citewhy.session.adopting import adopt_embeddings
from citewhy.session.session import Session

EPILOG = """\b
Examples:
  citewhy embeddings v2/*.gz --out specter2 --source S2AG --licence ODC-BY
  citewhy embeddings works.jsonl --out works --source OpenAlex --licence CC0

Rows are JSON lines: "corpusid" (Semantic Scholar's data set embeddings-specter_v2), "openalex_id", "doi",
"paperId" or "id", and "vector" or "embedding", an array or an array in a string. Vectors are scaled to length
1. Of several rows of a paper, the first counts.

The folder is an encoder: citewhy sync --library field --encoder specter2. Papers without a row have no
vector, and are found by words, names and citations. Sentences have vectors only with --text-encoder, the
folder of an encoder of texts into the same space, such as SPECTER2's own, exported; without one, vectors
compare papers with papers (`citewhy find --like`). Make the folder again when the library has grown.
"""


@click.command("embeddings", epilog=EPILOG)
@click.argument("rows", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE…")
@options.library
@options.new_folder
@click.option("--source", required=True, metavar="TEXT", help="Whose vectors they are.")
@click.option("--licence", required=True, metavar="TEXT", help="Under which licence.")
@click.option("--name", default="", metavar="TEXT", help="Name of the encoder; default: by its source.")
@click.option(
    "--text-encoder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Encoder of other texts, such as questions, into the same space.",
)
@options.as_json
@click.option("--quiet", is_flag=True, help="Print nothing.")
def command(
    rows: tuple[Path, ...],
    library: Path | None,
    out: Path,
    source: str,
    licence: str,
    name: str,
    text_encoder: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Make an encoder of vectors that others have published of papers in the library."""
    with progress_bar(quiet or as_json) as progress, Session(library) as session:
        report = adopt_embeddings(
            session.own_folder(),
            rows,
            out,
            source=source,
            licence=licence,
            name=name,
            network=text_encoder,
            progress=progress,
        )
    if as_json:
        click.echo(json_form.dumps(json_form.report_of(report)))
    elif not quiet:
        click.echo(library_text.adopted(report))
