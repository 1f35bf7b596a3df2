"""The sentence that cites within a longer text, and the parts of abstracts that are nearest to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from small_library import make, paper, unsynced
from small_questions import Questions

from citewhy.base.records import Query
from citewhy.search.encode import TextKind, Vectors

FILLING = f"Horses run {'slowly ' * 55}home."
HIDDEN = f"{FILLING} Lanterns have shutters. {FILLING} {FILLING}"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Questions]:
    records = [
        paper("long", "Light", HIDDEN),
        paper("short", "Light", "Lanterns have shutters.", year=1999),
        paper("other", "Dogs", FILLING),
    ]
    with unsynced(), make(tmp_path_factory.mktemp("library"), records) as library:
        yield Questions(library)


def citing(text: str, asked: Questions) -> str:
    return asked.scoped(Query("local", text)).citing_sentence


def test_which_sentence_cites(asked: Questions) -> None:
    """The one that is marked; without a mark the last one; the whole text where that has no words."""
    assert citing("Dogs bark. Cats meow TARGETCIT. Birds sing OTHERCIT.", asked) == "Cats meow ."
    assert citing("Dogs bark. Cats meow.", asked) == "Cats meow."
    assert citing("Cats meow", asked) == "Cats meow"
    assert citing("Dogs bark. TARGETCIT.", asked) == "Dogs bark. ."


def test_parts_show_what_a_long_abstract_hides(asked: Questions) -> None:
    """The nearest part is nearer than the whole; an abstract of one part has the cosine of the paper."""
    scoped = asked.scoped(Query("local", "Dogs bark. Lanterns have shutters."))
    rows = asked.index.rows(["long", "short", "other"])
    whole, sentence = scoped.part_cosines(rows)
    vector = asked.encoder.encode(["Dogs bark. Lanterns have shutters."], "query")[0]
    cosines = scoped.view.cosines(vector, rows)
    assert whole[0] > cosines[0] + 0.1
    assert whole[1:].tolist() == cosines[1:].tolist()
    assert sentence[0] > whole[0]
    assert sentence[1:] == pytest.approx(scoped.citing_cosines(rows)[1:])


def test_what_is_encoded_at_once(asked: Questions, monkeypatch: pytest.MonkeyPatch) -> None:
    """The citing sentence is among the texts that are encoded together, the sentences before are not."""
    scoped = asked.scoped(Query("local", "Dogs bark. Cats meow.", preceding="Before that, horses neigh."))
    seen: list[str] = []
    encode = asked.encoder.encode

    def watched(texts: Sequence[str], kind: TextKind) -> Vectors:
        seen.extend(texts)
        return encode(texts, kind)

    monkeypatch.setattr(asked.encoder, "encode", watched)
    scoped.encode_at_once()
    assert scoped.citing_sentence in seen
    assert scoped.preceding == "that, horses neigh."
    assert not any("horses" in text for text in seen)
