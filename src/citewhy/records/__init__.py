"""The records that every part of CiteWhy speaks. `docs/data.md` has them in one table.

Scores: higher is better, always. Ranks start at 1. Years are calendar years; `None` means unknown.
Places count characters of the decoded file from 0, lines from 1.
"""

from __future__ import annotations

from citewhy.records.drafts import (
    DraftFormat,
    DraftSentence,
    Manuscript,
    Marker,
    Paragraph,
)
from citewhy.records.papers import (
    Alias,
    Citance,
    Citation,
    CitingSentence,
    Context,
    FullText,
    Header,
    Identifier,
    Paper,
    Place,
    Reference,
    ReferenceList,
    Sentence,
    SentenceInContext,
    Writing,
)
from citewhy.records.queries import (
    Advice,
    Candidate,
    DraftCitation,
    DraftEvidence,
    Intent,
    Only,
    Passage,
    Query,
    QueryKind,
    Reason,
    Remark,
    Resolution,
    ResolutionKind,
    Suggestion,
    TextSource,
    Unit,
)

__all__ = [
    "Advice",
    "Alias",
    "Candidate",
    "Citance",
    "Citation",
    "CitingSentence",
    "Context",
    "DraftCitation",
    "DraftEvidence",
    "DraftFormat",
    "DraftSentence",
    "FullText",
    "Header",
    "Identifier",
    "Intent",
    "Manuscript",
    "Marker",
    "Only",
    "Paper",
    "Paragraph",
    "Passage",
    "Place",
    "Query",
    "QueryKind",
    "Reason",
    "Reference",
    "ReferenceList",
    "Remark",
    "Resolution",
    "ResolutionKind",
    "Sentence",
    "SentenceInContext",
    "Suggestion",
    "TextSource",
    "Unit",
    "Writing",
]
