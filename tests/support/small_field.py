"""A small field of research: ten topics, each with a paper that all sentences about it cite, and papers that
are never cited."""

from __future__ import annotations

from citewhy.base.records import Alias, Citation, Context, Paper, Query
from citewhy_lab.train.recipe import Regime
from citewhy_lab.train.reranking.data import RerankingData
from citewhy_lab.train.sampling.mixes import Mix
from citewhy_lab.train.systems.textbib.settings import TextBibSettings, TextBibShape, Variant

TOPICS = (
    "parsing",
    "tagging",
    "translation",
    "alignment",
    "clustering",
    "segmentation",
    "summarization",
    "entailment",
    "coreference",
    "generation",
)

PAPERS = [
    *(
        Paper(f"cited-{topic}", f"A model of {topic}", f"We study {topic} again.", ("Ann Lee",), 2000)
        for topic in TOPICS
    ),
    *(Paper(f"other-{topic}", f"{topic} and other tasks", "", ("Bo Kim",), 2001) for topic in TOPICS),
    *(
        Paper(f"citing-{topic}", f"Better {topic}", f"Our {topic} is better.", ("Cy Ray",), 2005)
        for topic in TOPICS
    ),
]


def context(topic: str, number: int, year: int = 2005) -> Context:
    words = ("as in", "following", "like")[number % 3]
    return Context(
        f"{topic}-{number}",
        f"citing-{topic}",
        (f"cited-{topic}",),
        f"We do {topic} {words} TARGETCIT .",
        year,
    )


def everything(query: Query) -> list[str]:
    """A first stage that finds all papers except those of one topic."""
    return [paper.id for paper in PAPERS if paper.id != "cited-generation" and paper.year != 2005]


DATA = RerankingData(
    papers=PAPERS,
    train=[context(topic, 0) for topic in TOPICS],
    val=[context(topic, 1) for topic in TOPICS],
    citations=[Citation(f"citing-{topic}", f"cited-{topic}") for topic in TOPICS],
    first_stage=everything,
    aliases=[Alias("cited-parsing", "W03-1001")],  # which is held out, so that both are
)


def tiny(variant: Variant = "TEXTBIBENH-WS", regime: Regime = "standard", **more: int) -> TextBibSettings:
    return TextBibSettings(
        shape=TextBibShape(variant=variant, word=16, state=16, attention=16, author=8, people=8),
        regime=regime,
        negatives=Mix.named("random=4"),
        epochs=more.get("epochs", 6),
        batches=5,
        pairs=5,
        learning_rate=0.01,
        dropout=0.1,
        validate_every=2,
        held_out=False,
        seed=more.get("seed", 3),
    )


def silent(_what: str, _share: float | None) -> None:
    pass
