"""Losses, one function each, with formula and source. All are means: they do not grow with a batch."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

__all__ = ["score_triplet", "sentence_triplets", "two_class_entropy"]


def score_triplet(right: Tensor, wrong: Tensor, margin: float) -> Tensor:
    """Mean over triplets of max(0, s(c, p−) − s(c, p+) + m), for scores s where higher is more similar.

    With cosines for s, formula 4.3 of Medić (2023), the triplet loss (Schroff et al. 2015) of a distance
    turned round. Right [n], wrong [n, negatives] → a number ≥ 0. A triplet whose wrong answer is `margin`
    below the right one teaches nothing more.
    """
    return (wrong - right[:, None] + margin).clamp(min=0).mean()


def sentence_triplets(right: Tensor, wrong: Tensor, there: Tensor, margin: float) -> Tensor:
    """As `score_triplet`, for citing sentences that mean several others: mean of
    max(0, h(s, t−) − h(s, t+) + C) over all pairs (t+, t−) of each sentence s that are there.

    Right [n, p], wrong [n, q], there [n, p, q] → a number ≥ 0. Nomoto (2018), section 3.1, with C = 1, after
    Weston et al. (2013).
    """
    short = (wrong[:, None, :] - right[:, :, None] + margin).clamp(min=0)  # [n, p, q]
    return torch.where(there, short, 0.0).sum() / there.sum().clamp(min=1)


def two_class_entropy(logits: Tensor, right: Tensor) -> Tensor:
    """Mean over pairs of −y · log softmax(x), where y = (1, 0) for a sentence that is meant, (0, 1) else.

    Logits [n, 2], right [n] of truth values → a number ≥ 0. Nomoto (2018), section 3.2.
    """
    return functional.cross_entropy(logits, (~right).long())
