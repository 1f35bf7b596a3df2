"""Conditionals, ``\\if… \\else … \\fi``. Where the outcome cannot be known, both branches are read."""

from __future__ import annotations

import re

from citewhy.drafts.latex.stream import TokenStream
from citewhy.drafts.latex.tokens import Token, plain_text

_UNDECIDED = frozenset(
    f"if{test}"
    for test in (
        *("", "x", "num", "dim", "odd", "case", "cat", "hmode", "vmode", "mmode", "inner", "hbox", "vbox"),
        *("void", "eof", "defined", "csname", "fontchar", "pdf", "pdftex", "xetex", "luatex", "PDFTeX"),
        *("XeTeX", "LuaTeX", "tutex", "@twocolumn", "@twoside"),
    )
)
"""Conditionals of TeX and common packages whose outcome is not known from the source."""

_COMPARISON = re.compile(
    r"\s*(?:\\[A-Za-z@]+(?:\{[^{}\n]*\})?|[-+.\w]+)"
    r"\s*[<=>]\s*(?:\\[A-Za-z@]+(?:\{[^{}\n]*\})?|[-+.\w]+)[ \t]*"
)
_MOST_MISSING_ENDS = 3


class Conditions:
    """The switches that a draft sets, and the conditionals that are open."""

    def __init__(self, stream: TokenStream) -> None:
        self._stream = stream
        self.switches: dict[str, bool] = {}
        """Values of ``\\newif`` switches (by name without ``if``) and of toggles and booleans of packages."""
        self._open: list[bool] = []
        """For each open conditional, whether the text after ``\\else`` is skipped."""
        self._missing_ends = 0

    def step(self, token: Token) -> bool:
        """Handles a primitive conditional or a switch; False for any other command."""
        name = token.text
        if name == "newif":
            self._new_switch()
        elif name == "fi":
            if self._open:
                self._open.pop()
        elif name == "else":
            if self._open and self._open[-1]:
                self._skip(token)
                self._open.pop()
        elif name == "or":
            pass
        elif name in {"iftrue", "iffalse"}:
            self._decided(token, name == "iftrue")
        elif name.startswith("if") and name[2:] in self.switches:
            self._decided(token, self.switches[name[2:]])
        elif name in _UNDECIDED:
            self._undecided(name)
        elif name.endswith(("true", "false")) and re.sub("(?:true|false)$", "", name) in self.switches:
            self.switches[re.sub("(?:true|false)$", "", name)] = name.endswith("true")
        else:
            return False
        return True

    def alias(self, name: str, target: str) -> bool:
        """Handles ``\\let\\ifdraft\\iftrue``; False if `target` is not a constant conditional."""
        if target in {"iftrue", "iffalse"} and name.startswith("if"):
            self.switches[name[2:]] = target == "iftrue"
            return True
        return False

    def package_step(self, token: Token) -> bool:
        """Handles toggles of etoolbox, booleans of ifthen, and their tests; False for any other command."""
        name = token.text
        if name in {"newtoggle", "newbool", "providetoggle", "providebool", "newboolean", "provideboolean"}:
            self.switches.setdefault(self._name(), False)
        elif name in {"toggletrue", "booltrue", "togglefalse", "boolfalse"}:
            self.switches[self._name()] = name.endswith("true")
        elif name in {"settoggle", "setbool", "setboolean"}:
            self.switches[self._name()] = self._name() == "true"
        elif name in {"iftoggle", "ifbool", "nottoggle", "notbool", "ifthenelse"}:
            outcome = self._outcome(self._name())
            self._choose(outcome if outcome is None else outcome ^ name.startswith("not"))
        else:
            return False
        return True

    def _name(self) -> str:
        argument = self._stream.argument()
        return "" if argument is None else plain_text(argument.tokens).strip()

    def _outcome(self, test: str) -> bool | None:
        match = re.fullmatch(r"(\\not\s*)?(?:\\boolean\{([^{}]*)\}|([^\\{}]*))\s*", test)
        if match is None:
            return None
        value = self.switches.get((match[2] or match[3] or "").strip())
        return value if value is None or not match[1] else not value

    def _choose(self, outcome: bool | None) -> None:
        """Continues with one of two arguments, or with both if the outcome is unknown."""
        yes, no = self._stream.argument(), self._stream.argument()
        if no is not None and outcome is not True:
            self._stream.put_back(no.tokens)
        if yes is not None and outcome is not False:
            self._stream.put_back(yes.tokens)

    def _new_switch(self) -> None:
        token = self._stream.peek()
        if token is not None and token.kind == "word" and token.text.startswith("if"):
            self._stream.next_in_file()
            self.switches[token.text[2:]] = False

    def _decided(self, token: Token, outcome: bool) -> None:
        if outcome:
            self._open.append(True)
        elif self._skip(token) == "else":
            self._open.append(False)

    def _undecided(self, name: str) -> None:
        self._open.append(False)
        if name in {"ifx", "if", "ifcat"}:
            for _ in range(2):
                if self._stream.peek() is not None:
                    self._stream.next_in_file()
        elif name in {"ifdefined"}:
            self._stream.take("word")
        elif name in {"ifnum", "ifdim", "ifodd", "ifcase"} and (file := self._stream.raw_file()):
            comparison = _COMPARISON.match(file.source.text, file.position)
            if comparison:
                file.position = comparison.end()

    def _skip(self, token: Token) -> str:
        """Skips the text up to the matching ``\\else`` or ``\\fi``, and returns which of them it is.

        If there is none in the file, nothing is skipped.
        """
        if self._missing_ends >= _MOST_MISSING_ENDS:
            return "else"
        skipped: list[Token] = []
        depth = 0
        while (inner := self._stream.next_in_file()) is not None:
            skipped.append(inner)
            if inner.kind != "word":
                continue
            if inner.text == "fi":
                if depth == 0:
                    return "fi"
                depth -= 1
            elif inner.text == "else" and depth == 0 and token.text != "else":
                return "else"
            elif self._is_conditional(inner.text) and not self._defines(skipped):
                depth += 1
        self._missing_ends += 1
        self._stream.problems.at(
            token, f"\\{token.text} has no matching \\fi in its file; what follows is read"
        )
        self._stream.put_back(skipped)
        return "else"

    def _is_conditional(self, name: str) -> bool:
        return name.startswith("if") and (
            name in _UNDECIDED or name in {"iftrue", "iffalse"} or name[2:] in self.switches
        )

    @staticmethod
    def _defines(tokens: list[Token]) -> bool:
        """Whether the last token is the name that a ``\\newif`` before it defines."""
        return len(tokens) > 1 and tokens[-2].kind == "word" and tokens[-2].text == "newif"
