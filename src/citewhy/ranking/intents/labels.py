"""The intents of citations, those of SciCite (Cohan et al. 2019), and how they are said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from citewhy.base.records import Intent

INTENTS: tuple[Intent, ...] = get_args(Intent)

AS: Mapping[Intent, str] = {
    "background": "as background",
    "method": "as a method",
    "result": "for its results",
}
"""How a paper is cited."""

_LABELS: Mapping[str, Intent] = {
    **dict.fromkeys(("background", "motivation", "future", "futurework"), "background"),
    **dict.fromkeys(("method", "methodology", "uses", "extends"), "method"),
    **dict.fromkeys(("result", "results", "resultcomparison", "compareorcontrast"), "result"),
    **dict.fromkeys(("differences", "similarities"), "result"),
}


def intent_of_label(label: str) -> Intent | None:
    """The intent that a label of SciCite, ACL-ARC (Jurgens et al. 2018), MultiCite (Lauscher et al. 2022) or
    Semantic Scholar stands for; None for other labels."""
    return _LABELS.get("".join(letter for letter in label.casefold() if letter.isalpha()))
