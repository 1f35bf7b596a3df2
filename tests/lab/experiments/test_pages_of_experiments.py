"""The pages of experiments in the documentation: what each was made of, and by which code."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]

MADE = sorted((ROOT / "docs").glob("*/**/result.json"))


def pages() -> dict[str, dict[str, Any]]:
    return {made["experiment"]: made for made in (json.loads(path.read_text()) for path in MADE)}


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("name", sorted(pages()))
def test_what_a_page_was_made_of(name: str) -> None:
    """Data with their checksums, a seed, options, the command, the cost and the seeds, which the page itself
    shows."""
    made = pages()[name]["made"]
    assert made["data"]
    assert all(len(fact["sha256"]) == 64 for fact in made["data"] if "file" in fact)
    assert isinstance(made["seed"], int)
    assert made["options"]["scale"] in ("small", "full", "source")
    page = next(path for path in MADE if path.parent.name == name).parent.with_suffix(".md")
    assert made["command"].startswith(f"citewhy experiment {name} ")
    assert made["command"] in page.read_text(encoding="utf-8")
    assert name == "lcr-prefilter" or made["options"]["seeds"]  # which trains nothing
    assert "processor minutes" in made["cost"]


@pytest.mark.parametrize("name", sorted(pages()))
def test_the_commit_of_a_page(name: str) -> None:
    """It was made by code that is in the history of the repository, without changes."""
    shallow = git("rev-parse", "--is-shallow-repository")
    if shallow.returncode or shallow.stdout.strip() != "false":
        pytest.skip("needs the whole history of a checkout")
    commit = pages()[name]["made"]["software"]["commit"]
    assert git("merge-base", "--is-ancestor", commit, "HEAD").returncode == 0, commit


def test_the_scale_of_the_source_is_its_own_settings() -> None:
    """Bansal, sections 4.2 to 4.4: [CLS], 512 tokens, dropout of BERT, two epochs of 2·10⁻⁵ with 100 steps of
    warm-up, eight instances a step, or (six times five) triplets. Nomoto, sections 5 and 6.2: split citances,
    300 dimensions. Zhang and Ma, section 5.2: gensim's default parameters."""
    for needed in ("torch", "transformers", "scipy", "gensim", "sklearn"):
        pytest.importorskip(needed, reason="needs the extra lab")
    from citewhy_lab.experiments import documents, linkage, sets

    common = documents.COMMON["source"]
    row = documents.contrastive("source").trial
    undirected = documents._main("source")["SPECTER (undirected)"].trial
    assert row is not None
    assert undirected is not None
    found, triplets = row.settings(common, 1), undirected.settings(common, 1)
    assert (found.pooling, found.tokens, found.dropout, found.projection) == ("cls", 512, 0.1, "random")
    assert (found.steps, found.learning_rate, found.warm_up, found.batch) == (0, 2e-5, 100, 8)
    assert (triplets.positives, triplets.hard, triplets.easy, triplets.batch) == (5, 2, 3, 6)
    scale = linkage.SCALES["source"]
    assert (scale.split, scale.vector_size) == (True, 300)
    vectors = sets.SCALES["source"].vectors
    assert (vectors.window, vectors.negatives, vectors.least, vectors.epochs) == (5, 5, 5, 5)
    assert sets.SCALES["source"].body is None
