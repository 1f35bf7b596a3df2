"""The names that `citewhy` itself offers, and what importing it costs."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import citewhy
from citewhy.base.config import VERSION

ROOT = Path(__file__).parents[1]

HEAVY = {
    "bibtexparser",
    "click",
    "ir_measures",
    "lxml",
    "markdown_it",
    "numpy",
    "nupunkt",
    "orjson",
    "pylatexenc",
    "rich",
    "rispy",
    "sqlite3",
    "Stemmer",
    "zstandard",
}
"""Every dependency but the small one that finds the user's folders, and the database."""


def loaded_after(*statements: str) -> set[str]:
    """Names of all modules that a fresh interpreter has loaded after the statements."""
    code = "; ".join([*statements, "import sys; print(*sys.modules)"])
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


def test_importing_it_loads_nothing_heavy() -> None:
    """`import citewhy` imports no dependency, and of the package only what holds the version."""
    loaded = loaded_after("import citewhy")
    assert not loaded & HEAVY
    assert {name for name in loaded if name.startswith("citewhy")} == {
        "citewhy",
        "citewhy.base",
        "citewhy.base.config",
    }


def test_the_records_come_alone() -> None:
    """A name brings the module that it lives in, not the whole package."""
    loaded = loaded_after("from citewhy import Paper, Query, CiteWhyError")
    assert not loaded & HEAVY


def test_every_name_leads_somewhere() -> None:
    """Each name of `__all__` is the thing itself, and nothing else is offered."""
    homes = {name: getattr(citewhy, name) for name in citewhy.__all__}
    assert {name: getattr(thing, "__module__", None) for name, thing in homes.items()} == {
        "Advice": "citewhy.base.records.queries",
        "Answer": "citewhy.answers.answer",
        "DraftAnswer": "citewhy.answers.answer",
        "DraftSession": "citewhy.session.draft_session",
        "Unit": "citewhy.base.records.queries",
        "UnitAnswer": "citewhy.base.records.queries",
        "CiteWhyError": "citewhy.base.errors",
        "Library": "citewhy.papers.library.store",
        "Manuscript": "citewhy.base.records.drafts",
        "Paper": "citewhy.base.records.papers",
        "Passage": "citewhy.base.records.queries",
        "Query": "citewhy.base.records.queries",
        "Reason": "citewhy.base.records.queries",
        "Session": "citewhy.session.session",
        "Suggestion": "citewhy.base.records.queries",
        "__version__": None,
    }
    assert dir(citewhy) == sorted(citewhy.__all__)


def test_no_module_hides_a_name() -> None:
    """No submodule is called like a name: importing it would put the module in the name's place."""
    modules = {module.name for module in pkgutil.iter_modules(citewhy.__path__)}
    assert {"answers", "base", "session"} <= modules
    assert not modules & set(citewhy.__all__)


def test_an_unknown_name() -> None:
    """A misspelt name is an AttributeError that says so, as for any module."""
    with pytest.raises(AttributeError, match="module 'citewhy' has no attribute 'Libary'"):
        getattr(citewhy, "Libary")  # noqa: B009 (a type checker would refuse the plain form)


def test_the_version_stands_in_one_place() -> None:
    """The package, the command line and the build take it from the same constant."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert citewhy.__version__ == VERSION
    assert "version" in project["project"]["dynamic"]
    path = ROOT / project["tool"]["hatch"]["version"]["path"]
    assert f'VERSION = "{VERSION}"' in path.read_text(encoding="utf-8")
