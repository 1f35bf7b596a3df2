# ruff: noqa: E501
"""All regular expressions of the package, the ways in which they are used, and texts that may make them slow."""

from __future__ import annotations

import ast
import re
import re._constants as codes  # type: ignore[import-not-found] # there is no public parser of patterns
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Used", "patterns", "spend", "texts"]

SEARCHING = frozenset({"search", "finditer", "findall", "sub", "subn", "split"})
ANCHORED = frozenset({"match", "fullmatch"})
_POOL = "a A1.,;:-_ \n\t()[]{}<>\"'/\\@#$%&*+=~^|!?éß"
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)


class Used(NamedTuple):
    """A pattern, where it is defined, and how it is used: ``search``, ``match`` and ``fullmatch``."""

    place: str
    pattern: re.Pattern[str]
    methods: frozenset[str]


def patterns(root: Path) -> list[Used]:
    """The patterns in all modules below `root`: constants (also in tuples and dicts), and literal arguments of
    functions of `re`. f-strings of constants are evaluated with the values of their module."""
    sources = {path: ast.parse(path.read_text()) for path in sorted(root.rglob("*.py"))}
    everywhere = _uses(sources.values())
    found: dict[tuple[str, int, frozenset[str]], Used] = {}
    for path, tree in sources.items():
        here = _uses([tree])
        values: dict[str, Any] = {"re": re}
        _define(tree.body, values, sources, root, 0)
        called = {
            node.value: node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call)
        }
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "re"):
                continue
            if node.func.attr not in SEARCHING | ANCHORED | {"compile"}:
                continue
            pattern = _evaluated(node, values)
            if not isinstance(pattern, re.Pattern) or not isinstance(pattern.pattern, str):
                continue
            name = _name_of(tree, node)
            how = here if name.startswith("_") else everywhere
            methods = {node.func.attr} if node.func.attr != "compile" else how.get(name, set())
            if node in called:
                methods = {called[node]}
            if not methods or methods & SEARCHING:  # one that is passed on may be used in any way
                methods = methods & ANCHORED | {"search"}
            place = f"{path.relative_to(root)}:{name or node.lineno}"
            used = Used(place, pattern, frozenset(methods & {"search", *ANCHORED}))
            found.setdefault((pattern.pattern, pattern.flags, used.methods), used)
    return list(found.values())


def _define(
    body: Iterable[ast.stmt], values: dict[str, Any], sources: dict[Path, ast.Module], root: Path, depth: int
) -> None:
    """The string constants of a module, and those that it imports from others of the package."""
    for node in body:
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.startswith(root.name)
            and depth < 3
        ):
            other = root.parent.joinpath(*node.module.split("."))
            file = other.with_suffix(".py") if other.with_suffix(".py") in sources else other / "__init__.py"
            if file in sources:
                inside: dict[str, Any] = {"re": re}
                _define(sources[file].body, inside, sources, root, depth + 1)
                values.update({a.asname or a.name: inside[a.name] for a in node.names if a.name in inside})
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                values[node.targets[0].id] = eval(compile(ast.Expression(node.value), "", "eval"), {**values})
            except Exception:
                continue


def _evaluated(node: ast.Call, values: dict[str, Any]) -> Any:
    assert isinstance(node.func, ast.Attribute)
    compiled = ast.Call(
        ast.Attribute(ast.Name("re", ast.Load()), "compile", ast.Load()),
        node.args[:2] if node.func.attr == "compile" else node.args[:1],
        [keyword for keyword in node.keywords if keyword.arg == "flags"],
    )
    try:
        return eval(compile(ast.fix_missing_locations(ast.Expression(compiled)), "", "eval"), {**values})
    except Exception:
        return None


def _name_of(tree: ast.Module, call: ast.Call) -> str:
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            if node.value is call:
                return node.targets[0].id
            if call in ast.walk(node.value):
                return f"in {node.targets[0].id}"
    return ""


def _uses(trees: Iterable[ast.Module]) -> dict[str, set[str]]:
    """The methods that are called on a name, anywhere in the package. A name that is passed on may be used in
    any way."""
    found: dict[str, set[str]] = {}
    for tree in trees:
        called = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                called.add(node.value)
                found.setdefault(node.value.id, set()).add(node.attr)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in called:
                found.setdefault(node.id, set()).add("search")
    return found


# Texts ----------------------------------------------------------------------------------------------------


def texts(pattern: re.Pattern[str], size: int) -> Iterator[tuple[str, str]]:
    """Long runs of what the pattern is made of, alone and after each beginning of what it matches, with and
    without an end that it cannot match; each with a description."""
    parsed = parser.parse(pattern.pattern, pattern.flags)
    units = list(dict.fromkeys(_characters(parsed)))[:14]
    beginnings = list(dict.fromkeys(text for text in _beginnings(parsed) if text))[:16]
    runs = [*units, *(one + other for one in units[:8] for other in units[:8] if one != other), *beginnings]
    for run in dict.fromkeys(runs):
        yield repr(run), run * (size // len(run))
    for beginning in beginnings:
        for unit in [*units[:8], *beginnings[:4]]:
            for end in ("", "\0"):
                yield f"{beginning!r}, {unit!r}, {end!r}", beginning + unit * (size // len(unit)) + end


def _characters(items: Any) -> Iterator[str]:
    """A character or two for each element."""
    for code, value in items:
        if code is codes.LITERAL:
            yield chr(value)
        elif code is codes.NOT_LITERAL:
            yield "a" if value != ord("a") else "b"
        elif code is codes.ANY:
            yield "a"
        elif code is codes.IN:
            yield from _members(value)
        else:
            for inner in _inside(code, value):
                yield from _characters(inner)


def _inside(code: Any, value: Any) -> list[Any]:
    if code in _REPEATS:
        return [value[2]]
    if code is codes.SUBPATTERN:
        return [value[3]]
    if code is codes.BRANCH:
        return list(value[1])
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        return [value[1]]
    return [value] if code is codes.ATOMIC_GROUP else []


def _members(parts: Any) -> list[str]:
    """Characters of a class, of different kinds."""
    text = "".join(map(_class, parts))
    found = [character for character in _POOL if re.match(f"[{text}]", character)]
    return found[:2] or [chr(value) for code, value in parts if code is codes.LITERAL][:1]


def _class(part: Any) -> str:
    code, value = part
    if code is codes.NEGATE:
        return "^"
    if code is codes.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    if code is codes.CATEGORY:
        kind = str(value).rpartition("_")[2][0].lower()
        return f"\\{kind.upper() if '_NOT_' in str(value) else kind}"
    return re.escape(chr(value))


def _beginnings(parsed: Any) -> list[str]:
    """What the first elements match, then one more, and so on; for each branch."""
    found: list[str] = []

    def first(items: Any) -> str:
        text = ""
        for code, value in items:
            if code is codes.LITERAL:
                text += chr(value)
            elif code in (codes.NOT_LITERAL, codes.ANY, codes.IN):
                text += next(iter(_characters([(code, value)])), "a")
            elif code in _REPEATS:
                text += first(value[2]) * min(max(value[0], 1), 6)
            elif code in (codes.SUBPATTERN, codes.BRANCH, codes.ATOMIC_GROUP):
                text += first(_inside(code, value)[0])
            found.append(text)
        return text

    def branches(items: Any) -> None:
        for code, value in items:
            for inner in _inside(code, value):
                if code is codes.BRANCH:
                    first(inner)
                branches(inner)

    first(parsed)
    branches(parsed)
    return found


def spend(used: Used, text: str) -> None:
    """Uses the pattern on the text as the package does."""
    if "search" in used.methods:
        for _ in used.pattern.finditer(text):
            pass
    if "match" in used.methods:
        used.pattern.match(text)
    if "fullmatch" in used.methods:
        used.pattern.fullmatch(text)
