"""`open_model` opens a folder, or refuses it with an error message of one line."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from damage import STRANGE, manifest, one_sentence, opened_or_refused, write
from model_makers import MAKERS, made

from citewhy.base.artifact import MANIFEST, checksum
from citewhy.base.errors import ModelError, ModelVersionError, WrongKindError
from citewhy.models import CONTRACTS, KINDS, READERS, Kind, open_model


@pytest.fixture(params=MAKERS)
def key(request: pytest.FixtureRequest) -> str:
    return cast("str", request.param)


@pytest.fixture
def kind(key: str) -> Kind:
    return cast("Kind", key.partition("/")[0])


@pytest.fixture
def folder(key: str, tmp_path: Path) -> Path:
    """An intact model, which tests damage."""
    return made(key, tmp_path)


def test_every_reader_is_here() -> None:
    """Every reader of the package is tested here."""
    assert set(READERS) <= set(MAKERS)


def test_a_whole_folder_is_opened(folder: Path, kind: Kind) -> None:
    """An intact folder is opened by its path, as object or string, or through a link."""
    link = folder.with_name("link")
    link.symlink_to(folder)
    assert type(open_model(folder, kind)) is type(open_model(str(link), kind))


# Kind, version and reader -----------------------------------------------------------------------------------


def test_other_kinds(folder: Path, kind: Kind) -> None:
    """The error names the kind of the folder and the expected kind, even if its files are damaged."""
    name = manifest(folder)["name"]
    for other in set(KINDS) - {kind}:
        with pytest.raises(WrongKindError) as caught:
            open_model(folder, other)
        expected = f"this is {CONTRACTS[kind].noun} ({name}), expected {CONTRACTS[other].noun}"
        assert expected in str(caught.value)


@pytest.mark.parametrize("kind_in_manifest", [None, 3, "", "encodre", ["encoder"]])
def test_a_kind_that_is_none(folder: Path, kind: Kind, kind_in_manifest: object) -> None:
    """A manifest without a kind, or with an unknown one, is refused."""
    write(folder, manifest(folder) | {"kind": kind_in_manifest})
    with pytest.raises(WrongKindError, match=f"expected {CONTRACTS[kind].noun}"):
        open_model(folder, kind)


@pytest.mark.parametrize("version", [0, 2, 999, -1, "1", 1.5, None, True, [1]])
def test_another_version_of_the_contract(folder: Path, kind: Kind, version: object) -> None:
    """The error names both versions."""
    write(folder, manifest(folder) | {"contract": version})
    with pytest.raises(ModelVersionError, match=r"of contract version .*, expected version 1"):
        open_model(folder, kind)


@pytest.mark.parametrize(
    "reader", ["no-such", "../../evil", "os:system", "citewhy.search.encode.onnx:OnnxEncoder"]
)
def test_a_reader_that_nobody_registered(folder: Path, kind: Kind, reader: str) -> None:
    """A manifest names a registered reader; it cannot name code."""
    write(folder, manifest(folder) | {"reader": reader})
    with pytest.raises(ModelError, match=r"no reader .* is installed"):
        open_model(folder, kind)


# Missing and changed files ----------------------------------------------------------------------------------


def test_no_such_folder(folder: Path, kind: Kind) -> None:
    """A path that does not exist, or leads to a file, is refused."""
    for path in (folder / "no-such", folder / MANIFEST):
        with pytest.raises(ModelError, match="there is no such folder"):
            open_model(path, kind)


def damage(file: Path) -> dict[str, Callable[[], object]]:
    """Ways to damage a file, by name."""
    content = file.read_bytes()
    middle = len(content) // 2
    flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    elsewhere = file.parent.with_name("elsewhere")
    elsewhere.write_bytes(content)

    def instead(make: Callable[[], None]) -> Callable[[], None]:
        def strike() -> None:
            file.unlink()
            make()

        return strike

    return {
        "a bit is flipped": lambda: file.write_bytes(flipped),
        "half is gone": lambda: os.truncate(file, middle),
        "all is gone": lambda: os.truncate(file, 0),
        "longer": lambda: file.write_bytes(content + b"\0"),
        "removed": file.unlink,
        "a folder": instead(file.mkdir),
        "a link": instead(lambda: file.symlink_to(elsewhere)),
        "a pipe": instead(lambda: os.mkfifo(file)),
    }


def test_a_damaged_file(folder: Path, kind: Kind) -> None:
    """The error names the file, however it was damaged."""
    for name in manifest(folder)["files"]:
        file = folder / name
        content = file.read_bytes()
        for happened, strike in damage(file).items():
            strike()
            assert str(file) in one_sentence(folder, kind), happened
            file.rmdir() if file.is_dir() else file.unlink(missing_ok=True)
            file.write_bytes(content)
    open_model(folder, kind)


def test_a_damaged_manifest(folder: Path, kind: Kind) -> None:
    """A folder without a readable manifest is refused; a flipped bit in a name makes another name."""
    file = folder / MANIFEST
    content = file.read_bytes()
    for happened in ("half is gone", "all is gone", "longer", "removed", "a folder"):
        damage(file)[happened]()
        one_sentence(folder, kind)
        file.rmdir() if file.is_dir() else file.unlink(missing_ok=True)
        file.write_bytes(content)
    for place in range(0, len(content), max(1, len(content) // 60)):
        file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        opened_or_refused(folder, kind)


@pytest.mark.parametrize("text", [b"", b"[]", b"null", b'"encoder"', b"{}", b"\xff", b"[" * 10_000])
def test_a_manifest_that_is_none(folder: Path, kind: Kind, text: bytes) -> None:
    """Other JSON documents, and invalid JSON, are refused."""
    (folder / MANIFEST).write_bytes(text)
    one_sentence(folder, kind)


def test_strange_values_in_a_manifest(folder: Path, kind: Kind) -> None:
    """A wrong value of any field or fact is refused, or does not matter."""
    whole = manifest(folder)
    of_file = {name: fact for fact in whole["files"].values() for name in fact}
    for strange in STRANGE:
        for field in (*whole, "more"):
            write(folder, whole | {field: strange})
            opened_or_refused(folder, kind)
        for fact in (*whole["facts"], "more"):
            write(folder, whole | {"facts": whole["facts"] | {fact: strange}})
            opened_or_refused(folder, kind)
        for file, facts in whole["files"].items():
            for name in of_file:
                write(folder, whole | {"files": whole["files"] | {file: facts | {name: strange}}})
                opened_or_refused(folder, kind)
            write(folder, whole | {"files": whole["files"] | {file: strange}})
            one_sentence(folder, kind)


@pytest.mark.parametrize(
    "name", ["../secret", "/etc/hostname", "..", ".", "", "inner/file", "inner\\file", "a\0b", MANIFEST]
)
def test_files_outside_of_the_folder(folder: Path, kind: Kind, name: str) -> None:
    """A manifest that lists files outside of its folder is refused, even if they match."""
    secret = folder.with_name("secret")
    secret.write_text("secret")
    found = manifest(folder)
    found["files"][name] = {"bytes": 6, "crc32": checksum(secret)}
    write(folder, found)
    one_sentence(folder, kind)


def test_a_file_that_is_not_listed(folder: Path, kind: Kind) -> None:
    """If a file is not in the manifest, the folder is refused if the reader needs the file."""
    whole = manifest(folder)
    for name in whole["files"]:
        files = {other: fact for other, fact in whole["files"].items() if other != name}
        write(folder, whole | {"files": files})
        assert f"the manifest does not list {name}" in one_sentence(folder, kind)
    write(folder, whole)
    (folder / "README.md").write_text("not listed, and not needed")
    open_model(folder, kind)
