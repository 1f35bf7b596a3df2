"""`citewhy add`: adds files to a library in one commit, and updates the index."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import click

from citewhy.base.reports import AddReport, TakenReport, ToEncode
from citewhy.doors.cli import options
from citewhy.doors.cli.progress import progress_bar
from citewhy.doors.present import as_json as json_form
from citewhy.doors.present import library_text
from citewhy.session.on_ray import add_on_ray
from citewhy.session.remote import add_remote, remote_sources, split_remote
from citewhy.session.session import Session
from citewhy.session.vector_files import is_vector_file, take_vectors

EPILOG = """\b
Examples:
  citewhy add references.bib
  citewhy add papers.jsonl.gz contexts.jsonl.gz --library corpus
  citewhy add anthology/xml
  citewhy add grobid-output references.bib
  citewhy add thesis/ old-paper.tex
  curl -s "$ADDRESS" | citewhy add -
  citewhy add one.vectors two.vectors
  citewhy add "s3://bucket/s2orc/*.gz" --library field --ray auto

Files are recognised by their content: BibTeX, RIS, CSL-JSON, exports from Zotero, EndNote, PubMed, Web of
Science and others, tables with a header, works from OpenAlex, Crossref, Semantic Scholar, arXiv and DBLP, ACL
Anthology XML, MODS, JATS, full texts from GROBID (TEI), ParsCit, CL-SciSumm and S2ORC, lists of DOIs; plain,
gzip or zstd. A folder means all recognised files in it. Adding the same files again changes nothing.

Your own finished drafts (LaTeX with all its input files, Markdown, Typst, Org, with their bibliographies)
become evidence for what you write next: their references are added as papers, and the sentences that cite
them as citing sentences. Give the root file or a folder. Adding a changed draft replaces its earlier version.

Files of `citewhy encode` bring vectors of papers that the library has. Where only these are given, nothing
else is encoded.

With --ray, the machines of a cluster read the files and encode. Addresses such as s3://bucket/folder are read
by fsspec (citewhy[ray]), also without a cluster.

With --encode words-only nothing is encoded, and answers come from words, names and citations. With titles,
papers and citing sentences are; with full, also each part of a longer abstract, which is four to five times
as many texts. Of sentences about computer graphics, the first ten have the cited paper for .53, .58 and .60
(docs/library.md). More can be encoded later, by `citewhy sync --encode full`.

A file that cannot be read is reported, and the others are added; the exit code is then 1.
"""


_STOPPED = "either all of the files are in the library or none; to go on, give the same command again"


@click.command("add", epilog=EPILOG)
@click.argument(
    "paths", nargs=-1, required=True, type=click.Path(path_type=str, allow_dash=True), metavar="PATH…"
)
@options.library
@options.index
@options.encoder
@options.device
@options.vectors
@click.option(
    "--ray",
    metavar="ADDRESS",
    help="Read and encode on this cluster of Ray: host:port, auto, or local.",
)
@options.follow_outside
@click.option("--strict", is_flag=True, help="Stop at the first invalid record instead of skipping it.")
@options.as_json
@click.option("--quiet", is_flag=True, help="Print nothing.")
def command(
    paths: tuple[str, ...],
    library: Path | None,
    engine: str | None,
    encoder: Path | None,
    device: Literal["cpu", "cuda"],
    vectors: bool | ToEncode,
    ray: str | None,
    follow_outside: bool,
    strict: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Add papers, citing sentences, citations and full texts to a library.

    All files that can be read are added together, in one commit; from then on, questions are answered. Then
    new and changed papers are encoded, some hundred with abstracts per second on two cores, for better
    answers; if stopped with Ctrl-C, `citewhy sync` or the next `add` continues.
    """
    try:
        with (
            progress_bar(quiet or as_json) as progress,
            Session(
                library, create=True, engine=engine, encoder=encoder, device="cpu" if ray else device
            ) as session,
        ):
            given = {"strict": strict, "follow_outside": follow_outside, "progress": progress}
            elsewhere: _Elsewhere = (ray, encoder, device)
            report, taken = _added(session, paths, vectors, elsewhere, **given)
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(*(stop.args or [_STOPPED])) from stop
    refused = report.files_refused if report else ()
    if as_json:
        click.echo(json_form.dumps(json_form.added_document(report, taken)))
    elif not quiet:
        told = [library_text.added(report)] if report else []
        click.echo("\n".join([*told, *([library_text.taken(taken)] if taken else [])]))
    elif refused:
        click.echo("\n".join(refused), err=True)
    if refused:
        click.get_current_context().exit(1)


_Elsewhere = tuple[str | None, Path | None, Literal["cpu", "cuda"]]
"""The address of a cluster, the folder of the encoder, and the device on which it runs there."""


def _added(
    session: Session,
    paths: Sequence[str],
    vectors: bool | ToEncode,
    elsewhere: _Elsewhere,
    **given: Any,
) -> tuple[AddReport | None, TakenReport | None]:
    """Adds the files of papers among the paths, and takes the vectors of the others."""
    ray, encoder, device = elsewhere
    here, remote = split_remote(paths)
    files = [Path(path) for path in here if is_vector_file(Path(path))]
    others = [path for path in here if Path(path) not in files]
    now = False if files else vectors
    report, taken = None, None
    if ray and (others or remote):
        more = remote_sources(remote)
        report = add_on_ray(
            session, others, ray, vectors=now, encoder_folder=encoder, device=device, more=more, **given
        )
    elif remote:
        report = add_remote(session, others, remote_sources(remote), vectors=now, **given)
    elif others:
        report = session.add(others, vectors=now, **given)
    if files:
        goes_on = vectors if report or isinstance(vectors, str) else False
        taken = take_vectors(session, files, goes_on, progress=given["progress"])
    return report, taken
