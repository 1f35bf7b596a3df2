"""Provenance of results: checksums of the data, version, commit, memory."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import orjson

from citewhy.base.errors import InputError
from citewhy.base.records import Context, Paper

_SOURCE = Path(__file__).resolve().parents[3]


class Contents(Protocol):
    """The part of a library whose content determines a result."""

    def numbered_papers(self) -> Iterator[tuple[int, Paper]]: ...
    def numbered_contexts(self) -> Iterator[tuple[int, Context]]: ...
    def edges(self) -> Iterator[tuple[str, str]]: ...


def made(
    files: Iterable[Path],
    baseline: str | None,
    library: Mapping[str, Any] | None,
    options: Mapping[str, Any],
    seed: int,
) -> dict[str, Any]:
    """Returns the provenance of a result: its data (`files`, the run that `baseline` names if it is a file,
    `library`), options, seed and software."""
    runs = [Path(baseline)] if baseline is not None and Path(baseline).is_file() else []
    data = [file_facts(path) for path in dict.fromkeys([*files, *runs])]
    held = [] if library is None else [{"library": library}]
    return {"data": [*data, *held], "options": dict(options), "seed": seed, "software": software()}


def file_facts(path: Path) -> dict[str, Any]:
    """Returns name, size and SHA-256 of a file."""
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return {"file": path.name, "bytes": path.stat().st_size, "sha256": digest}
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", path=path) from error


def was_trained_on(facts: Mapping[str, Any], files: Iterable[Path]) -> bool:
    """Tells whether the data in the `facts` of a model's manifest has one of `files`, by its checksum."""
    data = facts.get("data")
    listed = data if isinstance(data, list) else []
    learned = {file.get("sha256") for file in listed if isinstance(file, dict)}
    return not learned.isdisjoint(file_facts(path)["sha256"] for path in files)


def library_facts(library: Contents) -> dict[str, dict[str, Any]]:
    """Computes the number and digest of the papers, contexts and citations that determine a result."""
    return {
        "papers": content_facts(paper for _, paper in library.numbered_papers()),
        "contexts": content_facts(context for _, context in library.numbered_contexts()),
        "citations": content_facts(library.edges()),
    }


def content_facts(records: Iterable[Any]) -> dict[str, Any]:
    """Returns the number of records, and a digest that does not depend on their order: the sum of their
    digests."""
    number = total = 0
    for record in records:
        number += 1
        total += int.from_bytes(hashlib.blake2b(orjson.dumps(record), digest_size=16).digest())
    return {"number": number, "digest": f"{total % 2**128:032x}"}


def software() -> dict[str, Any]:
    """Returns versions of CiteWhy and Python, and the commit if CiteWhy runs from a checkout."""
    return {
        "citewhy": importlib.metadata.version("citewhy"),
        "commit": commit(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def commit(source: Path = _SOURCE) -> str | None:
    """Returns the commit of the checkout at `source`, with ``+changes`` if files differ; None if it is not a
    checkout.

    An installed package may be inside another project's checkout, whose commit would be misleading.
    """
    if not (source / ".git").exists() or not (source / "src" / "citewhy").is_dir():
        return None
    head = _git(source, "rev-parse", "HEAD")
    changed = _git(source, "status", "--porcelain", "--untracked-files=no", "--", "src")
    return head + "+changes" if head and changed else head


def _git(source: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(source), *arguments], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None  # without git, or in a damaged checkout, the result has no commit
    return done.stdout.strip() or None


def peak_rss_mb() -> float | None:
    """Returns the largest resident memory of this process so far, in MiB; None if the system does not
    tell."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
