"""A session over the toy corpus, which ranks by words alone, and what it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from small_library import make_toy, unsynced

from citewhy.answers.answering import DraftAnswering
from citewhy.base.records import Unit
from citewhy.session.session import Session


@contextmanager
def toy_session(folder: Path, toy: Path) -> Iterator[Session]:
    """A session over the toy corpus `toy`, made as a library in `folder`."""
    with unsynced(), make_toy(folder, toy):
        pass
    with Session(folder, pipeline="bm25") as opened:
        yield opened


def asked_sentences(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sentences of drafts that are asked from now on, in their order."""
    sentences: list[str] = []
    answer = DraftAnswering._answer

    def counted(self: DraftAnswering, unit: Unit, *given: Any) -> Any:
        sentences.append(unit.sentence.text if unit.sentence else "")
        return answer(self, unit, *given)

    monkeypatch.setattr(DraftAnswering, "_answer", counted)
    return sentences
