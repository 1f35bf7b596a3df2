"""Loss functions: one function each, with its formula and its source.

All take torch tensors of any floating dtype and return a scalar of that dtype: a mean over the batch, so
that its size does not grow with the batch. Vectors are rows, d long. Scores are similarities: higher is more
similar; distances are Euclidean: lower is more similar.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

BACKWARD = 0.5
"""Weight of the backward direction in `info_nce`, in which papers are matched to queries."""


# Margins ----------------------------------------------------------------------------------------------------


def triplet_margin(anchors: Tensor, positives: Tensor, negatives: Tensor, margin: float) -> Tensor:
    """Computes the mean over triplets of max(0, ‖a − p‖ − ‖a − n‖ + m).

    Schroff et al. (2015), with Euclidean distances that are not squared, as in SPECTER (Cohan et al. 2020)
    and SciNCL (Ostendorff et al. 2022).

    Shapes: anchors, positives and negatives [n, d]. Margin m > 0. Result ≥ 0.
    """
    return (_distance(anchors, positives) - _distance(anchors, negatives) + margin).clamp(min=0).mean()


def quadruplet(queries: Tensor, first: Tensor, second: Tensor, negatives: Tensor, margin: float) -> Tensor:
    """Computes the mean over quadruplets of a query q, two positives p₁ and p₂, and a negative n, of

        Σᵢ max(0, ‖q − pᵢ‖ − ‖q − n‖ + m)  +  Σᵢ max(0, ‖p₁ − p₂‖ − ‖pᵢ − n‖ + m),    i = 1, 2

    Both positives are pulled to the query, and to each other. Medić and Šnajder (2023), paragraph-level
    citation recommendation; in formula 6.1 of Medić (2023) the last distance is that of p₁ for both i.

    Shapes: all [n, d]. Margin m > 0. Result ≥ 0.
    """
    between = _distance(first, second)
    loss = queries.new_zeros(())
    for positives in (first, second):
        apart = (between - _distance(positives, negatives) + margin).clamp(min=0).mean()
        loss = loss + triplet_margin(queries, positives, negatives, margin) + apart
    return loss


def score_triplet(positive: Tensor, negative: Tensor, margin: float) -> Tensor:
    """Computes the mean over triplets of max(0, s(c, p−) − s(c, p+) + m) for scores s.

    Formula 4.3 of Medić (2023), where s is a cosine.

    Shapes: positive [n], negative [n, negatives of each]. Margin m > 0. Result ≥ 0.
    """
    return (negative - positive[:, None] + margin).clamp(min=0).mean()


def pairwise_hinge(positive: Tensor, negative: Tensor, present: Tensor, margin: float) -> Tensor:
    """Computes the mean of max(0, s⁻ − s⁺ + C) over all pairs of a positive and a negative of each row that
    are present; 0 where there is none.

    As `score_triplet`, for rows with several positives. Nomoto (2018), section 3.1, with C = 1, after Weston
    et al. (2013).

    Shapes: positive scores [n, p], negative scores [n, q], present [n, p, q] boolean. Result ≥ 0.
    """
    short = (negative[:, None, :] - positive[:, :, None] + margin).clamp(min=0)  # [n, p, q]
    return torch.where(present, short, 0.0).sum() / present.sum().clamp(min=1)


MultiPositive = Literal["mpt-tgt", "mpt-src", "mpt-src-tgt"]


def multi_positive_triplet(
    objective: MultiPositive,
    sources: Tensor,
    targets: Tensor,
    positives: Tensor,
    present: Tensor,
    negatives: Tensor,
) -> Tensor:
    """Computes the mean over examples of log(1 + Σ exp(difference of two distances)), after the N-pair loss
    of Sohn (2016). With a manuscript s, its target t, the positives cᵢ cited with t, and the negatives nⱼ:

        mpt-tgt        Σᵢⱼ exp(‖s−t‖ − ‖s−nⱼ‖) + exp(‖cᵢ−t‖ − ‖cᵢ−nⱼ‖)
        mpt-src        Σⱼ exp(‖s−t‖ − ‖s−nⱼ‖) + Σᵢⱼ exp(‖s−cᵢ‖ − ‖s−nⱼ‖)
        mpt-src-tgt    that of mpt-src + Σᵢⱼ exp(‖t−cᵢ‖ − ‖t−nⱼ‖)

    Equations 4 to 6 of Zhang and Ma (2021). An example without positives has the sum Σⱼ exp(‖s−t‖ − ‖s−nⱼ‖)
    in all of them. Computed as a log of a sum of exponentials, it does not overflow.

    Shapes: sources and targets [n, d], positives [n, p, d], present [n, p] boolean: which of them there are,
    negatives [n, m, d], m ≥ 1. Result ≥ 0.
    """
    to_target = _distance(sources, targets)[:, None] - _distance(sources[:, None], negatives)  # [n, m]
    first = to_target
    if objective == "mpt-tgt":  # the first term is summed over the positives, too
        first = to_target + present.sum(dim=1).clamp(min=1).to(to_target.dtype).log()[:, None]
    parts = [torch.zeros_like(first[:, :1]), first]
    absent = ~present[:, :, None]
    if objective == "mpt-tgt":
        near = _distance(positives, targets[:, None])
        far = _distance(positives[:, :, None], negatives[:, None])  # [n, p, m]
        parts.append((near[:, :, None] - far).masked_fill(absent, -torch.inf).flatten(1))
    else:
        ends = [sources] if objective == "mpt-src" else [sources, targets]
        for end in ends:
            near, far = _distance(end[:, None], positives), _distance(end[:, None], negatives)
            parts.append((near[:, :, None] - far[:, None]).masked_fill(absent, -torch.inf).flatten(1))
    return torch.logsumexp(torch.cat(parts, dim=1), dim=1).mean()


# Softmax ----------------------------------------------------------------------------------------------------


def info_nce(
    queries: Tensor, papers: Tensor, forbidden: Tensor, temperature: float, backward: float = BACKWARD
) -> Tensor:
    """InfoNCE over a batch in both directions, averaged over the queries. With s_ij = q_i · p_j / temperature

        L = mean_i −log (exp s_ii / Σ_j exp s_ij)  +  backward · mean_i −log (exp s_ii / Σ_k exp s_ki)

    where j is over all papers and k over the queries, both without the forbidden pairs (van den Oord et al.
    2018; in both directions, Radford et al. 2021). With ``backward=0`` it is the N-pairs loss of Sohn (2016)
    with the other papers of the batch as negatives.

    Shapes: queries [b, d], papers [b + n, d], both of length 1; paper i answers query i, the last n papers
    answer none. forbidden [b, b + n], boolean: pairs that are neither right nor wrong, never (i, i).
    Temperature > 0. Result ≥ 0.
    """
    count = len(queries)
    scores = (queries @ papers.T / temperature).masked_fill(forbidden, -torch.inf)  # [b, b + n]
    own = torch.arange(count, device=scores.device)
    loss: Tensor = functional.cross_entropy(scores, own)
    if backward:
        loss = loss + backward * functional.cross_entropy(scores[:, :count].T, own)
    return loss


def n_pairs(positive: Tensor, negative: Tensor, temperature: float) -> Tensor:
    """Computes the mean over anchors of −log (exp(s⁺/τ) / (exp(s⁺/τ) + Σ_j exp(s⁻_j/τ))): one positive each,
    and negatives of its own (Sohn 2016).

    Shapes: positive scores [n], negative scores [n, k]. Temperature τ > 0. Result ≥ 0.
    """
    scores = torch.cat([positive[:, None], negative], dim=1) / temperature  # [n, 1 + k]
    return -functional.log_softmax(scores, dim=1)[:, 0].mean()


def multi_positive_contrastive(
    scores: Tensor, positive: Tensor, temperature: float, forbidden: Tensor | None = None
) -> Tensor:
    """Computes the mean over anchors a of −1/|P(a)| Σ_{p ∈ P(a)} log (exp(s_ap/τ) / Σ_j exp(s_aj/τ)).

    The supervised contrastive loss of Khosla et al. (2020), the sum over positives outside of the logarithm.
    j is over the positives and the negatives of the anchor; anchors without a positive are left out. With one
    positive each it is `n_pairs`.

    Shapes: scores [n, k] of anchors and candidates (cosines, in the sources); positive [n, k], boolean;
    forbidden [n, k], boolean: candidates that are neither (padding, the anchor itself). What is both positive
    and forbidden is positive. Temperature τ > 0. Result ≥ 0; 0 where no anchor has a positive.
    """
    kept = positive.any(dim=1)
    if forbidden is not None:
        scores = scores.masked_fill(forbidden & ~positive, -torch.inf)
    likely = functional.log_softmax(scores[kept] / temperature, dim=1)
    mean_losses = torch.where(positive[kept], -likely, 0.0).sum(dim=1) / positive[kept].sum(dim=1)
    return mean_losses.sum() / max(len(mean_losses), 1)


def hybrid(global_: Tensor, local: Tensor, alpha: float) -> Tensor:
    """α · L_global + (1 − α) · L_local: the losses over all citations, and over those of one intent.

    Formula 5.4 of Bansal (2023). Shapes: two scalars. 0 ≤ α ≤ 1; with 1 it is the global loss, with 0 the
    local one, and the other has no gradient.
    """
    return alpha * global_ + (1 - alpha) * local


def two_class_cross_entropy(logits: Tensor, positive: Tensor) -> Tensor:
    """Computes the mean over examples of −y · log softmax(x), where y = (1, 0) for a positive example, else
    (0, 1).

    Nomoto (2018), section 3.2: a classifier with two output units.

    Shapes: logits x [n, 2], the positive class first; positive [n], boolean. Result ≥ 0.
    """
    return functional.cross_entropy(logits, (~positive).long())


def _distance(one: Tensor, other: Tensor) -> Tensor:
    """[n] Euclidean; its gradient is 0, not nan, where the two are the same."""
    distance: Tensor = torch.linalg.vector_norm(one - other, dim=-1)
    return distance
