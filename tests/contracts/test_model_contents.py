"""`open_model` refuses invalid contents, even if they match the manifest, with an error message of one
line."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any, cast

import numpy as np
import orjson
import pytest
from damage import STRANGE, manifest, one_sentence, opened_or_refused, sealed, write
from hypothesis import given
from hypothesis import strategies as st
from model_makers import MAKERS, made
from small_ranker import document
from tiny_onnx import WORDS, network, tensor_elsewhere, tiny_onnx, word_vectors

from citewhy.base.errors import DamagedError, ModelError
from citewhy.base.records import Paper, Query, SentenceInContext
from citewhy.models import Kind, open_model
from citewhy.ranking.rank.features import FEATURES
from citewhy.ranking.rank.folder import SETS, write_ranker
from citewhy.ranking.rank.reranker import RerankRequest


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


def test_contents_that_were_cut_off(folder: Path, kind: Kind) -> None:
    """Truncated contents are refused, even if the manifest matches."""
    for name in manifest(folder)["files"]:
        file = folder / name
        content = file.read_bytes()
        for left in (0, 1, len(content) // 2, len(content) - 2):
            file.write_bytes(content[:left])
            sealed(folder)
            one_sentence(folder, kind)
        file.write_bytes(content)


OTHERS = [b"no model", b"[]", b"{}", b"null", b'{"columns": []}', b"\x93NUMPY\x01\0", b"PK\3\4", b"\0" * 4096]


def test_contents_of_another_file(folder: Path, kind: Kind) -> None:
    """Files with the contents of other files are refused."""
    for name in manifest(folder)["files"]:
        content = (folder / name).read_bytes()
        for other in OTHERS:
            (folder / name).write_bytes(other)
            sealed(folder)
            if name != "ignored.json":  # a list of ignored words can be anything
                one_sentence(folder, kind)
        (folder / name).write_bytes(content)


def test_the_wrong_shapes(folder: Path, kind: Kind) -> None:
    """Arrays and networks with other sizes than in the manifest are refused."""
    whole = manifest(folder)
    for name, fact in whole["files"].items():
        for array, sizes in fact.get("shapes", {}).items():
            shapes = {**fact["shapes"], array: [*sizes[:-1], 7]}
            write(folder, whole | {"files": whole["files"] | {name: fact | {"shapes": shapes}}})
            assert array in one_sentence(folder, kind)


def test_weights_that_are_not_numbers_npy(tmp_path: Path) -> None:
    """An error that a reader raises for its arrays is reported."""
    folder = made("encoder/toy", tmp_path)
    np.save(folder / "letters.npy", np.full((26, 8), np.nan, np.float32), allow_pickle=False)
    sealed(folder)
    assert "not a finite vector for each letter" in one_sentence(folder, "encoder")


def test_objects_in_an_array(tmp_path: Path) -> None:
    """Arrays of objects would have to be unpickled, and are refused."""
    folder = made("encoder/toy", tmp_path)
    np.save(folder / "letters.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    sealed(folder)
    one_sentence(folder, "encoder")


@pytest.mark.parametrize("key", ["reranker/mpbert4cr", "reranker/ncn", "reranker/textbib"])
def test_weights_of_rerankers_that_are_not_numbers(tmp_path: Path, key: str) -> None:
    """One weight among thousands that is not finite is enough."""
    folder = made(key, tmp_path)
    from safetensors.numpy import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    for name, array in weights.items():
        for wrong in (np.nan, np.inf):
            changed = array.copy()
            changed.reshape(-1)[-1] = wrong
            save_file(weights | {name: changed}, folder / "model.safetensors")
            sealed(folder)
            assert "not finite numbers" in one_sentence(folder, "reranker")


@pytest.mark.parametrize("key", ["reranker/ncn", "reranker/textbib"])
def test_weights_of_rerankers_that_are_too_large(tmp_path: Path, key: str) -> None:
    """Weights whose sums overflow give no order: the error names the folder."""
    folder = made(key, tmp_path)
    from safetensors.numpy import load_file, save_file

    weights = {
        name: np.full_like(array, 3e38) for name, array in load_file(folder / "model.safetensors").items()
    }
    save_file(weights, folder / "model.safetensors")
    sealed(folder)
    reranker = open_model(folder, "reranker")
    papers = [Paper("a", "Trees", "Banks", ("Ann Lee",), 2001)] * 2
    request = RerankRequest(Query("local", "trees"), papers, [np.array([2002], dtype=np.int16)] * 2, [], [])
    with pytest.raises(ModelError, match="not finite") as found:
        reranker.scores(request)
    assert str(folder) in str(found.value)


def test_a_network_with_other_words(tmp_path: Path) -> None:
    """A vocabulary of another size, without the marker, or that is not a list is refused."""
    folder = made("reranker/textbib", tmp_path)
    names = orjson.loads((folder / "vocabulary.json").read_bytes())
    changes: list[dict[str, Any]] = [
        {"words": names["words"][:-1]},
        {"words": [name for name in names["words"] if name != "TARGETCIT"] + ["x"]},
        {"authors": {}},
        {"authors": [1]},
    ]
    for wrong in changes:
        (folder / "vocabulary.json").write_bytes(orjson.dumps(names | wrong))
        sealed(folder)
        assert "not the weights of the network" in one_sentence(folder, "reranker")


@pytest.mark.parametrize("wrong", [{"titles": ["x"]}, {"authors": {}}, {"authors": [1]}, {"words": ["x"]}])
def test_an_ncn_network_with_other_words(tmp_path: Path, wrong: dict[str, Any]) -> None:
    """A vocabulary of another size, without the marker, or that is not a list is refused."""
    folder = made("reranker/ncn", tmp_path)
    names = orjson.loads((folder / "vocabulary.json").read_bytes())
    (folder / "vocabulary.json").write_bytes(orjson.dumps(names | wrong))
    sealed(folder)
    assert "not the weights of the network" in one_sentence(folder, "reranker")


@pytest.mark.parametrize(
    "wrong",
    [{"word": 0}, {"state": 10**9}, {"filters": "8"}, {"widths": []}, {"widths": [99]}, {"widths": 4}],
)
def test_an_ncn_network_of_another_size(tmp_path: Path, wrong: dict[str, Any]) -> None:
    """A size below 1, one that would take all memory, and a convolution wider than its text are refused."""
    folder = made("reranker/ncn", tmp_path)
    whole = manifest(folder)
    write(folder, whole | {"facts": whole["facts"] | {"shape": whole["facts"]["shape"] | wrong}})
    one_sentence(folder, "reranker")


@pytest.mark.parametrize("size", [0, -1, 10**9, "16", 1.5])
def test_a_network_of_another_size(tmp_path: Path, size: object) -> None:
    """A size that would take all memory is refused as quickly as one below 1."""
    folder = made("reranker/textbib", tmp_path)
    whole = manifest(folder)
    for name in ("word", "state", "attention", "author", "people"):
        shape = whole["facts"]["shape"] | {name: size}
        write(folder, whole | {"facts": whole["facts"] | {"shape": shape}})
        one_sentence(folder, "reranker")


def test_a_network_that_refers_to_other_files(tmp_path: Path) -> None:
    """A graph that refers to weights in another file is refused, even if the file exists."""
    folder = made("encoder/onnx", tmp_path)
    vectors = word_vectors()
    for file in (tmp_path / "weights", folder / "weights"):
        file.write_bytes(vectors.tobytes())
        where = os.path.relpath(file, folder)
        elsewhere = tensor_elsewhere("words", vectors.shape, where)
        (folder / "model.onnx").write_bytes(network(vectors.shape[1], elsewhere))
        sealed(folder)
        assert "the model cannot be loaded" in one_sentence(folder, "encoder")


def test_vectors_that_are_not_numbers_onnx(tmp_path: Path) -> None:
    """A vector that is not finite is found when the model is opened (if every text, or the last word, uses
    it), otherwise with the first text that uses it."""
    vectors = word_vectors()
    for row in (0, -1):
        vectors = word_vectors()
        vectors[row] = np.nan
        (tmp_path / str(row)).mkdir()
        message = one_sentence(tiny_onnx(tmp_path / str(row), vectors), "encoder")
        assert "values that are not finite" in message
    vectors = word_vectors()
    vectors[WORDS.index("bleu")] = np.nan
    (tmp_path / "bleu").mkdir()
    encoder = open_model(tiny_onnx(tmp_path / "bleu", vectors), "encoder")
    assert np.isfinite(encoder.encode(["translation of words"], "query")).all()
    with pytest.raises(ModelError, match="values that are not finite"):
        encoder.encode(["translation of words", "the bleu model"], "query")


CLASSIFIERS = {"classifier/fine-tuned": "model.onnx", "classifier/onnx": "head.onnx"}
CLASSIFIERS["classifier/sequence"] = "network.onnx"


@pytest.mark.parametrize("key", CLASSIFIERS)
def test_a_classifier_whose_scores_are_not_numbers(tmp_path: Path, key: str) -> None:
    """They are never probabilities, and never the first label: the folder is named."""
    onnx = pytest.importorskip("onnx", reason="needs the extra lab")
    folder = made(key, tmp_path)
    file = folder / CLASSIFIERS[key]
    graph = onnx.load(file)
    for weights in graph.graph.initializer:
        array = onnx.numpy_helper.to_array(weights)
        if array.dtype == np.float32:
            weights.CopyFrom(onnx.numpy_helper.from_array(np.full_like(array, np.nan), weights.name))
    onnx.save(graph, file)
    sealed(folder)
    classifier = open_model(folder, "classifier")
    for ask in (classifier.probabilities, classifier.predict):
        with pytest.raises(ModelError, match="not finite") as found:
            ask([SentenceInContext("We use the Moses toolkit TARGETCIT.")])
        assert str(folder) in str(found.value)


@pytest.mark.parametrize("key", ["classifier/fine-tuned", "encoder/onnx", "encoder/qpcr"])
def test_a_tokenizer_that_breaks_on_a_text(tmp_path: Path, key: str) -> None:
    """Rust's code panics where a text gets a special token without an entry; the error names the folder."""
    folder = made(key, tmp_path)
    tokenizer = orjson.loads((folder / "tokenizer.json").read_bytes())
    single = [{"SpecialToken": {"id": "[NONE]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    marks = {"type": "TemplateProcessing", "single": single, "pair": [], "special_tokens": {}}
    (folder / "tokenizer.json").write_bytes(orjson.dumps(tokenizer | {"post_processor": marks}))
    sealed(folder)
    kind = cast("Kind", key.partition("/")[0])

    def ask(opened: Any) -> None:
        if kind == "encoder":
            opened.encode(["trees"], "query")
        opened.predict([SentenceInContext("trees")])

    with pytest.raises((ModelError, DamagedError)) as found:
        ask(open_model(folder, kind))
    assert "\n" not in str(found.value)
    assert str(folder) in str(found.value)


def test_a_classifier_with_a_token_beyond_its_network(tmp_path: Path) -> None:
    """The runtime's error for a token without a row is an error of one line."""
    folder = made("classifier/fine-tuned", tmp_path)
    tokenizer = orjson.loads((folder / "tokenizer.json").read_bytes())
    token = {"id": 99_999, "content": "trees", "single_word": False, "lstrip": False, "rstrip": False}
    tokenizer["added_tokens"].append(token | {"normalized": False, "special": False})
    (folder / "tokenizer.json").write_bytes(orjson.dumps(tokenizer))
    sealed(folder)
    with pytest.raises((ModelError, DamagedError)) as found:
        open_model(folder, "classifier").predict([SentenceInContext("trees")])
    assert "\n" not in str(found.value)


def test_a_tokenizer_of_more_words(tmp_path: Path) -> None:
    """If the last word of the tokenizer has no vector, the model is refused."""
    folder = made("encoder/onnx", tmp_path)
    tokenizer = orjson.loads((folder / "tokenizer.json").read_bytes())
    tokenizer["model"]["vocab"]["another"] = len(WORDS)
    (folder / "tokenizer.json").write_bytes(orjson.dumps(tokenizer))
    sealed(folder)
    assert "the network fails" in one_sentence(folder, "encoder")


# Rankers and linkers: documents -----------------------------------------------------------------------------


def in_all_sets(value: Any) -> dict[str, Any]:
    return dict.fromkeys(SETS, value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"columns": ["text"]}, "other features"),
        ({"linear": {SETS[0]: {"text": 1.0}}}, f"KeyError: '{SETS[1]}'"),
        ({"linear": in_all_sets({"no feature": 1.0})}, "the weight of no feature"),
        ({"linear": in_all_sets({"text": None})}, "TypeError"),
        ({"calibration": {}}, "KeyError"),
        ({"trees": {}}, "KeyError"),
        ({"trees": in_all_sets([[[999, 0, 1, 2, 0], [-1, 0, 1, 1, 0], [-1, 0, 2, 2, 0]]])}, "feature"),
        ({"trees": in_all_sets([[[0, 0.5, 0, 0, 0]]])}, "node 0 leads to 0 and 0"),
        ({"threshold": 1.5}, "the threshold is 1.5"),
        ({"threshold": None}, "TypeError"),
    ],
)
def test_rankers_that_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    """A ranker that could not rank some query is refused, with an error that names the wrong part."""
    write_ranker(tmp_path / "ranker", "toy", {**document(), "making": {}, **change})
    assert message in one_sentence(tmp_path / "ranker", "ranker")


def paths(value: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all values in a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [before] + [path for key, each in items for path in paths(each, (*before, key))]


def replaced(value: Any, path: tuple[Any, ...], by: Any) -> Any:
    if not path:
        return by
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], by)
    return copy


WHOLE = {key: value for key, value in document().items() if key != "making"}


@given(st.sampled_from(paths(WHOLE)), st.sampled_from([*STRANGE, math.inf, math.nan]))
def test_any_value_of_a_ranker(
    tmp_path_factory: pytest.TempPathFactory, path: tuple[Any, ...], strange: Any
) -> None:
    """A ranker with a wrong value anywhere is refused, or it ranks every kind of query."""
    folder = tmp_path_factory.getbasetemp() / "any-ranker"
    write_ranker(folder, "toy", {**document(), "making": {}})
    (folder / "model.json").write_text(json.dumps(replaced(WHOLE, path, strange)).replace("NaN", "1e999"))
    sealed(folder)
    ranker = opened_or_refused(folder, "ranker")
    for name in SETS if ranker is not None else ():
        table = np.ones((3, len(FEATURES)), dtype=np.float32)
        assert len(ranker.order(table, np.arange(3, dtype=np.int32), name).order) == 3
