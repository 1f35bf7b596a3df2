"""What the rest of a document tells about a sentence, by hand."""

from __future__ import annotations

import math

import pytest

from citewhy.text.surroundings import FARTHEST, FEWEST, Stated, surroundings


def document() -> list[Stated]:
    """Two parts of three sentences; the second and the last sentence cite."""
    rows = [
        ("Parsers read words.", False, 1),
        ("The system MARS [1] resolves pronouns.", True, 1),
        ("Later MARS and ROSANA read words.", False, 1),
        ("Nothing is said here.", False, 2),
        ("We measure pronouns.", False, 2),
        ("Pronouns are rare [1].", True, 2),
    ]
    return [Stated(text, cites, part, body=True) for text, cites, part in rows]


def test_where_it_stands() -> None:
    """Distances to citations on both sides, and the shares of other sentences that cite."""
    facts = surroundings(document(), range(6), least=1)
    assert [facts[place].since for place in range(6)] == [FARTHEST, FARTHEST, 1, 2, 3, 4]
    assert [facts[place].until for place in range(6)] == [1, 4, 3, 2, 1, FARTHEST]
    assert [facts[place].part_share for place in range(6)] == [0.5, 0, 0.5, 0.5, 0.5, 0]
    assert [facts[place].part_place for place in (0, 1, 5)] == [0, 1 / 3, 2 / 3]
    assert {one.part_length for one in facts.values()} == {3}
    assert (facts[0].document_share, facts[1].document_share) == (2 / 5, 1 / 5)


def test_names() -> None:
    """The first word is none; MARS was cited before, ROSANA is new, and later it is known."""
    more = [*document(), Stated("Both MARS and ROSANA work.", False, 2, body=True)]
    facts = surroundings(more, range(7), least=1)
    assert (facts[1].names, facts[1].new_names, facts[1].cited_names) == (1, 1, 0)
    assert (facts[2].names, facts[2].new_names, facts[2].cited_names, facts[2].known_names) == (2, 1, 1, 0)
    assert (facts[6].names, facts[6].new_names, facts[6].cited_names, facts[6].known_names) == (2, 0, 1, 1)


def test_words() -> None:
    """ "We measure pronouns": "pronouns" is of three sentences in six, two of which cite, the last of them
    right after it; "measure" is of this one alone."""
    asked = surroundings(document(), [4], least=1)[4]
    share = (math.log(6 / 3) + 0.1) / (math.log(6 / 3) + math.log(6 / 1) + 0.2)
    assert (asked.words, asked.new_words) == (2, 0.5)
    assert asked.cited_words == pytest.approx(share)
    assert asked.before_overlap == pytest.approx(share)
    assert asked.after_overlap == pytest.approx(share)


def test_it_does_not_tell_whether_the_sentence_cites() -> None:
    """Each sentence with and without its own citation, all else equal, is told the same."""
    plain = document()
    for place, stated in enumerate(plain):
        changed = [*plain]
        text = stated.text.replace(" [1]", "") if stated.cites else f"{stated.text[:-1]} [1]."
        changed[place] = Stated(text, not stated.cites, stated.part, stated.body)
        assert surroundings(plain, [place], least=1) == surroundings(changed, [place], least=1)


def test_what_is_no_text_is_not_read_before() -> None:
    """A name of a caption is new in the text."""
    captions = [Stated("A figure of MARS.", False, 0, body=False), *document()]
    assert surroundings(captions, [2], least=1)[2].new_names == 1


def test_a_document_without_citations_tells_nothing() -> None:
    """The sentence asked about is not counted."""
    cited = [Stated("Somebody said so [1].", True, 1, body=True)] * FEWEST
    assert not surroundings(cited, [0])
    assert surroundings([*cited, *document()[:1]], [FEWEST]).keys() == {FEWEST}
