"""A server of a draft in Markdown, over the toy corpus."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from toy_session import toy_session
from web_client import DRAFT, Client, serving

from citewhy.session.session import Session


@pytest.fixture(scope="session")
def web_session(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with toy_session(tmp_path_factory.mktemp("toy"), toy) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the server, with a draft and its bibliography."""
    made = tmp_path / "served"
    made.mkdir()
    (made / "draft.md").write_text(DRAFT, encoding="utf-8")
    (made / "refs.bib").write_text("@misc{known, title = {Known}}\n", encoding="utf-8")
    return made


@pytest.fixture
def client(web_session: Session, folder: Path) -> Iterator[Client]:
    with serving(web_session, folder) as client:
        yield client
