"""Losses, one function each: formula, source, shapes. All are means: they do not grow with a batch."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

__all__ = ["cosine_triplet", "margin_ranking", "two_class_entropy"]


def cosine_triplet(right: Tensor, wrong: Tensor, margin: float) -> Tensor:
    """The paper that a context cites is to be more similar to it than others, by `margin` at least: a scalar.

        L = mean over triplets of max(0, s(c, p⁻) − s(c, p⁺) + m)

    right [n], wrong [n, k]: similarities s to each context, its k triplets beside each other. The triplet loss of
    distances (Schroff et al., CVPR 2015) turned round, with the cosine for s (Medić and Šnajder 2020), or any
    score in which higher is nearer.
    """
    return functional.relu(wrong - right.unsqueeze(1) + margin).mean()


def margin_ranking(true: Tensor, false: Tensor, margin: float = 1.0) -> Tensor:
    """A true sentence is to score higher than a false one, by `margin` at least: a scalar.

        L = mean over rows and pairs of max(0, C − h(s, t⁺) + h(s, t⁻))

    true [rows, p], false [rows, n]: similarities h to the citing sentence of each row; every pair of a row
    counts once, and −inf in `false`, or +inf in `true`, stands for a sentence that is not there. (Weston et
    al., EMNLP 2013; Nomoto, Frontiers in Research Metrics and Analytics 3, 2018, with C = 1.)
    """
    there = torch.isfinite(true).unsqueeze(2) & torch.isfinite(false).unsqueeze(1)  # [rows, p, n]
    short = functional.relu(margin - true.unsqueeze(2) + false.unsqueeze(1))  # [rows, p, n]
    return torch.where(there, short, 0.0).sum() / there.sum().clamp(min=1)


def two_class_entropy(logits: Tensor, true: Tensor) -> Tensor:
    """Cross-entropy of the softmax over two classes: a scalar.

        L = mean of −y · log softmax(x),   y = (1, 0) where the sentence is meant, else (0, 1)

    logits [n, 2], true [n] boolean. (Nomoto 2018, section 3.2.)
    """
    return functional.cross_entropy(logits, (~true).long())
