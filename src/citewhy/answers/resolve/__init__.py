"""Finds the papers that a text names: ids, DOIs, citation keys, names of systems, notes such as
``cite Och 2003``."""

from __future__ import annotations

from citewhy.answers.resolve.one import one_paper, paper_with_id
from citewhy.answers.resolve.resolver import Resolver

__all__ = ["Resolver", "one_paper", "paper_with_id"]
