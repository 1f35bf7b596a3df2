"""Eight threads on one session are given what one alone is given."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import get_args

import pytest
from hash_encoder import HashEncoder

from citewhy.base.assets import example_draft, starter_folder
from citewhy.base.records import Query, QueryKind
from citewhy.doors.present import as_json
from citewhy.session.session import Session

THREADS = 8
YEARS = (None, 1995, 2003, 2008, 2014, 2017)


@pytest.fixture(scope="module")
def library(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The starter's papers and the toy corpus, with its citing sentences and full texts."""
    folder = tmp_path_factory.mktemp("library")
    with Session(folder, create=True) as session:
        session.add([starter_folder(), toy], vectors=False)
    return folder


@pytest.fixture(params=["words", "built-in"])
def session(request: pytest.FixtureRequest, library: Path) -> Iterator[Session]:
    """Nothing is opened before the threads ask: with a small encoder and with the built-in one."""
    encoder = HashEncoder() if request.param == "words" else None
    with Session(library, encoder=encoder) as opened:
        yield opened


def queries(session: Session, count: int) -> list[Query]:
    """Sentences of an example draft, as of many years, of every kind, with known papers and without."""
    manuscript = session.read(example_draft("latex"))
    texts = [each.text for paragraph in manuscript.paragraphs for each in paragraph.sentences if each.text]
    known = [(), ("P02-1040",), ("arXiv:1706.03762", "P03-1021")]
    kinds: tuple[QueryKind, ...] = get_args(QueryKind)
    made = (
        Query(kind, text, manuscript.title, year=year, known_ids=ids)
        for text, (year, ids, kind) in zip(
            itertools.cycle(texts), itertools.cycle(itertools.product(YEARS, known, kinds)), strict=False
        )
    )
    return list(itertools.islice(made, count))


def answers(session: Session, asked: Sequence[Query], threads: int) -> list[str]:
    """To each question what a door would show: suggestions with reasons and passages, as text."""

    def answer(query: Query) -> str:
        return as_json.dumps(as_json.text_document(session.suggest(query, 1, threshold=0.0)))

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(answer, asked))


def test_questions(session: Session) -> None:
    """The same bytes in the same order; more questions with the small encoder."""
    asked = queries(session, 150 if session.models.encoder else 40)
    many = answers(session, asked, THREADS)
    with Session(session.folder, encoder=session.models.encoder) as alone:
        assert many == answers(alone, asked, 1)
    assert len(set(many)) > len(asked) / 2


def test_drafts_and_passages(session: Session, tmp_path: Path) -> None:
    """Several drafts at once, and passages beside them."""
    root = shutil.copytree(example_draft("latex").parent, tmp_path / "drafts") / "example.tex"

    def advise(pipeline: str) -> list[object]:
        return [as_json.unit_answer(each) for each in session.advise(root, 2, pipeline=pipeline)]  # type: ignore[arg-type]

    def passages(paper_id: str) -> object:
        return session.passages(paper_id, "Weights are tuned on a development set.")

    with ThreadPoolExecutor(THREADS) as pool:
        drafts = [pool.submit(advise, pipeline) for pipeline in ("full", "bm25") * 3]
        papers = [pool.submit(passages, each) for each in ("P02-1040", "P03-1021", "N03-1017") * 8]
        assert [each.result() for each in drafts] == [advise("full"), advise("bm25")] * 3
        assert [each.result() for each in papers] == [
            passages(each) for each in ("P02-1040", "P03-1021", "N03-1017")
        ] * 8


@pytest.mark.full
@pytest.mark.data
def test_a_field(shared_data: Path, tmp_path: Path) -> None:
    """The same on 74,000 papers."""
    names = ("papers.jsonl.gz", "contexts.train.jsonl.gz", "citations.tsv.gz", "fulltext.jsonl.gz")
    with Session(tmp_path, create=True, encoder=HashEncoder()) as session:
        session.add([shared_data / name for name in names])
        asked = queries(session, 500)
        assert answers(session, asked, THREADS) == answers(session, asked, 1)
