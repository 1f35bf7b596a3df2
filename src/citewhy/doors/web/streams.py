"""Streams: the answers to a draft place by place, and what happens to it while it is open."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

from citewhy.base.errors import CiteWhyError
from citewhy.doors.present.open_documents import answer_document, state_document
from citewhy.doors.web.answers import event
from citewhy.doors.web.problems import ProblemError, fields_of
from citewhy.doors.web.served import Opened, Served
from citewhy.doors.web.work import Work
from citewhy.session.open_draft import DraftState

_POLL_SECONDS = 0.05
"""How often the files of an open draft are looked at."""

_BETTER_SECONDS = 0.02
"""How often it is looked whether texts are encoded, for better answers than the preliminary ones."""

_ALIVE_SECONDS = 10.0
"""After so long without an event, a comment is sent, by which a client that is gone is noticed."""

_PATIENCE_SECONDS = 1.0
"""How long a draft may be unreadable before it is told: editors empty a file before they write it."""


async def followed(served: Served, work: Work, opened: Opened, k: int) -> AsyncIterator[bytes]:
    """The events of an open draft: `state` at once and whenever it has changed, or can be answered better; an
    `answer` for each of its places, again only where it was made from something else; then `done`. `problem`:
    it cannot be read; the last state stays.
    """
    draft = opened.draft
    known: DraftState | None = None
    failing: float | None = None
    told, last = "", time.monotonic()
    while not served.closing:
        try:
            state = await work.light(draft.state)
        except CiteWhyError as error:
            failing = failing or time.monotonic()
            if time.monotonic() - failing > _PATIENCE_SECONDS and told != str(error):
                told = str(error)
                yield event("problem", fields_of(error))
            await asyncio.sleep(_POLL_SECONDS)
            continue
        failing, told = None, ""
        better = draft.draft.has_better
        if known is None or better or state.manuscript is not known.manuscript:
            changed = known is None or better or state.revision != known.revision
            known = state
            if changed:
                last = time.monotonic()
                async for sent in _answered(served, work, opened, state, k):
                    yield sent
        if time.monotonic() - last > _ALIVE_SECONDS:
            last = time.monotonic()
            yield b": here\n\n"
        await asyncio.sleep(_POLL_SECONDS)


async def _answered(
    served: Served, work: Work, opened: Opened, state: DraftState, k: int
) -> AsyncIterator[bytes]:
    """The events of one state of a draft. They end where the draft has changed again."""
    draft = opened.draft

    def outdated() -> bool:
        return served.closing or draft.has_changed()

    def stopped() -> bool:
        return draft.draft.has_better or outdated()

    try:
        yield event("state", await work.light(state_document, opened.id, opened.path, draft, state))
        waits = True
        while waits:
            waits = False
            answers = draft.answers(k, places=state.places, cancelled=stopped, at_once=True)
            async for answer in work.each(answers):
                waits |= answer.preliminary and not answer.current
                yield event("answer", answer_document(draft, state.revision, answer))
            while waits and not draft.draft.has_better and not await work.light(outdated):
                await asyncio.sleep(_BETTER_SECONDS)
            waits |= draft.draft.has_better
            if await work.light(outdated):
                return
        with_claims = await work.run(draft.state, claims=True)
        if with_claims.claims and with_claims.revision == state.revision:
            yield event("state", await work.light(state_document, opened.id, opened.path, draft, with_claims))
        yield event("done", {"revision": state.revision})
    except (CiteWhyError, ProblemError) as error:
        yield event("problem", fields_of(error))
