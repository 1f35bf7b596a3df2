"""Fixtures for all tests."""

from __future__ import annotations

import os
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from entry_points import install
from hypothesis import HealthCheck, settings

pytest_plugins = ["web_fixtures"]

REPOSITORY = Path(__file__).parents[1]

# What follows is set before any library reads it, and child processes inherit it.

# One thread per process, unless set otherwise: the computations are small, and threads that wait for each
# other on busy cores take many times as long.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

# The client of Milvus tells of forks on the standard error output of child processes that other tests start.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

# Nothing of the user's is read or written: caches, configuration and the default library are in this folder.
_HOME = tempfile.TemporaryDirectory(prefix="citewhy-tests-")
for variable in ("CITEWHY_CACHE", "CITEWHY_LIBRARY"):
    os.environ.pop(variable, None)
for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
    os.environ[variable] = str(Path(_HOME.name, variable))

# The entry points are those of this checkout, even if it has been installed before they were written.
_PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
install(Path(_HOME.name), "citewhy", _PROJECT["entry-points"])
sys.path.insert(0, _HOME.name)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [_HOME.name, os.environ.get("PYTHONPATH")]))

from citewhy.base.errors import UnforeseenError  # noqa: E402
from citewhy.base.import_report import ImportReport  # noqa: E402
from citewhy.doors.cli import main  # noqa: E402
from citewhy.papers.formats import Record, read  # noqa: E402

# The same examples each time, so that tests are reproducible; `HYPOTHESIS_SEARCH=1` searches for new ones.
# Without a deadline, no test fails because the machine is busy.
settings.register_profile(
    "steady",
    derandomize=not os.environ.get("HYPOTHESIS_SEARCH"),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")


@pytest.fixture(autouse=True)
def nothing_unforeseen(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `unforeseen.reading` makes a sentence of is a failure of the test, unless it has the fixture
    `unforeseen`."""
    if "unforeseen" in request.fixturenames:
        return

    def fails(*said: object, **_: object) -> None:
        raise AssertionError(*said)

    monkeypatch.setattr(UnforeseenError, "__init__", fails)


@pytest.fixture
def unforeseen() -> None:
    """Readers may fail in ways that nobody foresaw."""


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs `citewhy` with arguments: exit code, standard output, standard error."""

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["citewhy", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        return int(left.value.code or 0), printed.out, printed.err

    return call


@pytest.fixture(scope="session")
def toy() -> Path:
    """The toy corpus: a folder with the same few papers in every format."""
    return REPOSITORY / "tests" / "toy"


def _shared(variable: str, name: str) -> Path:
    folder = Path(os.environ.get(variable) or REPOSITORY.parent / "shared" / name)
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}: set {variable} to the shared {name} to run this test")
    return folder


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the collections that benchmarks use; skips the test if it is missing."""
    return _shared("CITEWHY_DATA", "data")


@pytest.fixture(scope="session")
def shared_drafts() -> Path:
    """The folder of real drafts; skips the test if it is missing."""
    return _shared("CITEWHY_DRAFTS", "drafts")


@pytest.fixture
def take(tmp_path: Path) -> Callable[..., tuple[list[Record], ImportReport]]:
    """A function that writes text or bytes to a file and reads it with the detected reader: records and
    report."""

    def taken(
        content: str | bytes, *, name: str = "file", strict: bool = False
    ) -> tuple[list[Record], ImportReport]:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        report = ImportReport(strict=strict)
        return list(read(path, report)), report

    return taken


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints how many cases `tests/torture` tried."""
    harness = sys.modules.get("harness")
    tried = sorted(harness.TRIED.items()) if harness else []
    if tried:
        terminalreporter.section("torture: cases tried")
    for what, count in tried:
        terminalreporter.write_line(f"{count:8,} {what}")
