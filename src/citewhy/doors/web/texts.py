"""The operations on texts, and on drafts that are not kept open."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Header
from starlette.responses import Response, StreamingResponse

from citewhy.answers.answer import DraftAnswer
from citewhy.answers.options import DraftOptions, TextOptions
from citewhy.base.assets import intent_folder, needs_folder
from citewhy.base.errors import CiteWhyError
from citewhy.base.records import Manuscript, Only
from citewhy.doors.present import as_json, report_json
from citewhy.doors.present.documents import (
    ClassifyDocument,
    DraftDocument,
    ReportDocument,
    ReviewDocument,
    TextDocument,
    UnitFields,
)
from citewhy.doors.present.open_documents import EditDocument, edit_document
from citewhy.doors.web.answers import NDJSON, answer, asks_for_lines, line
from citewhy.doors.web.described import returns
from citewhy.doors.web.problems import ProblemError, fields_of
from citewhy.doors.web.requests import ClassifySentences, EditFiles, ReviewDraft, SuggestText
from citewhy.doors.web.served import Served
from citewhy.doors.web.work import Work
from citewhy.session.draft_session import At
from citewhy.session.open_draft import OpenDraft
from citewhy.session.session import Session

if TYPE_CHECKING:
    from citewhy.answers.review import ReviewFields

NameOf = Callable[[str], str]
"""What a file of a manuscript is called in answers."""


class EditedDocument(EditDocument):
    """An edit of files in memory, with their new texts by name."""

    texts: dict[str, str]


def router(served: Served, work: Work) -> APIRouter:
    """The operations ``/suggest``, ``/review``, ``/classify`` and ``/edit``."""
    routes = APIRouter(tags=["texts"], default_response_class=Response)
    session = served.session
    _suggest(routes, served, work)

    @routes.post(
        "/review",
        responses={200: _either("What is asked for, worst or surest first.", ReviewDocument, ReportDocument)},
    )
    async def review(what: ReviewDraft) -> Response:
        """The sentences of a draft that cite nothing and need a citation, with papers for them; or the works
        that it misses; or the report for reviewers."""

        def reviewed() -> Any:
            manuscript, name_of = _read(served, what.draft, what.path, what.files, what.root)
            return _named(_reviewed(session, manuscript, what), name_of)

        return answer(await work.run(reviewed))

    @routes.post("/classify", responses=returns(ClassifyDocument, "Their labels."))
    async def classify(what: ClassifySentences) -> Response:
        """The labels of sentences: why they cite, or whether they need a citation."""
        folder = intent_folder() if what.classifier == "intents" else needs_folder()
        labelled = await work.run(session.classify, folder, what.sentences)
        opened = session.classifier(folder)
        return answer(as_json.classified_document(labelled, opened.name, opened.labels, None))

    @routes.post("/edit", responses=returns(EditedDocument, "The edit, and the new texts."))
    async def edit(what: EditFiles) -> Response:
        """Writes papers into files in memory: a diff and the new text of each. Nothing is kept."""
        return answer(await work.run(_edited, session, what))

    return routes


def _reviewed(session: Session, manuscript: Manuscript, what: ReviewDraft) -> Any:
    year = session.year if what.year is None else what.year
    by: ReviewFields = {"budget": what.budget, "only": _only(what.only), "year": year}
    about = session.open_draft(manuscript).library, session.pipeline
    if what.part == "missing":
        return report_json.missing_document(manuscript, session.missing(manuscript, **by), *about)
    if what.part == "all":
        return report_json.report_document(session.report(manuscript, what.k, **by), *about)
    return as_json.review_document(manuscript, session.review(manuscript, what.k, **by), *about)


def _suggest(routes: APIRouter, served: Served, work: Work) -> None:
    session = served.session

    @routes.post(
        "/suggest",
        responses={
            200: _either("The papers, best first.", TextDocument, DraftDocument, lines=UnitFields),
        },
    )
    async def suggest(what: SuggestText, accept: Annotated[str | None, Header()] = None) -> Response:
        """Papers for a sentence; or for all open citations of a draft, which is given as files or by its
        path, and streamed place by place where that is asked for (`Accept: application/x-ndjson`)."""
        if sum(given is not None for given in (what.text, what.files, what.path)) != 1:
            raise ProblemError(422, "give one of text, files and path")
        if what.text is not None:
            options = TextOptions(what.k, what.threshold, what.intent, what.paragraph, tuple(what.beside))
            found = await work.run(session.suggest, what.text, options=options, year=what.year)
            return answer(as_json.text_document(found))
        wishes = DraftOptions(
            what.k, only=_only(what.only), intent=what.intent, threshold=what.threshold, year=what.year
        )
        manuscript, name_of = await work.run(_read, served, None, what.path, what.files, what.root)
        advised = await work.run(session.advise, manuscript, options=wishes)
        if asks_for_lines(accept):
            return StreamingResponse(_lines(work, advised, name_of), media_type=NDJSON)
        async for _ in work.each(iter(advised)):
            pass
        return answer(_named(as_json.draft_document(advised), name_of))


def _either(what: str, *documents: type, lines: type | None = None) -> dict[str, Any]:
    """The response with one of several documents; or, if it is asked for, a stream of `lines`."""
    content: dict[str, Any] = {"application/json": {"schema": {"anyOf": list(map(_schema, documents))}}}
    if lines is not None:
        content[NDJSON] = {"schema": _schema(lines)}
    return {"description": what, "content": content}


def _schema(document: type) -> dict[str, str]:
    content = returns(document, "")[200]["content"]
    schema: dict[str, str] = content["application/json"]["schema"]
    return schema


async def _lines(work: Work, advised: DraftAnswer, name_of: NameOf) -> AsyncIterator[bytes]:
    try:
        async for one in work.each(iter(advised)):
            yield line(_named(as_json.unit_answer(one), name_of))
    except (CiteWhyError, ProblemError) as error:
        yield line({"problem": fields_of(error)})


def _read(
    served: Served,
    draft: str | None,
    path: str | None,
    files: Mapping[str, str] | None,
    root: str | None,
) -> tuple[Manuscript, NameOf]:
    """The draft that a request names, and what its files are called. Raises ProblemError unless it names
    one."""
    if sum(given is not None for given in (draft, path, files)) != 1:
        raise ProblemError(422, "give one of draft, files and path")
    if draft is not None:
        opened = served.get(draft).draft
    elif path is not None:
        opened = served.open_path(path).draft
    else:
        return served.session.read(files or {}, root), str
    return opened.state().manuscript, opened.name_of


def _named(value: Any, name_of: NameOf) -> Any:
    """A document whose files are called as on the page, and not by where they lie."""
    if isinstance(value, dict):
        return {
            name: name_of(item)
            if name in ("file", "draft") and isinstance(item, str)
            else _named(item, name_of)
            for name, item in value.items()
        }
    return [_named(item, name_of) for item in value] if isinstance(value, list) else value


def _only(only: str) -> Only | None:
    return only if only in ("mine", "new") else None  # type: ignore[return-value]


def _edited(session: Session, what: EditFiles) -> dict[str, Any]:
    draft = OpenDraft(session, what.files, what.root)
    for choice in what.choices:
        place = choice.place
        if (place is None) == (choice.at is None):
            raise ProblemError(422, "name each place either by its id or by a position")
        if choice.at is not None:
            found = draft.places_at(At(choice.at.file, choice.at.offset, choice.at.line))
            if not found or found[0].kind == "uncited":
                raise ProblemError(422, f"no citation is open in {choice.at.file} at this position")
            place = found[0].id
        draft.choose(place or "", choice.papers)
    edition = draft.edition()
    texts = {} if edition.patch is None else edition.patch.texts()
    return {**edit_document(edition), "texts": texts}
