"""The recipe of sentence classifiers: labelled sentences, and settings. Imported without scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from citewhy.base.config import DEFAULT_SEED
from citewhy.base.errors import QueryError
from citewhy.ranking.classify.features import FIELDS, Features, Field
from citewhy_lab.evaluate.parameters import EncoderFolder, Option
from citewhy_lab.train.recipe import Recipe

FEATURES = ("words", "letters", "cues", "encoder")
"""Names of features that can be chosen."""


def _named(help_text: str) -> Option:
    """Returns the option for the name of a field of the data."""
    return Option(help_text, metavar="NAME")


@dataclass(frozen=True, slots=True)
class ClassifierInputs:
    """Labelled sentences, one JSON object a line, and the names of its fields; empty if there is none."""

    data: Annotated[Path, Option("Labelled sentences, as JSON lines.", metavar="FILE")]
    group_field: Annotated[str, _named("Field of the group that a sentence belongs to, such as its paper.")]
    text_field: Annotated[str, _named("Field of the sentence.")] = "text"
    label_field: Annotated[str, _named("Field of the label or labels.")] = "label"
    previous_field: Annotated[str, _named("Field of the previous sentence.")] = ""
    next_field: Annotated[str, _named("Field of the next sentence.")] = ""
    section_field: Annotated[str, _named("Field of the section heading.")] = ""
    position_field: Annotated[str, _named("Field of the position in the document, from 0 to 1.")] = ""
    citing_field: Annotated[
        str, _named("Field of the citing sentence, if sentences of cited papers are classified.")
    ] = ""
    marker_field: Annotated[
        str, _named("Field of the citation that the label is about: [start, end] in the sentence.")
    ] = ""
    only: Annotated[
        tuple[str, ...],
        Option("Use only rows with this value; may be repeated.", metavar="NAME=VALUE"),
    ] = ()
    feature_names: Annotated[str, Option("Comma-separated features.", name="--features", metavar="TEXT")] = (
        "words,cues"
    )
    encoder: EncoderFolder = None

    def check(self) -> None:
        """Raises QueryError for unknown features, and for a condition without a value."""
        if unknown := [name for name in self._chosen() if name not in FEATURES]:
            hint = f"choose from: {', '.join(FEATURES)}"
            raise QueryError(f"there are no features {unknown[0]!r}", hint=hint)
        if wrong := [condition for condition in self.only if "=" not in condition]:
            raise QueryError(f"--only {wrong[0]} has no value", hint="write NAME=VALUE")

    def conditions(self) -> dict[str, str]:
        """Returns the values that rows must have, by field."""
        return {name: value for name, _, value in (parts.partition("=") for parts in self.only)}

    def chosen_features(self) -> Features:
        """Returns the chosen features, and those of the fields that have a name."""
        chosen = self._chosen()
        counted: dict[Field, int] = {"text": 3}
        for name in FIELDS:
            if name != "text" and getattr(self, f"{name}_field"):
                counted[name] = 1
        return Features(
            words=counted if "words" in chosen else {},
            letters={"text": 4} if "letters" in chosen else {},
            cues=("text",) if "cues" in chosen else (),
            encoder=("text",) if "encoder" in chosen else (),
            section=bool(self.section_field),
            position=bool(self.position_field),
            citations=True,
        )

    def _chosen(self) -> list[str]:
        return [name.strip() for name in self.feature_names.split(",")]


@dataclass(frozen=True, slots=True)
class ClassifierSettings:
    """The parameters of training."""

    features: Features = field(default_factory=Features)
    model: Annotated[
        Literal["linear", "network", "trees"],
        Option("linear: logistic regression; network: one hidden layer.", choices=("linear", "network")),
    ] = "linear"
    """``trees`` stand on a linear classifier of the same `features`, and are for two labels."""
    least: int = 2
    """Minimum number of sentences with a feature."""
    buckets: int = 0
    """Number of columns to which features are hashed; 0: each feature has its own column, by name."""
    balance: Annotated[
        float,
        Option("1: all labels have the same weight; 0: all sentences have the same weight.", least=0, most=1),
    ] = 1.0
    """The weight of an example is one over its label's share, to this power. 1: labels have equal weight; 0:
    examples have."""
    folds: Annotated[int, Option("Number of folds of the cross-validation.", least=2)] = 5
    seed: Annotated[int, Option("Random seed for the folds and the network.")] = DEFAULT_SEED

    # For linear models.
    penalties: Sequence[float] = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
    """Penalties of the squared weights, relative to the mean loss of an example; the best one is chosen."""

    # For trees.
    beside: Features = field(default_factory=lambda: Features(words={}, weighting="binary"))
    """Says what the trees compare besides the score of the linear classifier."""
    rising: Sequence[str] = ()
    """Names of features of which more is never a sign of the second label."""
    trees: int = 300
    leaves: int = 15
    """The most leaves of a tree, at least 2 and at most `models.trees.MOST_LEAVES`."""
    least_in_leaf: int = 100
    tree_rate: float = 0.05
    """Learning rate of the trees."""

    # For networks.
    hidden: int = 128
    """Units of the hidden layer."""
    dropout: float = 0.3
    epochs: int = 40
    """The most epochs; training ends after `patience` epochs without improvement."""
    patience: int = 5
    batch: int = 64
    """Examples in a step."""
    learning_rate: float = 1e-3
    weight_decay: float = 1e-2

    def document(self) -> dict[str, Any]:
        """Returns the settings as JSON."""
        documents = {"features": self.features.document(), "beside": self.beside.document()}
        return {**asdict(self), **documents}


RECIPE = Recipe(
    name="classifier",
    help="""Train a sentence classifier on labelled examples.

    Takes a minute or two for a few thousand sentences. Needs the extra `lab`.
    """,
    epilog="""\b
Examples:
  citewhy train classifier --data a.jsonl --group-field paper --out intents
  citewhy train classifier --data a.jsonl --group-field id --only a=x --out b

DATA has one JSON object per line, plain or compressed (.gz, .zst). A label is a string, or a list of strings
if several apply. Sentences of one group, such as those of one paper, are in the same fold of the
cross-validation; a sentence without a group is a group of its own. FEATURES, comma-separated: words (n-grams
of one to three words), letters (character 4-grams), cues ("we", "propose", …), encoder (the sentence's
vector); section, position and neighbouring sentences are features if their fields are given. All printed
figures are cross-validated.
""",
    inputs=ClassifierInputs,
    settings=ClassifierSettings,
    function="citewhy_lab.train.classifier.recipe:train_classifier",
    modules=("sklearn", "scipy"),
)
