"""What a reader may paste runs, and prints what the documents show (`docs/terminal.py` says how exactly)."""

from __future__ import annotations

import ast
import dataclasses
import re
import sys
import tomllib
from pathlib import Path

import click
import pytest
import yaml

import citewhy
from citewhy.answers import answer
from citewhy.answers.answer import Answer, DraftAnswer
from citewhy.base import records, reports
from citewhy.doors.cli import cli
from citewhy.doors.present import as_json
from citewhy_lab.cli.datasets import DATASETS
from citewhy_lab.train.recipe import RECIPES
from reference import calls, help_of, page
from terminal import command_line, commands, environment_of, make_desk, renewed, run, same

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
LOG = sorted((ROOT / "docs" / "log").glob("*.md"))
PAGES = [README, *sorted((ROOT / "docs").glob("*.md")), *LOG]
COMMANDS_PAGE = ROOT / "docs" / "commands.md"
DATA = ROOT / "docs" / "data.md"
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```\n(?:\n^```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#\s]+)\)")


def blocks(page: Path, language: str) -> list[tuple[str, str]]:
    """Code blocks of a language, each with the text block that follows it at once ("" where none does)."""
    found = _BLOCK.findall(page.read_text(encoding="utf-8"))
    return [(code, shown) for kind, code, shown in found if kind == language]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """That of a person who has added nothing yet."""
    return environment_of(tmp_path_factory.mktemp("user"))


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """The folder in which documents work."""
    return make_desk(tmp_path)


# Code and commands ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.name
)
def test_python(page: Path, desk: Path, environment: dict[str, str]) -> None:
    """Each Python block runs on its own, and prints what follows it."""
    for code, shown in blocks(page, "python"):
        printed = run([sys.executable, "-c", code], desk, environment)
        assert bool(shown) == bool(printed) or page.name == "evaluation.md"  # its own test compares
        assert not shown or same(shown, printed), printed


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page, "console")], ids=lambda page: page.name
)
def test_console(page: Path, desk: Path, environment: dict[str, str]) -> None:
    """The commands of a page run one after another in one folder, and print what is shown."""
    for block, _ in blocks(page, "console"):
        for command, shown in commands(block):
            printed = run(command_line(command), desk, environment)
            assert same(shown, printed), f"$ {command}\n{printed}"


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda path: path.name)
def test_examples(program: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    """Each example prints what its docstring shows."""
    text = ast.get_docstring(ast.parse(program.read_text(encoding="utf-8")), clean=False) or ""
    block = "\n".join(line[4:] for line in text.splitlines() if line.startswith("    "))
    ((command, shown),) = commands(block)
    assert command == f"python examples/{program.name}"
    printed = run([sys.executable, str(program)], tmp_path, environment)
    assert same(shown, printed), printed


def test_what_is_compared() -> None:
    """An elision matches anything in its place, and nothing else differs."""
    assert same("a\n…\nd\n", "a\nb\nc\nd\n")
    assert same("a\n…\n", "a\n")
    assert same("score 1.25, x…z\n", "score 7.50, xyz\n")
    assert same("a, 60% sure\n", "a, 57% sure\n")
    assert not same("a, 60% sure\n", "a, 48% sure\n")
    assert not same("a\nd\n", "a\nb\nd\n")
    assert not same("a…\n", "ba\n")
    assert not same("a\n", "a\nb\n")


def test_what_is_shown_is_made_again(desk: Path, environment: dict[str, str]) -> None:
    """What is no longer printed is replaced, up to the same place; what is still true stays."""
    old = "```console\n$ citewhy --version\nolder\n$ citewhy demo\n{first} open…\n…\n```\n"
    version = run(command_line("citewhy --version"), desk, environment)
    new = renewed(old.replace("{first}", "99"), desk, environment)
    assert new.startswith(f"```console\n$ citewhy --version\n{version}$ citewhy demo\n26 open citations; ")
    assert new.endswith("has\n…\n```\n")
    true = old.replace("{first}", "26").replace("older\n", version)
    assert renewed(true, desk, environment) == true


# What a maintained project says ---------------------------------------------------------------------------


def test_what_is_stable() -> None:
    """The list has every public name and every method of `Session`, and no other."""
    page = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")
    names, methods = page.split("**Methods of `Session`.**")
    assert re.findall(r"^\| `(\w+)` \|", names, re.MULTILINE) == list(citewhy.__all__)
    shown = re.findall(r"`(\w+)`", methods.split("**The command line.**")[0])
    assert shown == sorted(name for name in vars(citewhy.Session) if not name.startswith("_"))


@pytest.mark.parametrize("page", ["stability.md", "architecture.md"])
def test_entry_points(page: str) -> None:
    """The groups of entry points that the page lists are those that the source reads."""
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    groups = set(re.findall(r'^GROUP = "(citewhy\.\w+)"', source, re.MULTILINE))
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(citewhy\.\w+)` \|", text, re.MULTILINE)) == groups


def changelog() -> tuple[str, list[tuple[str, str]]]:
    """Returns the changelog, and its versions with their dates, newest first."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    return text, re.findall(r"^## (\d+\.\d+\.\d+), (\d{4}-\d\d-\d\d|not released yet)$", text, re.MULTILINE)


def test_changelog() -> None:
    """Versions come newest first, each with its date, and what changed in sections of known names. The first
    is the present one: without a date while it is developed, and in no other case."""
    text, heads = changelog()
    assert len(heads) == len(re.findall(r"^## ", text, re.MULTILINE))
    versions = [tuple(map(int, version.split("."))) for version, _ in heads]
    assert versions == sorted(versions, reverse=True)
    present, _, is_developed = citewhy.__version__.partition(".dev")
    assert [version for version, date in heads if date == "not released yet"] == [present] * bool(
        is_developed
    )
    assert heads[0][0] == present
    sections = set(re.findall(r"^### (.*)$", text, re.MULTILINE))
    assert sections <= {"Added", "Changed", "Deprecated", "Removed", "Fixed"}


def test_citation() -> None:
    """CITATION.cff has the fields that version 1.2.0 of the format requires, no others than it knows, and
    says of this project what pyproject.toml does. What is cited is the newest version that was released."""
    cited = yaml.load((ROOT / "CITATION.cff").read_text(encoding="utf-8"), yaml.BaseLoader)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {"cff-version", "message", "title", "authors"} <= set(cited)
    assert set(cited) <= {
        *("cff-version", "message", "title", "authors", "type", "abstract", "version", "date-released"),
        *("license", "keywords", "url", "repository-code", "doi", "identifiers", "preferred-citation"),
    }
    assert cited["cff-version"] == "1.2.0"
    assert cited["type"] == "software"
    released = [head for head in changelog()[1] if head[1] != "not released yet"]
    assert (cited["version"], cited["date-released"]) == released[0]
    assert cited["license"] == project["license"]
    assert cited["authors"] == project["authors"]
    assert cited["keywords"] == project["keywords"]


# Names that stand in the repository -----------------------------------------------------------------------

PLACES = (
    ROOT,
    ROOT / "src",
    ROOT / "src" / "citewhy",
    ROOT / "src" / "citewhy_lab",
    ROOT / "tests",
    ROOT / "docs",
)
"""Folders that paths in documents are relative to."""


@pytest.mark.parametrize("page", [page for page in PAGES if page not in LOG], ids=lambda page: page.name)
def test_paths_exist(page: Path) -> None:
    """A document names no folder or module that is not there. The log has names of its days."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    named = set(re.findall(r"`([\w.-]+/[\w./-]*|\w+\.py)`", text)) - NOT_HERE
    named = {name.removeprefix("lab.") for name in named}
    wrong = {name for name in named if not any((place / name).exists() for place in PLACES)}
    assert wrong - {f"{name}.py" for name in MODULES_OF_PAGES} == set()


def test_paths_in_the_source_exist() -> None:
    """A docstring or comment names no module, and a README of a system no file, that is not there."""
    files = [
        path
        for folder in ("src", "tests", "benchmarks", "examples")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".py", ".md")
    ]
    wrong = [
        f"{file.relative_to(ROOT)}: {name}"
        for file in files
        for name in re.findall(r"`((?:[\w-]+/)+\w+\.py)`", file.read_text(encoding="utf-8"))
        if not any((place / name).exists() for place in (*PLACES, file.parent))
    ]
    assert wrong == []


NOT_HERE = {
    "kind/reader",
    "citewhy/library",
    "vectors/cache.sqlite",
    *(".citewhy/", "BOOK/index/", "CITEWHY_CACHE/drafts"),
    "NAME/result.json",
    "build/docs/commands.md",
    "10.2307/1941450",
    *("mag/", "mesh/", "cite/", "cocite/", "coread/", "coview/", "recomm/"),
    *("meta/CONFIG.jsonl", "test/CONFIG/"),
}
"""What looks like a path of the repository, and is a name in a registry, a DOI, a user's data, a built page,
or a part of a public benchmark."""

MODULES_OF_PAGES = re.findall(
    r"^`(\w+)\.py`:", (ROOT / "docs" / "extending.md").read_text(encoding="utf-8"), re.MULTILINE
)
"""Modules whose code stands in docs/extending.md."""


@pytest.mark.parametrize("page", ["architecture.md", "contributing.md"])
def test_names_exist(page: str) -> None:
    """The classes, constants and methods that are named are defined somewhere in the source or the tests."""
    text = re.sub(
        r"^```.*?^```", "", (ROOT / "docs" / page).read_text("utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    code = "\n".join(
        file.read_text(encoding="utf-8")
        for folder in ("src", "tests")
        for file in sorted((ROOT / folder).rglob("*.py"))
    )
    for name in set(re.findall(r"`(?:\w+\.)?([A-Z]\w+|[a-z]\w+(?=\())(?:\([^`]*)?`", text)):
        defined = rf"^\s*(?:class |def )?{name}\b\s*[(:=]|[\"']{name}[\"']"
        assert re.search(defined, code, re.MULTILINE), name


# Facts that stand in the code too -------------------------------------------------------------------------


def test_commands() -> None:
    """The page lists every command, in the order in which the help does, and what the help says of each."""
    shown = re.findall(r"^    citewhy (\w+) ", COMMANDS_PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert shown == cli.list_commands(click.Context(cli))


@pytest.mark.parametrize("call", list(calls()), ids=lambda call: " ".join(call) or "citewhy")
def test_helps(call: tuple[str, ...]) -> None:
    """Each help names its command and `--help`, and fits a terminal of 80 columns."""
    text = help_of(call)
    assert text.startswith(f"Usage: {' '.join(('citewhy', *call))} [OPTIONS]")
    assert "--help" in text
    assert [line for line in text.splitlines() if len(line) > 80] == []


def test_the_page_of_all_commands() -> None:
    """It has every command, recipe and data set, and the help of each as it is printed."""
    written = page()
    recipes = {("train", recipe) for recipe in RECIPES}
    datasets = {("datasets", "build", name) for name in DATASETS}
    assert {("suggest",), *recipes, *datasets} <= set(calls())
    assert all(help_of(call) in written for call in calls())


def test_records() -> None:
    """The table of records has every record with every field, in order, with its type."""
    shown: dict[str, dict[str, str]] = {}
    record = ""
    for line in DATA.read_text(encoding="utf-8").splitlines():
        row = re.fullmatch(r"\| (?:`(\w+)`)? ?\| `(\w+)` \| `(.+?)` \| .*\|", line)
        if row:
            record = row[1] or record
            shown.setdefault(record, {})[row[2]] = row[3].replace("\\|", "|")
    written = {
        name: {
            field.name: str(field.type)
            for field in dataclasses.fields(getattr(module, name))
            if not field.name.startswith("_")
        }
        for module in (records, reports, answer)
        for name, value in vars(module).items()
        if dataclasses.is_dataclass(value) and not name.startswith("_")
        if module is records or value.__module__ == module.__name__
    }
    assert {name: list(fields.items()) for name, fields in shown.items()} == {
        name: list(fields.items()) for name, fields in written.items()
    }


def test_json_fields() -> None:
    """The description of the documents names every field of every one, and their parts'."""
    place = records.Place("draft.tex", 0, 1, 1)
    marker = records.Marker(place, (), open=True, offset=0, slot=place)
    paper = records.Paper("a", "T")
    passage = records.Passage("a", "T", 1.0)
    found = records.Suggestion(paper, 1.0, (records.Reason("words", "m"),), (passage,))
    sentence = records.DraftSentence("", place, (marker,))
    counts = {"papers": 1}
    added = reports.AddReport(
        *("", 1, True, (), (), (), (), counts, counts, counts, counts, counts, 0, 0, 0, counts, (), ()),
        *({"papers": counts}, 0, (), 0, ()),
    )
    info = reports.LibraryInfo("", False, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, None, None, "current", 0)
    documents = [
        as_json.draft_document(
            DraftAnswer(
                records.Manuscript("draft.tex", "latex"),
                [unit := records.Unit("place", place, marker, sentence)],
                iter([records.UnitAnswer(unit, (found,))]),
            )
        ),
        as_json.text_document(Answer("", (found,))),
        as_json.review_document(
            records.Manuscript("draft.tex", "latex"),
            [records.Advice(sentence, records.Paragraph((sentence,)), 0.5, found.reasons, (found,))],
            "",
            "",
        ),
        as_json.passages_document(reports.PaperPassages(paper, "", "abstract", (passage,)), ""),
        as_json.info_document(info),
        as_json.classified_document([reports.Classified("", "a", {}, place)], "", ["a"], None),
        as_json.add_document(added),
        as_json.find_document(reports.Finding("", records.Resolution(""), (paper,)), ""),
    ]
    named = set(re.findall(r"`(\w+)`", DATA.read_text(encoding="utf-8").split("## JSON documents")[1]))
    assert set().union(*map(fields_of, documents)) - {"papers"} <= named


def fields_of(document: object) -> set[str]:
    """Names of a document's fields, those of its parts included."""
    if isinstance(document, list):
        return set().union(*map(fields_of, document))
    if not isinstance(document, dict):
        return set()
    return {*document, *fields_of(list(document.values()))}


def test_figures_of_the_readme() -> None:
    """They are those of docs/results.md, in whole percents: R@10 of BM25, hybrid and default, side by side in
    one row."""

    def rows(page: Path, number: str) -> list[tuple[float, ...]]:
        lines = page.read_text(encoding="utf-8").splitlines()
        cells = [line.replace("*", "").split("|")[1:-1] for line in lines if line.startswith("|")]
        found = [[re.match(number, cell) for cell in each] for each in cells]
        return [tuple(float(match[1]) for match in each if match) for each in found]

    measured = rows(ROOT / "docs" / "results.md", r" (\d\.\d{3}) / \d\.\d{3} $")
    shown = [each for each in rows(README, r" (\d+) % $") if each]
    assert len(shown) >= 5
    for each in shown:
        assert any(
            len(row) == len(each)
            and all(abs(100 * value - said) <= 0.501 for value, said in zip(row, each, strict=True))
            for row in measured
        )


def test_rooms() -> None:
    """The README says in a line what each room of the product is for, in the order of the layers, and what
    the laboratory is for."""
    rows = re.findall(r"^\| `([\w/]+)/` \| .+ \|$", README.read_text(encoding="utf-8"), re.MULTILINE)
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = re.findall(r"^\| `([a-z]+)/` \|", page, re.MULTILINE)
    assert rows == [*(f"citewhy/{room}" for room in rooms), "citewhy/assets", "citewhy_lab"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links(page: Path) -> None:
    """Each link between documents leads to a file."""
    links = [link for link in _LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_page_is_reached() -> None:
    """Each document is linked from the README, or from the first page of its folder."""
    assert "](docs/README.md)" in README.read_text(encoding="utf-8")
    for folder in (ROOT / "docs", ROOT / "docs" / "log"):
        links = _LINK.findall((folder / "README.md").read_text(encoding="utf-8"))
        linked = {link for link in links if (folder / link).parent == folder}
        assert {page.name for page in PAGES if page.parent == folder} - {"README.md"} == linked
    assert "log/README.md" in _LINK.findall((ROOT / "docs" / "README.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "page", [page for page in LOG if page.name != "README.md"], ids=lambda page: page.name
)
def test_an_entry_of_the_log_begins_with_what_it_says(page: Path) -> None:
    """Each has its date, and then question, result and decision; the index names it."""
    entries = re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    index = (page.parent / "README.md").read_text(encoding="utf-8")
    form = (r"\d{4}-\d\d-\d\d: (.+?)\n\n", r"- \*\*Question\.\*\* .+?\?\n", r"- \*\*Result\.\*\* .+?\.\n")
    for entry in entries:
        found = re.match("".join(form) + r"- \*\*Decision\.\*\* .+?\.\n\n", entry, re.DOTALL)
        assert found is not None, entry.splitlines()[0]
        assert found[1] in index
