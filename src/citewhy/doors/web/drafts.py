"""The operations on drafts that are open on the page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any
from urllib.parse import unquote_plus

from fastapi import APIRouter, Header, Query
from fastapi import Request as HttpRequest
from pydantic import ValidationError
from starlette.datastructures import UploadFile
from starlette.responses import Response, StreamingResponse

from citewhy.answers.options import DraftOptions, ExportFormat
from citewhy.base.errors import CiteWhyError
from citewhy.doors.present.exported import exported
from citewhy.doors.present.open_documents import (
    AnswerDocument,
    DraftsDocument,
    EditDocument,
    StateDocument,
    UndoDocument,
    answer_document,
    edit_document,
    state_document,
)
from citewhy.doors.present.picture_documents import (
    MapDocument,
    YearsDocument,
    map_document,
    years_document,
)
from citewhy.doors.web.answers import EVENTS, NDJSON, answer, asks_for_lines, line
from citewhy.doors.web.described import returns, sends, streams
from citewhy.doors.web.problems import ProblemError, fields_of
from citewhy.doors.web.requests import (
    MOST_K,
    ApplyEdit,
    ChoosePapers,
    OpenDraftBody,
    RejectPaper,
    SuggestAt,
)
from citewhy.doors.web.served import MOST_LISTED, Opened, Served
from citewhy.doors.web.streams import followed
from citewhy.doors.web.work import Work
from citewhy.drafts.zipped import safe_name, unzipped, zipped
from citewhy.session.draft_places import DraftPlace
from citewhy.session.draft_session import At
from citewhy.session.open_draft import OpenDraft
from citewhy.session.pictures import map_of, years_of

_UPLOAD = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": OpenDraftBody.model_json_schema()},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "file": {"type": "array", "items": {"type": "string", "format": "binary"}}
                    },
                    "required": ["file"],
                }
            },
            "application/zip": {"schema": {"type": "string", "format": "binary"}},
        },
    }
}


_EXPORTS: dict[ExportFormat, str] = {
    "bibtex": "application/x-bibtex",
    "ris": "application/x-research-info-systems",
    "csl": "application/vnd.citationstyles.csl+json",
}


def router(served: Served, work: Work) -> APIRouter:
    """The operations under ``/drafts``."""
    routes = APIRouter(prefix="/drafts", tags=["drafts"], default_response_class=Response)
    _opening(routes, served, work)
    _showing(routes, served, work)
    _answering(routes, served, work)
    _deciding(routes, served, work)
    _editing(routes, served, work)
    return routes


def _opening(routes: APIRouter, served: Served, work: Work) -> None:
    @routes.get("", responses=returns(DraftsDocument, "Drafts under the folder of the server."))
    async def drafts(
        limit: Annotated[int, Query(ge=1, le=MOST_LISTED)] = MOST_LISTED,
        offset: Annotated[int, Query(ge=0, le=MOST_LISTED)] = 0,
    ) -> Response:
        """Lists the files under the folder of the server that can be opened. There are `more` than are listed
        if others follow, or if the folder has very many files."""
        found, more = await work.light(served.drafts)
        shown = found[offset : offset + limit]
        more = more or offset + limit < len(found)
        return answer({"folder": served.folder.name, "drafts": shown, "more": more})

    @routes.post(
        "", status_code=201, responses=returns(StateDocument, "It is open.", 201), openapi_extra=_UPLOAD
    )
    async def open_draft(request: HttpRequest) -> Response:
        """Opens a draft: a path under the folder of the server, files in memory, or uploaded ones."""
        body = await _body(request)
        if body.path is not None:
            opened = await work.run(served.open_path, body.path)
        else:
            opened = await work.run(served.open_files, body.files or {}, body.root)
        document = await _state(work, opened)
        return answer(document, 201, {"Location": f"/api/v1/drafts/{opened.id}"})

    @routes.get("/{draft}", responses=returns(StateDocument, "Its present state."))
    async def state(draft: str) -> Response:
        """The draft as its files are now, with its open citations, uncited claims, and remarks."""
        return answer(await _state(work, served.get(draft)))

    @routes.delete("/{draft}", status_code=204, responses={204: {"description": "It is closed."}})
    async def close(draft: str) -> Response:
        """Closes a draft. What was decided for one on disk is kept beside it."""
        served.close_draft(draft)
        return Response(status_code=204)

    @routes.get("/{draft}/events", responses=streams("Events: state, answer, done, problem."))
    async def events(draft: str, k: Annotated[int, Query(ge=1, le=MOST_K)] = 5) -> Response:
        """Follows the draft: its state whenever a file has changed, and the answers to what changed."""
        return StreamingResponse(followed(served, work, served.get(draft), k), media_type=EVENTS)


def _showing(routes: APIRouter, served: Served, work: Work) -> None:
    @routes.get("/{draft}/export", responses=sends(list(_EXPORTS.values()), "The entries."))
    async def export(
        draft: str,
        request: HttpRequest,
        form: Annotated[ExportFormat, Query(alias="format")] = "bibtex",
        papers: Annotated[str | None, Query(max_length=20_000)] = None,
    ) -> Response:
        """The entries of papers, by their ids with commas between them (those in an id are encoded): of those
        that are chosen, unless others are named."""
        named = None if papers is None else _listed(request, "papers")
        found = await work.run(served.get(draft).draft.exported, named)
        return Response(exported(form, found), media_type=_EXPORTS[form])

    @routes.get("/{draft}/picture/years", responses=returns(YearsDocument, "Papers over the years."))
    async def years(draft: str) -> Response:
        """The papers of the bibliography, and those that were suggested, with their years."""
        return answer(years_document(await work.run(years_of, served.get(draft).draft)))

    @routes.get("/{draft}/picture/map", responses=returns(MapDocument, "Papers in a plane."))
    async def plane(draft: str) -> Response:
        """What the draft cites, and what was suggested: near each other if cited together, or alike in
        meaning."""
        return answer(map_document(await work.run(map_of, served.get(draft).draft)))

    @routes.get("/{draft}/download", responses=sends(["application/zip"], "The files of the draft."))
    async def download(draft: str) -> Response:
        """The files of the draft as a ZIP archive, with the edits that were applied."""
        opened = served.get(draft)
        data = await work.light(lambda: zipped(opened.draft.contents()))
        headers = {"Content-Disposition": 'attachment; filename="draft.zip"'}
        return Response(data, 200, headers, "application/zip")


def _listed(request: HttpRequest, name: str) -> list[str]:
    """The values of a parameter, repeated or with commas between them; encoded commas are part of a value."""
    pairs = (part.partition("=") for part in request.url.query.split("&"))
    values = (value for given, _, value in pairs if given == name)
    return [unquote_plus(one) for value in values for one in value.split(",") if one]


async def _body(request: HttpRequest) -> OpenDraftBody:
    """What is to be opened: JSON, or uploaded files. Raises ProblemError."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/zip":
        return OpenDraftBody.model_construct(
            path=None, files=unzipped(await request.body(), "upload.zip"), root=None
        )
    if kind == "multipart/form-data":
        return await _uploaded(request)
    if kind != "application/json":
        raise ProblemError(
            415, f"{kind or 'a request without a type'} is not taken", hint="send JSON, files or a zip"
        )
    try:
        body = OpenDraftBody.model_validate_json(await request.body())
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "body"
        raise ProblemError(422, f"{where}: {first['msg']}") from None
    if (body.path is None) == (body.files is None):
        raise ProblemError(422, "give either a path or files")
    return body


async def _uploaded(request: HttpRequest) -> OpenDraftBody:
    files: dict[str, str | bytes] = {}
    async with request.form(max_files=500, max_fields=10) as form:
        root = form.get("root")
        for given in form.getlist("file"):
            if not isinstance(given, UploadFile):
                raise ProblemError(422, "file: expected a file")
            name, content = given.filename or "draft.txt", await given.read()
            if name.lower().endswith(".zip"):
                files.update(unzipped(content, name))
            else:
                files[str(safe_name(name, name))] = content
    if not files:
        raise ProblemError(422, "file: no file was sent")
    return OpenDraftBody.model_construct(
        path=None, files=files, root=root if isinstance(root, str) and root else None
    )


async def _state(work: Work, opened: Opened) -> StateDocument:
    def document() -> StateDocument:
        return state_document(opened.id, opened.path, opened.draft, opened.draft.state())

    return await work.light(document)


# Answers --------------------------------------------------------------------------------------------------


def _answering(routes: APIRouter, served: Served, work: Work) -> None:
    @routes.post(
        "/{draft}/suggest",
        responses=returns(AnswerDocument, "The answer to one place.", lines=AnswerDocument),
    )
    async def suggest(
        draft: str, wishes: SuggestAt, accept: Annotated[str | None, Header()] = None
    ) -> Response:
        """The papers for a place of the draft; or for all, streamed place by place (`Accept:
        application/x-ndjson`)."""
        opened = served.get(draft).draft
        options = DraftOptions(only=None if wishes.only == "all" else wishes.only, intent=wishes.intent)
        place: DraftPlace | str | None = wishes.place
        if wishes.at is not None:
            if place is not None:
                raise ProblemError(422, "give either a place or a position")
            at = At(wishes.at.file, wishes.at.offset, wishes.at.line)
            found = await work.light(opened.places_at, at)
            if not found:
                raise ProblemError(404, "no sentence is there")
            place = found[0]
        if place is not None:
            one = await work.run(opened.ask, place, wishes.k, text=wishes.text, options=options)
            document = answer_document(opened, opened.state().revision, one)
            return (
                answer(document)
                if not asks_for_lines(accept)
                else Response(line(document), media_type=NDJSON)
            )
        if not asks_for_lines(accept):
            raise ProblemError(422, "name a place", hint="or ask for all with Accept: application/x-ndjson")
        state = await work.light(opened.state)
        lines = _lines(work, opened, state.revision, wishes.k, options)
        return StreamingResponse(lines, media_type=NDJSON)


async def _lines(
    work: Work, draft: OpenDraft, revision: int, k: int, options: DraftOptions
) -> AsyncIterator[bytes]:
    try:
        async for one in work.each(draft.answers(k, options=options)):
            yield line(answer_document(draft, revision, one))
    except (CiteWhyError, ProblemError) as error:
        yield line({"problem": fields_of(error)})


def _deciding(routes: APIRouter, served: Served, work: Work) -> None:
    done: Mapping[int | str, dict[str, Any]] = {204: {"description": "It is kept."}}

    @routes.post("/{draft}/reject", status_code=204, responses=dict(done))
    async def reject(draft: str, what: RejectPaper) -> Response:
        """A paper does not come back for a place. This is kept beside the draft's edits."""
        await work.run(served.get(draft).draft.reject, what.place, what.paper)
        return Response(status_code=204)

    @routes.delete("/{draft}/reject", status_code=204, responses=dict(done))
    async def restore(draft: str, what: RejectPaper) -> Response:
        """Takes a rejection back."""
        await work.run(served.get(draft).draft.reject, what.place, what.paper, back=True)
        return Response(status_code=204)

    @routes.post("/{draft}/choose", status_code=204, responses=dict(done))
    async def choose(draft: str, what: ChoosePapers) -> Response:
        """Sets what is chosen for a place; an empty list takes it back."""
        await work.run(served.get(draft).draft.choose, what.place, what.papers, settled=what.settled)
        return Response(status_code=204)


def _editing(routes: APIRouter, served: Served, work: Work) -> None:
    @routes.get("/{draft}/edit", responses=returns(EditDocument, "What would be written."))
    async def preview(draft: str) -> Response:
        """The edit that writes what is chosen, as a diff by file. Nothing is written."""
        return answer(edit_document(await work.run(served.get(draft).draft.edition)))

    @routes.post("/{draft}/edit", responses=returns(EditDocument, "What was written."))
    async def write(draft: str, what: ApplyEdit | None = None) -> Response:
        """Writes what is chosen into the files of the draft, all or none of them."""
        revision = None if what is None else what.revision
        return answer(edit_document(await work.run(served.get(draft).draft.write, revision)))

    @routes.delete("/{draft}/edit", responses=returns(UndoDocument, "The restored files."))
    async def undo(draft: str) -> Response:
        """Takes the last edit back, byte for byte."""
        return answer({"restored": list(await work.run(served.get(draft).draft.undo))})
