"""Questions to a library whose texts are not encoded yet, and what encodes them meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from hash_encoder import LONG, Gated, HashEncoder
from latex_drafts import write
from numpy.typing import NDArray
from small_library import make_toy, unsynced

from citewhy.base.errors import QueryError, StorageError
from citewhy.base.progress import silent
from citewhy.search.encode import TextKind, Vectors
from citewhy.search.encode.texts import part_texts
from citewhy.search.index.local import vectors
from citewhy.search.index.local.vector_cache import VectorCache
from citewhy.session import encoding
from citewhy.session.open_draft import OpenDraft
from citewhy.session.opened import Opened
from citewhy.session.session import Session

SENTENCE = "Attention relates all words of a sentence."


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gated]:
    """For libraries of which not even one text is encoded while a query waits."""
    monkeypatch.setattr(vectors, "_FEW", 0)
    gated = Gated()
    yield gated
    gated.gate.set()


@pytest.fixture
def folder(toy: Path, tmp_path: Path) -> Path:
    with unsynced(), make_toy(tmp_path / "library", toy) as made:
        return made.folder


def finish(opened: Opened, encoder: Gated) -> None:
    """Lets the thread that encodes the texts of a library do so, and waits for its end."""
    encoder.gate.set()
    background = opened._encoding
    assert background is not None
    background._thread.join(LONG)
    assert background.is_done


def test_it_answers_before_texts_are_encoded(folder: Path, encoder: Gated) -> None:
    """By words, names and citations: papers come, without probabilities, and a sentence says why."""
    with Session(folder, encoder=encoder) as session:
        answer = session.suggest(SENTENCE, 3)
        assert not encoder.encoded
        assert [suggestion.probability for suggestion in answer] == [None] * 3
        assert "not all encoded yet" in " ".join(answer.remarks)
        encoder.gate.set()


def test_nothing_is_written_unasked(folder: Path, tmp_path: Path, encoder: Gated) -> None:
    """Without vectors no suggestion is sure enough; the author may choose."""
    draft = write(tmp_path, r"Machine translation is evaluated by BLEU \cite{}.")
    with Session(folder, encoder=encoder) as session:
        opened = session.open_draft(draft)
        answer = opened.advise(1)
        with pytest.raises(QueryError, match="nothing is sure enough"):
            opened.first_choices(answer)
        assert opened.asked_choices(answer, lambda one, _key: one.suggestions[:1])
        encoder.gate.set()


def test_answers_improve(folder: Path, encoder: Gated) -> None:
    """When all texts are encoded, the same session answers as one that waited for them."""
    with Session(folder, encoder=encoder) as session:
        session.suggest(SENTENCE, 3)
        finish(session._current(), encoder)
        later = session.suggest(SENTENCE, 3)
    with Session(folder, encoder=encoder) as session:
        assert later.suggestions == session.suggest(SENTENCE, 3).suggestions
    assert later.suggestions[0].probability is not None
    assert "encoded" not in " ".join(later.remarks)


def test_who_measures_waits(folder: Path, encoder: Gated) -> None:
    """Recommenders for evaluation have all vectors, also after a query that had none; so has what ranks by
    vectors alone."""
    encoder.gate.set()
    with Session(folder, encoder=encoder) as session:
        session.suggest(SENTENCE, 3)
        assert session.recommender().index.unencoded == 0
        assert session.suggest(SENTENCE, 3)[0].probability is not None
    with Session(folder, encoder=HashEncoder("another"), pipeline="dense") as session:
        assert session.suggest(SENTENCE, 3).suggestions


def test_what_is_encoded_is_kept(folder: Path, encoder: Gated, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session that is closed stops encoding soon; the next one goes on where it stopped."""
    monkeypatch.setattr(vectors, "_COMMITTED", 1)
    session = Session(folder, encoder=encoder)
    total = session.info().unencoded
    session.suggest(SENTENCE, 3)
    background = session._current()._encoding
    assert background is not None
    original = HashEncoder.encode

    def stopping(self: HashEncoder, texts: Sequence[str], kind: TextKind) -> Vectors:
        if len(self.encoded) == 2:
            background._stop.set()  # as `close` does, at a moment that does not depend on time
        return original(self, texts, kind)

    monkeypatch.setattr(HashEncoder, "encode", stopping)
    encoder.gate.set()
    background._thread.join(LONG)
    session.close()
    assert not background._thread.is_alive()
    kept = len(encoder.encoded)
    assert 0 < kept < total
    monkeypatch.setattr(HashEncoder, "encode", original)
    with Session(folder, encoder=encoder) as session:
        assert session.info().unencoded == total - kept
        session.recommender()
    assert len(encoder.encoded) == len(set(encoder.encoded))


def test_one_process_encodes(folder: Path, encoder: Gated, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another process does, for whom people wait, a session does not."""
    monkeypatch.setattr(encoding, "_LOOKS_EVERY", 0.01)
    encoder.gate.set()
    with encoding._encoding_alone(folder) as alone, Session(folder, encoder=encoder) as session:
        assert alone
        session.suggest(SENTENCE, 3)
        background = session._current()._encoding
        assert background is not None
        background._thread.join(0.2)
        assert not encoder.encoded
        assert not background.is_done


def test_what_failed_is_tried_again(folder: Path, encoder: Gated, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where others have locked the library for long, or there was no space."""
    monkeypatch.setattr(encoding, "_TRIES_AGAIN", 0.01)
    put, failures = VectorCache.put, iter([StorageError("no space", path=folder)])

    def failing(self: VectorCache, some: Mapping[bytes, NDArray[np.float16]]) -> None:
        for failure in failures:
            raise failure
        put(self, some)

    monkeypatch.setattr(VectorCache, "put", failing)
    with Session(folder, encoder=encoder) as session:
        session.suggest(SENTENCE, 3)
        finish(session._current(), encoder)
        assert session.suggest(SENTENCE, 3)[0].probability is not None


def test_info_counts_for_the_encoder(folder: Path, encoder: Gated) -> None:
    """What another encoder has encoded does not count; a damaged cache is not replaced by who only looks."""
    encoder.gate.set()
    with Session(folder, encoder=encoder) as session:
        session.recommender()
    another = HashEncoder("another")
    with Session(folder, encoder=another) as session:
        contents = session.info()
        assert contents.vectors == "current"
        assert contents.unencoded > contents.papers
    cache = folder / vectors.CACHE
    cache.write_bytes(b"not a cache")
    with Session(folder, encoder=another) as session:
        assert session.info().unencoded > 0
    assert cache.read_bytes() == b"not a cache"


def test_info_and_sync(folder: Path, encoder: Gated) -> None:
    """`info` counts what is not encoded, which `sync` does."""
    encoder.gate.set()
    with Session(folder, encoder=encoder) as session:
        contents = session.info()
        assert contents.unencoded > contents.papers
        session.sync()
        assert encoder.encoded
        assert session.info().unencoded == 0


def test_papers_alike_need_vectors(folder: Path, encoder: Gated) -> None:
    with Session(folder, encoder=encoder) as session:
        paper = session.suggest(SENTENCE, 1)[0].paper.id
        with pytest.raises(QueryError, match="not encoded yet"):
            session.like(paper, "method")
        encoder.gate.set()


def test_a_draft_over_a_library(folder: Path, tmp_path: Path, encoder: Gated) -> None:
    """The draft's own entries are found at once, too, and better when library and entries are encoded."""
    draft = write(tmp_path, r"Machine translation is evaluated by BLEU \cite{}.")
    with Session(folder, encoder=encoder) as session:
        (answer,) = session.advise(draft, 1, only="mine")
        assert answer.suggestions[0].key == "bleu"
        assert answer.suggestions[0].probability is None
        finish(session._current(), encoder)
        for _ in range(2):  # the library is encoded, then the layer
            session.advise(draft, 1)[0]
            background = session._libraries.of(session.read(draft))._encoding
            if background is not None:
                background._thread.join(LONG)
        later = session.advise(draft, 1)
        assert later[0].suggestions[0].probability is not None
        assert "encoded" not in " ".join(later.remarks)


def until_better(draft: OpenDraft) -> None:
    """Waits until the entries of a draft are encoded."""
    end = time.monotonic() + LONG
    while not draft.draft.has_better:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_first_answers_of_a_draft_come_at_once(
    folder: Path, tmp_path: Path, encoder: Gated, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While its new entries are encoded, from words alone, and they say so; then all are asked again, and are
    those of who has waited."""
    monkeypatch.setenv("CITEWHY_CACHE", str(tmp_path / "cache"))
    root = write(tmp_path, r"Machine translation is evaluated by BLEU \cite{}. Summaries by ROUGE \cite{}.")
    with Session(folder, encoder=encoder) as session:
        session.prepare()
        finish(session._current(), encoder)
        session.suggest(SENTENCE, 1)  # from the library with its vectors
        encoder.gate.clear()
        draft = OpenDraft(session, root)
        first = list(draft.answers(2, at_once=True))
        assert [(one.preliminary, one.current) for one in first] == [(True, False)] * 2
        assert {paper.probability for one in first for paper in one.answer.suggestions} == {None}
        assert not draft.draft.has_better
        encoder.gate.set()
        until_better(draft)
        again = list(draft.answers(2, at_once=True))
        assert [(one.preliminary, one.current) for one in again] == [(False, True)] * 2
        assert not draft.draft.has_better
    with Session(folder, encoder=encoder) as session:
        waited = list(OpenDraft(session, root).answers(2))
    assert [one.answer.suggestions for one in again] == [one.answer.suggestions for one in waited]
    assert all(paper.probability is not None for one in waited for paper in one.answer.suggestions)


def test_who_asks_once_waits(
    folder: Path, tmp_path: Path, encoder: Gated, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the page has first answers already: a single question is answered with vectors."""
    monkeypatch.setenv("CITEWHY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(vectors, "_FEW", 2_000)
    encoder.gate.set()
    root = write(tmp_path, r"Machine translation is evaluated by BLEU \cite{}.")
    with Session(folder, encoder=encoder) as session:
        session.suggest(SENTENCE, 1)
        encoder.gate.clear()
        draft = OpenDraft(session, root)
        (first,) = draft.answers(1, at_once=True)
        assert first.preliminary
        encoder.gate.set()
        one = draft.ask(first.place, 1)
        assert (one.preliminary, one.current) == (False, True)
        assert one.answer.suggestions[0].probability is not None


def test_a_bibliography_of_its_own(tmp_path: Path, encoder: Gated, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does a draft without a library wait."""
    monkeypatch.setenv("CITEWHY_LIBRARY", str(tmp_path / "none"))
    monkeypatch.setenv("CITEWHY_CACHE", str(tmp_path / "cache"))
    draft = write(tmp_path, r"Machine translation is evaluated by BLEU \cite{}.")
    with Session(encoder=encoder) as session:
        first = session.advise(draft, 1)
        assert first[0].suggestions[0].key == "bleu"
        (remark,) = (remark for remark in first.remarks if "not all encoded yet" in remark)
        assert remark.endswith("each answer goes on with it")
        finish(session._libraries.of(session.read(draft)), encoder)
        assert session.advise(draft, 1, threshold=0.0)[0].suggestions[0].probability is not None


def test_where_the_cache_cannot_be_written(
    tmp_path: Path, encoder: Gated, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entries are in a temporary folder: what is encoded there is used."""
    monkeypatch.setenv("CITEWHY_LIBRARY", str(tmp_path / "none"))
    (tmp_path / "cache").write_text("a file", encoding="utf-8")
    monkeypatch.setenv("CITEWHY_CACHE", str(tmp_path / "cache"))
    draft = write(tmp_path, r"Machine translation is evaluated by BLEU \cite{}.")
    with Session(encoder=encoder) as session:
        session.advise(draft, 1)[0]
        finish(session._libraries.of(session.read(draft)), encoder)
        assert session.advise(draft, 1, threshold=0.0)[0].suggestions[0].probability is not None


def with_long_abstracts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A draft whose bibliography has more parts of abstracts than are encoded while a query waits."""
    monkeypatch.setattr(vectors, "_FEW", 2_000)
    monkeypatch.setattr(vectors, "_FEW_PARTS", 1)
    monkeypatch.setenv("CITEWHY_LIBRARY", str(folder / "none"))
    monkeypatch.setenv("CITEWHY_CACHE", str(folder / "cache"))
    draft = write(folder, r"Machine translation is evaluated by BLEU \cite{}.")
    bibliography = draft.with_name("refs.bib")
    abstract = "A metric of words. " * 45
    entries = bibliography.read_text(encoding="utf-8")
    bibliography.write_text(entries.replace("title=", f"abstract={{{abstract}}}, title="), encoding="utf-8")
    return draft


def test_parts_of_abstracts_come_later(
    tmp_path: Path, encoder: Gated, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first answer waits for the vectors of the papers, not for those of many parts of their abstracts,
    and has probabilities; a later one has both."""
    draft = with_long_abstracts(tmp_path, monkeypatch)
    with Session(encoder=encoder) as session:
        opened = session.open_draft(draft)
        parts = {text for entry in session.read(draft).references for text in part_texts(entry.paper)}
        opened.prepare()
        first = opened.advise(1, threshold=0.0)
        assert first[0].suggestions[0].probability is not None
        assert first.encoded
        assert parts.isdisjoint(encoder.encoded)
        library = session._libraries.of(session.read(draft))
        finish(library, encoder)
        assert parts <= set(encoder.encoded)
        opened.advise(1)[0]
        assert not library._index_with_vectors(silent).lacks_parts


def test_who_measures_waits_for_parts(
    tmp_path: Path, encoder: Gated, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after an answer without their vectors."""
    draft = with_long_abstracts(tmp_path, monkeypatch)
    with Session(encoder=encoder) as session:
        session.advise(draft, 1)[0]
        encoder.gate.set()
        assert not session.recommender(drafts=[session.read(draft)]).index.lacks_parts
        assert session.advise(draft, 1, threshold=0.0)[0].suggestions[0].probability is not None


def test_preparing_waits_for_a_bibliography(
    tmp_path: Path, encoder: Gated, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the command line does, which shows how far it is; its answer has vectors."""
    monkeypatch.setenv("CITEWHY_LIBRARY", str(tmp_path / "none"))
    monkeypatch.setenv("CITEWHY_CACHE", str(tmp_path / "cache"))
    draft = write(tmp_path, r"Machine translation is evaluated by BLEU \cite{}.")
    shown: list[str] = []
    with Session(encoder=encoder) as session:
        opened = session.open_draft(draft)
        encoder.gate.set()
        opened.prepare(lambda what, _share: shown.append(what))
        answer = opened.advise(1)
        assert answer[0].suggestions[0].probability is not None
        assert "encoded" not in " ".join(answer.remarks)
    assert any("encoding" in what for what in shown)


def test_an_import_that_is_killed(folder: Path, toy: Path, tmp_path: Path, encoder: Gated) -> None:
    """While it encodes: everything is there, is answered from, and is encoded by the next `sync`."""
    code = (
        "import sys; sys.path.insert(0, 'tests/support')\n"
        "import os, signal\n"
        "from hash_encoder import HashEncoder\n"
        "from citewhy import Session\n"
        "class Killed(HashEncoder):\n"
        "    def encode(self, texts, kind):\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        f"Session({str(tmp_path / 'new')!r}, create=True, encoder=Killed()).add([{str(toy)!r}])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, timeout=300, cwd=Path(__file__).parents[2]
    )
    assert done.returncode == -signal.SIGKILL
    encoder.gate.set()
    with Session(tmp_path / "new", encoder=encoder) as session:
        assert len(session.suggest(SENTENCE, 3).suggestions) == 3
        session.sync()
        assert session.info().vectors == "current"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(folder: Path, encoder: Gated) -> None:
    """Answers come, and nothing fails in the background."""
    encoder.gate.set()
    with Session(folder, encoder=encoder) as session:
        session.prepare()
    (folder / "vectors").chmod(0o500)
    try:
        with Session(folder, encoder=HashEncoder("another")) as session:
            assert session.suggest(SENTENCE, 3).suggestions
    finally:
        (folder / "vectors").chmod(0o700)
