"""What an edit wrote is taken back, and nothing else."""

from __future__ import annotations

import random

import pytest

from citewhy.text.pieces import Piece, without

WORDS = [
    "the",
    "root",
    "of",
    "rice",
    "has",
    "three",
    "compartments",
    "with",
    "microbes",
    "from",
    "soil",
    "and",
    "air",
    "that",
    "differ",
    "by",
    "age",
]


def _text(chance: random.Random) -> str:
    lines = [" ".join(chance.choices(WORDS, k=chance.randint(3, 12))) for _ in range(chance.randint(3, 9))]
    return "\n".join(lines) + "\n"


def _pieces(chance: random.Random, old: str) -> list[Piece]:
    cuts = sorted(chance.sample(range(len(old)), 6))
    return [
        Piece(start, chance.choice((start, end)), f"\\cite{{key{number}}}")
        for number, (start, end) in enumerate(zip(cuts[::2], cuts[1::2], strict=True))
    ]


def _written(old: str, pieces: list[Piece], added: str = "", at: int = -1) -> str:
    """The text with the pieces, and with what the author adds before the character `at` of the old text."""
    parts, position = [], 0
    for piece in [*pieces, Piece(len(old), len(old), "")]:
        kept = old[position : piece.start]
        if position <= at <= piece.start and added:
            kept = old[position:at] + added + old[at : piece.start]
            added = ""
        parts += [kept, piece.text]
        position = piece.end
    return "".join(parts)


@pytest.mark.parametrize("seed", range(60))
def test_what_the_author_adds_stays(seed: int) -> None:
    """Wherever it stands, the result is the old text with it; or else it is told what was not found."""
    chance = random.Random(seed)
    old = _text(chance)
    pieces = _pieces(chance, old)
    at = chance.choice(
        [place for place in range(len(old)) if not any(p.start < place < p.end for p in pieces)]
    )
    now = _written(old, pieces, "\nNEW words\n", at)
    rest, lost = without(now.encode(), old.encode(), pieces)
    assert lost or rest == f"{old[:at]}\nNEW words\n{old[at:]}".encode()
    assert without(_written(old, pieces).encode(), old.encode(), pieces) == (old.encode(), [])


def test_most_of_what_is_added_keeps_nothing_from_being_taken_back() -> None:
    """Of sixty drafts that were gone on with in any place, all but a few are taken back."""
    taken = 0
    for seed in range(60):
        chance = random.Random(seed)
        old = _text(chance)
        pieces = _pieces(chance, old)
        now = _written(old, pieces, "\nNEW words\n", len(old) - 1)
        taken += not without(now.encode(), old.encode(), pieces)[1]
    assert taken >= 55


@pytest.mark.parametrize(("old", "rest"), [(None, None), (b"", b"\n")])
def test_nothing_is_left(old: bytes | None, rest: bytes | None) -> None:
    """A file that the edit made is gone with its pieces, and one that was empty is empty."""
    assert without(b"@misc{a}\n\n", old, [Piece(0, 0, "@misc{a}\n")]) == (rest, [])


def test_encodings_stay() -> None:
    """A byte order mark, line ends of Windows, and letters of an old encoding are as they were."""
    for encoding in ("utf-8-sig", "cp1252"):
        old = "Ein Satz für alle.\r\nNoch einer.\r\n"
        piece = Piece(old.index("."), old.index("."), " \\cite{müller}")
        now = old.replace(".", f"{piece.text}.", 1) + "Neu.\r\n"
        assert without(now.encode(encoding), old.encode(encoding), [piece]) == (
            (old + "Neu.\r\n").encode(encoding),
            [],
        )
