# ruff: noqa: E501, PT017
"""Opens damaged copies of a model folder, whose manifests fit, and uses what was opened.

    python model_folders.py KEY FOLDER FIRST LAST HOW [OTHERS]    cases FIRST to LAST - 1 of the model KEY in FOLDER

HOW is `damaged`, or `replaced`: a whole file by another, a link, a pipe, or one of a model in the folder OTHERS.
Writes the number of each case before it. Ends with a traceback for anything but an error of ours of one line, or an
answer that is not finite.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import math
import os
import random
import shutil
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from citewhy.base.artifact import MANIFEST, checksum
from citewhy.base.errors import DamagedError, ModelError
from citewhy.base.records import FullText, Paper, Query, Sentence, SentenceInContext
from citewhy.models import open_model
from citewhy.models.shapes import stored_shapes

STRANGE: list[Any] = [None, 0, -1, 1.5, "x", "", [], ["x"], {}, {"x": 1}, 10**18, True]
STRANGE += [-0.5, 1e300, "1e999", 2**31, [[]], [[1, "x"]], "\0", "text:we", 0.999, [0.5] * 7]
WORDS = ["", "trees", "we show that trees grow (Lee, 2001)", "TARGETCIT counts", "机器 ∑", "a " * 600]
TEXT = FullText("p", tuple(Sentence(n, "1 Introduction", text) for n, text in enumerate(WORDS[1:])))
MOST_SECONDS = 300
"""Of one case, by the clock of a machine that has other work to do; more is a hang. A case that computes for
long is ended earlier (`harness.MOST_SECONDS`)."""
AT_ONCE = 10
"""Cases of one process."""


def places(value: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to values in a document; of long lists, to some."""
    found = [before]
    some: list[Any] = []
    if isinstance(value, dict):
        some = list(value)
    elif isinstance(value, list):
        some = list(range(len(value)))
    for key in some[:40] + some[-3:]:
        each = value[key]
        found += places(each, (*before, key))
    return found


def changed(value: Any, path: tuple[Any, ...], chance: random.Random) -> Any:
    """The document with the value at a path replaced, removed, repeated, or made a number that is not finite."""
    if not path:
        return chance.choice([*STRANGE, value if isinstance(value, str) else [value], "\x00NAN"])
    copy = value.copy()
    if len(path) == 1 and chance.random() < 0.25:
        if isinstance(copy, dict):
            del copy[path[0]]
            return copy
        return copy[: path[0]] if chance.random() < 0.5 else [*copy, copy[path[0]]]
    copy[path[0]] = changed(value[path[0]], path[1:], chance)
    return copy


def written(document: Any) -> bytes:
    """JSON with numbers that are too large for floating point."""
    return orjson.dumps(document).replace(b'"\\u0000NAN"', b"1e999")


def damage(folder: Path, chance: random.Random) -> None:
    """One or two changes to the contents or the manifest of a model folder."""
    manifest = orjson.loads((folder / MANIFEST).read_bytes())
    names = sorted(manifest["files"])
    for _ in range(chance.choice((1, 1, 2))):
        name = chance.choice(names)
        file, kind = folder / name, chance.random()
        is_array = name.endswith((".safetensors", ".npy"))
        if kind < 0.1:
            manifest["files"].pop(name, None)  # it is there, but nothing says what it should be
        elif kind < 0.2:
            manifest["facts"] = changed(manifest["facts"], chance.choice(places(manifest["facts"])), chance)
        elif kind < 0.25:
            key = chance.choice(("kind", "reader", "contract", "name", "files"))
            if key != "files":
                manifest[key] = chance.choice(STRANGE)
        elif kind < 0.75 and name.endswith(".json"):
            try:
                document = orjson.loads(file.read_bytes())
            except ValueError:  # damaged by the change before
                continue
            for _ in range(chance.choice((1, 1, 3))):
                document = changed(document, chance.choice(places(document)), chance)
            file.write_bytes(written(document))
        elif kind < 0.75 and is_array:
            try:
                damage_arrays(file, chance)
            except Exception:
                continue
        elif kind < 0.8 and len(names) > 1:
            other = chance.choice(names)
            file.write_bytes((folder / other).read_bytes())
        else:
            data = bytearray(file.read_bytes())
            for _ in range(chance.choice((1, 4, 32))):
                if data:
                    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            if chance.random() < 0.2:
                del data[chance.randrange(len(data) + 1) :]
            file.write_bytes(data)
    describe(folder, manifest, chance)


def describe(folder: Path, manifest: dict[str, Any], chance: random.Random) -> None:
    """Writes a manifest that fits the files, and mostly their shapes."""
    for name, fact in list(manifest["files"].items()):
        file = folder / name
        if not file.is_file():
            continue
        fact |= {"bytes": file.stat().st_size, "crc32": checksum(file)}
        try:
            stored = stored_shapes(file)
        except Exception:
            continue
        if stored and chance.random() < 0.9:
            fact["shapes"] = {array: list(sizes) for array, sizes in stored.items()}
    (folder / MANIFEST).write_bytes(written(manifest))


def huge(name: str) -> bytes:
    """A file that says that it has far more numbers than it has."""
    shape = (2**20, 2**20)
    if name.endswith(".npy"):
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
        return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(64)
    facts = {"weights": {"dtype": "F32", "shape": shape, "data_offsets": [0, 2**42]}}
    head = orjson.dumps(facts)
    return len(head).to_bytes(8, "little") + head + bytes(64)


def replace_file(folder: Path, others: Path, chance: random.Random) -> None:
    """Replaces one or two files, the manifest among them, by something else."""
    manifest = orjson.loads((folder / MANIFEST).read_bytes())
    names = [*manifest["files"], MANIFEST]
    for _ in range(chance.choice((1, 1, 2))):
        name = chance.choice(names)
        file, content = folder / name, b""
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file)
        else:
            content = file.read_bytes() if file.is_file() else content
            file.unlink(missing_ok=True)
        kind = chance.randrange(10)
        if kind == 0:
            file.symlink_to(chance.choice([file, Path("/dev/zero"), folder, "/etc/passwd", "nowhere"]))
        elif kind == 1:
            os.mkfifo(file)
        elif kind == 2:
            file.mkdir()
        elif kind == 3:
            file.write_bytes(content[: chance.choice((0, 1, len(content) // 2, max(0, len(content) - 1)))])
        elif kind == 4:
            file.write_bytes(huge(name))
        elif kind == 5:
            file.write_bytes(
                chance.choice([b"null", b"[]", b"{}", b'"x"', b"[" * 100_000, b"\xff" * 9, bytes(999)])
            )
        elif kind < 9:  # of another model: of the same name, if there is one
            alike = sorted(others.glob(f"*/{name}")) if chance.random() < 0.7 else []
            file.write_bytes(chance.choice(alike or sorted(others.glob("*/*.*"))).read_bytes())
        if kind == 9 or chance.random() < 0.1:  # missing, and the manifest does not say so, or does
            manifest["files"].pop(name, None)
    if (folder / MANIFEST).is_file() and not (folder / MANIFEST).is_symlink() and chance.random() < 0.9:
        describe(folder, manifest, chance)


def damage_arrays(file: Path, chance: random.Random) -> None:
    """Another value, shape or type in one array."""
    if file.suffix == ".npy":
        arrays = {"array": np.load(file, allow_pickle=False)}
    else:
        from safetensors.numpy import load_file

        arrays = load_file(file)
    name = chance.choice(sorted(arrays))
    array = np.array(arrays[name])
    kind = chance.randrange(4)
    if kind == 0 and array.size:
        array.reshape(-1)[chance.randrange(array.size)] = chance.choice((np.nan, np.inf, -np.inf, 3e38))
    elif kind == 1:
        array = array.reshape(-1)[: chance.randrange(array.size + 1)]
    elif kind == 2:
        array = array.astype(chance.choice((np.float16, np.float64, np.int8)))
    else:
        array = np.zeros((*array.shape[:-1], chance.choice((0, 1, 7))), dtype=array.dtype)
    if file.suffix == ".npy":
        np.save(file, array, allow_pickle=False)
    else:
        from safetensors.numpy import save_file

        save_file(arrays | {name: array}, file)


def use(kind: str, model: Any) -> None:
    """Asks the model, and checks that the answers are numbers of their kind."""
    if kind == "encoder":
        for role in ("query", "paper"):
            vectors = model.encode(WORDS, role)
            assert vectors.shape == (len(WORDS), model.dimensions)
            assert np.isfinite(vectors).all()
    elif kind == "classifier":
        sentences = [SentenceInContext(text, position=0.5) for text in WORDS]
        found = model.probabilities(sentences)
        assert found.shape == (len(WORDS), len(model.labels))
        assert ((found >= 0) & (found <= 1)).all()
        assert np.allclose(found.sum(axis=1), 1, atol=1e-3)
        assert set(model.predict(sentences)) <= set(model.labels)
    elif kind == "ranker":
        from citewhy.ranking.rank.features import FEATURES
        from citewhy.ranking.rank.folder import SETS

        table = np.random.default_rng(7).normal(size=(50, len(FEATURES))).astype(np.float32)
        for name in SETS:
            ranked = model.order(table, np.arange(50, dtype=np.int32), name)
            assert sorted(ranked.order.tolist()) == list(range(50))
            assert np.isfinite(ranked.scores).all()
            assert ((ranked.probabilities >= 0) & (ranked.probabilities <= 1)).all()
    elif kind == "linker":
        scores = model(WORDS, TEXT)
        assert scores.shape == (len(WORDS), len(TEXT.sentences))
        assert np.isfinite(scores).all()
        for text in WORDS:
            assert all(math.isfinite(link.score) for link in model.links(text, TEXT))
    elif kind == "reranker":
        from citewhy.ranking.rank.reranker import RerankRequest

        papers = [Paper(str(n), text, text, ("Ann Lee",), 2001) for n, text in enumerate(WORDS)]
        years = [np.array([2002, 2004], dtype=np.int16) for _ in papers]
        texts = [TEXT] * len(papers) if "full texts" in model.needs else []
        for each in sorted(model.kinds):
            query = Query(each, WORDS[2], "Trees", "They grow.", ("Bo Li",), year=2005)
            scores = model.scores(RerankRequest(query, papers, years, texts, []))
            assert np.shape(scores) == (len(papers),)
            assert np.isfinite(scores).all()


def cases(key: str, source: Path, numbers: range, how: str, others: Path) -> None:
    """Opens and uses the damaged copies of some numbers."""
    kind = key.partition("/")[0]
    with tempfile.TemporaryDirectory() as parent:
        for case in numbers:
            print("case", case, flush=True)
            folder = Path(parent) / str(case)
            shutil.copytree(source, folder)
            if how == "damaged":
                damage(folder, random.Random(f"{key} {case}"))
            else:
                replace_file(folder, others, random.Random(f"{key} {case} {how}"))
            faulthandler.dump_traceback_later(MOST_SECONDS, exit=True)
            try:
                use(kind, open_model(folder, kind))  # type: ignore[arg-type] # one of the kinds
            except (ModelError, DamagedError) as error:
                assert "\n" not in str(error), error
                assert str(folder) in str(error), error
            shutil.rmtree(folder)
            faulthandler.cancel_dump_traceback_later()


def main() -> None:
    key, source, first, last = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    how, others = sys.argv[5], Path(sys.argv[-1])
    for name in ("onnxruntime", "tokenizers", "torch", "safetensors.numpy"):  # once, not in each process
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for begin in range(first, last, AT_ONCE):
        child = os.fork()  # limits of time and memory are those of a process, and a crash is its own
        if child == 0:
            try:
                cases(key, source, range(begin, min(begin + AT_ONCE, last)), how, others)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            sys.exit(f"a process with case {begin} or later ended with {status}")


if __name__ == "__main__":
    main()
