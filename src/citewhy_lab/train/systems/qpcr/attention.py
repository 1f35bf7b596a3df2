"""How much of the attention in a query goes to its topic sentence (section 5 of the source)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from citewhy_lab.train.systems.encoder.network import TextModel
from citewhy_lab.train.systems.qpcr.settings import TOPIC_MARK

__all__ = ["topic_attention"]


def topic_attention(model: TextModel, texts: Sequence[str], tokens: int) -> NDArray[np.float64]:
    """[len(texts), layers]: the attention weights of the topic sentence, which stands after [TS], summed, and
    averaged over heads and attending tokens; in [0, 1], and 0 for a text without [TS].

    Of each text, `tokens` are read. The source does not say which tokens attend; all do, because all count in
    the vector.
    """
    mark = int(model.tokens([TOPIC_MARK], tokens)[0][0, 1])
    found = []
    for text in texts:
        ids, mask = model.tokens([text], tokens)
        ids, mask = ids[mask.bool()][None], mask[mask.bool()][None]
        places = (ids[0] == mark).nonzero().flatten().tolist()
        with torch.no_grad():
            states = model.network(input_ids=ids, attention_mask=mask, output_attentions=True)
        end = ids.shape[1] - 1  # [SEP] is no part of it
        start = places[-1] + 1 if places else end
        found.append([float(each[0, :, :, start:end].sum(-1).mean()) for each in states.attentions])
    return np.array(found)
