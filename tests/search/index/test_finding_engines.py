"""Finding an engine by its name."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from citewhy.base.errors import QueryError
from citewhy.search.index.engine import ENGINES, find_engine


def test_errors_of_making_an_engine_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that cannot be imported is an error of its installation; one that fails while it is made
    tells its own error."""

    def failing() -> None:
        raise AttributeError("the engine has no port")

    module = ModuleType("engine_of_a_test")
    module.failing = failing  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(ENGINES, "failing", "engine_of_a_test:failing")
    monkeypatch.setitem(ENGINES, "missing", "engine_of_a_test:missing")
    with pytest.raises(AttributeError, match="the engine has no port"):
        find_engine("failing")
    with pytest.raises(QueryError, match="the engine 'missing' cannot be imported"):
        find_engine("missing")
