"""The braces, environments and formulas that are open at a position in a draft."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from citewhy.drafts.latex.tokens import Problems, Token

_DEEPEST = 1_000
"""Maximum nesting of groups; real drafts have a dozen levels."""


@dataclass(slots=True)
class Group:
    """A brace, an environment or a formula that is open."""

    kind: str
    token: Token
    is_math: bool = False
    is_silent: bool = False
    """Whether text in it is skipped; citations are kept."""
    is_text: bool = False
    """Whether it is text even inside a formula: a footnote, a caption."""
    close: Callable[[], None] | None = None
    """Called when the group is closed."""

    def __str__(self) -> str:
        """A description for messages."""
        if self.kind in {"{", "["}:
            return "a brace" if self.kind == "{" else "a bracket"
        return "a formula" if self.kind in {"$", "$$", "\\(", "\\["} else f"\\begin{{{self.kind}}}"


class Groups:
    """Opens and closes groups as their tokens come; `end_formula` is called with each formula that closes."""

    def __init__(self, problems: Problems, end_formula: Callable[[Group], None]) -> None:
        self._problems = problems
        self._end_formula = end_formula
        self._open: list[Group] = []
        self._formulas = [0]
        """Number of open formulas, counted separately for each enclosing footnote or caption."""
        self._silent = 0
        self.last_of_formula = ""
        """The last character of the current formula."""
        self.is_too_deep = False
        """Whether groups are nested so deeply that reading must stop."""

    @property
    def innermost(self) -> Group | None:
        return self._open[-1] if self._open else None

    @property
    def in_formula(self) -> bool:
        return self._formulas[-1] > 0

    @property
    def is_silent(self) -> bool:
        return self._silent > 0

    def forget(self) -> None:
        """Forgets all open groups without closing them."""
        self._open, self._formulas, self._silent = [], [0], 0

    def open(self, group: Group) -> None:
        self._open.append(group)
        self._silent += group.is_silent
        self._formulas[-1] += group.is_math
        if group.is_text:
            self._formulas.append(0)
        if len(self._open) > _DEEPEST:
            self._problems.at(
                group.token, "braces and environments are nested too deeply; the rest is not read"
            )
            self.is_too_deep = True

    def open_formula(self, kind: str, token: Token) -> None:
        if not self.in_formula:
            self.last_of_formula = ""
        self.open(Group(kind, token, is_math=True))

    def close(self) -> None:
        """Closes the innermost group."""
        group = self._open.pop()
        if group.is_text:
            self._formulas.pop()
        self._formulas[-1] -= group.is_math
        self._silent -= group.is_silent
        if group.is_math:
            self._end_formula(group)
        if group.close is not None:
            group.close()

    def close_down_to(self, depth: int) -> None:
        """Closes a group after the `depth` groups in it, which should have been closed before."""
        for _ in range(depth):
            inner = self._open[-1]
            self._problems.at(inner.token, f"{inner} is not closed before the enclosing group")
            self.close()
        self.close()

    # Handlers of tokens that open and close groups ---------------------------------------------------------

    def brace(self, token: Token) -> None:
        self.open(Group("{", token))

    def closing_brace(self, token: Token) -> None:
        for depth, group in enumerate(reversed(self._open)):
            if group.kind == "{":
                self.close_down_to(depth)
                return
            if group.kind not in {"$", "$$", "\\(", "\\[", "["}:
                break
        self._problems.at(token, "unmatched closing brace")

    def closing_environment(self, token: Token) -> None:
        """``\\end{…}``; `token` names the environment."""
        for depth, group in enumerate(reversed(self._open)):
            if group.kind == token.text:
                self.close_down_to(depth)
                return
            if group.is_text:
                break
        self._problems.at(token, f"\\end{{{token.text}}} without \\begin{{{token.text}}}")

    def dollar(self, token: Token) -> None:
        """``$`` and ``$$``, which open or close a formula."""
        kind = token.kind
        for depth, group in enumerate(reversed(self._open)):
            if group.kind == kind:
                self.close_down_to(depth)
                return
            if kind == "$$" and group.kind == "$":  # $a$$b$
                self.close_down_to(depth)
                self.open_formula("$", token)
                return
            if group.kind != "{" or group.is_text:
                break
        self.open_formula(kind, token)

    def closing_formula(self, kind: str, token: Token) -> None:
        """``\\)`` closes the formula of `kind` ``\\(``, and ``\\]`` that of ``\\[``."""
        for depth, group in enumerate(reversed(self._open)):
            if group.kind == kind:
                self.close_down_to(depth)
                return
            if group.is_text or not (group.is_math or group.kind == "{"):
                break
        self._problems.at(token, f"\\{token.text} without an open formula")
