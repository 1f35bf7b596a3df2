"""The server that assistants talk to, by the model context protocol."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import unquote, urlparse

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from citewhy.base.config import VERSION
from citewhy.base.errors import CiteWhyError
from citewhy.base.log import event
from citewhy.doors.mcp.short import Answer
from citewhy.doors.mcp.tools import Tools
from citewhy.session.session import Session

INSTRUCTIONS = """\
CiteWhy knows the papers of the author's own library, with abstracts and citing sentences. Cite only papers
that one of its tools returned, by the key that it gave; where it says that nothing fits, say so and cite
nothing. A probability is calibrated: of the papers at 0.6, about six in ten are what an author cites. Nothing
is written to a draft but by `edit` with do="apply", which the author has to ask for."""

Answered = Callable[[Context[Any, Any], Callable[[], Answer]], Awaitable[Answer]]

Count = Annotated[int, Field(ge=1, le=20, description="Number of papers, 1 to 20.")]
First = Annotated[int, Field(ge=1, description="The number of the first one, where an answer said to go on.")]
DraftPath = Annotated[
    str, Field(description="Path of the root file or folder of a draft (LaTeX, Markdown, Typst, Org).")
]


def create(session: Session, folders: Sequence[Path]) -> MCPServer[Any]:
    """The server over a session. Files are read under the `folders`, or under those that the client names as
    its roots, if it has any."""
    server: MCPServer[Any] = MCPServer("citewhy", instructions=INSTRUCTIONS, version=VERSION)
    roots = _Roots(folders)
    tools = Tools(session, lambda: roots.folders)
    _register_questions(server, tools, roots.answered)
    _register_changes(server, tools, roots.answered)

    @server.resource("citewhy://library", name="library", description="What the author's library holds.")
    async def library() -> str:
        return await asyncio.to_thread(tools.library)

    return server


def _register_questions(server: MCPServer[Any], tools: Tools, answered: Answered) -> None:
    @server.tool()
    async def suggest(
        context: Context[Any, Any],
        text: Annotated[
            str, Field(description="The sentence that needs a citation, or, with a draft, a part of it.")
        ] = "",
        draft: DraftPath = "",
        k: Count = 5,
        first: First = 1,
    ) -> Answer:
        """Which papers of the author's library to cite for a sentence, best first, with reasons, a calibrated
        probability and a supporting passage. Use it before you write any citation. With a draft and no text,
        answers its open citations (\\cite{}, [@?], [CITE], undefined keys), three papers each, and names each
        place for `edit`."""
        return await answered(context, lambda: tools.suggest(text, draft, k, first))

    @server.tool()
    async def find(
        context: Context[Any, Any],
        text: Annotated[
            str, Field(description="Title, author and year, DOI, arXiv number, id, key, or words.")
        ],
        k: Count = 5,
    ) -> Answer:
        """Whether the library has a certain paper, and its id and key. Use it to check a reference that you
        remember before you write it. `certain` says that the text names exactly one paper."""
        return await answered(context, lambda: tools.find(text, k))

    @server.tool()
    async def paper(
        context: Context[Any, Any],
        name: Annotated[str, Field(description="An id or key that another tool gave, or a DOI.")],
    ) -> Answer:
        """Title, authors, year, venue, DOI and abstract of one paper."""
        return await answered(context, lambda: tools.paper(name))

    @server.tool()
    async def passages(
        context: Context[Any, Any],
        name: Annotated[str, Field(description="An id or key that another tool gave, or a DOI.")],
        claim: Annotated[str, Field(description="The citing sentence, or the claim.")],
        k: Annotated[int, Field(ge=1, le=20, description="Number of passages, 1 to 20.")] = 3,
    ) -> Answer:
        """The sentences of a paper that a claim may rest on, of its full text or its abstract. Use it before
        you write that a paper shows something."""
        return await answered(context, lambda: tools.passages(name, claim, k))

    @server.tool()
    async def review(
        context: Context[Any, Any],
        draft: DraftPath,
        first: First = 1,
        part: Annotated[
            Literal["uncited", "missing", "all"],
            Field(description="Uncited claims, missing works, or the report of both and wrong references."),
        ] = "uncited",
    ) -> Answer:
        """Sentences of a draft that cite nothing and probably need a citation, the surest first; or works
        that a finished draft does not cite and should consider, with why; or the report for reviewers."""
        return await answered(context, lambda: tools.review(draft, first, part))

    @server.tool()
    async def audit(
        context: Context[Any, Any],
        path: Annotated[str, Field(description="A bibliography, a list of references, or a draft.")],
        first: First = 1,
    ) -> Answer:
        """Which references are wrong, as far as the library can tell, the worst first: `impossible`, `mixed`
        of two papers, `differs` in a field, retracted. `unknown` says only that the library does not have it.
        Use it on references that you or others wrote from memory."""
        return await answered(context, lambda: tools.audit(path, first))


def _register_changes(server: MCPServer[Any], tools: Tools, answered: Answered) -> None:
    @server.tool()
    async def add(
        context: Context[Any, Any],
        paths: Annotated[
            list[str],
            Field(min_length=1, description="Files: .bib, .ris, CSL-JSON, JSON lines, PDFs' texts."),
        ],
    ) -> Answer:
        """Adds bibliographies and papers to the author's library. Use it only when the author asks for it."""
        return await answered(context, lambda: tools.add(paths))

    @server.tool()
    async def edit(
        context: Context[Any, Any],
        draft: DraftPath,
        choices: Annotated[
            dict[str, list[str]] | None,
            Field(description="Ids or keys of papers by `place`, both as `suggest` gave them."),
        ] = None,
        do: Annotated[
            Literal["preview", "apply", "undo"],
            Field(description="Show the diff, write it, or take the last written one back."),
        ] = "preview",
    ) -> Answer:
        """The edit that writes papers at places of a draft, with new entries in its bibliography.
        Shows the diff; writes only with do="apply", and only when the author has asked for the edit."""
        return await answered(context, lambda: tools.edit(draft, choices or {}, do))


class _Roots:
    """The folders that may be read. A client of an older protocol names its own."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = tuple(folders)
        self._asked = False

    async def answered(self, context: Context[Any, Any], call: Callable[[], Answer]) -> Answer:
        """What a tool answers, or a sentence that says what is wrong."""
        await self.ask(context)
        try:
            return await asyncio.to_thread(call)
        except CiteWhyError as error:
            event("message", text=str(error))
            raise ToolError(str(error)) from error

    async def ask(self, context: Context[Any, Any]) -> None:
        """Asks the client once, if it says that it has roots."""
        capabilities = context.client_capabilities
        if self._asked or capabilities is None or capabilities.roots is None:
            return
        self._asked = True
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of the capability, which clients still have
            answer = await context.session.list_roots()
        uris = [urlparse(str(root.uri)) for root in answer.roots]
        self.folders = tuple(Path(unquote(uri.path)) for uri in uris if uri.scheme == "file")
