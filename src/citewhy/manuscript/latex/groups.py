"""The braces, environments and formulas that are open at a place of a draft, and what closes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from citewhy.manuscript.latex.expand import Expander
from citewhy.manuscript.latex.tokens import Token

__all__ = ["Group", "Groups"]

_DEEPEST = 1_000
"""Braces and environments in each other; real drafts have a dozen."""


@dataclass(slots=True)
class Group:
    """A brace, an environment or a formula that is open."""

    kind: str
    token: Token
    is_math: bool = False
    is_silent: bool = False
    """Text in it is not kept, citations are."""
    is_text: bool = False
    """Formulas around it do not reach into it: a footnote, a caption."""
    close: Callable[[], None] | None = None

    def __str__(self) -> str:
        """The group as a sentence names it."""
        if self.kind in {"{", "["}:
            return "a brace" if self.kind == "{" else "a bracket"
        return "a formula" if self.kind in {"$", "$$", "\\(", "\\["} else f"\\begin{{{self.kind}}}"


class Groups:
    """Opens and closes groups as their tokens come. What a formula says is for a subclass."""

    def __init__(self, stream: Expander) -> None:
        self.stream = stream
        self.groups: list[Group] = []
        self._math = [0]
        """Formulas around the current place, anew in every footnote."""
        self.math_end = ""
        """The last character of the formula."""
        self.silent = 0
        """Silent groups around the current place."""
        self.is_finished = False
        """True where nothing more is to be read."""

    def forget_groups(self) -> None:
        """All that is open counts no more."""
        self.groups, self._math, self.silent = [], [0], 0

    def open_group(self, kind: str, token: Token, close: Callable[[], None] | None = None) -> None:
        self.open(Group(kind, token, close=close))

    def open(self, group: Group) -> None:
        self.groups.append(group)
        self.silent += group.is_silent
        self._math[-1] += group.is_math
        if group.is_text:
            self._math.append(0)
        if len(self.groups) > _DEEPEST:
            self.stream.problems.at(
                group.token, "braces and environments nest too deep; the rest is not read"
            )
            self.is_finished = True

    def close_group(self) -> None:
        group = self.groups.pop()
        if group.is_text:
            self._math.pop()
        self._math[-1] -= group.is_math
        self.silent -= group.is_silent
        if group.is_math:
            self.end_formula(group)
        if group.close is not None:
            group.close()

    def on_open_brace(self, token: Token) -> None:
        self.open_group("{", token)

    def on_close_brace(self, token: Token) -> None:
        for depth, group in enumerate(reversed(self.groups)):
            if group.kind == "{":
                self.close_down_to(depth)
                return
            if group.kind not in {"$", "$$", "\\(", "\\[", "["}:
                break
        self.stream.problems.at(token, "a closing brace closes nothing")

    def close_down_to(self, depth: int) -> None:
        """Closes a group and the `depth` groups in it, which should have been closed before."""
        for _ in range(depth):
            inner = self.groups[-1]
            self.stream.problems.at(inner.token, f"{inner} is not closed before what is around it")
            self.close_group()
        self.close_group()

    # Mathematics -------------------------------------------------------------------------------------------

    @property
    def in_math(self) -> bool:
        return self._math[-1] > 0

    def open_math(self, kind: str, token: Token) -> None:
        if not self.in_math:
            self.math_end = ""
        self.open(Group(kind, token, is_math=True))

    def on_dollar(self, token: Token) -> None:
        kind = token.kind
        for depth, group in enumerate(reversed(self.groups)):
            if group.kind == kind:
                self.close_down_to(depth)
                return
            if kind == "$$" and group.kind == "$":  # $a$$b$
                self.close_down_to(depth)
                self.open_math("$", token)
                return
            if group.kind != "{" or group.is_text:
                break
        self.open_math(kind, token)

    def close_formula(self, kind: str, token: Token) -> None:
        for depth, group in enumerate(reversed(self.groups)):
            if group.kind == kind:
                self.close_down_to(depth)
                return
            if group.is_text or not (group.is_math or group.kind == "{"):
                break
        self.stream.problems.at(token, f"\\{token.text} closes no formula")

    def end_formula(self, group: Group) -> None:
        """A formula was closed."""
