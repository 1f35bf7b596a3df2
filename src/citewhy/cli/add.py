"""`citewhy add`: files into a library, in one commit, and the index brought up to date."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from citewhy.cli import options
from citewhy.cli.progress import progress_bar
from citewhy.config import default_library
from citewhy.errors import InputError
from citewhy.progress import Tell, encoding

if TYPE_CHECKING:
    from citewhy.formats import Record
    from citewhy.formats.report import ImportReport
    from citewhy.library.change import AddResult
    from citewhy.library.store import Library

__all__ = ["command"]

EPILOG = """\b
Examples:
  citewhy add references.bib
  citewhy add papers.jsonl.gz contexts.jsonl.gz --library corpus
  citewhy add anthology/xml
  citewhy add grobid-output references.bib

Files are recognised by their content: papers, citing sentences and full texts as JSON lines, tables of
aliases and citations, BibTeX, RIS, CSL-JSON, ACL Anthology XML, full texts of GROBID (TEI), ParsCit and
CL-SciSumm; plain, gzip or zstd. A folder stands for all files in it that are recognised. Adding the same
again changes nothing.
"""

KINDS = ("papers", "aliases", "contexts", "citations", "full texts")
_WIDTH = 80
_SHOWN_PROBLEMS = 5
_TELL_EVERY = 1000


@click.command("add", epilog=EPILOG)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH…")
@options.library
@options.encoder
@click.option("--no-vectors", is_flag=True, help="Leave encoding to the first question.")
@click.option("--strict", is_flag=True, help="Fail at the first bad record instead of skipping it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--quiet", is_flag=True, help="Print nothing.")
def command(
    paths: tuple[Path, ...],
    library: Path | None,
    encoder: Path | None,
    no_vectors: bool,
    strict: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Read papers, citing sentences, citations and full texts into a library.

    All files are added together, or, after an error, none of them. Then papers that are new or changed are
    encoded, some hundred a second; stopped with Ctrl-C, it goes on with the next question or the next `add`.
    """
    from citewhy.formats.report import ImportReport
    from citewhy.index import refresh
    from citewhy.library.staging import Staging
    from citewhy.library.store import Library

    files, unknown = _files(paths)
    report = ImportReport(strict=strict)
    folder = default_library() if library is None else library
    with progress_bar(quiet or as_json) as tell, Staging(report) as staging:
        for file in files:
            staging.take(_read(file, report, tell), str(file))
        with Library.open(folder, create=True) as opened:  # not before the files are read: they may be bad
            tell("storing", None)
            result = opened.add_staged(staging, report)
            refresh(opened, lambda what, share: tell(f"indexing {what}", share))
            if not no_vectors:
                _encode(opened, encoder, tell)
    if as_json:
        import orjson

        click.echo(
            orjson.dumps(_document(folder, files, unknown, report, result), option=orjson.OPT_INDENT_2)
        )
    elif not quiet:
        click.echo("\n".join(_lines(folder, files, unknown, report, result)))


def _encode(library: Library, encoder: Path | None, tell: Tell) -> None:
    from citewhy.encode import open_encoder
    from citewhy.index import open_index

    open_index(library, open_encoder(encoder), encoding(tell))


def _files(paths: Iterable[Path]) -> tuple[list[Path], list[Path]]:
    """The files to read, and those of folders whose format nobody knows; both in order of their names.

    The order of the command line does not matter: where two files contradict each other, the last one counts.
    """
    from citewhy.formats import detect

    known: set[Path] = set()
    unknown: set[Path] = set()
    for path in paths:
        if not path.is_dir():
            if not path.exists():
                raise InputError("there is no such file or folder", path=path, hint="check the path")
            known.add(path)
            continue
        for file in path.rglob("*"):
            hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
            if hidden or not file.is_file():
                continue
            try:
                detect(file)
            except InputError:
                unknown.add(file)
            else:
                known.add(file)
    if not known:
        raise InputError(
            "no file here is of a known format", path=min(paths), hint="citewhy add --help names the formats"
        )
    return sorted(known), sorted(unknown - known)


def _read(file: Path, report: ImportReport, tell: Tell) -> Iterator[Record]:
    from citewhy.formats import read

    for number, record in enumerate(read(file, report)):
        if number % _TELL_EVERY == 0:
            tell(f"reading {file.name} {number:,}", None)
        yield record


def _document(
    folder: Path, files: Sequence[Path], unknown: Sequence[Path], report: ImportReport, result: AddResult
) -> dict[str, Any]:
    return {
        "library": str(folder),
        "generation": result.generation,
        "changed": result.changed,
        "files": [str(file) for file in files],
        "files_not_recognised": [str(file) for file in unknown],
        "read": dict(report.read),
        "new": dict(result.new),
        "updated": dict(result.updated),
        "unchanged": dict(result.unchanged),
        "merged": result.merged,
        "skipped": {"count": report.skipped, "first": [str(problem) for problem in report.skips]},
        "warnings": {"count": report.warned, "first": [str(problem) for problem in report.warnings]},
    }


def _lines(
    folder: Path, files: Sequence[Path], unknown: Sequence[Path], report: ImportReport, result: AddResult
) -> Iterator[str]:
    """The summary for people."""
    outcome = "added to" if result.changed else "read, nothing new for"
    yield f"{len(files):,} {'file' if len(files) == 1 else 'files'} {outcome} {folder}"
    yield f"{'':12}{'read':>10}{'new':>10}{'updated':>10}{'unchanged':>12}"
    for kind in KINDS:
        if report.read[kind]:
            counts = (report.read[kind], result.new[kind], result.updated[kind])
            yield (
                f"{kind:12}" + "".join(f"{count:>10,}" for count in counts) + f"{result.unchanged[kind]:>12,}"
            )
    if result.merged:
        yield from _wrapped(f"Recognised as papers already there, under other ids: {result.merged:,}")
    yield from _problems("Left out, of no known format", unknown, len(unknown))
    yield from _problems("Skipped", report.skips, report.skipped)
    yield from _problems("Warnings", report.warnings, report.warned)


def _problems(what: str, problems: Sequence[object], count: int) -> Iterator[str]:
    if count:
        shown = problems[:_SHOWN_PROBLEMS]
        yield f"{what}: {count:,}" + ("" if count <= len(shown) else f", the first {len(shown)} of them")
        for problem in shown:
            yield from _wrapped(str(problem), indent="  ")


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
