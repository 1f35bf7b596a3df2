"""The tuning of a library is there, absent, or missed."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewhy.base.errors import DamagedError
from citewhy.ranking.rank.tuning import FILE_NAME, Tuning, forget_tuning, read_tuning, write_tuning


def test_a_deleted_tuning_is_missed(tmp_path: Path) -> None:
    """It is no library that was never tuned, until the tuning is forgotten."""
    assert read_tuning(tmp_path) is None
    tuning = Tuning(1, {}, None, {})
    write_tuning(tmp_path, tuning)
    assert read_tuning(tmp_path) == tuning
    (tmp_path / FILE_NAME).unlink()
    with pytest.raises(DamagedError, match="the tuning is missing; fit it again"):
        read_tuning(tmp_path)
    assert forget_tuning(tmp_path)
    assert read_tuning(tmp_path) is None
    assert list(tmp_path.iterdir()) == []
