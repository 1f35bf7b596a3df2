"""Models of other packages that answer with anything at all: no such number becomes a rank."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import cases

sys.path.append(str(Path(__file__).parents[1] / "contracts"))

from model_makers import made

from citewhy.base.errors import CiteWhyError
from citewhy.models import open_model
from citewhy.session.session import Session

SENTENCE = "Phrases are translated better than words TARGETCIT."
FILES = ("papers.jsonl", "contexts.jsonl", "citations.tsv", "fulltext.jsonl")
METHODS = {
    "encoder/toy": "encode",
    "reranker/toy": "scores",
    "first-stage/toy": "candidates",
    "ranker/toy": "order",
    "linker/toy": "links",
    "classifier/toy": "probabilities",
    "classifier/toy predicting": "predict",
    "set/trees": "probabilities",
}

NUMBERS = (np.nan, np.inf, -np.inf, -1, 10**9, 0.5)


class Strange:
    """A model, of which one method answers with what `spoil` makes of its answer."""

    def __init__(self, model: Any, method: str, spoil: Callable[[Any], Any]) -> None:
        self._inside, self._method, self._spoil = model, method, spoil

    def __getattr__(self, name: str) -> Any:
        inside = getattr(self._inside, name)
        if name != self._method:
            return inside
        return lambda *given: self._spoil(inside(*given))


def spoilt(answer: Any, chance: random.Random) -> Any:
    """The answer with another value, shape or type somewhere."""
    if is_dataclass(answer) and not isinstance(answer, type):
        name = chance.choice([field.name for field in fields(answer) if field.name != "facet"])
        return replace(answer, **{name: spoilt(getattr(answer, name), chance)})
    if isinstance(answer, list):
        if answer and chance.random() < 0.7:
            place = chance.randrange(len(answer))
            return [*answer[:place], spoilt(answer[place], chance), *answer[place + 1 :]]
        return chance.choice([[], answer * 2, [*answer, *answer[:1]]])
    if isinstance(answer, str):
        return chance.choice(["", "no such label"])
    if not isinstance(answer, np.ndarray):
        return chance.choice(NUMBERS)
    return chance.choice(_WAYS)(np.array(answer), chance)


def _value(array: np.ndarray, chance: random.Random) -> Any:
    if array.size:
        number = chance.choice(NUMBERS)
        array = array.astype(np.float64) if not np.isfinite(number) or number % 1 else array
        array.reshape(-1)[chance.randrange(array.size)] = number
    return array


_WAYS: tuple[Callable[[np.ndarray, random.Random], Any], ...] = (
    _value,
    _value,
    lambda array, chance: array[:-1],
    lambda array, chance: np.concatenate([array, array]),
    lambda array, chance: array.reshape(-1, 1),
    lambda array, chance: np.zeros(0),
    lambda array, chance: np.full(array.shape, np.nan),
    lambda array, chance: array.astype(str),
    lambda array, chance: array.astype(object),
    lambda array, chance: array.astype(np.complex64),
    lambda array, chance: [[1.0], [1.0, 2.0]],
    lambda array, chance: np.array(1.0),
)


@pytest.mark.parametrize("key", METHODS)
def test_strange_answers(key: str, toy: Path, tmp_path: Path) -> None:
    """An error of one line that names the model, or an answer whose numbers are finite."""
    kind = key.partition("/")[0]
    model = open_model(made(key.partition(" ")[0], tmp_path), kind)  # type: ignore[arg-type] # one of the kinds
    with Session(tmp_path / "library", create=True) as session:
        session.add(
            [toy / name for name in ("papers.jsonl", "contexts.jsonl", "citations.tsv", "fulltext.jsonl")]
        )
    for case in cases(500, f"strange answers: {key}"):
        chance = random.Random(f"{key} {case}")
        strange = Strange(model, METHODS[key], partial(spoilt, chance=chance))
        with contextlib.suppress(CiteWhyError):
            for number in _asked(kind, strange, tmp_path / "library"):
                assert np.isfinite(number), (key, case)


def _asked(kind: str, model: Any, library: Path) -> list[float]:
    """The numbers of the answers that the model gives."""
    models: Mapping[str, Any] = {
        "encoder": {"encoder": model},
        "ranker": {"ranker": model},
        "linker": {"linker": model},
        "reranker": {"rerankers": [model]},
        "first-stage": {"first_stages": [model]},
        "set": {"sets": model},
        "classifier": {},
    }[kind]
    with Session(library, **models) as session:
        if kind == "classifier":
            labelled = session.classify(model, [SENTENCE])
            return [chance for one in labelled for chance in one.probabilities.values()]
        if kind == "linker":
            return [passage.score for passage in session.passages("N03-1017", SENTENCE).passages]
        about: Any = {"kind": "set", "member_ids": ("N03-1017",)} if kind == "set" else {}
        answer = session.suggest(SENTENCE, **about)
        numbers = [suggestion.score for suggestion in answer.suggestions]
        return numbers + [one.probability for one in answer.suggestions if one.probability is not None]
