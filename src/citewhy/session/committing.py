"""What is said of errors that come after a commit: the records are in the library, whatever became of the
index."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from citewhy.base.errors import CiteWhyError, StorageError
from citewhy.papers.library.store import Library
from citewhy.search.index import Engine, Steps

COMMITTED = "all records are stored; what is unfinished, the next command finishes"


def update_index(engine: Engine, library: Library, progress: Steps | None = None) -> None:
    """Brings an index up to what was committed. Raises as `committed`."""
    with committed():
        engine.refresh(library, progress)


@contextlib.contextmanager
def committed(said: str = COMMITTED) -> Iterator[None]:
    """Errors and interruptions in the block say what is in the library; empty: nothing new is."""
    try:
        yield
    except CiteWhyError as error:
        if said:
            error.problem = f"{error.problem} ({said})"
        raise
    except (OSError, MemoryError) as error:
        why = getattr(error, "strerror", None) or str(error) or "not enough memory"
        raise StorageError(f"cannot go on: {why}" + (f" ({said})" if said else "")) from error
    except KeyboardInterrupt as error:
        if said:
            raise KeyboardInterrupt(said) from error
        raise
