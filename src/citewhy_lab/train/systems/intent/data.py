"""Labelled citations: SciCite, ACL-ARC, and MultiCite under the labels of ACL-ARC."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from citewhy_lab.evaluate.datasets.intents import HEADS, read_intents
from citewhy_lab.train.classifier.examples import Example, FieldNames, read_examples

__all__ = ["IN_CONTEXT", "Labelled", "labelled", "multicite"]

IN_CONTEXT = ("function",)
"""Heads that read the sentences around a citation."""

_AS_FUNCTION = {
    "background": "Background",
    "uses": "Uses",
    "differences": "CompareOrContrast",
    "similarities": "CompareOrContrast",
    "motivation": "Motivation",
    "extends": "Extends",
    "future_work": "Future",
}
"""The label of ACL-ARC for one of MultiCite (Lauscher et al. 2022), whose labels follow ACL-ARC's."""

_MULTICITE = FieldNames(text="text", label="labels", group="context_id")


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence with labels of one head."""

    example: Example
    head: str
    weight: float = 1.0


def labelled(path: Path, papers: Path | None = None) -> list[Labelled]:
    """The rows of both sources in a file of the task ``intent``, those of SciCite without the sentences
    around them, which its own files do not have; `papers` has the authors of the citing papers. Raises
    InputError."""
    found = []
    for each in read_intents(path, papers):
        head, sentence = HEADS[each.source], each.sentence
        if head not in IN_CONTEXT:
            sentence = replace(sentence, previous="", next="")
        found.append(Labelled(Example(sentence, (each.label,), each.group), head))
    return found


def multicite(path: Path, weight: float) -> list[Labelled]:
    """Sentences of MultiCite as examples of the functions, each of the given weight; one of its labels is
    right if several are given. Sentences of one paper have one group: the part of `context_id` before ``_``.
    Raises InputError."""
    found = []
    for each in read_examples(path, _MULTICITE):
        functions = tuple(sorted({_AS_FUNCTION[name] for name in each.labels if name in _AS_FUNCTION}))
        if functions:
            group = each.group.partition("_")[0]
            found.append(Labelled(Example(each.sentence, functions, group), "function", weight))
    return found
