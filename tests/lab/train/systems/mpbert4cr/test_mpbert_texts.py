"""Dynamic context sampling: which sentences of manuscripts and papers are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from citewhy.base.errors import InputError
from citewhy.base.records import FullText, Paper, Query, Sentence
from citewhy_lab.train.systems.mpbert4cr.settings import Sampled
from citewhy_lab.train.systems.mpbert4cr.texts import Manuscripts, Sampling, Text, paper_text, read_full_texts

SENTENCES = [f"This is sentence number {word} of the paper." for word in "abcdefgh"]
FULL = FullText("p", tuple(Sentence(number, "1 Body", text) for number, text in enumerate(SENTENCES, 1)))


def query(text: str, **more: str) -> Query:
    return Query("local", text, year=2005, citing_id=more.pop("citing_id", "p"), id="q", **more)  # type: ignore[arg-type]


def test_a_manuscript_in_its_full_text() -> None:
    """The sentence with the citation, those around it, and as a pool all before these, nothing after."""
    text = Manuscripts({"p": FULL})(query("This is sentence number e of the paper TARGETCIT ."))
    assert text.fundamental == (
        SENTENCES[3],
        "This is sentence number e of the paper TARGETCIT .",
        SENTENCES[5],
    )
    assert text.pool == tuple(SENTENCES[:3])


def test_the_first_and_the_last_sentence() -> None:
    """At the start nothing precedes, at the end nothing follows."""
    manuscripts = Manuscripts({"p": FULL})
    first, last = (manuscripts(query(SENTENCES[at])) for at in (0, 7))
    assert (first.fundamental, first.pool) == ((SENTENCES[0], SENTENCES[1]), ())
    assert (last.fundamental, last.pool) == ((SENTENCES[6], SENTENCES[7]), tuple(SENTENCES[:6]))


@pytest.mark.parametrize("citing", ["p", "unknown"])
def test_a_manuscript_without_full_text(citing: str) -> None:
    """A sentence that is not in the full text, or has none, is read with title and abstract as the pool."""
    given = query("Quite another TARGETCIT claim.", citing_id=citing, title="A title", abstract="One. Two.")
    text = Manuscripts({"p": FULL})(given)
    assert text.fundamental == ("Quite another TARGETCIT claim.",)
    assert text.pool[0] == "A title"
    assert len(text.pool) == 3


def test_a_manuscript_in_a_draft() -> None:
    """The last sentence before and the first after it in its paragraph are fundamental."""
    given = query(
        "We parse TARGETCIT.",
        citing_id="",
        preceding="We read. We write.",
        paragraph="We write. We parse TARGETCIT. We rest. We sleep.",
    )
    text = Manuscripts({})(given)
    assert text.fundamental == ("We write.", "We parse TARGETCIT.", "We rest.")
    assert text.pool == ("We read.",)


def test_a_cited_paper() -> None:
    """Its abstract, cut; its body, without title and abstract; with no abstract of its own, that of the full
    text; with neither, its title."""
    parts = (
        Sentence(0, "title", "T"),
        Sentence(1, "abstract", "We do this."),
        Sentence(2, "1 Body", "It works."),
    )
    sampled = Sampled(abstract=2)
    paper = Paper("p", "T", "First one. Second one. Third one.")
    text = paper_text(paper, FullText("p", parts), sampled)
    assert text.fundamental == ("First one.", "Second one.")
    assert text.pool == ("It works.",)
    assert paper_text(Paper("p", "T"), FullText("p", parts), sampled).fundamental == ("We do this.",)
    assert paper_text(Paper("p", "T"), None, sampled) == Text("p", ("T",), described=False)


def test_what_is_drawn() -> None:
    """So many sentences of the pool, in order, before a manuscript's own and after a paper's; the same in an
    epoch, others in another; every sentence in some epoch."""
    paper = Text("p", ("x",), tuple("abcdefgh"))
    sampling = Sampling(3, dynamic=True, seed=1)
    drawn = [sampling.draw(paper, epoch) for epoch in range(60)]
    assert all(len(each) == 4 and each[0] == "x" and each[1:] == sorted(each[1:]) for each in drawn)
    assert drawn[5] == sampling.draw(paper, 5)
    assert {sentence for each in drawn for sentence in each} == {"x", *"abcdefgh"}
    manuscript = Text("m", ("x",), tuple("ab"), nearest_last=True)
    assert sampling.draw(manuscript) == ["a", "b", "x"]


def test_without_dynamic_sampling() -> None:
    """The sentences nearest to the fundamental ones, in all epochs."""
    sampling = Sampling(2, dynamic=False, seed=1)
    assert [sampling.draw(Text("p", ("x",), tuple("abc")), epoch) for epoch in (0, 1)] == [
        ["x", "a", "b"]
    ] * 2
    assert sampling.draw(Text("m", ("x",), tuple("abc"), nearest_last=True)) == ["b", "c", "x"]


def test_a_file_without_full_texts(tmp_path: Path) -> None:
    """It is named."""
    file = tmp_path / "papers.jsonl"
    file.write_text('{"id": "a", "title": "A title", "year": 2000}\n')
    with pytest.raises(InputError, match="the file has no full text"):
        read_full_texts([file])
