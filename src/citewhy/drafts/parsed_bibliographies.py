"""The entries of large bibliographies that were parsed before, kept in the user's folder of caches.

A bibliography takes longer to parse than a draft to answer, and changes rarely. What is kept is found by
the content of the file and by the code that parsed it, so that it never is out of date. It is JSON with a
checksum, and may be gone, damaged, or not writable at any time: then the bibliography is parsed.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import struct
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import orjson

from citewhy.base.artifact import read_file, replace_file
from citewhy.base.config import VERSION, cache_folder
from citewhy.base.errors import CiteWhyError
from citewhy.base.records import Place, Reference
from citewhy.text.codec import paper_data, read_paper

_FORMAT = b"citewhy bibliography 1\n"
_LEAST = 100_000
"""Characters of a bibliography that is kept; a smaller one is parsed in a moment."""

MOST_BYTES = 256_000_000
"""Size of all that is kept. What was not used for the longest time goes first."""

_DIGEST = 32
_LENGTH = struct.Struct("<I")


class Parsed(NamedTuple):
    """Says what a bibliography holds: its entries, what is wrong with it, and the macros that it defines."""

    entries: list[Reference]
    problems: list[str]
    macros: dict[str, str]


def parsed(
    name: str, text: str, macros: Mapping[str, str], parse: Callable[[], Parsed], least: int = _LEAST
) -> Parsed:
    """Returns what `parse` returns for the file `name` with the content `text`, where `macros` are defined
    before it: from the cache, if the text has at least `least` characters and was parsed before."""
    if len(text) < least:
        return parse()
    path = folder() / _named_by(name, text, macros)
    with contextlib.suppress(Exception):  # whatever is wrong with a cache, the bibliography can be parsed
        return _read(path, name)
    bibliography = parse()
    with contextlib.suppress(OSError, CiteWhyError, TypeError, ValueError):
        _keep(path, bibliography)
    return bibliography


def folder() -> Path:
    """The folder with all that is kept."""
    return cache_folder() / "bibliographies"


def _named_by(name: str, text: str, macros: Mapping[str, str]) -> str:
    written = os.fsencode(name).decode("latin-1")  # it need not be UTF-8
    asked = (_FORMAT.decode(), VERSION, _newest_code(), written, sorted(macros.items()))
    digest = hashlib.sha256(orjson.dumps(asked))
    digest.update(text.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


@cache
def _newest_code() -> int:
    """The time at which the code that parses was last changed, so that what other code parsed is not
    believed."""
    package = Path(__file__).parents[1]
    parts = [package / "papers", package / "text", package / "base", Path(__file__).parent]
    return max((file.stat().st_mtime_ns for part in parts for file in part.rglob("*.py")), default=0)


def _read(path: Path, name: str) -> Parsed:
    """Raises an error of any kind if the file is not there or not as it was written."""
    content = memoryview(read_file(path))
    start = len(_FORMAT) + _DIGEST
    body = content[start:]
    if content[:start] != _FORMAT + hashlib.blake2b(body, digest_size=_DIGEST).digest():
        raise ValueError("damaged")
    head, *papers = _blocks(body)
    spans, problems, macros = orjson.loads(head)
    with _without_collection():
        entries = [
            Reference(key, read_paper(identifier, bytes(data)), Place(name, start, end, line))
            for (key, identifier, start, end, line), data in zip(spans, papers, strict=True)
        ]
    with contextlib.suppress(OSError):
        os.utime(path)  # it was used now
    return Parsed(entries, problems, macros)


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """Makes many records without looking for circles among them after every few hundred."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _blocks(body: memoryview) -> Iterator[memoryview]:
    at = 0
    while at < len(body):
        (length,) = _LENGTH.unpack_from(body, at)
        at += _LENGTH.size
        yield body[at : at + length]
        at += length


def _keep(path: Path, bibliography: Parsed) -> None:
    spans = []
    for entry in bibliography.entries:
        if entry.place is None:
            return
        spans.append((entry.key, entry.paper.id, entry.place.start, entry.place.end, entry.place.line))
    head = orjson.dumps((spans, bibliography.problems, bibliography.macros))
    blocks = [head, *(paper_data(entry.paper) for entry in bibliography.entries)]
    body = b"".join(part for block in blocks for part in (_LENGTH.pack(len(block)), block))
    if len(body) > MOST_BYTES // 2:
        return
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    replace_file(path, b"".join((_FORMAT, hashlib.blake2b(body, digest_size=_DIGEST).digest(), body)))
    _remove_oldest(path.parent)


def _remove_oldest(kept: Path) -> None:
    states = sorted(
        ((file.stat().st_mtime_ns, file.stat().st_size, file) for file in kept.iterdir() if file.is_file()),
        reverse=True,
    )
    total = 0
    for _, size, file in states:
        total += size
        if total > MOST_BYTES and _was_made_here(file):
            file.unlink(missing_ok=True)


def _was_made_here(path: Path) -> bool:
    """The folder for caches is named by the user, and may have other files."""
    with path.open("rb") as file:
        return file.read(len(_FORMAT)) == _FORMAT
