"""Files in object storage and elsewhere that fsspec reads: ``s3://…``, ``gs://…``, ``hdfs://…``. Each is
copied to a temporary file where it is read, here or on a machine of a cluster, and removed afterwards."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citewhy.base.artifact import temporary_folder
from citewhy.base.errors import InputError, MissingExtraError
from citewhy.base.import_report import ImportReport
from citewhy.base.progress import Progress, silent
from citewhy.base.reports import AddReport, ToEncode
from citewhy.papers.formats import Record
from citewhy.papers.formats.files import find, records
from citewhy.papers.library.staging import Source
from citewhy.session.importing import add_files
from citewhy.session.starter import folder_to_add_to

if TYPE_CHECKING:
    from citewhy.session.session import Session

__all__ = ["add_remote", "remote_sources", "split_remote"]


def _is_remote(path: str) -> bool:
    scheme, separator, _ = path.partition("://")
    return bool(separator) and scheme.isalnum()


def remote_sources(paths: Iterable[str]) -> list[Source]:
    """The files that the paths refer to, which may be patterns or folders, in order of their names. Raises
    InputError for one that cannot be found, MissingExtraError if fsspec is not installed."""
    names: set[str] = set()
    for path in paths:
        system, inner = _opened(path)
        try:
            found = system.glob(inner) if "*" in inner else system.find(inner)
        except Exception as error:  # whatever a file system raises
            raise _cannot(path, error) from error
        if not found:
            raise InputError("there is no such file", path=path, hint="check the address")
        names.update(map(system.unstrip_protocol, found))
    return [Source(name, Path(name), partial(_records, name)) for name in sorted(names)]


def _records(name: str, report: ImportReport) -> Iterator[Record]:
    """Yields the records of a file, which problems in the `report` call by its `name`."""
    own = ImportReport(strict=report.strict)
    with temporary_folder() as folder:
        path = folder / posixpath.basename(name)
        system, inner = _opened(name)
        try:
            system.get_file(inner, str(path))
        except Exception as error:
            raise _cannot(name, error) from error
        try:
            with find([path]) as files:
                for refused in files.refused:
                    raise refused
                for file in files.known:
                    yield from records(file, own)
        except InputError as error:
            raise type(error)(error.problem, path=name, line=error.line, hint=error.hint) from error
        report.absorb(own, {str(path): name})


def _opened(path: str) -> tuple[Any, str]:
    """The file system of a path, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise MissingExtraError("a file that is not on this machine", "ray") from error
    try:
        system, inner = url_to_fs(path)
    except Exception as error:
        raise _cannot(path, error) from error
    return system, inner


def _cannot(path: str, error: Exception) -> InputError:
    why = " ".join(f"{type(error).__name__}: {error}".split())
    return InputError(f"cannot read: {why}", path=path, hint="check the address, and what gives access to it")


def split_remote(paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """The paths on this machine, and those that name a file system: ``s3://bucket/papers.jsonl.gz``."""
    return [path for path in paths if not _is_remote(path)], [path for path in paths if _is_remote(path)]


def add_remote(
    session: Session,
    paths: Sequence[str],
    more: Sequence[Source],
    *,
    strict: bool = False,
    vectors: bool | ToEncode = True,
    follow_outside: bool = False,
    progress: Progress = silent,
) -> AddReport:
    """Adds files as `Session.add` does, and those of `remote_sources` with them."""
    return add_files(
        folder_to_add_to(session._given),
        paths,
        strict=strict,
        vectors=vectors,
        encoder=session.models.encoder,
        engine=session._engine,
        follow_outside=follow_outside,
        progress=progress,
        more=more,
    )
