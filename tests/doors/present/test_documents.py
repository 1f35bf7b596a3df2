"""The schemas of the JSON documents: up to date, and kept by what the commands print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner

from citewhy.base.assets import intent_folder
from citewhy.doors.cli import cli
from citewhy.doors.present.documents import DOCUMENTS, schema_of

SCHEMAS = Path(__file__).parents[3] / "docs" / "schema"

TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


def problems(value: Any, schema: dict[str, Any], top: dict[str, Any], at: str = "$") -> list[str]:
    """Where a value does not keep a schema, or has a field that it does not name."""
    if "$ref" in schema:
        return problems(value, top["$defs"][schema["$ref"].rpartition("/")[2]], top, at)
    if "anyOf" in schema:
        by_form = [problems(value, one, top, at) for one in schema["anyOf"]]
        return [] if [] in by_form else by_form[0]
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{at}: {value!r}"]
    if schema.get("type") == "array":
        if not isinstance(value, list):
            return [f"{at}: no list"]
        return [
            problem
            for n, one in enumerate(value)
            for problem in problems(one, schema["items"], top, f"{at}[{n}]")
        ]
    if schema.get("type") == "object":
        if not isinstance(value, dict):
            return [f"{at}: no object"]
        fields = schema.get("properties")
        if fields is None:
            fields = dict.fromkeys(value, schema["additionalProperties"])
        missing = set(schema.get("required", ())) - value.keys()
        wrong = [f"{at}: {name}" for name in missing | (value.keys() - fields.keys())]
        both = fields.keys() & value.keys()
        return wrong + [p for name in both for p in problems(value[name], fields[name], top, f"{at}.{name}")]
    expected = TYPES.get(schema.get("type", ""), object)
    is_number = schema.get("type") in ("integer", "number")
    good = isinstance(value, expected) and not (is_number and isinstance(value, bool))
    return [] if good else [f"{at}: {value!r}"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_schemas_are_up_to_date(name: str) -> None:
    """Each file in docs/schema is what its document gives; `orjson.dumps(schema_of(…), OPT_INDENT_2)`."""
    written = (SCHEMAS / f"{name}.json").read_bytes()
    assert written == orjson.dumps(schema_of(DOCUMENTS[name]), option=orjson.OPT_INDENT_2) + b"\n"


def test_what_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every document keeps its schema, field by field, and has no others."""
    monkeypatch.setenv("CITEWHY_CACHE", str(tmp_path / "cache"))
    draft = tmp_path / "draft.md"
    draft.write_text("# A\n\nWeights are tuned [@]. See [@och2003; @gone].\n", encoding="utf-8")
    commands: dict[str, list[object]] = {
        "suggest-text": ["suggest", "--text", "Weights are tuned (Och, 2003).", "--pipeline", "bm25"],
        "suggest-draft": ["suggest", draft, "--unit", "place", "--unit", "draft", "--pipeline", "bm25"],
        "review": ["review", draft, "--pipeline", "bm25"],
        "review-report": ["review", draft, "--full"],
        "find": ["find", "BLEU"],
        "passages": ["passages", "P02-1040", "--text", "BLEU counts n-grams."],
        "classify": ["classify", draft, "--model", intent_folder()],
        "info": ["info"],
    }
    assert commands.keys() == DOCUMENTS.keys()
    for name, arguments in commands.items():
        done = CliRunner().invoke(cli, [*map(str, arguments), "--json"], catch_exceptions=False)
        schema = schema_of(DOCUMENTS[name])
        assert problems(orjson.loads(done.stdout), schema, schema) == [], name
