"""Document classes in the draft's folder: the bibliographies that they name, and their commands that include
files, name bibliographies or cite. All else in a class is layout, and is not read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citewhy.drafts.latex.define import Definitions
from citewhy.drafts.latex.include import Inclusions
from citewhy.drafts.latex.stream import TokenStream
from citewhy.drafts.latex.tokens import Token

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
            shown = _COMMENT.sub(lambda found: " " * len(found[0]), file.source.text)
            waiting += _LOADED.findall(shown)
            for command, written in NAMED_BIBLIOGRAPHY.findall(shown):
                files = [written] if command.startswith("add") else written.split(",")
                found = (each.strip() for each in files if self._inclusions.find(each, ".bib"))
                self.named += [(each, token) for each in found]
            starts = [found.start() for found in _DEFINITION.finditer(shown)]
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
