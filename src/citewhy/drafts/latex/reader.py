"""LaTeX drafts, with all included files."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePath

from citewhy.base.records import Manuscript, Marker, Reference
from citewhy.drafts.bibliography import as_cited, references
from citewhy.drafts.chapters import in_book
from citewhy.drafts.files import DISK, DraftFiles
from citewhy.drafts.flow import first_year
from citewhy.drafts.latex.arguments import Arguments
from citewhy.drafts.latex.bibliography import Bibliography
from citewhy.drafts.latex.characters import Characters, RawText
from citewhy.drafts.latex.citations import Citations
from citewhy.drafts.latex.commands import ARGUMENTS, QUOTATIONS, ROW_COMMANDS, WORDS, has_citation
from citewhy.drafts.latex.expand import Expander
from citewhy.drafts.latex.files import Inclusions, LatexFiles
from citewhy.drafts.latex.front import ABSTRACT, FrontMatter, names
from citewhy.drafts.latex.gather import Gatherer
from citewhy.drafts.latex.groups import Group
from citewhy.drafts.latex.structure import Environments, Structure
from citewhy.drafts.latex.text import Passage, WrittenCitation
from citewhy.drafts.latex.tokens import Problems, Token
from citewhy.text.accents import ACCENTS, SYMBOLS
from citewhy.text.placeholders import is_placeholder

_FOLDERS = re.compile(r"\A.*[/\\]", re.DOTALL)
_COMMENT = re.compile(r"(?<!\\)%[^\r\n]*")
_PART = (
    "a part of a draft without a bibliography, so that no key counts as undefined; give its root, or name it "
    "in the first line: % !TEX root = main.tex"
)


def _code(text: str) -> str:
    """The text of a file without comments."""
    return _COMMENT.sub("", text)


def read(root: PurePath, files: DraftFiles = DISK) -> Manuscript:
    """Reads a draft from its root file. Raises InputError if that is missing or not text, and TooLargeError.

    A part of a draft (a file without ``\\begin{document}``) can be read, too. If it names its main file
    (``% !TEX root = ../main.tex``), this one's preamble and bibliographies count. Otherwise its bibliography
    is unknown, and none of its keys counts as undefined, which is said.
    """
    problems = Problems()
    latex_files = LatexFiles(files, root, problems)
    expander = Expander(latex_files, problems)
    expander.inclusions.start()
    is_part = "\\begin{document}" not in _code(latex_files.open_root().text)
    document = Document(expander)
    if is_part:
        expander.inclusions.root_is_part = True
        expander.inclusions.read_named_main(_code)
    document.read(is_part=is_part and expander.inclusions.main_file is None)
    front, bibliography = document.front, document.bibliography
    paths = _bibliographies(bibliography, expander.inclusions, problems)
    used, unread = _references(bibliography, files, paths, problems)
    defined = frozenset(reference.key for reference in used)
    passages = document.passages()
    if is_part and not paths and not defined and any(passage.cited for passage in passages):
        problems.add_message(f"{files.name(root)}: {_PART}")
    main = expander.inclusions.main_file
    maker = _MarkerMaker(defined, knows_all=not unread and (bool(defined) or not is_part))
    manuscript = Manuscript(
        path=files.name(root),
        format="latex",
        title=front.title,
        abstract=" ".join(passage.text for passage in passages if passage.section == ABSTRACT),
        authors=tuple(names(front.authors)),
        year=first_year(" ".join([front.date, *expander.packages, root.stem])),
        paragraphs=tuple(passage.paragraph(maker.marker) for passage in passages),
        references=used,
        bibliographies=tuple(files.name(path) for path in paths),
        unread=unread,
        files=tuple(latex_files.sources),
        nocite=tuple(bibliography.nocite),
        problems=tuple(problems.messages()),
    )
    if main is None:
        return manuscript
    whole = latex_files.path_of(main.source)
    return in_book(manuscript, whole, lambda: read(whole, files), files)


def _bibliographies(bibliography: Bibliography, inclusions: Inclusions, problems: Problems) -> list[PurePath]:
    """The .bib files that the draft names, including missing ones."""
    paths: dict[PurePath, None] = {}
    for name, token in bibliography.named:
        path = inclusions.find(name, ".bib")
        if path is None and (path := inclusions.find(_FOLDERS.sub("", name), ".bib")):
            problems.at(
                token, f"the bibliography {name!r}: no such file; {path.name} in the draft's folder is used"
            )
        if path is None:
            problems.at(
                token,
                f"the bibliography {name!r}: no such file; keys that are defined nowhere else are left alone",
            )
            path = inclusions.beside(name, ".bib")
        paths[path] = None
    return list(paths)


def _references(
    bibliography: Bibliography, files: DraftFiles, paths: list[PurePath], problems: Problems
) -> tuple[tuple[Reference, ...], tuple[str, ...]]:
    """The references in the .bib files and in the draft's own lists, under the keys that the draft uses, and
    the names of the .bib files that are missing or cannot be read."""
    entries, wrong, broken = references(files, [path for path in paths if files.is_file(path)])
    unread = (*(files.name(path) for path in paths if not files.is_file(path)), *broken)
    for message in wrong:
        problems.add_message(message)
    defined = bibliography.printed | {reference.key: reference for reference in entries}
    used = tuple(as_cited(defined, bibliography.cited_keys()))
    for reference in used if bibliography.is_biblatex else ():
        if reference.key not in defined and reference.place is not None:
            why = f"this entry is cited as {reference.key!r}; biber distinguishes upper and lower case"
            problems.add(reference.place.file, reference.place.line, why)
    return used, unread


class _MarkerMaker:
    """Makes the records of citations, once all defined keys are known."""

    def __init__(self, defined: frozenset[str], *, knows_all: bool) -> None:
        self._defined = defined
        self._knows_all = knows_all

    def marker(self, cited: WrittenCitation, offset: int) -> Marker:
        keys = tuple(key for key in cited.keys if key in self._defined or (key and not is_placeholder(key)))
        kept = frozenset(keys)
        written = [key for key in cited.keys if key]
        is_open = (
            cited.is_open
            or len(keys) < len(cited.keys)
            or not keys
            or (self._knows_all and any(key not in self._defined for key in keys))
        )
        slot = None if cited.slot is None else cited.slot[0].place(*cited.slot[1:])
        return Marker(
            place=cited.source.place(cited.start, cited.end),
            keys=keys,
            open=is_open,
            offset=offset,
            command=cited.command,
            slot=slot,
            in_text=cited.in_text,
            note=cited.note or " ".join(key for key in written if key not in kept),
        )


# The parts that handle tokens ----------------------------------------------------------------------------


class Document:
    """A draft as it is read: `front` matter, `bibliography`, and the `passages` of its text."""

    def __init__(self, expander: Expander) -> None:
        self._expander = expander
        self._stream = stream = expander.stream
        self._gatherer = gatherer = Gatherer(stream)
        self._arguments = arguments = Arguments(stream, gatherer)
        self._characters = Characters(stream, gatherer)
        self._citations = Citations(expander, gatherer)
        raw = RawText(stream, gatherer)
        structure = Structure(stream, gatherer, arguments)
        self.front = FrontMatter(stream, gatherer, arguments)
        self.bibliography = Bibliography(expander, gatherer)
        self._environments = Environments(
            stream,
            expander.inclusions,
            gatherer,
            arguments,
            raw,
            {
                "abstract": self.front.begin_abstract,
                "thebibliography": self.bibliography.begin_references,
                "refsection": self.bibliography.begin_section,
                **dict.fromkeys(QUOTATIONS, self._begin_quotation),
            },
        )
        self._commands: dict[str, Callable[[Token], None]] = {
            **self.front.commands(),
            **self.bibliography.commands(),
            **structure.commands(),
            **raw.commands(),
        }
        self._steps: dict[str, Callable[[Token], None]] = {
            **self._characters.steps(),
            "word": self._word,
            "begin": self._environments.begin,
            "end": self._environments.end,
        }
        expander.definitions.known = frozenset(self._commands) | frozenset(ARGUMENTS)

    def read(self, *, is_part: bool) -> None:
        """Reads to ``\\end{document}`` or the end of the draft. A part of a draft has no preamble."""
        if is_part:
            self._gatherer.begin_body()
        groups = self._gatherer.groups
        while not (self._environments.document_has_ended or groups.is_too_deep):
            token = self._expander.next()
            if token is None:
                break
            step = self._steps.get(token.kind)
            if step is None:
                self._gatherer.emit(token.text, token)
            else:
                step(token)
        while (group := groups.innermost) is not None:
            if group.kind != "document":
                self._stream.problems.at(group.token, f"{group} is never closed")
            groups.close()
        self._gatherer.end_all()
        self.bibliography.read_unnamed()

    def passages(self) -> list[Passage]:
        """The passages in reading order."""
        return sorted(self._gatherer.passages, key=lambda passage: passage.number)

    # Commands ----------------------------------------------------------------------------------------------

    def _begin_quotation(self, token: Token) -> None:
        """``\\begin{displaycquote}[12]{key}``."""
        self._gatherer.flush()
        self._gatherer.groups.open(Group(token.text, token, close=self._gatherer.flush))
        self._citations.step(token._replace(kind="word"))

    def _word(self, token: Token) -> None:
        name = token.text
        if self._citations.remark(token):
            return
        if (step := self._commands.get(name)) is not None:
            step(token)
        elif self._citations.step(token):
            pass
        elif name in ACCENTS:
            self._characters.accent(token)
        elif (spec := ARGUMENTS.get(name)) is not None:
            self._end_row(name)
            self._arguments.drop(spec)
            self._gatherer.gap()
        elif (text := SYMBOLS.get(name, WORDS.get(name))) is not None:
            self._characters.symbol(text, token)
        else:
            self._end_row(name)
            self._unknown(token)

    def _end_row(self, name: str) -> None:
        if name in ROW_COMMANDS and self._gatherer.kind == "row":
            self._gatherer.flush()

    def _unknown(self, token: Token) -> None:
        """An unknown command: optional arguments are skipped, arguments in braces are text."""
        stream = self._stream
        following = stream.peek(skip_space=False)
        if following is None or following.kind != "[" or following.start != token.end:
            return
        option = stream.option(skip_space=False)
        if option is None:
            return
        behind = stream.peek(skip_space=False)
        if has_citation(option.tokens):
            stream.put_back(option.tokens)
        elif behind is None or behind.kind != "{":  # not an optional argument: "\foo[sic]"
            bracket = following._replace(kind="text")
            stream.put_back([bracket, *option.tokens, bracket._replace(text="]")])
