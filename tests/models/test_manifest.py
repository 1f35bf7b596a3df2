"""What a manifest says, and what a reader learns from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import orjson
import pytest

from citewhy.base.errors import DamagedError, InputError
from citewhy.models import check_new, read_model, write_model
from citewhy.models.shapes import stored_shapes


def test_what_is_written(tmp_path: Path) -> None:
    """Kind, contract, reader and name, the facts, and of each file its size, its checksum and its shapes."""
    np.save(tmp_path / "rows.npy", np.zeros((3, 2), np.float32))
    (tmp_path / "words.txt").write_text("123456789")
    write_model(tmp_path, "linker", "toy", "mine", {"size": 3}, {"words.txt": {"ids": ("n", 4)}})
    manifest = orjson.loads((tmp_path / "manifest.json").read_bytes())
    rows = manifest["files"].pop("rows.npy")
    assert rows["shapes"] == {"array": [3, 2]}
    assert manifest == {
        "kind": "linker",
        "contract": 1,
        "reader": "toy",
        "name": "mine",
        "facts": {"size": 3},
        # the check value of CRC-32
        "files": {"words.txt": {"bytes": 9, "crc32": 0xCBF43926, "shapes": {"ids": ["n", 4]}}},
    }
    model = read_model(tmp_path, "linker")
    assert (model.kind, model.reader, model.name, model.facts) == ("linker", "toy", "mine", {"size": 3})
    assert model.read("words.txt") == b"123456789"
    assert model.shapes("words.txt") == {"ids": ("n", 4)}
    assert model.shapes("rows.npy") == {"array": (3, 2)}


def test_facts_have_types(tmp_path: Path) -> None:
    """A missing fact, or one of another type, is said with what was expected; true is no number."""
    write_model(tmp_path, "linker", "toy", "mine", {"size": 3, "share": 0.5, "yes": True})
    model = read_model(tmp_path, "linker")
    assert (model.fact("size", int), model.fact("share", float), model.fact("yes", bool)) == (3, 0.5, True)
    for name, of in (("size", float), ("share", int), ("yes", int), ("none", str)):
        with pytest.raises(DamagedError, match=f"'{name}' is .*, expected a value of type {of.__name__}"):
            model.fact(name, of)


def test_files_of_a_reader(tmp_path: Path) -> None:
    """Only those that are listed; JSON that is none is said to be so."""
    (tmp_path / "a.json").write_text("[1, 2")
    write_model(tmp_path, "linker", "toy", "mine", {})
    (tmp_path / "b.json").write_text("[]")
    model = read_model(tmp_path, "linker")
    with pytest.raises(DamagedError, match=r"a\.json: not JSON"):
        model.json("a.json")
    for ask in (model.file, model.read, model.json, model.shapes):
        with pytest.raises(DamagedError, match=r"manifest\.json: the manifest does not list b\.json"):
            ask("b.json")


def test_shapes_of_safetensors(tmp_path: Path) -> None:
    """From a header as the format describes it."""
    header = orjson.dumps(
        {
            "__metadata__": {"made": "by hand"},
            "table": {"dtype": "F32", "shape": [2, 1], "data_offsets": [0, 8]},
            "one": {"dtype": "F32", "shape": [], "data_offsets": [8, 12]},
        }
    )
    file = tmp_path / "model.safetensors"
    file.write_bytes(len(header).to_bytes(8, "little") + header + bytes(12))
    assert stored_shapes(file) == {"table": (2, 1), "one": ()}
    file.write_bytes((1 << 40).to_bytes(8, "little") + header)
    with pytest.raises(ValueError, match="the header is too long"):
        stored_shapes(file)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """A place that is taken is known before the work."""
    check_new(tmp_path / "new")
    with pytest.raises(InputError, match="it already exists"):
        check_new(tmp_path)


def test_a_damaged_header_of_an_array(tmp_path: Path) -> None:
    """Whatever numpy's parser raises is one error: here a header that ends within a bracket."""
    path = tmp_path / "array.npy"
    np.save(path, np.zeros((2, 3), dtype=np.float32))
    assert stored_shapes(path) == {"array": (2, 3)}
    path.write_bytes(path.read_bytes().replace(b"(2, 3)", b"(2, 3,"))
    with pytest.raises(ValueError, match="the header is damaged"):
        stored_shapes(path)
