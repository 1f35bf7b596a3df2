"""The API does what its description says, whatever it is asked."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from web_client import Client

from citewhy.doors.web.guard import API

pytest_plugins = ("web_server",)

_ENDLESS = "/(events|add)$"
"""Operations that answer for as long as somebody listens, or write."""


def tried(client: Client, folder: Path, examples: int, phases: str) -> None:
    """Asks what the description allows and what it does not: no error of the server, no status, type or
    document that it does not name."""
    if find_spec("schemathesis") is None:
        pytest.skip("schemathesis is not installed: pip install 'citewhy[dev]'")
    draft = client.open("draft.md")["id"]
    (folder.parent / "schemathesis.toml").write_text(
        f'[parameters]\n"path.draft" = "{draft}"\n"path.paper" = ["P02-1040", "nothing"]\n', encoding="utf-8"
    )
    checks = ("not_a_server_error", "status_code_conformance", "content_type_conformance")
    done = subprocess.run(
        [
            *(
                sys.executable,
                "-m",
                "schemathesis.cli",
                "run",
                f"http://127.0.0.1:{client.port}/openapi.json",
            ),
            *("-H", f"Authorization: Bearer {client.token}", "--checks", ",".join(checks)),
            *("--checks", "response_schema_conformance", "--phases", phases, "-n", str(examples)),
            *("--exclude-path-regex", _ENDLESS, "--seed", "7", "--request-timeout", "60", "--no-color"),
            *("--generation-database", "none", "--suppress-health-check", "all"),
        ],
        cwd=folder.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-6_000:]}\n{done.stderr[-2_000:]}"


def test_a_few_requests(client: Client, folder: Path) -> None:
    """Random requests to every operation are answered as described."""
    tried(client, folder, 2, "fuzzing")


@pytest.mark.full
def test_many_requests(client: Client, folder: Path) -> None:
    """So are many, and every border of what is allowed."""
    tried(client, folder, 100, "examples,coverage,fuzzing")


def test_the_description(client: Client) -> None:
    """It is OpenAPI 3.1; every operation is under the API's path and says what it does; the page lists
    all."""
    description = client.ask("GET", "/openapi.json").json
    assert description["openapi"].startswith("3.1")
    page = client.ask("GET", "/api", headers={"Authorization": None}).body.decode()
    for path, operations in description["paths"].items():
        assert path.startswith(API)
        for method, operation in operations.items():
            assert operation["description"]
            assert {"401", "403", "422", "429", "503"} <= operation["responses"].keys()
            assert f"<td>{method.upper()} {path}</td>" in page
    references = set(
        re.findall(r'"#/components/schemas/(\w+)"', client.ask("GET", "/openapi.json").body.decode())
    )
    assert references <= description["components"]["schemas"].keys()


def test_the_page_of_the_documentation_lists_every_operation(client: Client) -> None:
    """docs/api.md names every address."""
    text = (Path(__file__).parents[3] / "docs" / "api.md").read_text(encoding="utf-8")
    for path in client.ask("GET", "/openapi.json").json["paths"]:
        named = path.removeprefix(API).replace("{draft}", "ID").replace("{paper}", "ID")
        assert named in text or named.rpartition("/")[2] in text, path
