"""The JSON documents of a draft that is open in front of its author; those of `documents` are parts of
them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypedDict, cast

from citewhy.base.records import Place, Reference
from citewhy.doors.present import as_json
from citewhy.doors.present.documents import PlaceFields, SuggestionFields, UnitFields
from citewhy.session.draft_places import DraftPlace
from citewhy.session.open_draft import DraftState, Edition, OpenDraft, PlaceAnswer, references_of


class HeadingFields(TypedDict):
    """A heading of a file."""

    title: str
    level: int
    offset: int
    line: int


class FileFields(TypedDict):
    """A source file of a draft."""

    name: str
    text: str
    outline: list[HeadingFields]


class SpanFields(TypedDict):
    """A stretch of a file with its text, as sentences are read."""

    start: int
    end: int
    text: str


class OpenPlaceFields(TypedDict):
    """A place of a draft that lacks a citation; `id` lasts while other text changes."""

    id: str
    file: str
    line: int
    start: int
    end: int
    kind: Literal["open", "undefined", "paragraph", "uncited"]
    section: str
    sentence: SpanFields | None
    keys: list[str]
    undefined: list[str]
    note: str
    chosen: list[str]
    rejected: list[str]
    settled: bool


class ClaimFields(OpenPlaceFields):
    """A sentence that cites nothing and needs a citation."""

    probability: float
    reasons: list[str]


class RemarkFields(TypedDict):
    """What is wrong at a place of the draft; null where it is not known."""

    file: str | None
    line: int | None
    start: int | None
    end: int | None
    kind: Literal["undefined", "problem"]
    text: str


class ReferenceFields(TypedDict):
    """An entry of the bibliography, with the places that cite it."""

    key: str
    title: str
    authors: list[str]
    year: int | None
    venue: str
    doi: str | None
    cited: list[PlaceFields]


class AnsweringFields(TypedDict):
    """The library that answers."""

    name: str
    remarks: list[str]


class StateDocument(TypedDict):
    """One state of a draft. Places are characters (code points) of the text of their file."""

    id: str
    path: str | None
    revision: int
    root: str
    format: str
    title: str
    files: list[FileFields]
    places: list[OpenPlaceFields]
    claims: list[ClaimFields] | None
    remarks: list[RemarkFields]
    references: list[ReferenceFields]
    library: AnsweringFields
    undoable: bool


class WithAbstract(SuggestionFields):
    """A suggestion with the abstract of its paper; empty if it is not known."""

    abstract: str


class AnswerDocument(UnitFields):
    """The answer to a place; `current` is false while another one is on its way. One that is `preliminary` is
    from words alone, without probabilities, while texts are encoded."""

    id: str
    revision: int
    current: bool
    preliminary: bool


class LeftFields(TypedDict):
    """A place with chosen papers that stays open."""

    place: str
    why: str


class DiffFields(TypedDict):
    """What changes in a file: a unified diff."""

    file: str
    diff: str


class EditDocument(TypedDict):
    """The edit that writes what is chosen."""

    revision: int
    places: list[str]
    files: list[DiffFields]
    left: list[LeftFields]


class UndoDocument(TypedDict):
    """The files that an undo restored."""

    restored: list[str]


class DraftEntry(TypedDict):
    """A file that can be opened as a draft."""

    path: str
    name: str
    format: str


class DraftsDocument(TypedDict):
    """The drafts under the folder of the server."""

    folder: str
    drafts: list[DraftEntry]
    more: bool


def state_document(identifier: str, path: str | None, draft: OpenDraft, state: DraftState) -> StateDocument:
    """A state of a draft, as interfaces show it."""
    return {
        "id": identifier,
        "path": path,
        "revision": state.revision,
        "root": draft.name_of(draft.root),
        "format": state.manuscript.format,
        "title": state.manuscript.title,
        "files": [
            {
                "name": file.name,
                "text": file.text,
                "outline": [
                    {"title": one.title, "level": one.level, "offset": one.offset, "line": one.line}
                    for one in file.headings
                ],
            }
            for file in state.files
        ],
        "places": [_place(draft, place) for place in state.places],
        "claims": None if state.claims is None else [_claim(draft, place) for place in state.claims],
        "remarks": list(_remarks(draft, state)),
        "references": [_reference(draft, *one) for one in references_of(state)],
        "library": {"name": draft.draft.library, "remarks": list(draft.draft.remarks)},
        "undoable": draft.undoable,
    }


def answer_document(draft: OpenDraft, revision: int, answer: PlaceAnswer) -> AnswerDocument:
    """The answer to a place."""
    document: dict[str, Any] = dict(as_json.unit_answer(answer.answer))
    document["file"] = draft.name_of(document["file"])
    if document["slot"] is not None:
        document["slot"]["file"] = draft.name_of(document["slot"]["file"])
    for fields, suggestion in zip(document["suggestions"], answer.answer.suggestions, strict=True):
        fields["abstract"] = suggestion.paper.abstract
    about = {"id": answer.place.id, "revision": revision}
    about |= {"current": answer.current, "preliminary": answer.preliminary}
    return cast("AnswerDocument", {**document, **about})


def edit_document(edition: Edition) -> EditDocument:
    """The edit that writes what is chosen, with a diff for each file."""
    diffs = {} if edition.patch is None else edition.patch.diffs()
    return {
        "revision": edition.revision,
        "places": list(edition.places),
        "files": [{"file": name, "diff": diff} for name, diff in diffs.items()],
        "left": [{"place": place, "why": one.why} for place, one in edition.left],
    }


def _place(draft: OpenDraft, place: DraftPlace) -> OpenPlaceFields:
    unit, decision = place.unit, draft.decisions[place.id]
    sentence = unit.sentence
    return {
        "id": place.id,
        "file": draft.name_of(unit.place.file),
        "line": unit.place.line,
        "start": unit.place.start,
        "end": unit.place.end,
        "kind": place.kind,
        "section": "" if unit.paragraph is None else unit.paragraph.section,
        "sentence": None
        if sentence is None
        else {"start": sentence.place.start, "end": sentence.place.end, "text": sentence.text},
        "keys": [] if unit.marker is None else list(unit.marker.keys),
        "undefined": list(unit.undefined),
        "note": "" if unit.marker is None else unit.marker.note,
        "chosen": list(decision.chosen),
        "rejected": list(decision.rejected),
        "settled": decision.settled,
    }


def _claim(draft: OpenDraft, place: DraftPlace) -> ClaimFields:
    claim = place.claim
    return {
        **_place(draft, place),
        "probability": 0.0 if claim is None else round(claim.probability, 6),
        "reasons": [] if claim is None else [reason.text for reason in claim.reasons],
    }


def _reference(draft: OpenDraft, reference: Reference, cited: tuple[Place, ...]) -> ReferenceFields:
    paper = reference.paper
    return {
        "key": reference.key,
        "title": paper.title,
        "authors": list(paper.authors),
        "year": paper.year,
        "venue": paper.venue,
        "doi": paper.doi or None,
        "cited": [
            {"file": draft.name_of(one.file), "line": one.line, "start": one.start, "end": one.end}
            for one in cited
        ],
    }


def _remarks(draft: OpenDraft, state: DraftState) -> Iterator[RemarkFields]:
    for place in state.places:
        where = place.unit.place
        for key in place.unit.undefined:
            yield {
                "file": draft.name_of(where.file),
                "line": where.line,
                "start": where.start,
                "end": where.end,
                "kind": "undefined",
                "text": f"no bibliography of the draft has the key “{key}”",
            }
    for problem in state.manuscript.problems:
        file, line, text = _told(problem, draft, state)
        yield {"file": file, "line": line, "start": None, "end": None, "kind": "problem", "text": text}


def _told(problem: str, draft: OpenDraft, state: DraftState) -> tuple[str | None, int | None, str]:
    """The file and the line that a problem names, and what it says."""
    for name in (*state.manuscript.files, *state.manuscript.bibliographies):
        if problem.startswith(name):
            rest = problem[len(name) :]
            line, _, text = rest.removeprefix(", line ").removeprefix(":").partition(":")
            if text and line.strip().isdigit():
                return draft.name_of(name), int(line), text.strip()
            return draft.name_of(name), None, rest.lstrip(": ").strip()
    return None, None, problem
