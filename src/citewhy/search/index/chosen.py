"""What of a library is to have vectors: its owner's choice, which is kept in its folder, so that no later
question begins hours of encoding that nobody asked for."""

from __future__ import annotations

from pathlib import Path

import orjson

from citewhy.base.artifact import read_file, replace_file, unfinished_in
from citewhy.base.errors import DamagedError, StorageError
from citewhy.base.reports import TO_ENCODE, ToEncode

CHOICE = "encoding.json"
"""In the folder of a library."""

_HINT = "choose again: citewhy sync --encode full (or titles, words-only)"


def chosen(folder: Path) -> ToEncode:
    """The choice for the library in `folder`: everything, unless another one is kept there. Raises
    DamagedError for a file that was not written by `choose`."""
    path = folder / CHOICE
    try:
        choice = orjson.loads(read_file(path))["encode"]
    except FileNotFoundError:
        return "full"
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise DamagedError(
            f"what is to be encoded cannot be read ({type(error).__name__})", path=path, hint=_HINT
        ) from error
    for known in TO_ENCODE:
        if choice == known:
            return known
    raise DamagedError(
        f"{choice!r} cannot be encoded, expected {', '.join(TO_ENCODE)}", path=path, hint=_HINT
    )


def choose(folder: Path, encode: ToEncode) -> None:
    """Keeps a choice in the folder of a library. Raises StorageError."""
    path = folder / CHOICE
    if encode == "full" and not path.exists():
        return
    try:
        with unfinished_in(folder) as aside:
            replace_file(path, orjson.dumps({"encode": encode}) + b"\n", aside / CHOICE)
    except OSError as error:
        raise StorageError(f"cannot write: {error.strerror or error}", path=folder) from error
