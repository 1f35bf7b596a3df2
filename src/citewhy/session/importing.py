"""Adds files to a library: reads them, stores them in one commit, updates the index and encodes the
papers."""

from __future__ import annotations

import contextlib
import gc
import stat
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from citewhy.base.config import FEW_COLLECTIONS
from citewhy.base.errors import CiteWhyError, InputError, LossWarning
from citewhy.base.import_report import ImportReport
from citewhy.base.progress import Progress, silent
from citewhy.base.reports import AddReport, ToEncode
from citewhy.drafts.finished import FinishedDrafts, find_drafts
from citewhy.papers.formats.files import Files, find
from citewhy.papers.formats.recognise import PDF_HINT
from citewhy.papers.library.sources import Follow
from citewhy.papers.library.staging import Map, Source, Staging, sources_of, stage
from citewhy.papers.library.store import AddResult, Library
from citewhy.search.encode import Encoder
from citewhy.search.index import Engine, choose, find_engine
from citewhy.session.committing import COMMITTED, committed
from citewhy.session.encoding import encode
from citewhy.session.origins import folders, origins
from citewhy.text.source import FilePath


def add_files(
    folder: Path,
    paths: Sequence[FilePath],
    *,
    strict: bool = False,
    vectors: bool | ToEncode = True,
    encoder: Encoder | None = None,
    engine: Engine | None = None,
    follow_outside: bool = False,
    progress: Progress = silent,
    mapper: Map | None = None,
    more: Sequence[Source] = (),
) -> AddReport:
    """Adds files, and all recognised files in folders, to the library in `folder`, which is created if it
    does not exist. Finished drafts among them, with the files that they include and their bibliographies,
    become own writings of the library's owner; what they name outside of their projects is read only if
    `follow_outside`.

    All readable files are added in one commit; ``-`` is standard input. Then `engine` (None: that in local
    files) updates the index and, with `vectors`, new and changed texts are encoded by `encoder` (None: that
    of the package): what was chosen before, or what `vectors` names, which is kept with the library; if this
    is interrupted, `syncing.sync_files` goes on. A file that is missing, not
    recognised, damaged, or without any records is left out and reported; an invalid record is skipped and
    counted. `mapper` reads the files in other processes (`add_files.Map`), with the same result; `more` are
    read besides. Raises InputError if no file can be added and, if `strict`, for the first bad file or
    record.
    """
    drafts = find_drafts(paths, follow_outside=follow_outside)
    with find(drafts.others, drafts.files()) as files:
        sources = [*sources_in(drafts, files), *more]
        if not sources and not (drafts.refused or files.refused):
            raise _no_file(files, paths)
        plan = Follow(
            origins(drafts, files, follow_outside=follow_outside),
            folders(path for path in map(Path, paths) if path.is_dir()),
        )
        return import_sources(
            folder,
            drafts,
            files,
            sources,
            plan,
            strict=strict,
            vectors=vectors,
            encoder=encoder,
            engine=engine,
            progress=progress,
            mapper=mapper,
        )[0]


def import_sources(
    folder: Path,
    drafts: FinishedDrafts,
    files: Files,
    sources: Sequence[Source],
    plan: Follow,
    *,
    strict: bool = False,
    vectors: bool | ToEncode = True,
    encoder: Encoder | None = None,
    engine: Engine | None = None,
    progress: Progress = silent,
    mapper: Map | None = None,
) -> tuple[AddReport, AddResult]:
    """Adds the `sources` among the drafts and files in one commit, and remembers them as `plan` says;
    otherwise as `add_files`. Unless the plan is to keep the result, nothing is indexed."""
    report, engine = ImportReport(strict=strict), find_engine(engine)
    with Staging(report) as staging:
        with _few_collections():
            wrong = [*drafts.refused, *files.refused]
            refused = stage(staging, sources, wrong, report, progress, mapper, needs_one=not plan.sync)
        with Library.open(
            folder, create=True
        ) as library:  # after the files are read, since none may be readable
            _keep_private(library.folder, drafts)
            if loss := engine.loss(library):
                warnings.warn(f"{library.path}: {loss}", LossWarning, stacklevel=1)
            if isinstance(vectors, str) and plan.keep:
                choose(library.folder, vectors)  # first: a question may come before it is encoded
            progress("storing", None)
            result = library.add_staged(staging, report, plan)
            if plan.keep:
                with committed(COMMITTED if result.changed else ""):
                    engine.refresh(library, lambda what, share: progress(f"indexing {what}", share))
                    encode(library, engine, encoder, progress, vectors)
    return _report(folder, files, drafts, sources, refused, report, result), result


def _keep_private(folder: Path, drafts: FinishedDrafts) -> None:
    """Takes from a library's folder the permissions of groups and others that a draft in it does not give
    them: the library has its sentences."""
    modes = [file.stat().st_mode for file in drafts.files() if file.exists()]  # a draft may name lost ones
    mode = folder.stat().st_mode
    kept = mode & ~sum(whose for whose, read in _OTHERS if not all(mode & read for mode in modes))
    if kept != mode:
        with contextlib.suppress(PermissionError):  # somebody else's folder
            folder.chmod(stat.S_IMODE(kept))


_OTHERS = ((stat.S_IRWXG, stat.S_IRGRP), (stat.S_IRWXO, stat.S_IROTH))
"""All permissions of a group and of others, each with that to read."""


def _report(
    folder: Path,
    files: Files,
    drafts: FinishedDrafts,
    sources: Sequence[Source],
    refused: Sequence[CiteWhyError],
    report: ImportReport,
    result: AddResult,
) -> AddReport:
    return AddReport(
        library=str(folder),
        generation=result.generation,
        changed=result.changed,
        files=tuple(source.name for source in sources),
        files_not_recognised=tuple(map(str, files.unknown)),
        files_refused=tuple(map(str, refused)),
        pdfs=tuple(map(str, files.pdfs)),
        read=dict(report.read),
        new=dict(result.new),
        updated=dict(result.updated),
        unchanged=dict(result.unchanged + report.repeated),
        refused=dict(result.refused + report.refused),
        merged=result.merged,
        merges=result.merges,
        papers_before=result.papers_before,
        papers_after=result.papers,
        withdrawn=dict(result.withdrawn),
        writings=tuple(draft.description() for draft in drafts.drafts),
        missing=result.missing,
        not_kept={source: dict(names) for source, names in report.not_kept.items()},
        skipped=report.skipped,
        skips=tuple(map(str, report.skips)),
        warned=report.warned,
        warnings=tuple(map(str, report.warnings)),
    )


@contextlib.contextmanager
def _few_collections() -> Iterator[None]:
    """Reading makes millions of small objects and hardly any circular ones; with its usual thresholds,
    Python's collector of circular ones would take a quarter of the time."""
    before = gc.get_threshold()
    gc.set_threshold(*FEW_COLLECTIONS)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def sources_in(drafts: FinishedDrafts, files: Files) -> list[Source]:
    """The drafts, then the files."""
    return [
        *(Source(draft.path, Path(draft.path), draft.records) for draft in drafts.drafts),
        *sources_of(files),
    ]


def _no_file(files: Files, paths: Sequence[FilePath]) -> InputError:
    path = min(map(Path, paths), default=None)
    if files.pdfs:
        return InputError("found PDFs, but no file in a supported format", path=path, hint=PDF_HINT)
    return InputError(
        "no file here has a known format", path=path, hint="citewhy add --help lists the formats"
    )
