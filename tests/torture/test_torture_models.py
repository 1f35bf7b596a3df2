"""Model folders of every kind whose manifest fits and whose contents do not: opened and right, or refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from harness import cases, limited

sys.path.append(str(Path(__file__).parents[1] / "contracts"))

from model_makers import MAKERS, SHIPPED, made

OWN = [key for key in {**MAKERS, **SHIPPED} if not key.endswith("/toy")]
"""Every reader of CiteWhy, and the models of the package; the toy readers are those of tests."""

CODE = "import runpy, sys; runpy.run_path(sys.argv[0], run_name='__main__')"


@pytest.mark.parametrize("key", OWN)
def test_model_folders(key: str, tmp_path: Path) -> None:
    """Every mistake is found when the model is opened or asked, with an error of one line that names the
    folder; a model that is opened answers with finite numbers."""
    folder = made(key, tmp_path)
    numbers = cases(1_000, f"model folders: {key}")
    worker = str(Path(__file__).with_name("model_folders.py"))
    done = limited(CODE.replace("sys.argv[0]", repr(worker)), key, str(folder), "0", str(len(numbers)))
    assert done.returncode == 0, (done.stdout.splitlines()[-1:], done.stderr[-1500:])
