"""The JSON documents that leave, the same for every door, and their schemas (`docs/schema`).

A document is a plain mapping, so that a door can add to it: therefore these are typed dictionaries.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    NotRequired,
    TypedDict,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from citewhy.base.records import ResolutionKind, TextSource, UnitKind
from citewhy.base.reports import IndexState, ToEncode


class PlaceFields(TypedDict):
    """A stretch of a file: characters from 0, lines from 1."""

    file: str
    part: NotRequired[str]
    """The part of a package, where the file is one."""
    line: int
    start: int
    end: int


class ReasonFields(TypedDict):
    """A reason for a suggestion."""

    kind: str
    text: str
    weight: float


class PassageFields(TypedDict):
    """The relevant sentences of a paper."""

    text: str
    section: str
    sid: int | None
    last_sid: int | None
    facet: str | None
    credits: list[str]
    before: str
    after: str
    score: float


class PaperFields(TypedDict):
    """The metadata of a paper."""

    id: str
    title: str
    authors: list[str]
    year: int | None
    venue: str
    doi: str | None
    url: str | None
    own: bool


class SuggestionFields(PaperFields):
    """A suggested paper; ranks are from 1."""

    rank: int
    key: str | None
    for_key: str | None
    in_bibliography: bool
    library: str
    proposed: bool
    score: float
    probability: float | None
    reasons: list[ReasonFields]
    source: TextSource
    passages: list[PassageFields]


class ResolutionFields(TypedDict):
    """Tells what a text names."""

    text: str
    kind: ResolutionKind
    ids: list[str]
    certain: bool


class UnitFields(PlaceFields):
    """The answer to one unit of a draft."""

    unit: UnitKind
    keys: list[str] | None
    undefined: list[str]
    resolutions: list[ResolutionFields]
    open: bool | None
    command: str | None
    in_text: bool | None
    note: str | None
    slot: PlaceFields | None
    section: str | None
    sentence: str | None
    offset: int | None
    several: float | None
    suggestions: list[SuggestionFields]


class TextDocument(TypedDict):
    """The answer to one text."""

    library: str
    pipeline: str
    text: str
    several: float | None
    suggestions: list[SuggestionFields]


class DraftDocument(TypedDict):
    """The answer to a draft."""

    library: str
    pipeline: str
    draft: str
    places: list[UnitFields]
    paragraphs: list[UnitFields]
    whole: UnitFields | None
    problems: list[str]


class SignFields(TypedDict):
    """A reason why a sentence needs a citation."""

    kind: str
    text: str


class AdviceFields(PlaceFields):
    """A sentence that cites nothing and needs a citation."""

    rank: int
    section: str
    sentence: str
    probability: float
    reasons: list[SignFields]
    suggestions: list[SuggestionFields]


class ReviewDocument(TypedDict):
    """The review of a draft."""

    library: str
    pipeline: str
    draft: str
    remarks: list[AdviceFields]
    problems: list[str]


class MissingFields(SuggestionFields):
    """A work that a draft should consider; the section that it was found for, and the sentence that uses its
    name, if there are any."""

    section: str | None
    place: PlaceFields | None


class EntryFields(TypedDict):
    """An entry of a reference list of which something is to be said, or a key; the worst kind is named."""

    key: str
    file: str | None
    line: int | None
    title: str
    kind: str
    certain: bool
    says: list[str]
    paper: str | None


class FoundFields(TypedDict):
    """How many remarks of each part there are in all, shown or not."""

    audit: int
    missing: int
    uncited: int


class ReportDocument(TypedDict):
    """The report for reviewers; `audit` and `uncited` are null where only missing works were asked for.
    `cited` works are cited by keys, of which the library has `known`."""

    library: str
    pipeline: str
    draft: str
    year: int | None
    cited: int
    known: int
    budget: int | None
    found: FoundFields
    audit: list[EntryFields] | None
    missing: list[MissingFields]
    uncited: list[AdviceFields] | None
    problems: list[str]


class FindDocument(TypedDict):
    """The papers that were found for a text."""

    library: str
    text: str
    corrected: str
    alternatives: list[str]
    resolution: ResolutionFields
    fitting: int
    papers: list[PaperFields]


class PassagesDocument(TypedDict):
    """The passages of a paper about a claim."""

    library: str
    id: str
    title: str
    text: str
    source: TextSource
    passages: list[PassageFields]


class SentenceFields(TypedDict):
    """A classified sentence; without a place if it is from no draft."""

    file: str | None
    line: int | None
    start: int | None
    end: int | None
    text: str
    label: str
    probabilities: dict[str, float]


class ClassifyDocument(TypedDict):
    """The labels of sentences."""

    classifier: str
    labels: list[str]
    draft: str | None
    sentences: list[SentenceFields]


class InfoDocument(TypedDict):
    """The contents of a library (`reports.LibraryInfo`)."""

    library: str
    starter: bool
    generation: int
    papers: int
    own_writings: int
    with_abstract: int
    with_full_text: int
    contexts: int
    contexts_waiting: int
    citations: int
    citations_waiting: int
    aliases: int
    first_year: int | None
    last_year: int | None
    index: IndexState
    bytes: int
    tuning: dict[str, Any] | None
    vectors: IndexState
    unencoded: int
    loss: str | None
    languages: dict[str, int]
    encode: ToEncode


DOCUMENTS: dict[str, type] = {
    "suggest-text": TextDocument,
    "suggest-draft": DraftDocument,
    "review": ReviewDocument,
    "review-report": ReportDocument,
    "find": FindDocument,
    "passages": PassagesDocument,
    "classify": ClassifyDocument,
    "info": InfoDocument,
}
"""Name of the schema → its document."""

_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def schema_of(document: type) -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a document. All fields but the `NotRequired` ones are required, and
    others may be added."""
    parts: dict[str, Any] = {}
    top = _schema(document, parts)
    name = top["$ref"].rpartition("/")[2]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    definitions = {part: parts[part] for part in sorted(parts) if part != name}
    return {**head, **parts[name], **({"$defs": definitions} if definitions else {})}


def _schema(kind: Any, parts: dict[str, Any]) -> dict[str, Any]:
    if is_typeddict(kind):
        if kind.__name__ not in parts:
            parts[kind.__name__] = {}  # a document that contains itself would end here
            hints = get_type_hints(kind, include_extras=True)
            optional = {name for name, hint in hints.items() if get_origin(hint) is NotRequired}
            fields = {name: _schema(value, parts) for name, value in get_type_hints(kind).items()}
            parts[kind.__name__] = {
                "title": kind.__name__,
                "description": (kind.__doc__ or "").strip(),
                "type": "object",
                "properties": fields,
                "required": sorted(fields.keys() - optional),
            }
        return {"$ref": f"#/$defs/{kind.__name__}"}
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(argument, parts) for argument in arguments]}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is list:
        return {"type": "array", "items": _schema(arguments[0], parts)}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": _schema(arguments[1], parts)}
    return {} if kind is Any else {"type": _NAMES[kind]}
