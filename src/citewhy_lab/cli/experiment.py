"""`citewhy experiment`: reproduces a table from the literature on given data."""

from __future__ import annotations

from pathlib import Path

import click

from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar
from citewhy_lab.cli.options import settings_of
from citewhy_lab.experiments import EXPERIMENTS, Setup, experiment

EPILOG = f"""\b
Examples:
  citewhy experiment linkage linkage.dev.citances.jsonl.gz --out results
  citewhy experiment lcr-prefilter acl-200 --out results
  citewhy experiment lcr-regimes acl-200 --scale small
  citewhy experiment documents-losses collection --scale small
  citewhy experiment pcr collection paragraphs results
  citewhy experiment sets collection results --scale small

\b
NAME and its FILES:
{"".join(f"  {name:<17} {experiment.files}{chr(10)}" for name, experiment in EXPERIMENTS.items())}
All but lcr-prefilter train networks and need the extra `lab`: pip install 'citewhy[lab]'. lcr-prefilter
and pcr-analysis draw plots and need matplotlib: pip install 'citewhy[plots]'.
"""


@click.command("experiment", epilog=EPILOG)
@click.argument("name", metavar="NAME")
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="FILE…")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write NAME.md to DIR, and JSON and plots to DIR/NAME.",
)
@settings_of(Setup)
@click.option("--json", "as_document", is_flag=True, help="Print one JSON document and nothing else.")
@options.quiet
def command(
    name: str, files: tuple[Path, ...], out: Path | None, settings: Setup, as_document: bool, quiet: bool
) -> None:
    """Reproduce a table from the literature: train and compare its systems on your FILES.

    Prints the tables as Markdown. With --out, writes them together with a JSON file that records how they
    were made: checksums of the data, options, seed, versions.
    """
    chosen = experiment(name)
    with progress_bar(quiet) as progress:
        result = chosen.run(files, settings, progress)
    click.echo(
        result.json(name) if as_document else result.markdown(name)
    )  # checked first, before any training
    if out is not None:
        result.save(name, out)
