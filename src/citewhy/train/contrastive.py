"""The loss: a query is to be nearer to its own paper than to the other papers of its batch."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

__all__ = ["info_nce"]

BACKWARD = 0.5
"""Weight of the backward direction, in which a paper looks for its query."""


def info_nce(queries: Tensor, papers: Tensor, forbidden: Tensor, temperature: float) -> Tensor:
    """InfoNCE in both directions, averaged over the queries: a scalar.

    queries [b, d] and papers [b + n, d] are of length 1; paper i answers query i, the last n papers answer
    none. forbidden [b, b + n], boolean: pairs that are neither right nor wrong and do not count. With
    s_ij = q_i · p_j / temperature

        L = mean_i −log (exp s_ii / Σ_j exp s_ij)  +  BACKWARD · mean_i −log (exp s_ii / Σ_k exp s_ki)

    where j is over all papers, k over the queries, both without what is forbidden (van den Oord et al. 2018).
    """
    count = len(queries)
    scores = (queries @ papers.T / temperature).masked_fill(forbidden, -torch.inf)  # [b, b + n]
    own = torch.arange(count, device=scores.device)
    forward = functional.cross_entropy(scores, own)
    backward = functional.cross_entropy(scores[:, :count].T, own)
    loss: Tensor = forward + BACKWARD * backward
    return loss
