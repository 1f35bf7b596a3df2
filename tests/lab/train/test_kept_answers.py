"""Which code kept answers depend on."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewhy_lab.train import kept
from citewhy_lab.train.kept import code_digest


def test_answers_depend_on_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of folders and modules, and of nothing beside them."""
    (tmp_path / "train").mkdir()
    (tmp_path / "rank").mkdir()
    module, inner, other = tmp_path / "pipeline.py", tmp_path / "rank" / "features.py", tmp_path / "cli.py"
    for file in (module, inner, other):
        file.write_text("ONE = 1\n")
    monkeypatch.setattr(kept, "__file__", str(tmp_path / "citewhy_lab" / "train" / "kept.py"))
    found = []
    for changed in (None, other, module, inner):
        if changed is not None:
            changed.write_text(f"TWO = {changed.name!r}\n")
        code_digest.cache_clear()
        found.append(code_digest("pipeline", "rank"))
    code_digest.cache_clear()
    assert found[0] == found[1]
    assert len(set(found[1:])) == 3


def test_a_part_that_does_not_exist_is_no_part() -> None:
    """So that nothing is kept for ever because a module has another name now."""
    assert code_digest("citewhy_lab/train/systems/ranker") != code_digest("citewhy_lab/train/systems/sets")
    with pytest.raises(OSError, match="no_such_module"):
        code_digest("no_such_module")
