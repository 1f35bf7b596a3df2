"""Answers that were long in asking for, kept on disk with a mark of what they were made of."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from citewhy.base.printable import printable

Arrays = Mapping[str, NDArray[Any]]

_MARK = "mark"

T = TypeVar("T")


@functools.cache
def code_digest(*parts: str) -> str:
    """Returns the digest of the source code of the modules and packages `parts`, which are given as paths
    (``citewhy_lab/train``): what depends on them is computed again after a change. Raises OSError for one
    that does not exist."""
    source = Path(__file__).parents[2]
    files: list[Path] = []
    for part in parts:
        folder = source / part
        files += sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
    return hashlib.blake2b(b"".join(file.read_bytes() for file in files), digest_size=12).hexdigest()


def kept(
    path: Path,
    made_of: Sequence[str],
    ask: Callable[[], Iterable[T]],
    packed: Callable[[Sequence[T]], Arrays],
    unpacked: Callable[[Arrays], list[T]],
) -> list[T]:
    """Returns the answers in the file `path`, or, where there is none that was made of the same, those of
    `ask`, which are then written there.

    `made_of`: names, fingerprints, and the digest of the code. `unpacked` reads what `packed` returned, which
    has no array ``mark``; it raises KeyError or ValueError for anything else. Raises OSError.
    """
    mark = zlib.crc32(printable("\n".join(made_of)).encode())
    if path.is_file():
        with contextlib.suppress(BadZipFile, KeyError, ValueError), np.load(path, allow_pickle=False) as file:
            if int(file[_MARK]) == mark:
                return unpacked(file)
    answers = list(ask())
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.stem}.part.npz")
    arrays: dict[str, Any] = {_MARK: np.array(mark), **packed(answers)}
    np.savez_compressed(part, **arrays)
    part.replace(path)
    return answers
