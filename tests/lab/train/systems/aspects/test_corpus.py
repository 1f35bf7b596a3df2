"""From a folder of data to citations with intents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from small_collection import HIDDEN, SHOWN, context, paper, write

from citewhy.base.records import Context
from citewhy_lab.train.collection import Collection
from citewhy_lab.train.systems.aspects.data import intents_of, read_corpus


def test_years_and_intents_of_a_corpus(tmp_path: Path) -> None:
    """The last year counts, later and unknown ones do not, nor do held-out papers. Intents that contexts come
    with are kept; a classifier is asked for the others, and without one they are unknown."""
    rows = [paper(SHOWN[0], 2010), paper(SHOWN[1], 2009), paper(SHOWN[2], 2011), paper(SHOWN[3], None)]
    given = [context(SHOWN[0], [SHOWN[1]], 2010) | {"intent": "result"}, context(SHOWN[1], [SHOWN[0]], 2009)]
    collection = Collection(write(tmp_path, [*rows, paper(HIDDEN[0], 2000)], contexts=given))

    class Method:
        def predict(self, sentences: list[Any]) -> list[str]:
            assert len(sentences) == 1
            return ["method"]

    asked, alone = (read_corpus(collection, 2010, each) for each in (Method(), None))  # type: ignore[arg-type]
    assert set(asked.graph.ids) == {SHOWN[0], SHOWN[1]}
    assert asked.links() == {"background": 0, "method": 1, "result": 1, "unknown": 0}
    assert alone.links() == {"background": 0, "method": 0, "result": 1, "unknown": 1}


def test_stated_intents_in_words_of_other_data_sets() -> None:
    """Labels of ACL-ARC and Semantic Scholar count as the intents that they stand for."""
    given = ["methodology", "Uses", "CompareOrContrast", "method", "praise", ""]
    contexts = [Context(str(place), "c", ("d",), "We.", intent=each) for place, each in enumerate(given)]

    class Asked:
        def predict(self, sentences: list[Any]) -> list[str]:
            return ["background"] * len(sentences)

    found = list(intents_of(contexts, Asked()))  # type: ignore[arg-type]
    assert found == ["method", "method", "result", "method", "background", "background"]
