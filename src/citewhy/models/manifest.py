"""`manifest.json`: what a model folder says of itself, written last and checked before anything else is read.

    kind        encoder, reranker, ranker, linker, classifier, first-stage or set
    contract    version of the contract of that kind, an integer from 1
    reader      name of the reader that opens the folder (`registry`)
    name        for people
    facts       whatever else the reader needs or a reader of results may ask: sizes, settings, data, software
    files       by name: bytes, crc32, and, for files of arrays, shapes: {array or input: [sizes]}

A size that varies is a string. The folder is flat: a file of a model is a regular file in the folder itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

import orjson

from citewhy.base.artifact import MANIFEST, read_file, read_manifest, write_manifest
from citewhy.base.errors import DamagedError, InputError, ModelError, ModelVersionError, WrongKindError
from citewhy.models.contracts import CONTRACTS, Kind
from citewhy.models.shapes import Shapes, stored_shapes

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder whose manifest and files have been checked; the argument of readers."""

    path: Path
    kind: Kind
    reader: str
    name: str
    facts: Mapping[str, Any]
    files: Mapping[str, Mapping[str, Any]]
    """Holds by name: ``bytes``, ``crc32``, and for some files ``shapes``."""

    def file(self, name: str) -> Path:
        """The path of a file. Raises DamagedError for one that the manifest does not list."""
        if name not in self.files:
            raise DamagedError(f"the manifest does not list {name}", path=self.path / MANIFEST)
        return self.path / name

    def read(self, name: str) -> bytes:
        """The content of a file. Raises what `file` raises."""
        return self.file(name).read_bytes()

    def json(self, name: str) -> Any:
        """The document in a file. Raises DamagedError for one that is not listed, or is not JSON."""
        try:
            return orjson.loads(self.read(name))
        except ValueError as error:
            raise DamagedError(f"not JSON ({error})", path=self.path / name) from error

    def fact(self, name: str, of: type[T]) -> T:
        """A fact of type `of`. Raises DamagedError if it is missing or of another type."""
        value = self.facts.get(name)
        if not isinstance(value, of) or (of is int and isinstance(value, bool)):
            raise DamagedError(
                f"the fact {name!r} is {value!r}, expected a value of type {of.__name__}",
                path=self.path / MANIFEST,
            )
        return value

    def shapes(self, name: str) -> Shapes:
        """The shapes in the manifest for a file; none for a file without arrays. Raises what `file`
        raises."""
        self.file(name)
        return {key: tuple(sizes) for key, sizes in self.files[name].get("shapes", {}).items()}


def check_new(out: Path) -> None:
    """To be called before work whose result is written to `out`, since nothing is overwritten. Raises
    InputError if `out` exists."""
    if out.exists():
        raise InputError("it already exists", path=out, hint="name another folder, or remove it")


def write_model(
    folder: Path,
    kind: Kind,
    reader: str,
    name: str,
    facts: Mapping[str, Any],
    shapes: Mapping[str, Shapes] | None = None,
) -> None:
    """Writes the manifest of the model whose files are in `folder`: the last step in `artifact.folder_aside`.

    `shapes` by file, for formats other than ``.safetensors`` and ``.npy``, whose headers are read.
    """
    shapes_of_files = {file.name: stored_shapes(file) for file in folder.iterdir() if file.name != MANIFEST}
    shapes_of_files |= shapes or {}
    head = {"kind": kind, "contract": CONTRACTS[kind].version, "reader": reader, "name": name}
    of_files = {file: {"shapes": shapes} for file, shapes in shapes_of_files.items() if shapes}
    write_manifest(folder, {**head, "facts": facts}, of_files)


def read_model(folder: Path, kind: Kind) -> ModelFolder:
    """The model in `folder`, which should be of `kind`, with all files checked.

    Raises ModelError if there is no such folder, WrongKindError for a model of another kind or a folder that
    is not a model, ModelVersionError for another version of the contract, DamagedError for a manifest or a
    file that is missing or damaged.
    """
    head = _head(folder, kind)
    manifest = read_manifest(folder)
    path = folder / MANIFEST
    for key, of in (("reader", str), ("name", str), ("facts", dict)):
        if not isinstance(head.get(key), of):
            raise DamagedError(f"the manifest's {key!r} is missing or not of type {of.__name__}", path=path)
    model = ModelFolder(folder, kind, head["reader"], head["name"], head["facts"], manifest["files"])
    for name in model.files:
        _check_shapes(model, name)
    return model


def _head(folder: Path, kind: Kind) -> dict[str, Any]:
    """The manifest of a model of `kind`, whose kind is checked before its files."""
    expected = CONTRACTS[kind]
    if not folder.is_dir():
        raise ModelError("there is no such folder", path=folder, hint=f"name the folder of {expected.noun}")
    try:
        document = orjson.loads(read_file(folder / MANIFEST))
    except FileNotFoundError as error:
        raise DamagedError(
            f"there is no {MANIFEST}: this is not a model folder, or an incomplete one",
            path=folder,
            hint=f"name the folder of {expected.noun}",
        ) from error
    except (OSError, ValueError) as error:
        raise DamagedError(f"the manifest cannot be read ({error})", path=folder / MANIFEST) from error
    stated_kind = document.get("kind") if isinstance(document, dict) else None
    if stated_kind != kind:
        raise WrongKindError(
            f"this is {_described(stated_kind, document)}, expected {expected.noun}",
            path=folder,
            hint=f"name the folder of {expected.noun}",
        )
    version = document.get("contract")
    if version != expected.version or isinstance(version, bool):
        newer = isinstance(version, int) and version > expected.version
        raise ModelVersionError(
            f"{expected.noun} of contract version {version!r}, expected version {expected.version}",
            path=folder,
            hint="update citewhy" if newer else "train or export the model again",
        )
    return cast("dict[str, Any]", document)


def _described(kind: Any, document: Any) -> str:
    if not isinstance(kind, str):
        return "not a model folder: its manifest has no kind"
    name = document.get("name")
    noun = CONTRACTS[kind].noun if kind in CONTRACTS else f"a model of the unknown kind {kind!r}"
    return f"{noun} ({name})" if isinstance(name, str) else noun


def _check_shapes(model: ModelFolder, name: str) -> None:
    """Raises DamagedError if the arrays of a file differ from the manifest."""
    path = model.path / name
    try:
        listed, stored = model.shapes(name), stored_shapes(path)
    except (AttributeError, TypeError, ValueError, KeyError) as error:
        raise DamagedError(f"the shapes of its arrays cannot be read ({error})", path=path) from error
    if stored and stored != listed:
        other = min(
            key for key in {*stored, *listed} if stored.get(key) != listed.get(key)
        )  # one is enough to say
        raise DamagedError(
            f"the array {other!r} has the shape {stored.get(other)}, the manifest says {listed.get(other)}",
            path=path,
        )
