"""`open_model`: from a folder to an object that fulfils the contract of its kind, or a typed error."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from citewhy.base.errors import CiteWhyError, DamagedError, ModelError
from citewhy.models.contracts import CONTRACTS, Kind
from citewhy.models.manifest import ModelFolder, read_model
from citewhy.models.registry import Reader, find_reader, resolve


def open_model(folder: str | os.PathLike[str], kind: Kind, **given: Any) -> Any:
    """The model in `folder`, opened by the reader that its manifest names.

    Callers get a typed object from the function of their kind, such as `encode.open_encoder`. `given` are
    other models that the reader may need, by the names of its parameters; parameters that it does not have
    are left out.

    Raises WrongKindError for a folder of another kind or that is not a model folder, ModelVersionError for
    another version of the contract, DamagedError for files that are missing, damaged, or without the content
    that the kind needs, MissingExtraError if the reader needs an extra, and ModelError if there is no such
    folder or no such reader.
    """
    model = read_model(Path(folder), kind)
    try:
        reader = find_reader(kind, model.reader)
    except ModelError as error:
        raise ModelError(error.problem, path=model.path, hint=error.hint) from error
    try:
        opened = reader(model, **_wanted(reader, given))
    except CiteWhyError:
        raise
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # parsers and runtimes raise anything, also panics of Rust
        raise DamagedError(
            f"the reader {model.reader!r} cannot read {CONTRACTS[kind].noun} from this folder "
            f"({type(error).__name__}: {error})",
            path=model.path,
            hint="train or export the model again, or copy it again",
        ) from error
    _check_members(opened, model)
    return opened


def _wanted(reader: Reader, given: Mapping[str, Any]) -> dict[str, Any]:
    """The part of `given` for which the reader has parameters."""
    if not given:
        return {}
    parameters = inspect.signature(reader).parameters
    return {name: value for name, value in given.items() if name in parameters}


def _check_members(opened: Any, model: ModelFolder) -> None:
    """Raises ModelError if the object lacks a public member of the kind's protocol."""
    contract = CONTRACTS[model.kind]
    if not contract.protocol:
        return
    missing = [name for name in _members(resolve(contract.protocol)) if not hasattr(opened, name)]
    if missing:
        raise ModelError(
            f"the reader {model.reader!r} did not return {contract.noun}: it lacks {', '.join(missing)}",
            path=model.path,
            hint=f"{contract.protocol} defines what it must have",
        )


def _members(protocol: type) -> list[str]:
    """Names of methods and attributes that a protocol itself declares."""
    declared = [*vars(protocol), *vars(protocol).get("__annotations__", {})]
    return sorted({name for name in declared if not name.startswith("_") or name == "__call__"})
