"""Makes a small collection in which each paper cites others for every intent."""

from __future__ import annotations

from pathlib import Path

from small_collection import SHOWN, context, paper, write

from citewhy_lab.train.systems.aspects.settings import ASPECTS

WORDS = ("translation machine bleu", "language model training", "word method error", "phrase channel score")


def with_intents(folder: Path, count: int = 24) -> Path:
    """Paper i cites the three before it: one for each intent, in turn."""
    ids = SHOWN[:count]
    folder.mkdir(exist_ok=True)
    papers = [
        paper(each, 2000, f"We learn a {WORDS[place % 4]}. It is the {WORDS[place // 4 % 4]}.")
        for place, each in enumerate(ids)
    ]
    contexts = [
        context(citing, [ids[place - back - 1]], 2000) | {"intent": ASPECTS[(place + back) % 3]}
        for place, citing in enumerate(ids)
        for back in range(min(place, 3))
    ]
    return write(folder, papers, contexts=contexts)
