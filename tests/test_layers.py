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

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"

ROOMS = {
    "base": (),
    "text": ("base",),
    "models": ("base",),
    "papers": ("base", "text"),
    "writers": ("base", "text"),
    "drafts": ("base", "text", "papers", "writers"),
    "search": ("base", "text", "models", "papers"),
    "ranking": ("base", "text", "models", "papers", "search"),
    "answers": ("base", "text", "papers", "drafts", "search", "ranking"),
    "session": ("base", "text", "models", "papers", "drafts", "search", "ranking", "answers"),
    "doors": ("base", "text", "papers", "writers", "drafts", "answers", "session"),
    "lab.evaluate": (
        *("base", "text", "models", "papers", "drafts", "search", "ranking", "answers", "session"),
    ),
    "lab.train": (
        *("base", "text", "models", "papers", "drafts", "search", "ranking"),
        "lab.evaluate",
    ),
    "lab.experiments": (
        *("base", "text", "models", "papers", "search", "ranking", "answers"),
        *("lab.evaluate", "lab.train"),
    ),
    "lab.cli": (
        *("base", "text", "ranking", "session", "doors"),
        *("lab.evaluate", "lab.train", "lab.experiments"),
    ),
}
"""Room → the rooms that its modules import, each of which stands above in this table. A room is a folder of
`citewhy`, or, with the prefix ``lab.``, of `citewhy_lab`."""

MOST_ROOMS, MOST_FLOORS, MOST_ARROWS = 16, 11, 75

MOST_LINES = 12_000
"""Of a room of `citewhy`."""

LONGEST_FUNCTION, LONGEST_CLASS = 72, 350
"""Lines, with the docstring."""

HEAVY = {"bibtexparser", "ir_measures", "lxml", "markdown_it", "numpy", "nupunkt", "orjson", "pylatexenc"}
HEAVY |= {"fastapi", "pydantic", "starlette", "uvicorn"}
HEAVY |= {"platformdirs", "rich", "rispy", "sqlite3", "Stemmer", "yaml", "zstandard"}

MODULES = {
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path
    for package in ("citewhy", "citewhy_lab")
    for path in sorted((SOURCE / package).rglob("*.py"))
}


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def room(module: str) -> str:
    """The room of a module; empty for those at the root of a package, which are doors to it."""
    package, _, rest = module.partition(".")
    name = rest.partition(".")[0]
    if not (SOURCE / package / name).is_dir():
        return ""
    return f"lab.{name}" if name and package == "citewhy_lab" else name


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
    return {name for name in names if name.split(".")[0] in ("citewhy", "citewhy_lab")}


@cache
def arrows() -> frozenset[tuple[str, str]]:
    """The pairs of rooms of which the first imports the second."""
    pairs = {(room(module), room(name)) for module in MODULES for name in own(imported(module))}
    return frozenset((one, other) for one, other in pairs if one and other and one != other)


def test_imports_point_one_way() -> None:
    """A room imports what its row says, all of it and nothing else, and every row names rooms above it."""
    order = list(ROOMS)
    for number, (name, below) in enumerate(ROOMS.items()):
        assert {other for one, other in arrows() if one == name} == set(below), name
        assert set(below) <= set(order[:number]), name


def test_every_room_has_its_row() -> None:
    """The table names every folder of both packages, and nothing else."""
    assert {room(module) for module in MODULES} - {""} == set(ROOMS)


def test_the_house_is_small() -> None:
    """Few rooms, few floors, few arrows: it can be kept in mind."""
    floors: dict[str, int] = {}
    for name, below in ROOMS.items():
        floors[name] = 1 + max((floors[each] for each in below), default=0)
    assert len(ROOMS) <= MOST_ROOMS
    assert max(floors.values()) <= MOST_FLOORS
    assert len(arrows()) <= MOST_ARROWS


def test_the_product_does_not_know_the_laboratory() -> None:
    """Not even by name: its commands and models come by entry points."""
    for module, path in MODULES.items():
        if module.startswith("citewhy.") or module == "citewhy":
            assert "citewhy_lab" not in path.read_text(encoding="utf-8"), module


def test_words_stand_on_nothing() -> None:
    """Records and errors import nothing of ours: everything else can import them."""
    records = {module for module in MODULES if module.startswith("citewhy.base.records")}
    assert {name for module in records for name in own(imported(module))} <= records
    assert own(imported("citewhy.base.errors")) == set()


def test_records_have_one_place() -> None:
    """Others import them from `citewhy.base.records`, wherever in it they stand."""
    inside = {module for module in MODULES if module.startswith("citewhy.base.records.")}
    others = [module for module in MODULES if not module.startswith("citewhy.base.records")]
    assert [module for module in others if imported(module) & inside] == []


def test_the_documents_name_every_room() -> None:
    """The table of docs/architecture.md has each room once, in this order, with the rooms that it imports."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w.]+)/` \|[^|]*\| ([^|]*) \|$", page, re.MULTILINE)
    assert [(name, tuple(re.findall(r"[\w.]+", below))) for name, below in rows] == list(ROOMS.items())


def test_nobody_imports_the_root() -> None:
    """The front door is for others: inside, a name comes from where it lives."""
    assert [module for module in MODULES if "citewhy" in imported(module)] == []


def test_no_import_cycles() -> None:
    """Modules can be put in an order in which each imports only what stands before, lazy imports included."""
    graph = {module: own(imported(module)) - {module} for module in MODULES if module != "citewhy"}
    order = list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError with the cycle
    assert set(order) == set(graph)


def test_the_help_loads_nothing_heavy() -> None:
    """The list of all commands loads click, and no other dependency."""
    code = "import sys; from citewhy.doors.cli import cli; cli(['--help'], standalone_mode=False); "
    done = subprocess.run(
        [sys.executable, "-c", f"{code}print('loaded', *sys.modules)"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert not set(done.stdout.partition("loaded ")[2].split()) & HEAVY


def test_torch_stays_in_training() -> None:
    """Whatever answers questions runs without it."""
    users = {room(module) for module in MODULES if any(n.split(".")[0] == "torch" for n in imported(module))}
    assert users == {"lab.train"}


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
    """The client of `citewhy enrich`, and nothing but that command imports its part; what speaks to the
    Milvus server that somebody names; what reads from the object storage and works on the cluster that
    `citewhy add` was told. The page's server answers on the loopback address, and asks nobody; the other two
    servers wait for their standard input."""
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
    reach |= {
        "fsspec",
        "grpc",
        "pymilvus",
        "ray",
        "socketserver",
        "ssl",
        "telnetlib",
        "urllib.request",
        "urllib3",
        "webbrowser",
        "xmlrpc",
    }
    users = {
        module
        for module in MODULES
        for name in imported(module)
        if name in reach or any(name.startswith(f"{each}.") for each in reach)
    }
    serving = {module for module in users if module.startswith("citewhy.doors.web.")}
    waiting = {module for module in users if module.startswith(("citewhy.doors.lsp.", "citewhy.doors.mcp."))}
    assert {name for module in waiting for name in imported(module) & reach} == {"asyncio"}
    named = {"citewhy.search.index.milvus.server", "citewhy.session.on_ray", "citewhy.session.remote"}
    assert users - serving - waiting - named == {"citewhy.session.enrich.client", "citewhy.doors.cli.serve"}
    assert named < users
    servers = {
        module for module in MODULES for name in imported(module) if name.startswith("citewhy.doors.web")
    }
    assert {module for module in servers if not module.startswith("citewhy.doors.web")} == {
        "citewhy.doors.cli.serve"
    }
    part = "citewhy.session.enrich"
    callers = {module for module in MODULES for name in own(imported(module)) if name.startswith(part)}
    assert {module for module in callers if not module.startswith(part)} == {"citewhy.doors.cli.enrich"}


def test_only_the_command_line_prints() -> None:
    """A library returns and raises; it writes to no terminal, and asks nobody."""
    for module in MODULES:
        if not module.startswith(("citewhy.doors.cli", "citewhy_lab.cli")):
            called = {ast.unparse(call.func) for call in calls(module)}
            assert not {name for name in called if name in ("print", "input") or name.startswith("sys.std")}


def test_functions_and_classes_can_be_read_in_one_go() -> None:
    """What grows over the limit is two things."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    long = {
        f"{module}.{node.name}": size
        for module in MODULES
        for node in ast.walk(tree(module))
        if isinstance(node, (*functions, ast.ClassDef))
        and (size := (node.end_lineno or node.lineno) - node.lineno + 1)
        > (LONGEST_FUNCTION if isinstance(node, functions) else LONGEST_CLASS)
    }
    assert long == {}


def test_no_room_is_most_of_it() -> None:
    """Nor does a room of the product grow over its share."""
    sizes: Counter[str] = Counter()
    for module, path in MODULES.items():
        sizes[room(module)] += len(path.read_text(encoding="utf-8").splitlines())
    assert {
        name: size for name, size in sizes.items() if size > MOST_LINES and not name.startswith("lab")
    } == {}


def test_tests_lie_as_the_modules_do() -> None:
    """Each folder of tests is called like the folder that it tests, and no two files share a name."""
    tests = ROOT / "tests"
    folders = {path.parent.relative_to(tests) for path in tests.rglob("test_*.py")}
    folders -= {Path(), Path("benchmarks"), Path("contracts"), Path("torture")}
    homes = {
        each: SOURCE / "citewhy_lab" / Path(*each.parts[1:])
        if each.parts[0] == "lab"
        else SOURCE / "citewhy" / each
        for each in folders
    }
    assert [str(each) for each, home in homes.items() if not home.is_dir()] == []
    names = [path.name for path in tests.rglob("*.py")]
    assert sorted(names) == sorted(set(names))
