"""`Engine`: what keeps the index of a library.

An engine is a life (`open`, `refresh`, `state`, `loss`, `remove`) and what it hands out when it is opened
(`view.Contents`): papers and citations as arrays (`tables.Tables`), three fields of words
(`postings.Postings`), and vectors that it searches (`stores.VectorStore`). The rules of honest ranking,
scores, counts, neighbours and cosines are computed from these once for all engines (`View`). An engine that
answers more by itself opens an `Index` of its own whose `view` overrides methods of `View`.

`local` is CiteWhy's own, in local files, with a vector store of choice. Another package registers engines as
entry points of the group ``citewhy.engines``: a name, and a callable without arguments that makes the engine.
`milvus` has its searches answered by a Milvus server, and is named by an address, ``milvus://host:port/name``.
`tests/contracts/test_indexes.py` is the contract of all engines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol, cast

from citewhy.base.errors import QueryError
from citewhy.base.reports import IndexState
from citewhy.base.trace import traced
from citewhy.models.registry import registered_elsewhere, resolve
from citewhy.papers.library.store import Library
from citewhy.search.encode.encoder import Encoder
from citewhy.search.index.opened import Index

Steps = Callable[[str, float], None]
"""Called with the current step and the share that is done, in [0, 1]."""

Encoded = Callable[[int, int], None]
"""Called with the number of texts that have been encoded, and of those that need to be."""

Until = Literal["none", "few", "papers", "all"]
"""What is encoded before an index is opened: nothing; papers and citing sentences if they are few, or these
whatever their number, with the parts of abstracts only if these are few; or all texts."""

GROUP = "citewhy.engines"
"""The group of the entry points of other packages."""

ENGINES = {
    "local": "citewhy.search.index.local.engine:LocalEngine",
    "milvus": "citewhy.search.index.milvus.engine:MilvusEngine",
}
"""Name → ``module:callable``. One that is named by an address (``name://…``) is called with it."""


class Engine(Protocol):
    """Keeps indexes of libraries. The library is the truth: an index that is missing, behind or damaged is
    made again from it. Thread-safe; several processes may use an engine on one library at the same time."""

    def open(
        self,
        library: Library,
        encoder: Encoder | None = None,
        progress: Encoded | None = None,
        *,
        until: Until = "all",
    ) -> Index:
        """The index of the library in its current or a later state, updated first if necessary.

        With `encoder` it has vectors; texts that have none yet are encoded, which `progress` reports. Where
        not all of them are to be (`until`), the index may be opened without vectors, or without those of
        parts, and says so (`Contents.unencoded`, `lacks_parts`). What is not to be encoded by the choice
        that the library keeps (`chosen`) never is, whatever `until` says (`Contents.as_chosen`). Raises
        StorageError if it needs to be written and cannot be.
        """
        ...

    def refresh(self, library: Library, progress: Steps | None = None) -> None:
        """Updates the index, without vectors, to the state of the library. Raises as `open`."""
        ...

    def state(self, library: Library) -> tuple[IndexState, IndexState]:
        """The state of the index, and that of the vectors. Writes nothing. Not to be called within
        `library.reading()`, where what others commit would look like a loss."""
        ...

    def unencoded(self, library: Library, encoder: Encoder) -> int:
        """The number of papers and citing sentences that have no vector of an encoder yet. Reads the texts of
        all that are new, and writes nothing."""
        ...

    def loss(self, library: Library) -> str | None:
        """One sentence about the commits that the index has seen and the library has lost, and what to do;
        None if none are known. Writes nothing. Not to be called within `library.reading()`."""
        ...

    def remove(self, library: Library) -> None:
        """Removes everything that the engine keeps of the library, which the next `open` makes again."""
        ...

    def beside(self) -> Engine:
        """The engine for small libraries that come and go beside the user's, such as bibliographies of
        drafts: itself, unless it keeps the index of one library only."""
        ...


def find_engine(engine: Engine | str | None = None) -> Engine:
    """The engine with a name (None: ``local``), or with an address, ``name://…``; an engine is returned as it
    is. Raises QueryError for a name that nobody has registered or that cannot be imported, and whatever
    making the engine raises."""
    if engine is not None and not isinstance(engine, str):
        return engine
    name, _, address = (engine or "local").partition("://")
    target = ENGINES.get(name) or registered_elsewhere(GROUP, name, "engine")
    if target is None:
        raise QueryError(
            f"no engine {name!r} is installed",
            hint=f"install the package that provides it, or choose from: {', '.join(ENGINES)}",
        )
    try:
        make = cast("Callable[..., Engine]", resolve(target))
    except (ImportError, AttributeError) as error:
        raise QueryError(
            f"the engine {name!r} cannot be imported ({error})",
            hint=f"check the installation that provides {target}",
        ) from error
    # Not within the `try`: its errors are its own.
    return make(f"{name}://{address}") if address or name == "milvus" else make()


@traced("index opened")
def open_index(library: Library, encoder: Encoder | None = None, progress: Encoded | None = None) -> Index:
    """The index of the library in local files (`Engine.open`)."""
    return find_engine().open(library, encoder, progress)
