"""Several libraries as one: the largest, and layers with what the others have beyond it."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from citewhy.papers.library.store import Library
from citewhy.search.index import open_layer
from citewhy.session.kept import cached_library, name_for
from citewhy.session.opened import Opened, OpenedLayer

_FOLDER = "layers"


def combined(libraries: Sequence[Opened]) -> Opened:
    """Returns what answers from several open libraries, in one ranking.

    The largest is used as it is. Each of the others is a layer over it, in the user's cache, which is made
    once for each of their states, and takes over the vectors. Raises as `cached_library`, and LockedError if
    one of them changes meanwhile.
    """
    largest = max(libraries, key=lambda opened: opened.library.path.stat().st_size)
    others = [opened for opened in libraries if opened is not largest]
    return functools.reduce(_over, others, largest)


def layers(opened: Opened) -> Iterator[OpenedLayer]:
    """Yields the layers of what `combined` returned, the uppermost first."""
    while isinstance(opened, OpenedLayer):
        yield opened
        opened = opened.below


def _over(below: Opened, other: Opened) -> OpenedLayer:
    def fill(library: Library) -> None:
        library.add(other.library.records(), source=other.name)
        open_layer(library, below.index())

    library = cached_library(
        _FOLDER,
        f"{name_for([other.library.folder])}-{other.state}-{below.state}",
        fill,
        f"a layer of {other.name}",
        functools.partial(Library.over, below.library),
        other.library.folder,
    )
    return OpenedLayer(library, below, name=other.label)
