"""The runtime of QPCR: an ONNX encoder that reads the query of a paragraph as QPCR was trained to. No torch.

The folder is that of `encode.onnx`, and its manifest has the fact ``paragraphs``: ``topic`` if queries have
the topic sentence after ``[TS]``, ``whole`` if they are title and abstract alone; and ``cut``: ``characters``
or ``tokens``, by which long abstracts are cut. What is unknown is left out: a query without title and
abstract is ``[TS]`` and the topic sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from citewhy.base.errors import DamagedError
from citewhy.base.records import Query
from citewhy.models import ModelFolder
from citewhy.search.encode.encoder import TextKind
from citewhy.search.encode.onnx import OnnxEncoder
from citewhy.search.encode.texts import query_text
from citewhy_lab.train.systems.qpcr.settings import ABSTRACT, TOPIC_MARK

READER = "qpcr"


Cut = Callable[[Query, str], str]
"""Returns title and abstract of a query, short enough for the marked topic sentence that follows, if any."""


def by_characters(query: Query, _topic: str = "") -> str:
    """Cuts the abstract after `ABSTRACT` characters, at a space."""
    abstract = query.abstract[:ABSTRACT]
    if len(query.abstract) > ABSTRACT:
        abstract = abstract.rpartition(" ")[0]
    return query_text(replace(query, kind="global", abstract=abstract))


class ByTokens:
    """Cuts title and abstract after as many tokens as leave room for the whole topic sentence, as the
    authors' code does."""

    def __init__(self, tokenizer: Any, tokens: int) -> None:
        """`tokenizer` is a `tokenizers.Tokenizer`; `tokens` of a query are read, two of which mark its start
        and end."""
        self._tokenizer = type(tokenizer).from_str(tokenizer.to_str())
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._room = tokens - 2

    def __call__(self, query: Query, topic: str = "") -> str:
        text = query_text(replace(query, kind="global"))
        room = self._room - len(self._tokenizer.encode(topic, add_special_tokens=False).ids)
        offsets = self._tokenizer.encode(text, add_special_tokens=False).offsets
        return text if len(offsets) <= room else text[: offsets[room - 1][1]] if room > 0 else ""


def paragraph_text(query: Query, cut: Cut = by_characters) -> str:
    """Title and abstract, ``[TS]``, and the topic sentence."""
    topic = f"{TOPIC_MARK} {query_text(replace(query, title=''))}"
    return f"{cut(query, topic)} {topic}".strip()


def whole_text(query: Query, cut: Cut = by_characters) -> str:
    """Title and abstract; empty if both are unknown."""
    return cut(query, "")


_FORMS = {"topic": paragraph_text, "whole": whole_text}

_CUTS = ("characters", "tokens")


class QpcrEncoder(OnnxEncoder):
    """Raises DamagedError as `OnnxEncoder` does, and for an unknown form of queries."""

    def __init__(self, folder: ModelFolder) -> None:
        form, cut = folder.fact("paragraphs", str), folder.facts.get("cut", "characters")
        for name, value, known in (("paragraphs", form, _FORMS), ("cut", cut, _CUTS)):
            if value not in known:
                raise DamagedError(
                    f"the fact {name!r} is {value!r}, expected {' or '.join(known)}", path=folder.path
                )
        self._form = _FORMS[form]
        self._cut: Cut = by_characters
        super().__init__(folder)
        if cut == "tokens":
            longest = self._tokens["query"]
            self._cut = ByTokens(self._tokenizer(longest), longest)

    def query_input(self, query: Query) -> tuple[str, TextKind] | None:
        """Returns the text of a query of kind ``paragraph``; None: other queries are read as by any encoder,
        and so is one of which nothing but the topic sentence is known, where the form has none."""
        if query.kind != "paragraph":
            return None
        text = self._form(query, self._cut)
        return (text, "query") if text else None
