"""Which code reads a model folder: a name in the manifest, looked up here. Nothing in a folder is ever run.

CiteWhy's own readers are in `READERS`, one line each, and are imported when a folder names them. Another
package registers its readers as entry points of the group ``citewhy.models``, named ``kind/reader``:

    [project.entry-points."citewhy.models"]
    "encoder/my-network" = "my_package.encoder:read"

A reader is called with a `ModelFolder` and returns an object that keeps the contract of the kind. What
it raises becomes a DamagedError unless it is a CiteWhyError.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, cast

from citewhy.base.errors import ModelError
from citewhy.models.contracts import Kind

GROUP = "citewhy.models"
"""Group of the entry points of other packages."""

Reader = Callable[..., Any]

READERS: dict[str, str] = {
    "classifier/fine-tuned": "citewhy.ranking.classify.fine_tuned:read_fine_tuned",
    "classifier/linear": "citewhy.ranking.classify.linear:read_linear",
    "classifier/onnx": "citewhy.ranking.classify.onnx:read_onnx",
    "classifier/sequence": "citewhy.ranking.classify.sequence:read_sequence",
    "classifier/trees": "citewhy.ranking.classify.trees:read_trees",
    "encoder/onnx": "citewhy.search.encode.onnx:OnnxEncoder",
    "encoder/published": "citewhy.search.encode.published:PublishedEncoder",
    "linker/linear-trees": "citewhy.ranking.linkage.folder:read_linker",
    "linker/network": "citewhy.ranking.linkage.network:read_network",
    "missing/trees": "citewhy.ranking.missing.model:read_missing_trees",
    "ranker/linear-trees": "citewhy.ranking.rank.folder:read_ranker",
    "reranker/cross-encoder": "citewhy.ranking.rank.cross_encoder:CrossEncoder",
    "set/trees": "citewhy.ranking.sets.model:read_set_trees",
}
"""``kind/reader`` → ``module:callable``."""


def find_reader(kind: Kind, name: str) -> Reader:
    """Raises ModelError for a name that is not registered, and for a reader that cannot be imported."""
    key = f"{kind}/{name}"
    target = READERS.get(key) or registered_elsewhere(GROUP, key, "reader")
    if target is None:
        known = ", ".join(
            sorted(reader.partition("/")[2] for reader in READERS if reader.startswith(f"{kind}/"))
        )
        raise ModelError(
            f"no reader {name!r} for the kind {kind} is installed",
            hint=f"install the package that provides it; citewhy's own: {known or 'none'}",
        )
    try:
        return cast("Reader", resolve(target))
    except (ImportError, AttributeError) as error:
        raise ModelError(
            f"the reader {name!r} for the kind {kind} cannot be imported ({error})",
            hint=f"check the installation that provides {target}",
        ) from error


def resolve(target: str) -> Any:
    """The object that ``module:name`` names. Raises ImportError or AttributeError if it does not exist."""
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)


def registered_elsewhere(group: str, name: str, what: str) -> str | None:
    """The ``module:callable`` that an installed package registers under `name` in the `group` of entry
    points; None if none does. Raises ModelError, which calls it `what`, if two packages do."""
    from importlib.metadata import entry_points

    targets = {point.value for point in entry_points(group=group, name=name)}
    if len(targets) > 1:
        raise ModelError(
            f"two installed packages provide the {what} {name}: {', '.join(sorted(targets))}",
            hint="uninstall one of them",
        )
    return targets.pop() if targets else None
