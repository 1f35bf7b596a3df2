"""Reviews of drafts: which sentences are remarked on, in which order, and with which papers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from small_library import make

from citewhy.answers.review import budget_of, uncited_claims
from citewhy.base.records import Manuscript, Paper, SentenceInContext
from citewhy.drafts import read_files
from citewhy.ranking.classify import Probabilities
from citewhy.session.session import Session

PAPERS = [
    Paper("beam", "Beam Search for Parsing", "Parsers search with beams.", ("Ann Lee",), 2001),
    Paper("trees", "Trees of Languages", "Languages have trees.", ("Bo Li",), 2002),
    Paper("verbs", "Verbs and Nouns", "There are more nouns than verbs.", ("Cy Mo",), 2003),
]


class ByNumber:
    """As sure as the number in the sentence says: "90 parsers" is .9."""

    name, fingerprint, labels = "by number", "0", ("cites", "plain")

    def probabilities(self, sentences: Sequence[SentenceInContext]) -> Probabilities:
        sure = [int("".join(filter(str.isdigit, sentence.text)) or 0) / 100 for sentence in sentences]
        return np.array([[chance, 1 - chance] for chance in sure], dtype=np.float32).reshape(-1, 2)

    def predict(self, sentences: Sequence[SentenceInContext]) -> list[str]:
        return ["cites"] * len(sentences)


class Sure(ByNumber):
    """Every sentence should cite."""

    def probabilities(self, sentences: Sequence[SentenceInContext]) -> Probabilities:
        return np.array([[1, 0]] * len(sentences), dtype=np.float32).reshape(-1, 2)


DRAFT = """\
# On Search

## Introduction

Beam search has been proposed for parsing in 60 ways. All languages of the world have trees in 90 forms.

## Method

There are at most 10 words without any meaning here. Nouns outnumber the verbs by 40 percent in dictionaries.
"""


def draft(text: str = DRAFT) -> Manuscript:
    return read_files({"a.md": text}, None)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("review") / "library"
    make(folder, PAPERS).close()
    with Session(folder) as opened:
        yield opened


def shown(remarks: Sequence[object]) -> list[str]:
    return [remark.sentence.text.split()[0] for remark in remarks]  # type: ignore[attr-defined]


def test_the_most_certain_claims_come_first() -> None:
    """Those with a chance of a quarter and more."""
    remarks = uncited_claims(ByNumber(), draft())
    assert shown(remarks) == ["All", "Beam", "Nouns"]
    assert [round(remark.probability, 2) for remark in remarks] == [0.9, 0.6, 0.4]


def test_a_budget_keeps_the_surest() -> None:
    assert shown(uncited_claims(ByNumber(), draft(), budget=1)) == ["All"]
    assert uncited_claims(ByNumber(), draft(), budget=0) == []


def test_what_is_cited_elsewhere_is_not_said_again() -> None:
    """A sentence that repeats a citing one, or one that was remarked on, needs no remark of its own."""
    cited = "In the end, all languages of the world have trees in 50 forms [@li]."
    assert shown(uncited_claims(ByNumber(), draft(f"{DRAFT}\n{cited}\n"))) == ["Beam", "Nouns"]
    again = "Again, all languages of the world have trees in 80 forms."
    assert shown(uncited_claims(ByNumber(), draft(f"{DRAFT}\n{again}\n"))) == ["All", "Beam", "Nouns"]


def test_every_remark_says_why() -> None:
    of = {remark.sentence.text.split()[0]: remark.reasons for remark in uncited_claims(ByNumber(), draft())}
    assert of["Beam"][0].text == "speaks of earlier work (“has been proposed”)"
    assert of["Nouns"][0].text == "states figures (“40 percent”)"
    assert of["All"][-1].text == "in published papers, 90% of such sentences cite"


def test_numbers_are_no_names() -> None:
    """A decade or a measure is not said to be a name; a system with a digit in its name is."""
    text = "In the late 1980s the 300-d vectors of word2vec and GPT-3 were not known to be useful to anybody."
    (remark,) = uncited_claims(Sure(), draft(f"# On Search\n\n## Introduction\n\n{text}\n"))
    assert [reason.text for reason in remark.reasons if reason.kind == "names"] == ["names word2vec, GPT-3"]


def test_long_drafts_have_a_larger_budget() -> None:
    """One remark for thirty sentences, at least five, at most thirty."""
    text = "All of it is true. "
    assert [budget_of(draft(text * n)) for n in (10, 300, 3000)] == [5, 10, 30]


def test_remarks_have_suggestions(session: Session) -> None:
    """The papers are those that the same sentence would get with an open citation at its end."""
    remarks = list(session.review(draft(), judge=ByNumber()))
    assert [remark.suggestions[0].paper.id for remark in remarks] == ["trees", "beam", "verbs"]
    marked = DRAFT.replace("60 ways.", "60 ways [@?].")
    (answer,) = session.advise(draft(marked), 1)
    assert answer.suggestions[0].paper == remarks[1].suggestions[0].paper


def test_a_draft_without_sentences_has_no_remarks(session: Session) -> None:
    assert list(session.review(draft("# Title\n"))) == []


def test_the_built_in_classifier_knows_claims(session: Session) -> None:
    """Of a claim about the work of others it is surer than of a step of one's own method."""
    others = "Recent studies have shown that neural models are widely used in translation."
    own = "The second layer has 300 units and is followed by a third layer."
    remarks = list(session.review(draft(f"## Introduction\n\n{others} {own}\n")))
    assert [remark.sentence.text for remark in remarks] == [others]


def test_a_draft_on_disk_is_left_alone(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(DRAFT)
    assert len(list(session.review(path, budget=2, judge=ByNumber()))) == 2
    assert path.read_text() == DRAFT
