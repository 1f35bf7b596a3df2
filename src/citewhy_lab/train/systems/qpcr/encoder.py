"""The runtime of QPCR: an ONNX encoder that reads the query of a paragraph as QPCR was trained to. No torch.

The folder is that of `encode.onnx`, and its manifest has the fact ``paragraphs``: ``topic`` if queries have
the topic sentence after ``[TS]``, ``whole`` if they are title and abstract alone. What is unknown is left
out: a query without title and abstract is ``[TS]`` and the topic sentence.
"""

from __future__ import annotations

from dataclasses import replace

from citewhy.base.errors import DamagedError
from citewhy.base.records import Query
from citewhy.models import ModelFolder
from citewhy.search.encode.encoder import TextKind
from citewhy.search.encode.onnx import OnnxEncoder
from citewhy.search.encode.texts import query_text
from citewhy_lab.train.systems.qpcr.settings import ABSTRACT, TOPIC_MARK

READER = "qpcr"


def paragraph_text(query: Query) -> str:
    """Title and abstract, ``[TS]``, and the topic sentence."""
    return f"{whole_text(query)} {TOPIC_MARK} {query_text(replace(query, title=''))}".strip()


def whole_text(query: Query) -> str:
    """Title and abstract; empty if both are unknown."""
    abstract = query.abstract[:ABSTRACT]
    if len(query.abstract) > ABSTRACT:
        abstract = abstract.rpartition(" ")[0]
    return query_text(replace(query, kind="global", abstract=abstract))


_FORMS = {"topic": paragraph_text, "whole": whole_text}


class QpcrEncoder(OnnxEncoder):
    """Raises DamagedError as `OnnxEncoder` does, and for an unknown form of queries."""

    def __init__(self, folder: ModelFolder) -> None:
        form = folder.fact("paragraphs", str)
        if form not in _FORMS:
            raise DamagedError(
                f"the fact 'paragraphs' is {form!r}, expected {' or '.join(_FORMS)}", path=folder.path
            )
        self._form = _FORMS[form]
        super().__init__(folder)

    def query_input(self, query: Query) -> tuple[str, TextKind] | None:
        """Returns the text of a query of kind ``paragraph``; None: other queries are read as by any encoder,
        and so is one of which nothing but the topic sentence is known, where the form has none."""
        if query.kind != "paragraph":
            return None
        text = self._form(query)
        return (text, "query") if text else None
