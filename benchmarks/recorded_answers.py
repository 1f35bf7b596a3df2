"""Records answers to thousands of questions and to dozens of drafts, and compares two such recordings: what a
change to the code must leave as it is, byte for byte.

    python benchmarks/recorded_answers.py record --data DIR --external DIR --drafts DIR --work DIR
        OUT.jsonl.gz [--only questions|drafts|rest] [--every N]
    python benchmarks/recorded_answers.py compare BEFORE.jsonl.gz AFTER.jsonl.gz [--renamed old=new …]

`--data` is the folder of the shared data with its `external` folder, `--external` that of the unpacked
documents, `--drafts` that of the shared drafts. Libraries and copies of drafts are made in `--work`, and used
again if they are there. Every record has a name, so that a part of a recording (`--only`, `--every`) can be
compared with all of one. Names take the place of the machine's paths, and timings are left out.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import gzip
import io
import json
import os
import random
import re
import shutil
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from citewhy.base.assets import intent_folder
from citewhy.doors.cli import main
from citewhy.doors.present.as_json import dumps, text_document
from citewhy.session.session import Session

if TYPE_CHECKING:
    from citewhy.ranking.rank.ranker import Pipeline

MODELS = intent_folder().parent
"""The folder of the models that ship."""

SEED = 7
QUESTIONS = 2000
SMALL = "A-Kaizeler-A+PhDThesis"
"""The document whose bibliography is the small library; nearly half of its papers have no abstract."""

LARGE_FILES = (
    "paper_aliases.tsv.gz",
    "contexts.train.jsonl.gz",
    "citations.tsv.gz",
    "fulltext.jsonl.gz",
)
"""Of the large library, beside its papers."""

UNTIL, ONE_LATER_IN = 2012, 20
"""The large library has the papers until a year, and some later ones: to encode all would take an hour."""

REASONS = tuple(f"external/reasons-{field}.contexts.jsonl.gz" for field in ("IR", "Robotics", "Graphics"))
EXTERNAL_DRAFTS = 37
FEW_PLACES, MOST_PLACES = 110, 185
"""With more citations, a document is not asked to complete them all, or is left out."""

MEASURED_DRAFTS = 4
"""Drafts that are measured with `backtest`, which answers all of their citations, some of them twice."""

MOST_VECTORS = 1400
"""Documents whose bibliography takes longer to encode are left out, too (`_vectors`)."""

Row = dict[str, Any]


# The code under test --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a library, and how it is asked."""

    library: str
    text: str
    kind: str = "local"
    k: int = 5
    pipeline: str = "full"
    threshold: float | None = None
    year: int | None = None
    intent: str | None = None
    members: tuple[str, ...] = ()
    title: str = ""
    abstract: str = ""


def answer_text(session: Session, question: Question) -> bytes:
    """Asks a question, and returns the JSON document that ``citewhy suggest --text … --json`` prints."""
    about: dict[str, Any] = {"kind": question.kind, "year": question.year, "intent": question.intent}
    if question.members:
        about["member_ids"] = question.members
    if question.kind == "global":
        about |= {"title": question.title, "abstract": question.abstract}
    pipeline = cast("Pipeline", question.pipeline)
    answer = session.suggest(
        question.text, question.k, threshold=question.threshold, pipeline=pipeline, **about
    )
    return dumps(text_document(answer)).encode()


def run(arguments: Sequence[str]) -> tuple[int, bytes, bytes]:
    """Runs ``citewhy ARGUMENTS`` in this process. Returns the exit code, the standard output and the standard
    error."""
    out, err = io.BytesIO(), io.BytesIO()
    before, sys.argv = sys.argv, ["citewhy", *arguments]
    code: object = 0
    try:
        with (
            contextlib.redirect_stdout(io.TextIOWrapper(out, "utf-8", write_through=True)) as printed,
            contextlib.redirect_stderr(io.TextIOWrapper(err, "utf-8", write_through=True)) as problems,
        ):
            try:
                main()
            except SystemExit as end:
                code = end.code
            printed.flush()
            problems.flush()
            streams = out.getvalue(), err.getvalue()
    finally:
        sys.argv = before
    return (code if isinstance(code, int) else int(code is not None)), *streams


# Where everything is --------------------------------------------------------------------------------------


class Folders:
    """The folders of a recording. Everything is done from within `work`, with paths relative to it, so that
    lines break where they do elsewhere."""

    def __init__(self, data: Path, external: Path, drafts: Path, work: Path) -> None:
        self.data, self.external, self.drafts = data.resolve(), external.resolve(), drafts.resolve()
        self.work = work.resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        os.chdir(self.work)
        named = {"CITEWHY_CACHE": "cache", "CITEWHY_LIBRARY": "none"}
        os.environ.update({key: str(self.work / value) for key, value in named.items()})
        os.environ.update(COLUMNS="80", NO_COLOR="1")
        for variable in ("LINES", "FORCE_COLOR"):
            os.environ.pop(variable, None)
        self._names = {
            str(MODELS.parent): "$CODE",
            str(self.external): "$EXTERNAL",
            str(self.drafts): "$DRAFTS",
            str(self.data): "$DATA",
            str(self.work): "$WORK",
        }

    def named(self, printed: bytes) -> str:
        """Returns what was printed, with names for the paths of this machine, and without timings."""
        text = printed.decode("utf-8", "backslashreplace")
        for path, name in self._names.items():
            text = text.replace(path, name)
        text = re.sub(r"\$WORK/cache/starter[^\s\"/]*", "$STARTER", text)
        return _COMMIT.sub(r"\1null", _TIMING.sub(r"\1null", text))

    def library(self, name: str) -> list[str]:
        """Makes the options that name a library."""
        return [] if name == "starter" else ["--library", name]


_TIMING = re.compile(
    r'("(?:[a-z_]*seconds[a-z_0-9]*|milliseconds[a-z_0-9]*|ms[a-z_0-9]*|bytes)": )'
    r"(?:-?[0-9][0-9.e+-]*|\{[^{}]*\}|\[[^\][]*\])"
)
"""Timings in JSON documents, and the size of a library on disk, which depends on what was asked before."""


_COMMIT = re.compile(r'("commit": )"[^"]*"')
"""The commit of the code, in what a measurement says of how it was made."""


def rows_of(path: Path) -> list[Row]:
    """Reads the objects of a file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open() as file:
        return [json.loads(line) for line in file]


def chance(*name: object) -> random.Random:
    """Makes a random generator for something with a name."""
    return random.Random("/".join(map(str, (SEED, *name))))


# Libraries ------------------------------------------------------------------------------------------------


def make_library(folders: Folders, name: str, files: Iterable[Path]) -> None:
    """Adds files to a new library, unless it was made before. What `add` said is kept beside it."""
    report = Path(f"{name}.add.json")
    if report.exists():
        return
    shutil.rmtree(name, ignore_errors=True)
    report.parent.mkdir(parents=True, exist_ok=True)
    code, out, err = run(["add", *map(str, files), "--library", name, "--json"])
    document = {"exit": code, "out": folders.named(out), "err": folders.named(err)}
    report.write_text(json.dumps(document), encoding="utf-8")
    print(f"made the library {name}, exit code {code}", file=sys.stderr, flush=True)


def make_libraries(folders: Folders) -> None:
    """Returns the large library, the small one, and one for each draft."""
    make_library(folders, "large", [some_papers(folders), *(folders.data / each for each in LARGE_FILES)])
    chosen = {row["name"]: row for row in manifest(folders)}
    make_library(folders, "small", bibliographies(folders, chosen[SMALL]))
    make_library(folders, "own/shared", sorted((folders.drafts / "bib").glob("*.bib")))
    for row in external_drafts(folders):
        make_library(folders, f"own/{row['name']}", bibliographies(folders, row))


def some_papers(folders: Folders) -> Path:
    """Returns a file with the papers of the large library."""
    file = Path("papers.jsonl")
    if not file.exists():
        rows = rows_of(folders.data / "papers.jsonl.gz")
        later = {row["id"] for row in [row for row in rows if row["year"] > UNTIL][::ONE_LATER_IN]}
        kept = (row for row in rows if row["year"] <= UNTIL or row["id"] in later)
        file.write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")
    return file


def manifest(folders: Folders) -> list[Row]:
    """Reads the list of the external documents."""
    return rows_of(folders.data / "external" / "documents.manifest.jsonl")


def bibliographies(folders: Folders, row: Row) -> list[Path]:
    """Lists the files of a document's bibliography."""
    return [folders.external / row["name"] / each for each in row["bibs"]]


def external_drafts(folders: Folders) -> list[Row]:
    """Returns the documents with the smallest libraries, those in Markdown and Sweave first."""
    rows = [row for row in manifest(folders) if _vectors(row) <= MOST_VECTORS]
    few = [row for row in rows if row.get("places", MOST_PLACES) < MOST_PLACES]
    few.sort(key=lambda row: (row["root"].endswith(".tex"), _vectors(row), row["name"]))
    return few[:EXTERNAL_DRAFTS]


def _vectors(row: Row) -> int:
    """Estimates how many texts of a document's bibliography are encoded: titles and parts of abstracts."""
    return int(row.get("entries", MOST_VECTORS) + 3 * row.get("entries_with_abstract", MOST_VECTORS))


# Questions ------------------------------------------------------------------------------------------------

Source = Callable[[random.Random], Question]


class Sources:
    """Where questions come from. Each method makes one question with a random generator of its own."""

    def __init__(self, folders: Folders) -> None:
        data = folders.data
        every = [row for row in rows_of(data / "papers.jsonl.gz") if row["authors"] and row["title"]]
        self.papers = [row for row in every if row["year"] <= UNTIL + 1]  # those of the last are not there
        self.by_id = {row["id"]: row for row in self.papers}
        self.contexts = rows_of(data / "contexts.val.jsonl.gz") + rows_of(data / "contexts.train.jsonl.gz")
        self.several = [row for row in self.contexts if len(row["cited_ids"]) > 1]
        self.edges: dict[str, list[str]] = {}
        with gzip.open(data / "citations.tsv.gz", "rt", encoding="utf-8") as file:
            for line in list(file)[1:]:
                citing, cited = line.split("\t")[:2]
                self.edges.setdefault(citing, []).append(cited)
        self.topics = rows_of(data / "paragraphs.val.jsonl.gz") + rows_of(data / "paragraphs.train.jsonl.gz")
        self.whole = rows_of(data / "global.val.jsonl.gz") + rows_of(data / "global.train.jsonl.gz")
        self.whole = [row for row in self.whole if row["query_id"] in self.by_id]
        self.later = rows_of(data / "external" / "multicite.dev.contexts.jsonl.gz")
        self.other_fields = [row["text"] for name in REASONS for row in rows_of(data / name)]
        self.printed = self._printed(data)
        self.systems = self._systems()
        self.written, self.entries = self._written(folders.external / SMALL)
        self.starter = rows_of(MODELS / "starter" / "papers.jsonl")

    @staticmethod
    def _printed(data: Path) -> list[str]:
        """Finds sentences that show their citations, as papers print them."""
        texts = [row["citance_text"] for row in rows_of(data / "linkage.dev.citances.jsonl.gz")]
        texts += [row["text"] for row in rows_of(data / "intents.val.jsonl.gz")]
        texts += [each for row in rows_of(data / "corwa.train.jsonl.gz") for each in row["sentences"]]
        for row in rows_of(data / "fulltext.citing.jsonl.gz")[:150]:
            texts += [each["text"] for each in row["sentences"]]
        return [text for text in texts if re.search(r"\(?\b(?:19|20)\d\d[a-z]?\)", text) and len(text) < 600]

    def _systems(self) -> list[tuple[str, str, Row]]:
        """Finds names of systems, what they are, and the papers that introduced them."""
        found = (
            (re.match(r"([A-Za-z][\w+-]*[A-Z0-9][\w+-]*): (.+)", row["title"]), row) for row in self.papers
        )
        return [(match[1], match[2], row) for match, row in found if match]

    @staticmethod
    def _written(folder: Path) -> tuple[list[tuple[str, list[str]]], list[tuple[str, str]]]:
        """Returns the sentences of a LaTeX document that cite, with their keys; and the keys and titles of
        its bibliography."""
        sentences: list[tuple[str, list[str]]] = []
        for file in sorted(folder.rglob("*.tex")):
            text = re.sub(r"(?m)(?<!\\)%.*$", "", file.read_text(encoding="utf-8", errors="replace"))
            for sentence in re.split(r"(?<=[.?!])\s+(?=[A-Z])|\n\s*\n", text):
                keys = [
                    key.strip()
                    for group in re.findall(r"\\cite\w*\{([^}]+)\}", sentence)
                    for key in group.split(",")
                ]
                if keys and 40 < len(sentence) < 600 and "\\begin" not in sentence:
                    sentences.append((" ".join(sentence.split()), keys))
        entries: list[tuple[str, str]] = []
        for file in sorted(folder.rglob("*.bib")):
            text = file.read_text(encoding="utf-8", errors="replace")
            pattern = r"@\w+\{([^,\s]+),(?:(?!\n@).)*?\btitle\s*=\s*[{\"]+(.+?)[}\"]+,?\s*\n"
            entries += [
                (match[1], match[2]) for match in re.finditer(pattern, text, re.DOTALL | re.IGNORECASE)
            ]
        return sentences, entries

    # To the large library

    def context(self, dice: random.Random) -> Question:
        row = dice.choice(self.contexts)
        return Question("large", row["text"], year=dice.choice((row["citing_year"], None)))

    def topic(self, dice: random.Random) -> Question:
        return Question("large", dice.choice(self.topics)["topic_sentence"], "paragraph")

    def joint(self, dice: random.Random) -> Question:
        row = dice.choice(self.several)
        members = tuple(row["cited_ids"][: dice.randint(1, len(row["cited_ids"]) - 1)])
        return Question("large", row["text"], "set", members=members, year=row["citing_year"])

    def beside(self, dice: random.Random) -> Question:
        row = dice.choice(self.contexts)
        known: list[str] = self.edges.get(row["citing_id"]) or row["cited_ids"]
        members = tuple(dice.sample(known, min(len(known), dice.randint(1, 3))))
        return Question("large", row["text"], "set", members=members)

    def by_intent(self, dice: random.Random) -> Question:
        intent = dice.choice(("background", "method", "result"))
        return Question("large", dice.choice(self.contexts)["text"], intent=intent)

    def as_printed(self, dice: random.Random) -> Question:
        return Question("large", dice.choice(self.printed))

    def printed_paragraph(self, dice: random.Random) -> Question:
        return Question("large", dice.choice(self.printed), "paragraph", year=dice.choice((None, 2012, 2016)))

    def of_later_years(self, dice: random.Random) -> Question:
        return Question("large", dice.choice(self.later)["text"])

    def of_other_fields(self, dice: random.Random) -> Question:
        return Question("large", dice.choice(self.other_fields))

    def system(self, dice: random.Random) -> Question:
        name, what, _ = dice.choice(self.systems)
        form = dice.choice(
            (
                "We use {0} for {1}.",
                "{0} [CITE] is a common choice.",
                "Like {0}, our approach is {1}.",
                "The {0} corpus and {0}2 are compared with Qxzzy.",
            )
        )
        return Question("large", form.format(name, what[:1].lower() + what[1:]))

    def author_and_year(self, dice: random.Random) -> Question:
        row = dice.choice(self.papers)
        form = dice.choice(
            (
                "{0} ({1}) propose {2} [CITE].",
                "This was shown before ({0}, {1}).",
                "Several studies ({0} et al., {1}; Smith, 2019) treat {2}.",
                "{0} et al. [CITE] describe {2}.",
                "As in {0} and {3} ({1}), we consider {2}.",
                "It is known \\citep{{{4}{1}}} that {2} matters.",
                "Details are in (Nobody and Noone, {1}).",
            )
        )
        surname, last = row["authors"][0].split()[-1], row["authors"][-1].split()[-1]
        title = row["title"][:1].lower() + row["title"][1:]
        return Question("large", form.format(surname, row["year"], title, last, surname.lower()))

    def paper(self, dice: random.Random) -> Question:
        row = dice.choice(self.whole)
        paper = self.by_id[row["query_id"]]
        title, abstract = paper["title"], dice.choice((paper["abstract"], ""))
        return Question("large", "", "global", year=row["year"], title=title, abstract=abstract)

    # To the small library

    def as_written(self, dice: random.Random) -> Question:
        return Question("small", dice.choice(self.written)[0])

    def written_open(self, dice: random.Random) -> Question:
        sentence = re.sub(r"~?\\cite\w*\{[^}]*\}", " [CITE]", dice.choice(self.written)[0], count=1)
        return Question("small", sentence)

    def written_set(self, dice: random.Random) -> Question:
        known = {key for key, _ in self.entries}
        sentence, keys = dice.choice([(text, keys) for text, keys in self.written if known & set(keys)])
        members = tuple(key for key in dict.fromkeys(keys) if key in known)[: dice.randint(1, 3)]
        return Question("small", sentence, "set", members=members)

    def written_paragraph(self, dice: random.Random) -> Question:
        return Question("small", dice.choice(self.written)[0], "paragraph")

    def entry(self, dice: random.Random) -> Question:
        key, title = dice.choice(self.entries)
        form = dice.choice(
            ("Earlier work is about {1}.", "See {0} for {1}.", "{1}", "We follow [@{0}] [CITE].")
        )
        return Question("small", form.format(key, title))

    def small_intent(self, dice: random.Random) -> Question:
        intent = dice.choice(("background", "method", "result"))
        return Question("small", dice.choice(self.written)[0], intent=intent)

    # To the starter library

    def starter_context(self, dice: random.Random) -> Question:
        return Question("starter", dice.choice((*self.later, *self.contexts))["text"])

    def starter_printed(self, dice: random.Random) -> Question:
        return Question("starter", dice.choice(self.printed), year=dice.choice((None, None, 2015)))

    def starter_topic(self, dice: random.Random) -> Question:
        return Question("starter", dice.choice(self.topics)["topic_sentence"], "paragraph")

    def starter_set(self, dice: random.Random) -> Question:
        members = tuple(row["id"] for row in dice.sample(self.starter, dice.randint(1, 3)))
        return Question("starter", dice.choice(self.contexts)["text"], "set", members=members)

    def starter_title(self, dice: random.Random) -> Question:
        row = dice.choice(self.starter)
        form = dice.choice(("We build on {0}.", "{0} [CITE]", "({1}, {2}) is about {0}."))
        surname = row["authors"][0].split()[-1] if row.get("authors") else "Smith"
        return Question("starter", form.format(row["title"], surname, row.get("year")))


def questions(folders: Folders) -> list[Question]:
    """Makes all questions, always the same."""
    sources = Sources(folders)
    weights: dict[Source, int] = {
        sources.context: 26,
        sources.topic: 8,
        sources.joint: 8,
        sources.beside: 6,
        sources.by_intent: 6,
        sources.as_printed: 16,
        sources.printed_paragraph: 4,
        sources.of_later_years: 7,
        sources.of_other_fields: 6,
        sources.system: 8,
        sources.author_and_year: 14,
        sources.paper: 5,
        sources.as_written: 9,
        sources.written_open: 8,
        sources.written_set: 6,
        sources.written_paragraph: 4,
        sources.entry: 8,
        sources.small_intent: 3,
        sources.starter_context: 9,
        sources.starter_printed: 9,
        sources.starter_topic: 4,
        sources.starter_set: 4,
        sources.starter_title: 8,
    }
    made = []
    for number in range(QUESTIONS):
        dice = chance("question", number)
        source = dice.choices(list(weights), list(weights.values()))[0]
        drawn = asdict(source(dice))
        drawn["k"] = dice.choice((3, 5, 5, 5, 8, 10, 15, 20))
        drawn["pipeline"] = dice.choices(("full", "bm25", "dense", "hybrid"), (79, 7, 7, 7))[0]
        drawn["threshold"] = dice.choices((None, 0.0, 0.3), (70, 22, 8))[0]
        made.append(Question(**drawn))
    return made


def answered_questions(folders: Folders, every: int) -> Iterator[Row]:
    """Records the answers to the questions."""
    sessions: dict[str, Session] = {}
    with contextlib.ExitStack() as stack:
        for number, question in list(enumerate(questions(folders)))[::every]:
            name = question.library
            if name not in sessions:
                folder = None if name == "starter" else name
                sessions[name] = stack.enter_context(Session(folder))
            try:
                out, err = answer_text(sessions[name], question), ""
            except Exception as error:  # an answer, too
                out, err = b"", f"{type(error).__name__}: {error}"
            kind = f"question {question.kind}, {question.pipeline}, {name}"
            yield {
                "name": f"question-{number:04}",
                "kind": kind,
                "asked": asdict(question),
                "out": folders.named(out),
                "err": folders.named(err.encode()),
            }


# Drafts ---------------------------------------------------------------------------------------------------

_LATEX = re.compile(
    rb"\\(cite|citep|citet|parencite|textcite|autocite|citealp|footcite)(\*?)"
    rb"((?:\[[^\]\[]*\]){0,2})\{([^{}#\\]+)\}"
)
_MARKDOWN = re.compile(rb"\[(?:see )?(@[^\]\[]+)\]")
_PRINTED = re.compile(rb"\([A-Z][^()]*\b(?:19|20)\d\d[a-z]?\)")
_LATEX_SUFFIXES = (".tex", ".rnw")
_MARKDOWN_SUFFIXES = (".md", ".rmd", ".qmd")


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft in the work folder, with the library of its own bibliography."""

    name: str
    root: str
    own: str
    sets: bool = True
    """Whether all of its citations are to be completed."""


def opened(found: re.Match[bytes], dice: random.Random) -> bytes:
    """Makes one in ten citations of LaTeX or Markdown an open one."""
    if dice.random() >= 0.1:
        return found[0]
    if found[0].startswith(b"\\"):
        command = b"\\" + found[1] + found[2] + found[3]
        first = found[4].split(b",")[0].strip()
        named = [
            b"{}",
            b"{?}",
            b"{TODO}",
            b"{" + first + b",TODO}",
            b"{" + first + b"x}",
            b"{smith2019neural}",
        ]
        forms = [
            *(command + each for each in named),
            b"[CITE]",
            b"\\todo{cite Smith 2010}",
            b"\\citeneeded{}",
        ]
    else:
        first = found[1].split(b";")[0].split(b",")[0].strip()
        forms = [
            b"[@]",
            b"[@?]",
            b"[CITE]",
            b"[see " + first + b"; @?]",
            b"[" + first + b"x]",
            b"[@smith2019neural]",
        ]
        forms += [b"[TODO: cite Smith 2010]", b"(citation needed)"]
    return dice.choice(forms)


def opened_in_text(found: re.Match[bytes], dice: random.Random) -> bytes:
    """Makes one in ten printed citations an open one."""
    return b"[CITE]" if dice.random() < 0.1 else found[0]


def open_citations(folder: Path, name: str) -> None:
    """Opens a part of the citations of the files below a folder."""
    for file in sorted(folder.rglob("*")):
        suffix = file.suffix.lower()
        if file.is_symlink() or not file.is_file() or suffix not in _LATEX_SUFFIXES + _MARKDOWN_SUFFIXES:
            continue
        pattern = _LATEX if suffix in _LATEX_SUFFIXES else _MARKDOWN
        open_one = functools.partial(opened, dice=chance(name, file.relative_to(folder)))
        before = file.read_bytes()
        lines = before.splitlines(keepends=True)
        after = b"".join(line if b"command" in line else pattern.sub(open_one, line) for line in lines)
        if after != before:
            file.write_bytes(after)


def new_copy(source: Path, folder: Path) -> None:
    """Copies the text files of a folder, to be changed."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder, symlinks=True, ignore=shutil.ignore_patterns("*.pdf", "*.png", ".git"))
    for each in (folder, *folder.rglob("*")):
        if not each.is_symlink():
            each.chmod(0o755 if each.is_dir() else 0o644)


def mark_as_project(folder: Path) -> None:
    """Makes a folder a project of its own, so that a draft in it reads nothing outside of it."""
    (folder / ".hg").mkdir(parents=True, exist_ok=True)


def converted(text: str, form: str, bibliography: str) -> str:
    """Writes a Markdown document in Org or Typst, as far as this needs to be right."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    text = re.sub(r"(?ms)^```.*?^```\s*$|<!--.*?-->", "", text)

    def cite(found: re.Match[str]) -> str:
        keys = re.findall(r"@([\w:.-]*\w|\?)?", found[1])
        keys = [key if key and key != "?" else "TODO" for key in keys]
        return (
            f"[cite:{';'.join(f'@{key}' for key in keys)}]"
            if form == "org"
            else " ".join(f"@{key}" for key in keys)
        )

    text = re.sub(r"\[((?:see )?@[^\]\[]*)\]", cite, text)
    mark = "*" if form == "org" else "="
    text = re.sub(r"(?m)^(#+) +", lambda found: mark * len(found[1]) + " ", text)
    if form == "org":
        return f"#+title: A draft\n#+bibliography: {bibliography}\n\n{text}"
    return f'= A draft\n\n{re.sub(r"[#$<>`*_]", " ", text)}\n\n#bibliography("{bibliography}")\n'


def make_drafts(folders: Folders) -> list[Draft]:
    """Makes the copies of all drafts, with open citations. They are made anew, for writing changes them."""
    drafts = []
    base = Path("drafts")
    for root in sorted(folders.drafts.glob("*.tex")):
        folder = base / root.stem
        shutil.rmtree(folder, ignore_errors=True)
        new_copy(folders.drafts / root.stem, folder / root.stem)
        for shared in ("bib", "style"):
            new_copy(folders.drafts / shared, folder / shared)
        mark_as_project(folder)
        (folder / root.name).write_bytes(root.read_bytes())
        open_citations(folder, root.stem)
        drafts.append(Draft(root.stem, str(folder / root.name), "own/shared"))
    in_markdown = []
    for row in external_drafts(folders):
        folder = base / row["name"]
        new_copy(folders.external / row["name"], folder)
        mark_as_project(folder)
        open_citations(folder, row["name"])
        draft = Draft(
            row["name"], str(folder / row["root"]), f"own/{row['name']}", row["places"] <= FEW_PLACES
        )
        drafts.append(draft)
        if row["root"].endswith(".md") and len(row["bibs"]) == 1:
            in_markdown.append((draft, folder / row["bibs"][0]))
    for number, (draft, bibliography) in enumerate(in_markdown[:4]):
        form = "org" if number % 2 else "typst"
        folder = base / f"{draft.name}-{form}"
        shutil.rmtree(folder, ignore_errors=True)
        mark_as_project(folder)
        (folder / "own.bib").write_bytes(bibliography.read_bytes())
        root = folder / ("paper.org" if form == "org" else "paper.typ")
        text = Path(draft.root).read_text(encoding="utf-8", errors="replace")
        root.write_text(converted(text, form, "own.bib"), encoding="utf-8")
        drafts.append(Draft(folder.name, str(root), draft.own))
    for row in rows_of(folders.data / "fulltext.citing.jsonl.gz")[10:12]:
        folder = base / f"text-{row['id']}"
        shutil.rmtree(folder, ignore_errors=True)
        mark_as_project(folder)
        sections: dict[str, list[str]] = {}
        for each in row["sentences"]:
            sections.setdefault(each["section"], []).append(each["text"])
        text = "\n\n".join(f"{name}\n\n{' '.join(sentences)}" for name, sentences in sections.items())
        open_one = functools.partial(opened_in_text, dice=chance("text", row["id"]))
        after = _PRINTED.sub(open_one, text.encode())
        (folder / "paper.txt").write_bytes(after)
        drafts.append(Draft(folder.name, str(folder / "paper.txt"), "large"))
    return drafts


def units(draft: Draft) -> list[str]:
    """Makes the options for the parts of a draft that are answered."""
    names = ("place", "set", "paragraph", "draft") if draft.sets else ("place", "paragraph", "draft")
    return [part for name in names for part in ("--unit", name)]


def answered_drafts(folders: Folders, drafts: Sequence[Draft], every: int) -> Iterator[Row]:
    """Records the answers to the drafts: in their own libraries, and those of the field in the large one."""
    asked = [(draft, draft.own) for draft in drafts]
    asked += [(draft, "large") for draft in drafts if draft.own == "own/shared"]
    asked += [
        (draft, "large") for draft in drafts if draft.own.startswith("own/") and draft.own != "own/shared"
    ][:8]
    asked.sort(key=lambda pair: zlib.crc32(repr(pair).encode()))
    for draft, library in asked[::every]:
        args = ["suggest", draft.root, "--json", *units(draft), *folders.library(library)]
        yield called(folders, f"draft {draft.name} {library}", "draft", args)


def called(folders: Folders, name: str, kind: str, args: Sequence[str]) -> Row:
    """Records one command."""
    try:
        code, out, err = run(args)
    except Exception as error:  # a crash, which is to stay the same or to go
        code, out, err = -1, b"", f"{type(error).__name__}: {error}".encode()
    shown = [folders.named(each.encode()) for each in args]
    return {
        "name": name,
        "kind": kind,
        "asked": shown,
        "exit": code,
        "out": folders.named(out),
        "err": folders.named(err),
    }


# The rest -------------------------------------------------------------------------------------------------


def answered_rest(folders: Folders, drafts: Sequence[Draft], every: int) -> Iterator[Row]:
    """Records the other commands."""
    planned = [
        *_of_libraries(folders),
        *_of_papers(folders),
        *_of_texts(folders),
        *_of_drafts(folders, drafts),
    ]
    numbers: Counter[str] = Counter()
    for place, (kind, args) in enumerate(planned):
        numbers[kind] += 1
        if place % every == 0:
            name = f"{kind} {numbers[kind]}"
            written = kind.startswith("write")
            yield _write(folders, name, kind, args) if written else called(folders, name, kind, args)
    for report in sorted(Path().glob("**/*.add.json")):
        yield {"name": f"add {report}", "kind": "add", **json.loads(report.read_text(encoding="utf-8"))}


Call = tuple[str, list[str]]


def _of_libraries(folders: Folders) -> Iterator[Call]:
    for library in ("large", "small", "starter"):
        given = folders.library(library)
        yield "info", ["info", "--json", *given]
        yield "info text", ["info", *given]
    measured = (
        ("local", "contexts.val.jsonl.gz"),
        ("paragraph", "paragraphs.val.jsonl.gz"),
        ("global", "global.val.jsonl.gz"),
        ("sets", "contexts.val.jsonl.gz"),
    )
    for task, file in measured:
        args = [task, str(folders.data / file), "--library", "large", "--limit", "40"]
        args += [] if task == "sets" else ["-k", "200"]
        yield "evaluate", ["evaluate", *args, "--json", "--quiet"]
    wrong = (
        ["suggest", "nothing.tex", "--json"],
        ["suggest", "--text", "", "--json"],
        ["suggest", "--text", "?!", "--json"],
        ["suggest", "--text", "A text.", "--library", "nowhere"],
        ["suggest", "--text", "A text.", "--pipeline", "other"],
        ["suggest", "--text", "A text.", "--beside", "nobody"],
        ["suggest", "--text", "A text.", "-k", "0"],
        ["passages", "nobody", "--text", "A text."],
        ["find", "qqqqzzzz", "--library", "small", "--json"],
        ["review", "nothing.tex"],
        ["sugest"],
    )
    for args in wrong:
        yield "error", args


def _of_papers(folders: Folders) -> Iterator[Call]:
    sources = Sources(folders)
    for number in range(60):
        dice = chance("find", number)
        library = ("large", "large", "small", "starter")[number % 4]
        row = dice.choice(sources.starter if library == "starter" else sources.papers)
        surname = row["authors"][0].split()[-1]
        texts = (
            row["id"],
            row["title"],
            f"{surname} {row['year']}",
            f"{surname.lower()}{row['year']}{row['title'].split()[0].lower()}",
            " ".join(dice.sample(row["title"].split(), min(3, len(row["title"].split())))),
            dice.choice(sources.systems)[0],
            row.get("doi") or surname,
        )
        text = texts[number % 7] if library != "small" else dice.choice(dice.choice(sources.entries))
        form = ("--json", "--json", "--bibtex", "--json", "--csl", "--ris", "-k=7")[number % 7]
        shown = ["-k", "7"] if form == "-k=7" else [form]
        yield "find", ["find", text, *shown, *folders.library(library)]
    for number in range(8):
        dice = chance("like", number)
        paper = dice.choice(sources.whole)["query_id"]
        args = ["--aspect", ("background", "method", "result")[number % 3], "--library", "large", "--json"]
        yield "find like", ["find", "--like", paper, *args, *(["--as-of", "2012"] if number % 2 else [])]
    linked = rows_of(folders.data / "linkage.dev.citances.jsonl.gz")
    for number in range(40):
        row = chance("passages", number).choice(linked)
        args = [
            row["cluster"],
            "--text",
            row["citance_text"],
            "--library",
            "large",
            "-k",
            str(2 + number % 4),
        ]
        yield "passages", ["passages", *args, *([] if number % 5 == 0 else ["--json"])]
    for number in range(30):
        dice = chance("classify", number)
        model = ("intent", "needs")[number % 2]
        args = ["--text", dice.choice(sources.printed), "--model", str(MODELS / model)]
        yield "classify", ["classify", *args, *([] if number % 5 == 0 else ["--json"])]


def _of_texts(folders: Folders) -> Iterator[Call]:
    asked = [each for each in questions(folders) if each.kind != "global" and not each.members]
    for number, question in enumerate(asked[:80]):
        args = ["suggest", "--text", question.text, "-k", str(min(question.k, 8))]
        args += [] if question.pipeline == "full" else ["--pipeline", question.pipeline]
        args += ["--paragraph"] if question.kind == "paragraph" else []
        args += [] if question.year is None else ["--as-of", str(question.year)]
        args += [] if question.intent is None else ["--intent", question.intent]
        args += folders.library(question.library)
        if number < 50:
            yield "text", [*args, *(["--verbose"] if number % 4 == 0 else [])]
        else:
            yield "text export", [*args, ("--json", "--bibtex", "--ris", "--csl")[number % 4]]


def _of_drafts(folders: Folders, drafts: Sequence[Draft]) -> Iterator[Call]:
    by_form: dict[str, list[Draft]] = {}
    for draft in drafts:
        form = "shared" if draft.own == "own/shared" else Path(draft.root).suffix
        by_form.setdefault(form, []).append(draft)
    chosen = [*by_form["shared"][:5], *by_form[".md"][:2], *by_form[".Rnw"][:1], *by_form[".tex"][:2]]
    more = [*by_form[".org"][:1], *by_form[".typ"][:1], *by_form[".txt"][:1]]
    for number, draft in enumerate([*chosen, *more]):
        library = "large" if draft.own in ("own/shared", "large") else draft.own
        given = ["--library", library]
        root = draft.root
        yield "draft text", ["suggest", root, *given, *(["--verbose"] if number % 3 == 0 else [])]
        yield "draft text", ["suggest", root, *given, "-k", "2", "--unit", "paragraph", "--unit", "draft"]
        yield "draft export", ["suggest", root, *given, ("--bibtex", "--ris", "--csl")[number % 3], "-k", "3"]
        only = ("mine", "new", "needed")[number % 3]
        yield "draft only", ["suggest", root, *given, "--only", only, "--json"]
        yield "review", ["review", root, *given, "--json", "-k", "2"]
        yield "review text", ["review", root, *given]
        yield "write", ["suggest", root, *given, "--write", "--yes", "--at-least", "0.15"]
        yield "write", ["suggest", root, *given, "--write", "--yes", "--json"]
        if number % 4 == 0:
            yield "draft intent", ["suggest", root, *given, "--intent", "method", "--json"]
            yield "draft bm25", ["suggest", root, *given, "--pipeline", "bm25", "--json", *units(draft)]
            yield "classify draft", ["classify", root, "--model", str(MODELS / "needs"), "--json"]
        if number < MEASURED_DRAFTS:
            compared = ["--baseline", "bm25"] if number % 3 == 0 else []
            yield "backtest", ["backtest", root, *given, "--json", "--quiet", *compared]
    small = by_form[".md"][0]
    yield "backtest text", ["backtest", small.root, "--library", small.own, "--quiet"]


def _write(folders: Folders, name: str, kind: str, args: Sequence[str]) -> Row:
    """Records a command that changes a draft: in a copy, with the contents of the changed files."""
    before = Path(args[1])
    folder = Path(*before.parts[:2])
    copy = Path("written", *before.parts[1:2])
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy, symlinks=True)
    root = Path("written", *before.parts[1:])
    record = called(folders, name, kind, [args[0], str(root), *args[2:]])
    record["files"] = {}
    for file in sorted(copy.rglob("*")):
        old = folder / file.relative_to(copy)
        if file.is_file() and ".citewhy" not in file.parts:
            new = file.read_bytes()
            if not old.exists() or old.read_bytes() != new:
                record["files"][str(file.relative_to(copy))] = new.decode("utf-8", "backslashreplace")
    undone = called(folders, name, kind, ["suggest", str(root), "--undo"])
    record["undone"] = undone["out"] + undone["err"]
    return record


# Recording ------------------------------------------------------------------------------------------------


def record(given: argparse.Namespace) -> int:
    """Records all answers, or a part of them."""
    out = given.out.resolve()
    folders = Folders(given.data, given.external, given.drafts, given.work)
    begun = time.monotonic()
    make_libraries(folders)
    drafts = make_drafts(folders)
    print(f"{len(drafts)} drafts; {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    parts: dict[str, Iterator[Row]] = {
        "questions": answered_questions(folders, given.every),
        "drafts": answered_drafts(folders, drafts, given.every),
        "rest": answered_rest(folders, drafts, given.every),
    }
    counts: Counter[str] = Counter()
    aside = out.with_name(f"{out.name}.part")
    with aside.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as file:
        for part, rows in parts.items():
            if given.only not in (None, part):
                continue
            started = time.monotonic()
            for row in rows:
                file.write(json.dumps(row, ensure_ascii=True).encode() + b"\n")
                counts[part] += 1
                if counts[part] % 100 == 0:
                    passed = time.monotonic() - started
                    print(f"{part}: {counts[part]}; {passed:.0f} s", file=sys.stderr, flush=True)
            passed = time.monotonic() - started
            print(f"{part}: {counts[part]} recorded in {passed:.0f} s", file=sys.stderr, flush=True)
    aside.replace(out)
    print(f"{sum(counts.values())} documents in {out}; {time.monotonic() - begun:.0f} s")
    return 0


# Comparing ------------------------------------------------------------------------------------------------

_SHOWN = 3
_SHORT = 100

Renamed = Mapping[str, str]


def renamed_fields(text: str, names: Renamed) -> str:
    """Renames the fields of an indented JSON document, and changes nothing else; any other text stays as it
    is."""
    if not names or not text.startswith("{\n"):
        return text
    return _FIELD.sub(lambda found: f'{found[1]}"{names.get(found[2], found[2])}":', text)


_FIELD = re.compile(r'(?m)^( *)"([^"\\\n]*)":')


def parsed(text: str) -> Any:
    """Reads a JSON document; any other text stays as it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def differences(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Lists where two JSON values differ, as lines to be shown."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys([*before, *after]):
            if key not in after:
                yield f"{path}.{key}: is missing"
            elif key not in before:
                yield f"{path}.{key}: is new, {_short(after[key])}"
            else:
                yield from differences(before[key], after[key], f"{path}.{key}")
        if before == after and list(before) != list(after):
            yield f"{path}: the order of the fields: {_short(list(before))} → {_short(list(after))}"
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            yield f"{path}: {len(before)} → {len(after)} elements"
        for number, pair in enumerate(zip(before, after, strict=False)):
            yield from differences(*pair, f"{path}[{number}]")
    elif isinstance(before, str) and isinstance(after, str) and before != after and "\n" in before + after:
        lines = enumerate(zip([*before.split("\n"), "(end)"], [*after.split("\n"), "(end)"], strict=False), 1)
        number, (old, new) = next(line for line in lines if line[1][0] != line[1][1])
        yield f"{path} line {number}: {_short(old)} → {_short(new)}"
    elif type(before) is not type(after) or before != after:
        yield f"{path}: {_short(before)} → {_short(after)}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"


def compare_records(before: Row, after: Row, names: Renamed) -> list[str]:
    """Lists where two records of one name differ; empty if they are equal."""
    before = before | {"out": renamed_fields(before["out"], names)}
    if before == after:
        return []
    old, new = ({**each, "out": parsed(each["out"])} for each in (before, after))
    return list(differences(old, new)) or [".out: says the same, written differently"]


def compare(given: argparse.Namespace) -> int:
    """Compares two recordings, and shows where they differ."""
    names = dict(each.split("=", 1) for each in given.renamed)
    before = {row["name"]: row for row in rows_of(given.before)}
    after = {row["name"]: row for row in rows_of(given.after)}
    both = [name for name in before if name in after]
    equal: Counter[str] = Counter()
    found: dict[str, list[tuple[str, list[str]]]] = {}
    for name in both:
        kind = before[name]["kind"]
        if lines := compare_records(before[name], after[name], names):
            found.setdefault(kind, []).append((name, lines))
        else:
            equal[kind] += 1
    for kind, different in found.items():
        total = len(different) + equal[kind]
        print(f"{kind}: {len(different)} of {total} differ")
        for name, lines in different[:_SHOWN]:
            print(f"  {name}: {len(lines)} differences")
            print("\n".join(f"    {line}" for line in lines[:_SHOWN]))
    count = sum(equal.values())
    print(f"{count} of {len(both)} documents are equal")
    for what, rows, others in (("first", before, after), ("second", after, before)):
        if alone := len(rows.keys() - others.keys()):
            print(f"{alone} are only in the {what} recording")
    return 0 if both and count == len(both) else 1


def command() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    recording = commands.add_parser("record", help="record answers")
    for name in ("data", "external", "drafts", "work"):
        recording.add_argument(f"--{name}", type=Path, required=True, metavar="DIR")
    recording.add_argument("out", type=Path, metavar="OUT.jsonl.gz")
    recording.add_argument("--only", choices=["questions", "drafts", "rest"], help="record this part alone")
    recording.add_argument("--every", type=int, default=1, metavar="N", help="record one document in N")
    recording.set_defaults(act=record)
    comparing = commands.add_parser("compare", help="compare two recordings")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument(
        "--renamed",
        action="extend",
        nargs="+",
        default=[],
        metavar="OLD=NEW",
        help="fields with another name",
    )
    comparing.set_defaults(act=compare)
    given = parser.parse_args()
    code: int = given.act(given)
    return code


if __name__ == "__main__":
    sys.exit(command())
