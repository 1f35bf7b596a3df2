"""Macro expansion: definitions, conditionals and included files are followed.

The result is the draft as one stream of tokens, with no commands left but those of LaTeX and of packages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from citewhy.drafts.latex.acronyms import Acronyms
from citewhy.drafts.latex.commands import family
from citewhy.drafts.latex.conditions import Conditions
from citewhy.drafts.latex.define import Definitions, Macro
from citewhy.drafts.latex.files import Inclusions, LatexFiles
from citewhy.drafts.latex.stream import UNCLOSED, Argument, TokenStream
from citewhy.drafts.latex.tokens import Problems, Token, plain_text
from citewhy.text.placeholders import OPEN_COMMAND, is_open_body, open_remark

_LONGEST_NAME = 5_000
"""Maximum number of tokens in an argument that is expanded: a file name, a list of keys."""

_LONGEST_MARK = 60
"""Number of tokens of a macro that are looked at for a mark."""

_DEEPEST_NAME = 20
"""Maximum nesting of such arguments: ``\\input{\\input{…``."""


_WITHOUT_EFFECT = (
    *("expandafter", "noexpand", "unexpanded", "protect", "protected", "global", "long", "outer"),
    *("begingroup", "endgroup", "bgroup", "egroup", "leavevmode"),
)

_CHILDREN = re.compile(r"\bchild\s*[=:]\s*(c?\([^()]*\)|\[[^\[\]]*\]|[\"'][^\"']*[\"'])")
_CITED_IN_CHUNK = re.compile(
    r"\\[A-Za-z]{0,12}cite[A-Za-z]{0,12}\*?(?:\[[^\[\]]{0,200}\]){0,2}\{([^{}\\]{0,1000})\}"
)
_QUOTED = re.compile(r"[\"']([^\"']+)[\"']")


class Expander:
    """The expanded tokens of a draft, with `begin` and `end` tokens for ``\\begin{…}`` and ``\\end{…}``.

    `definitions`, conditionals, `classes` and `inclusions` of files share one `stream`.
    """

    def __init__(self, files: LatexFiles, problems: Problems) -> None:
        self.stream = TokenStream(problems)
        self._conditions = Conditions(self.stream)
        self.definitions = Definitions(self.stream, self._conditions)
        self.inclusions = Inclusions(self.stream, files)
        self.classes = Classes(self.stream, self.definitions, self.inclusions)
        self.packages: list[str] = []
        """Names of the classes and packages that the draft loads, with their folders, in order."""
        self._nesting = 0
        """How many arguments are being expanded."""
        self._steps = self._commands()

    def _commands(self) -> dict[str, Callable[[Token], Token | None]]:
        """The handlers of commands that are expanded here; a token that a handler returns comes next."""
        return {
            **self.definitions.commands(),
            **Acronyms(self.stream, self.definitions).commands(),
            "begin": self._begin,
            "end": self._end,
            **dict.fromkeys(_WITHOUT_EFFECT, self._nothing),
            "csname": self._control_sequence_name,
            "@ifstar": self._if_star,
            "@ifnextchar": self._if_next,
            "@ifundefined": self._if_undefined,
            **dict.fromkeys(("makeatletter", "makeatother"), self._at_letter),
            "endinput": self._end_input,
            **dict.fromkeys(("input", "include", "subfile", "subfileinclude", "@input"), self._input),
            **dict.fromkeys(("SweaveInput", "loadglsentries"), self._input),
            **dict.fromkeys(
                ("import", "subimport", "includefrom", "subincludefrom", "inputfrom"), self._import
            ),
            **dict.fromkeys(("InputIfFileExists", "IfFileExists"), self._input_if_exists),
            **dict.fromkeys(("usepackage", "RequirePackage", "documentclass"), self._load),
        }

    def next(self) -> Token | None:
        """The next token after expansion; None at the end of the draft."""
        while (token := self.stream.next_raw()) is not None:
            if token.kind == "word":
                done = self._word(token)
                if done is not None:
                    return done
            elif token.kind == "sign" and token.text in self.definitions.macros:
                self.definitions.call(token, self.definitions.macros[token.text])
            elif token.kind == "chunk":
                self._chunk(token)
            else:
                return token
        return None

    def _word(self, token: Token) -> Token | None:
        macro = self.definitions.macros.get(token.text)
        if macro is not None and (mark := self._as_mark(token, macro)):
            return mark
        if macro is not None and not self._is_called_as_standard(token, macro):
            self.definitions.call(token, macro)
            return None
        name = self.definitions.aliases.get(token.text)
        known = token if name is None else token._replace(text=name)
        step = self._steps.get(known.text)
        if step is not None:
            return step(known)
        if self._conditions.step(known) or self._conditions.package_step(known):
            return None
        return known

    def is_own(self, name: str) -> bool:
        """Whether the draft defines a macro of this name that is none of LaTeX's or of a package."""
        return name in self.definitions.macros and not family(name)

    def _as_mark(self, token: Token, macro: Macro) -> Token | None:
        """The call of a draft's own macro in a file, if it marks a missing citation: by its argument
        (``\\note{cite Kripke}``), or by what it shows; as a command that is not expanded."""
        if token.call is not None or not self.is_own(token.text):
            return None
        if not macro.parameters:
            shows_mark = True
        elif open_remark(token.source.text, token.start, is_own=True):
            return token
        else:
            shows_mark = len(macro.parameters) == 1 and token.text.isupper()
        is_mark = shows_mark and is_open_body(plain_text(macro.body[:_LONGEST_MARK]))
        return token._replace(text=OPEN_COMMAND) if is_mark else None

    def _is_called_as_standard(self, token: Token, macro: Macro) -> bool:
        """Whether a citation command is called with a note that the draft's own definition of it does not
        take: a definition holds beyond its group here, and this call is of the command as it was."""
        if family(token.text) != "citation" or macro.prefix or not macro.parameters:
            return False
        following = self.stream.peek(skip_space=False)
        return macro.parameters[0].kind == "braces" and following is not None and following.kind == "["

    def expanded_argument(self) -> Argument | None:
        """Takes an argument in braces and expands it; None (and nothing is taken) if there is none."""
        opening = self.stream.take("{")
        if opening is None:
            return None
        if self._nesting >= _DEEPEST_NAME:
            self.stream.problems.at(opening, f"more than {_DEEPEST_NAME} names within each other")
            self.stream.put_back([opening])
            return None
        self._nesting += 1
        try:
            return self._expanded(opening)
        finally:
            self._nesting -= 1

    def _expanded(self, opening: Token) -> Argument | None:
        taken: list[Token] = []
        depth, files, longest = 1, len(self.stream.files), self.stream.at_most(_LONGEST_NAME)
        while (token := self.next()) is not None:
            depth += {"{": 1, "}": -1}.get(token.kind, 0)
            if depth == 0:
                place = opening._replace(kind="mark", text="", start=opening.end, end=token.start)
                return Argument(taken, place if place.end >= place.start else place._replace(end=place.start))
            taken.append(token)
            if token.kind == "par" or len(taken) > longest or len(self.stream.files) < files:
                break
        self.stream.problems.at(opening, UNCLOSED)
        self.stream.give_up([opening._replace(kind="mark", text=""), *taken])
        return None

    # Environments and TeX primitives -----------------------------------------------------------------------

    def _begin(self, token: Token) -> Token | None:
        name = self._environment_name(token)
        begun = None if name is None else token._replace(kind="begin", text=name, end=self._end_of(token))
        if begun is not None and begun.text in self.definitions.environments:
            self.definitions.call(token, self.definitions.environments[begun.text].begin)
        return begun

    def _end(self, token: Token) -> Token | None:
        name = self._environment_name(token)
        if name is None:
            return None
        ended = token._replace(kind="end", text=name, end=self._end_of(token))
        if name not in self.definitions.environments:
            return ended
        self.stream.put_back([ended])
        self.definitions.call(token, self.definitions.environments[name].end)
        return None

    def _environment_name(self, token: Token) -> str | None:
        argument = self.expanded_argument()
        if argument is None:
            self.stream.problems.at(token, f"\\{token.text} without the name of an environment")
            return None
        return plain_text(argument.tokens).strip()

    def _end_of(self, token: Token) -> int:
        last = self.stream.last
        return (
            last.end
            if last is not None and last.source is token.source and last.end > token.end
            else token.end
        )

    def _nothing(self, token: Token) -> None:
        return None

    def _control_sequence_name(self, token: Token) -> None:
        """``\\csname…\\endcsname``: calls the macro of that name if there is one."""
        taken: list[Token] = []
        while (inner := self.stream.next_in_file()) is not None and len(taken) < self.stream.at_most(
            _LONGEST_NAME
        ):
            if inner.kind == "word" and inner.text == "endcsname":
                break
            if inner.kind in {"par", "begin", "end"}:
                self.stream.put_back([inner])
                return
            taken.append(inner)
        name = plain_text(taken)
        if name in self.definitions.macros:
            self.definitions.call(token._replace(text=name), self.definitions.macros[name])

    def _if_star(self, token: Token) -> None:
        starred, plain = self.stream.argument(), self.stream.argument()
        chosen = starred if self.stream.take("*") else plain
        self.stream.put_back(chosen.tokens if chosen else [])

    def _if_next(self, token: Token) -> None:
        character, yes, no = self.stream.argument(), self.stream.argument(), self.stream.argument()
        following = self.stream.peek()
        wanted = plain_text(character.tokens) if character else ""
        chosen = yes if following is not None and wanted and following.text.startswith(wanted) else no
        self.stream.put_back(chosen.tokens if chosen else [])

    def _if_undefined(self, token: Token) -> None:
        name, yes, no = self.stream.argument(), self.stream.argument(), self.stream.argument()
        chosen = no if name is not None and self.definitions.is_known(plain_text(name.tokens)) else yes
        self.stream.put_back(chosen.tokens if chosen else [])

    # Files -------------------------------------------------------------------------------------------------

    def _at_letter(self, token: Token) -> None:
        for file in self.stream.files:  # it applies to the including files as well
            file.at_is_letter = file.is_package or token.text == "makeatletter"

    def _end_input(self, token: Token) -> None:
        if self.stream.files:
            self.stream.files[-1].position = len(self.stream.files[-1].source.text)

    def _input(self, token: Token) -> Token | None:
        if token.text == "loadglsentries":
            self.stream.option()
        argument = self.expanded_argument()
        name = plain_text(argument.tokens) if argument else self._bare_name()
        if token.text != "include":
            self.inclusions.include(token, name)
            return None
        page = token._replace(kind="par", text=" ")  # \include begins a page and ends one
        self.stream.put_back([page])
        self.inclusions.include(token, name)
        return page

    def _chunk(self, chunk: Token) -> None:
        """Reads the files that a chunk of a Sweave document includes (``<<child=c('a.Rnw', 'b.Rnw')>>=``),
        and takes keys that its caption cites as cited without a position."""
        for keys in _CITED_IN_CHUNK.findall(chunk.text):
            opening = chunk._replace(kind="{", text="{")
            closing = chunk._replace(kind="}", text="}")
            nocite = chunk._replace(kind="word", text="nocite")
            self.stream.put_back([nocite, opening, chunk._replace(kind="text", text=keys), closing])
        children = _CHILDREN.search(chunk.text)
        for name in reversed(_QUOTED.findall(children[1]) if children else []):
            self.inclusions.include(chunk._replace(text="child"), name, suffix=".Rnw")

    def _input_if_exists(self, token: Token) -> None:
        name, yes, no = self.expanded_argument(), self.stream.argument(), self.stream.argument()
        text = plain_text(name.tokens) if name else ""
        exists = self.inclusions.find(text) is not None
        chosen = yes if exists else no
        self.stream.put_back(chosen.tokens if chosen else [])
        if exists and token.text == "InputIfFileExists":
            self.inclusions.include(token, text)

    def _import(self, token: Token) -> None:
        self.stream.take("*")
        folder, name = self.expanded_argument(), self.expanded_argument()
        if folder is None or name is None:
            self.stream.problems.at(token, f"\\{token.text} without a file name")
            return
        path = plain_text(folder.tokens).strip()
        if token.text.startswith("sub") and self.stream.files:
            path = str(PurePosixPath(self.stream.files[-1].folder or ".") / path)
        self.inclusions.include(token, plain_text(name.tokens), folder=path)

    def _bare_name(self) -> str:
        """The file name of a primitive ``\\input file``: up to white space."""
        taken: list[Token] = []
        self.stream.peek()
        while (token := self.stream.next_in_file()) is not None:
            if token.kind in {"space", "par", "word", "sign", "{", "}", "begin", "end"}:
                self.stream.put_back([token])
                break
            taken.append(token)
        return plain_text(taken)

    def _load(self, token: Token) -> None:
        """A class or a package."""
        option = self.stream.option()
        argument = self.expanded_argument()
        names = [name.strip() for name in plain_text(argument.tokens if argument else []).split(",")]
        self.packages += names
        if token.text != "documentclass":
            self.inclusions.include_packages(token, names)
        elif names == ["subfiles"] and option is not None:
            self.inclusions.read_preamble(token, plain_text(option.tokens))
        else:
            self.classes.read(token, names)


# Document classes in the draft's folder: the bibliographies that they name, and their commands that include
# files, name bibliographies or cite. All else in a class is layout, and is not read.

NAMED_BIBLIOGRAPHY = re.compile(
    r"\\(bibliography|defaultbibliography|addbibresource|addglobalbib)\s{0,20}(?:\[[^\]]{0,200}\]\s{0,20})?"
    r"\{([^{}]{0,2000})\}"
)
_COMMENT = re.compile(r"(?<!\\)%[^\r\n]*")
_DEFINITION = re.compile(
    r"\\(?:(?:new|renew|provide)command|DeclareRobustCommand|[gex]?def|"
    r"(?:New|Renew|Provide|Declare)DocumentCommand)(?![A-Za-z@])"
)
_LOADED = re.compile(r"\\LoadClass(?:WithOptions)?\s{0,20}(?:\[[^\]]{0,200}\]\s{0,20})?\{([^{}]{0,200})\}")
_DEEPEST = 5
"""Number of classes that load each other."""


class Classes:
    """Reads the classes that a draft loads, as far as they are content."""

    def __init__(self, stream: TokenStream, definitions: Definitions, inclusions: Inclusions) -> None:
        self._stream = stream
        self._definitions = definitions
        self._inclusions = inclusions
        self.named: list[tuple[str, Token]] = []
        """Names of ``.bib`` files that exist, each with the command that loads the class."""

    def read(self, token: Token, names: Sequence[str]) -> None:
        """Reads the classes called `names` in the draft's folder, and the classes that these load."""
        waiting, done = list(names), set[str]()
        while waiting and len(done) < _DEEPEST:
            name = waiting.pop(0)
            file = None if name in done else self._inclusions.class_file(name)
            done.add(name)
            if file is None:
                continue
            code = _COMMENT.sub(lambda comment: " " * len(comment[0]), file.source.text)
            waiting += _LOADED.findall(code)
            for command, written in NAMED_BIBLIOGRAPHY.findall(code):
                files = [written] if command.startswith("add") else written.split(",")
                self.named += [(bib.strip(), token) for bib in files if self._inclusions.find(bib, ".bib")]
            starts = [definition.start() for definition in _DEFINITION.finditer(code)]
            handlers = self._definitions.commands()
            self._stream.enter(file)
            for start in starts:
                if start < file.position:  # inside another definition
                    continue
                file.position = start
                command_token = self._stream.next_in_file()
                if command_token is not None and command_token.text in handlers:
                    self._definitions.content_only = True
                    handlers[command_token.text](command_token)
                    self._definitions.content_only = False
            self._stream.leave()
