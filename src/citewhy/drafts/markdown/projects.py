"""Projects of several Markdown files: bookdown and thesisdown, Quarto, mdBook. What they say holds for every
document in their folder and below: the order of a book's chapters, its title, and its bibliographies."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from urllib.parse import unquote

from citewhy.base.errors import CiteWhyError
from citewhy.base.import_report import Problem
from citewhy.drafts.files import DraftFiles, read_text
from citewhy.drafts.flow import first_year
from citewhy.drafts.markdown.front_matter import authors, read_front_matter
from citewhy.text.yaml_values import Value, YamlError, load, strings

_QUARTO = ("_quarto.yml", "_quarto.yaml")
_BOOKDOWN, _MDBOOK, _SUMMARY = "_bookdown.yml", "book.toml", "SUMMARY.md"
CONFIGURATIONS = frozenset({*_QUARTO, _BOOKDOWN, _MDBOOK, _SUMMARY})
"""The files that list the chapters of a book."""

_FIRST_CHAPTERS = ("index.Rmd", "index.rmd")
"""The file that bookdown begins with."""

_LEVELS = 3
"""How many folders above that of the draft are looked at."""

_MOST_CHAPTERS = 500
_TEXTS = (".qmd", ".md", ".rmd", ".markdown")
_LISTED = re.compile(r"\]\(\s*<?([^)<>#\s]{1,300}\.md)>?\s*\)")


@dataclass(frozen=True, slots=True)
class Book:
    """A book of several files in a `folder`."""

    folder: PurePath
    configuration: PurePath
    """The file that lists its chapters."""
    chapters: tuple[PurePath, ...]
    """In reading order; they may be missing, but not the first."""
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None

    @property
    def first(self) -> PurePath:
        """The file that stands for the whole book."""
        return self.chapters[0]


def book_of(files: DraftFiles, path: PurePath) -> Book | None:
    """The nearest book that has the file `path` as a chapter; None if there is none."""
    resolved = files.resolve(path)
    for level in range(_LEVELS + 1):
        book = book_in(files, files.normal(path.parent.joinpath(*[".."] * level)))
        if book and any(files.resolve(chapter) == resolved for chapter in book.chapters):
            return book
    return None


def book_in(files: DraftFiles, folder: PurePath) -> Book | None:
    """The book whose configuration is in `folder`; None if there is none with a chapter that is there."""
    readers = dict.fromkeys(_QUARTO, _of_quarto)
    readers |= {_BOOKDOWN: _of_bookdown, _MDBOOK: _of_mdbook, _SUMMARY: _of_summary}
    for name, read in readers.items():
        configuration = files.normal(folder / name)
        if not files.is_file(configuration):
            continue
        try:
            book = read(files, configuration)
        except CiteWhyError:
            continue  # what is wrong with it is said where its bibliographies are read
        if book is not None:
            return book
    return None


def _book(
    files: DraftFiles, configuration: PurePath, folder: PurePath, names: Sequence[str], about: Value = ""
) -> Book | None:
    paths = dict.fromkeys(files.normal(folder / name) for name in names[:_MOST_CHAPTERS])
    chapters = list(paths)
    while chapters and not files.is_file(chapters[0]):
        del chapters[0]
    if not chapters:
        return None
    facts = about if isinstance(about, dict) else {}
    return Book(
        *(folder, configuration, tuple(chapters)),
        " ".join(strings(facts.get("title", ""))),
        authors(facts.get("author", "")),
        first_year(" ".join(strings(facts.get("date", "")))),
    )


# Quarto ---------------------------------------------------------------------------------------------------


def _of_quarto(files: DraftFiles, path: PurePath) -> Book | None:
    """``book:`` with ``chapters`` and ``appendices``, or ``manuscript:`` with its ``article``."""
    value = _configuration(files, path)[0]
    book = value.get("book", "")
    if not isinstance(book, dict):
        manuscript = value.get("manuscript", "")
        article = manuscript.get("article", "") if isinstance(manuscript, dict) else ""
        return _book(files, path, path.parent, [article]) if isinstance(article, str) and article else None
    names = [*_listed(book.get("chapters", "")), *_listed(book.get("appendices", ""))]
    return _book(files, path, path.parent, [name for name in names if _is_text(name)], book)


def _listed(value: Value) -> Iterator[str]:
    """The files in a list of chapters; a part may be a file, too, and has chapters of its own."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _listed(item)
    else:
        for name in ("part", "file", "href", "chapters"):
            yield from _listed(value.get(name, ""))


def _is_text(name: str) -> bool:
    return name.lower().endswith(_TEXTS)


# bookdown -------------------------------------------------------------------------------------------------


def _of_bookdown(files: DraftFiles, path: PurePath) -> Book | None:
    """``rmd_files``, for all formats or for each, and the R Markdown files in the folders that ``rmd_subdir``
    names (all, if it is true) and in those below them, in the order of their names; without ``rmd_files``
    also those in the folder. The index comes first."""
    value, folder = _configuration(files, path)[0], path.parent
    names = [name for name in strings(value.get("rmd_files", "")) if _is_text(name)]
    merged = " ".join(strings(value.get("book_filename", ""))) or "_main"
    below = [name for name in strings(value.get("rmd_subdir", "")) if name.lower() not in _NO]
    everywhere = any(name.lower() in _YES for name in below)
    paths = [] if names or everywhere else _r_markdown(files, folder)
    for name in ["."] if everywhere else below:
        paths += _r_markdown(files, files.normal(folder / name), below=True)
    base = files.normal(folder)
    inside = [file.relative_to(base) for file in paths if file.is_relative_to(base)]
    names += [str(file) for file in inside if file.stem != merged and not file.name.startswith("_")]
    first = _first(files, folder)
    return _book(files, path, folder, [str(first), *names])


_YES, _NO = ("true", "yes", "on"), ("false", "no", "off")


def _r_markdown(files: DraftFiles, folder: PurePath, *, below: bool = False) -> list[PurePath]:
    """The R Markdown files in a folder and, if wished, in those `below` it."""
    paths = dict.fromkeys(
        files.normal(path)
        for suffix in (".Rmd", ".rmd")
        for path in files.in_folder(folder, suffix, below=below)
    )
    return sorted(paths, key=str)


def first_chapter(files: DraftFiles, folder: PurePath) -> PurePath | None:
    """The first file of the bookdown project that contains the draft's `folder`, whether or not it is there:
    the only one of the project that has metadata. None if there is no such project, or a nearer one of
    Quarto, whose documents may have metadata of their own."""
    for level in range(_LEVELS + 1):
        above = files.normal(folder.joinpath(*[".."] * level))
        if any(files.is_file(files.normal(above / name)) for name in _QUARTO):
            return None
        if files.is_file(files.normal(above / _BOOKDOWN)):
            return _first(files, above)
    return None


def _first(files: DraftFiles, folder: PurePath) -> PurePath:
    names = [files.normal(folder / name) for name in _FIRST_CHAPTERS]
    return next(filter(files.is_file, names), names[0])


# mdBook ---------------------------------------------------------------------------------------------------


def _of_mdbook(files: DraftFiles, path: PurePath) -> Book | None:
    """``book.toml``; the chapters are the links of ``SUMMARY.md`` in its folder of sources."""
    summary = files.normal(path.parent / _source(_configuration(files, path)[0]) / _SUMMARY)
    return _of_summary(files, summary) if files.is_file(summary) else None


def _of_summary(files: DraftFiles, path: PurePath) -> Book | None:
    """``SUMMARY.md``, also without a ``book.toml`` above it."""
    names = [unquote(name) for name in _LISTED.findall(read_text(files, path))]
    above = files.normal(path.parent / ".." / _MDBOOK)
    facts = _configuration(files, above)[0].get("book", "") if files.is_file(above) else ""
    about = facts if isinstance(facts, dict) else {}
    return _book(
        *(files, path, path.parent, names),
        {"title": about.get("title", ""), "author": about.get("authors", "")},
    )


def _source(value: dict[str, Value]) -> str:
    """The folder of the sources, relative to that of ``book.toml``."""
    facts = value.get("book", "")
    source = facts.get("src", "") if isinstance(facts, dict) else ""
    return source if isinstance(source, str) and source else "src"


# What a project says of every document in it ---------------------------------------------------------------


def project_of_chapter(files: DraftFiles, folder: PurePath) -> tuple[PurePath, Sequence[str], Sequence[str]]:
    """The folder of the nearest project that contains the draft's `folder`, the bibliographies that it names,
    relative to it, and what could not be read of it, as messages. Without a project, the draft's folder."""
    for level in range(_LEVELS + 1):
        above = files.normal(folder.joinpath(*[".."] * level))
        for name in (*_QUARTO, _MDBOOK):
            if files.is_file(configuration := files.normal(above / name)):
                return above, *_bibliographies(files, configuration)
        if files.is_file(files.normal(above / _BOOKDOWN)):
            first = _first(files, above)
            return above, *(_of_chapter(files, first) if files.is_file(first) else ((), ()))
    return folder, (), ()


def _bibliographies(files: DraftFiles, path: PurePath) -> tuple[Sequence[str], Sequence[str]]:
    """``bibliography:`` of Quarto, or that of the preprocessor mdbook-bib; or else, as for bookdown, that of
    a Quarto book's first chapter."""
    value, problems = _configuration(files, path)
    if path.name == _MDBOOK:
        preprocessor = value.get("preprocessor", "")
        bib = preprocessor.get("bib", "") if isinstance(preprocessor, dict) else ""
        named = strings(bib.get("bibliography", "")) if isinstance(bib, dict) else ()
        return [f"{_source(value)}/{name}" for name in named], problems
    named = list(strings(value.get("bibliography", "")))
    book = None if named or problems else book_in(files, path.parent)
    return (named, problems) if book is None else _of_chapter(files, book.first)


def _configuration(files: DraftFiles, path: PurePath) -> tuple[dict[str, Value], Sequence[str]]:
    """The values of a file in YAML or TOML, and what is wrong with it."""
    try:
        text = read_text(files, path)
        value = tomllib.loads(text) if path.suffix == ".toml" else load(text)[0]
    except YamlError as error:
        return {}, [str(Problem(files.name(path), error.line + 1, f"invalid YAML: {error.problem}"))]
    except tomllib.TOMLDecodeError as error:
        return {}, [f"{files.name(path)}: invalid TOML: {error}"]
    except CiteWhyError as error:
        return {}, [str(error)]
    return value if isinstance(value, dict) else {}, ()


def _of_chapter(files: DraftFiles, path: PurePath) -> tuple[Sequence[str], Sequence[str]]:
    try:
        front = read_front_matter(read_text(files, path).splitlines())
    except CiteWhyError as error:
        return (), [str(error)]
    return front.bibliographies, [str(Problem(files.name(path), line, why)) for line, why in front.problems]
