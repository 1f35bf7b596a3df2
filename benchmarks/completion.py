"""Whether the right key is among the first that an editor lists, and how long it waits.

    python benchmarks/completion.py --documents DIR [--manifest FILE] [--places N] [--number N]
        [--beside LIBRARY] [--seed N]

The documents are those of held-out authors (`train.drafts.use_of`). Of each, N places that cite one key of
the document's bibliography are drawn. The key is removed from the open file, and `citewhy lsp` is asked over
its standard streams: with nothing typed, and with two letters of the first author's surname. Beside it, the
same lists in the order of BM25 by the sentence, of the alphabet, and of what was cited last before the place.
A miss counts where the server sees no citation. `--beside` names a library that is answered from, too.

Shares with Wilson's 95 % interval; milliseconds from the request to the answer, and of processor time in all
threads of the server meanwhile, which on a busy machine tells more.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from citewhy.answers.completing import completions
from citewhy.answers.questions import identify, make_query
from citewhy.base.records import Manuscript, Marker, Reason, Suggestion
from citewhy.drafts.files import DISK, text_to_edit
from citewhy.session.session import Session
from citewhy.text.names import surname
from citewhy_lab.train.drafts import Draft, read_manifest, use_of
from common import parser as shared_parser
from common import wilson

FIRST = 5
LETTERS = 2
ORDERS = ("server", "BM25", "alphabet", "cited last")


@dataclass(slots=True)
class Tally:
    """Right and asked places by order and by what is typed, and milliseconds."""

    right: dict[tuple[str, bool], list[bool]] = field(default_factory=dict)
    waited: dict[str, list[float]] = field(default_factory=dict)

    def count(self, order: str, typed: bool, right: bool) -> None:
        self.right.setdefault((order, typed), []).append(right)

    def wait(self, what: str, since: float) -> None:
        self.waited.setdefault(what, []).append(1000 * (time.perf_counter() - since))

    def times(self) -> str:
        """A line for each kind of answer: how many, and how long was waited."""
        lines = []
        for what, waited in self.waited.items():
            p95 = sorted(waited)[int(0.95 * (len(waited) - 1))]
            lines.append(
                f"{what}: {len(waited)} answers, p50 {statistics.median(waited):.0f}, p95 {p95:.0f} ms"
            )
        return "\n".join(lines)


def processor_of(client: LanguageClient) -> float:
    """Seconds of processor time of a client's server, in all threads; of Linux alone."""
    assert client._server is not None
    stat = Path(f"/proc/{client._server.pid}/task")
    spent = [int((task / "schedstat").read_text().split()[0]) for task in stat.iterdir()]
    return sum(spent) / 1e9


def memory_of(client: LanguageClient) -> float:
    """Resident memory of a client's server, in megabytes; of Linux alone."""
    assert client._server is not None
    pages = int(Path(f"/proc/{client._server.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Editor:
    """An editor with one open file."""

    def __init__(self, client: LanguageClient, path: Path) -> None:
        self.client, self.uri, self.version = client, path.absolute().as_uri(), 1

    def change(self, text: str) -> None:
        self.version += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.version, self.uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    async def keys(self, text: str, offset: int) -> list[str]:
        lines = text[:offset].replace("\r\n", "\n").replace("\r", "\n").split("\n")
        position = types.Position(len(lines) - 1, len(lines[-1]))
        answer = await self.client.text_document_completion_async(
            types.CompletionParams(types.TextDocumentIdentifier(self.uri), position)
        )
        items = answer.items if isinstance(answer, types.CompletionList) else answer or []
        return [item.label for item in items[:FIRST]]


def places(manuscript: Manuscript, count: int, seed: str) -> list[Marker]:
    """The places that are asked, with one key that the bibliography has."""
    known = {reference.key for reference in manuscript.references}
    single = [
        marker
        for marker in manuscript.markers
        if len(marker.keys) == 1 and marker.keys[0] in known and marker.slot is not None
    ]
    return random.Random(seed).sample(single, min(count, len(single)))


def ordered(keys: Sequence[str], manuscript: Manuscript) -> list[Suggestion]:
    """Entries in an order."""
    papers = {reference.key: reference.paper for reference in manuscript.references}
    why = (Reason("order", "compared"),)
    return [Suggestion(papers[key], 0.0, why, key=key, in_bibliography=True) for key in keys if key in papers]


def plain_orders(session: Session, manuscript: Manuscript, marker: Marker) -> dict[str, list[str]]:
    """The keys in the orders that the server is compared with."""
    keys = [reference.key for reference in manuscript.references]
    markers = list(manuscript.markers)
    before = [key for one in markers[: markers.index(marker)] for key in one.keys]
    sentence = next(
        sentence.text
        for paragraph in manuscript.paragraphs
        for sentence in paragraph.sentences
        if marker in sentence.markers
    )
    orders = {"alphabet": sorted(keys, key=str.lower), "cited last": list(dict.fromkeys(reversed(before)))}
    recommender = session.recommender("bm25", drafts=[manuscript])
    by_id = {paper_id: key for key, paper_id in identify(recommender.library, manuscript).items()}
    ids = recommender.rank(make_query(sentence or "none"), 200).ids if sentence.strip() else []
    return {"BM25": [by_id[each] for each in ids if each in by_id], **orders}


async def measure(draft: Draft, tally: Tally, given: argparse.Namespace) -> int:
    """Asks the places of one document; returns their number."""
    options: list[str] = ["--library", str(given.beside)] if given.beside else []
    with Session() as session:
        manuscript = session.read(draft.root, follow_outside=draft.follow_outside)
        chosen = places(manuscript, given.places, f"{given.seed} {draft.name}")
        if not chosen:
            return 0
        client = LanguageClient("benchmark", "1")
        read: dict[str, asyncio.Event] = {}

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
        def published(found: types.PublishDiagnosticsParams) -> None:
            read.setdefault(found.uri, asyncio.Event()).set()

        @client.feature(types.WINDOW_SHOW_MESSAGE)  # type: ignore[untyped-decorator]
        def shown(message: types.ShowMessageParams) -> None:
            print(f"  {message.message}", file=sys.stderr, flush=True)

        await client.start_io(sys.executable, "-m", "citewhy", "lsp", *options)
        root = Path(draft.root).absolute()
        folders = [types.WorkspaceFolder(root.parent.as_uri(), "draft")]
        general = types.GeneralClientCapabilities(position_encodings=["utf-32"])
        await client.initialize_async(
            types.InitializeParams(
                capabilities=types.ClientCapabilities(general=general),
                root_uri=root.parent.as_uri(),
                workspace_folders=folders,
            )
        )
        client.initialized(types.InitializedParams())
        opened: set[str] = set()
        for marker in chosen:
            await _ask(client, opened, read, session, manuscript, marker, tally)
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()  # type: ignore[no-untyped-call]
        return len(chosen)


async def _ask(
    client: LanguageClient,
    opened: set[str],
    read: dict[str, asyncio.Event],
    session: Session,
    manuscript: Manuscript,
    marker: Marker,
    tally: Tally,
) -> None:
    key = marker.keys[0]
    paper = next(reference.paper for reference in manuscript.references if reference.key == key)
    letters = surname(paper.authors[0])[:LETTERS] if paper.authors else key[:LETTERS]
    path = Path(marker.place.file).absolute()
    text, slot = text_to_edit(DISK, marker.place.file), marker.slot
    assert slot is not None
    start = text.index(key, slot.start) if key in text[slot.start : slot.end] else slot.start
    editor = Editor(client, path)
    if editor.uri not in opened:
        opened.add(editor.uri)
        document = types.TextDocumentItem(editor.uri, "", 1, text)
        client.text_document_did_open(types.DidOpenTextDocumentParams(document))
        read[editor.uri] = asyncio.Event()
        await asyncio.wait_for(read[editor.uri].wait(), 600)
    without = text[:start] + text[start + len(key) :]
    editor.change(without)
    since, before = time.perf_counter(), processor_of(client)
    listed = await editor.keys(without, start)
    tally.wait("nothing typed", since)
    tally.waited.setdefault("processor, nothing typed", []).append(1000 * (processor_of(client) - before))
    tally.count("server", False, key in listed)
    typed = without[:start] + letters + without[start:]
    editor.change(typed)
    since = time.perf_counter()
    listed = await editor.keys(typed, start + len(letters))
    tally.wait(f"{LETTERS} letters", since)
    tally.count("server", True, key in listed)
    editor.change(text)
    entries = [(reference.key, reference.paper) for reference in manuscript.references]
    for name, order in plain_orders(session, manuscript, marker).items():
        for some in ("", letters):
            first = completions(some, ordered(order, manuscript), entries, k=FIRST)
            tally.count(name, bool(some), key in {one.key for one in first})


def main() -> None:
    """Prints a line for each document, and the shares and times of all."""
    options = shared_parser(__doc__, "documents!", "manifest")
    options.add_argument("--places", type=int, default=10, help="places of a document")
    options.add_argument("--number", type=int, default=1000, help="documents")
    options.add_argument("--beside", type=Path, help="a library beside the document's bibliography")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    tally = Tally()
    drafts = [
        draft
        for draft in read_manifest(given.manifest, given.documents)
        if use_of(draft.author) == "measuring"
    ][: given.number]
    for draft in drafts:
        asked = asyncio.run(measure(draft, tally, given))
        recent = tally.right.get(("server", False), [])[-asked:] if asked else []
        print(f"{draft.name[:50]:50} {asked:3} places, {sum(recent)} among the first {FIRST}", flush=True)
    print(f"\n{'order':12} {'nothing typed':>24} {f'{LETTERS} letters':>24}")
    for order in ORDERS:
        shares = []
        for typed in (False, True):
            right = tally.right.get((order, typed), [])
            low, high = wilson(sum(right), len(right))
            shares.append(f"{sum(right) / max(len(right), 1):.3f} ({low:.3f} to {high:.3f})")
        print(f"{order:12} {shares[0]:>24} {shares[1]:>24}")
    print(tally.times())


if __name__ == "__main__":
    main()
