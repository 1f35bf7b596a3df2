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


def test_the_page_counts_the_models() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reliability.md").read_text(encoding="utf-8")
    assert f"for each of {len(OWN)} models" in page


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the models of the package, whose files take the place of others."""
    folder = tmp_path_factory.mktemp("others")
    for key in SHIPPED:
        made(key, folder)
    return folder


@pytest.mark.parametrize("key", OWN)
@pytest.mark.parametrize(("how", "full"), [("damaged", 1_000), ("replaced", 200)])
def test_model_folders(key: str, how: str, full: int, others: Path, tmp_path: Path) -> None:
    """Every mistake is found when the model is opened or asked, with an error of one line that names the
    folder; a model that is opened answers with finite numbers."""
    folder = made(key, tmp_path)
    numbers = cases(full, f"model folders, {how}: {key}")
    worker = str(Path(__file__).with_name("model_folders.py"))
    code = CODE.replace("sys.argv[0]", repr(worker))
    done = limited(code, key, str(folder), "0", str(len(numbers)), how, str(others))
    assert done.returncode == 0, (done.stdout.splitlines()[-1:], done.stderr[-1500:])
