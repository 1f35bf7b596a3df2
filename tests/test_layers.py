"""The direction of imports, and what no module does. The order lives in the tables below, and only here."""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "citewhy"

FOUNDATION = (
    "records",
    "reports",
    "rules",
    "errors",
    "config",
    "progress",
    "artifact",
    "models",
    "text",
    "assets",
)
"""What everything may stand on, each part on those before it."""

STREAMS = (
    (
        "formats",
        "library",
        "manuscript",
        "encode",
        "classify",
        "index",
        "starter",
        "retrieve",
        "rank",
        "sets",
        "intents",
        "linkage",
        "explain",
        "present",
        "pipeline",
        "draft_evidence",
        "same_document",
        "questions",
        "resolve",
        "own_entries",
        "advice",
        "review",
        "edits",
        "importing",
        "enrich",
        "opened",
        "following",
        "session",
        "evaluate",
        "cli",
        "__main__",
    ),
    (
        "formats",
        "library",
        "encode",
        "classify",
        "index",
        "retrieve",
        "rank",
        "sets",
        "intents",
        "linkage",
        "pipeline",
        "evaluate",
    ),
    ("evaluate", "train", "systems", "experiments", "cli"),
    (
        "formats",
        "library",
        "encode",
        "classify",
        "index",
        "retrieve",
        "rank",
        "sets",
        "intents",
        "linkage",
        "train",
        "systems",
        "experiments",
    ),
    ("formats", "library", "manuscript", "index", "pipeline", "evaluate", "systems"),
    ("formats", "library", "manuscript", "train", "systems"),
    ("pipeline", "resolve", "experiments"),
)
"""A folder imports the foundation, and what stands before it in a stream."""

LONGEST_FILE = 400

LARGEST_SHARE = 0.2
"""Of the lines of the package, in one of its folders."""

HEAVY = {"bibtexparser", "ir_measures", "lxml", "markdown_it", "numpy", "nupunkt", "orjson", "pylatexenc"}
HEAVY |= {"platformdirs", "rich", "rispy", "sqlite3", "Stemmer", "yaml", "zstandard"}

MODULES = {
    ".".join(["citewhy", *path.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def folder(module: str) -> str:
    """The first part below the package; empty for the package root."""
    return module.removeprefix("citewhy").removeprefix(".").split(".")[0]


def imported(module: str, nodes: Iterator[ast.AST] | None = None) -> set[str]:
    """Full names of what a module imports anywhere, also inside functions and for types only."""
    names: set[str] = set()
    for node in ast.walk(tree(module)) if nodes is None else nodes:
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}, line {node.lineno}: a relative import"
            name = node.module or ""
            names.update(
                f"{name}.{alias.name}" if f"{name}.{alias.name}" in MODULES else name for alias in node.names
            )
    return names


def own(names: set[str]) -> set[str]:
    return {name for name in names if name == "citewhy" or name.startswith("citewhy.")}


def may_import(part: str) -> set[str]:
    """Other folders and single modules that `part` may import."""
    if part in FOUNDATION:
        return set(FOUNDATION[: FOUNDATION.index(part)])
    return set(FOUNDATION) | {
        before for stream in STREAMS if part in stream for before in stream[: stream.index(part)]
    }


def test_imports_point_one_way() -> None:
    """A module imports its own folder, the foundation, and what stands before it in its stream."""
    wrong = {
        module: strangers
        for module in MODULES
        if module != "citewhy"
        and (strangers := {folder(name) for name in own(imported(module))} - may_import(folder(module)))
        - {folder(module)}
    }
    assert wrong == {}


def test_words_stand_on_nothing() -> None:
    """Records and errors import nothing of ours: everything else can import them."""
    records = {module for module in MODULES if folder(module) == "records"}
    assert {name for module in records for name in own(imported(module))} <= records
    assert own(imported("citewhy.base.errors")) == set()


def test_records_have_one_place() -> None:
    """Others import them from `citewhy.base.records`, wherever in it they stand."""
    inside = {module for module in MODULES if module.startswith("citewhy.base.records.")}
    assert [module for module in MODULES if folder(module) != "records" and imported(module) & inside] == []


def test_every_part_has_its_place() -> None:
    """The tables name every folder and single module of the package, and nothing else."""
    parts = {folder(module) for module in MODULES} - {""}
    assert {*FOUNDATION, *(part for stream in STREAMS for part in stream)} == parts


@pytest.mark.parametrize(
    ("part", "stranger"),
    [
        ("evaluate", "train"),
        ("train", "pipeline"),
        ("library", "present"),
        ("retrieve", "explain"),
        ("starter", "pipeline"),
        ("text", "library"),
    ],
)
def test_the_tables_say_what_they_should(part: str, stranger: str) -> None:
    """The two streams do not know each other, and presenting an answer needs no library."""
    assert stranger not in may_import(part)


def test_the_documents_name_every_part() -> None:
    """The table of docs/architecture.md and the tree of the README have each part once, and no other."""
    parts = {folder(module) for module in MODULES} - {""}
    table = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[^|]*`) \|", table, re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`([\w.]+?)(?:/|\.py)`", row)]
    assert sorted(named) == sorted(parts - {"__main__"})
    tree = re.findall(r"^  (\w+)(?:/|\.py) ", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(tree) == sorted(parts | {"__init__"})


def test_the_table_says_what_a_part_stands_on() -> None:
    """What stands in the last column of docs/architecture.md is imported there."""
    table = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[^|]*`) \|[^|]*\| ([^|]*) \|$", table, re.MULTILINE)
    assert len(rows) > 20
    for names, stands in rows:
        row = set(re.findall(r"`([\w.]+?)(?:/|\.py)`", names))
        used = {folder(name) for each in MODULES if folder(each) in row for name in own(imported(each))}
        if stands not in ("nothing", "everything", "all of these"):
            assert set(stands.split(", ")) <= used, names


def test_nobody_imports_the_root() -> None:
    """The front door is for others: inside, a name comes from where it lives."""
    assert [module for module in MODULES if "citewhy" in imported(module)] == []


def test_no_import_cycles() -> None:
    """Modules can be put in an order in which each imports only what stands before, lazy imports included."""
    graph = {module: own(imported(module)) - {module} for module in MODULES if module != "citewhy"}
    order = list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError with the cycle
    assert set(order) == set(graph)


def test_a_command_is_light_until_it_is_called() -> None:
    """Its file imports, of our own, settings, errors and what progress is; the rest waits for the call."""
    light = {"cli", "config", "errors", "progress"}
    for module in MODULES:
        if folder(module) == "cli":
            first = (node for node in tree(module).body if isinstance(node, ast.Import | ast.ImportFrom))
            assert {folder(name) for name in own(imported(module, first))} <= light, module


def test_the_command_line_loads_nothing_heavy() -> None:
    """All commands together load click, and no other dependency."""
    commands = [module for module in MODULES if folder(module) == "cli"]
    code = f"import {', '.join(commands)}, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not set(done.stdout.split()) & HEAVY


def test_torch_stays_in_training() -> None:
    """Whatever answers questions runs without it."""
    users = {
        folder(module) for module in MODULES if any(n.split(".")[0] == "torch" for n in imported(module))
    }
    assert users == {"train", "systems"}


def test_the_runtime_is_imported_in_one_way() -> None:
    """Where it has been told before not to record what it does."""
    users = {module for module in MODULES if any(n.split(".")[0] == "onnxruntime" for n in imported(module))}
    assert users == {"citewhy.models.networks", "citewhy_lab.train.systems.encoder.export"}


def calls(module: str) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree(module)) if isinstance(node, ast.Call))


def test_an_array_type_has_one_meaning() -> None:
    """Wherever the name of a type of arrays is defined, its numbers are of the same type."""
    types: dict[str, set[str]] = {}
    for module in MODULES:
        for node in tree(module).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("NDArray["):
                dtype = ast.unparse(node.value).replace("numpy.", "np.")
                types.setdefault(ast.unparse(node.targets[0]), set()).add(dtype)
    assert {name: found for name, found in types.items() if len(found) > 1} == {}


def test_no_pickle() -> None:
    """Nothing that can run code while it is read: no such module is imported, and numpy is not told to."""
    unsafe = {"cloudpickle", "dill", "joblib", "marshal", "pickle", "shelve"}
    for module in MODULES:
        assert not {name.split(".")[0] for name in imported(module)} & unsafe, module
        told = [
            keyword for call in calls(module) for keyword in call.keywords if keyword.arg == "allow_pickle"
        ]
        assert {ast.unparse(keyword.value) for keyword in told} <= {"False"}, module


def test_one_module_uses_the_network() -> None:
    """The client of `citewhy enrich`; and nothing but that command imports its part."""
    reach = {
        "aiohttp",
        "asyncio",
        "ftplib",
        "http",
        "httpx",
        "imaplib",
        "poplib",
        "requests",
        "smtplib",
        "socket",
    }
    reach |= {"socketserver", "ssl", "telnetlib", "urllib.request", "urllib3", "webbrowser", "xmlrpc"}
    users = {
        module
        for module in MODULES
        for name in imported(module)
        if name in reach or any(name.startswith(f"{each}.") for each in reach)
    }
    assert users == {"citewhy.session.enrich.client"}
    callers = {module for module in MODULES for name in own(imported(module)) if folder(name) == "enrich"}
    assert {module for module in callers if folder(module) != "enrich"} == {"citewhy.doors.cli.enrich"}


def test_only_the_command_line_prints() -> None:
    """A library returns and raises; it writes to no terminal, and asks nobody."""
    for module in MODULES:
        if folder(module) != "cli":
            called = {ast.unparse(call.func) for call in calls(module)}
            assert not {name for name in called if name in ("print", "input") or name.startswith("sys.std")}


def test_every_file_can_be_read_in_one_go() -> None:
    """A file that grows over the limit is two files."""
    sizes = {module: len(path.read_text(encoding="utf-8").splitlines()) for module, path in MODULES.items()}
    assert {module: size for module, size in sizes.items() if size > LONGEST_FILE} == {}


def test_no_part_is_most_of_it() -> None:
    """Nor does a folder grow over its share."""
    sizes: Counter[str] = Counter()
    for module, path in MODULES.items():
        sizes[folder(module)] += len(path.read_text(encoding="utf-8").splitlines())
    assert {part for part, size in sizes.items() if size > LARGEST_SHARE * sizes.total()} == set()


def test_tests_lie_as_the_modules_do() -> None:
    """Each folder of tests is called like the folder that it tests, and no two files share a name."""
    tests = ROOT / "tests"
    folders = {path.parent.relative_to(tests) for path in tests.rglob("test_*.py")}
    folders -= {Path("benchmarks"), Path("contracts"), Path("torture")}
    assert [str(each) for each in sorted(folders) if not (PACKAGE / each).is_dir()] == []
    names = [path.name for path in tests.rglob("*.py")]
    assert sorted(names) == sorted(set(names))
