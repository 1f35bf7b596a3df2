"""How long an editor waits in a long thesis: to open it, and for the keys of a sentence that is written.

    python benchmarks/editing.py [--pages N] [--sentences N] [--seed N] [--root FILE]

A thesis of N pages of 350 words is made of the abstracts of the starter library, in twelve chapters of LaTeX,
where a third of the sentences cite their papers; or `--root` names one. `citewhy lsp` is asked over its
standard streams. New sentences are written word by word into paragraphs all over it; in each, keys are asked
for with nothing typed, and with two letters. Between some, the writer pauses long enough that the draft is
read again, and keys are asked for while it is.

Seconds to open, milliseconds from the request to the answer, processor milliseconds of the server for each
sentence with all its questions and readings, and its memory.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from citewhy.base.records import Manuscript
from citewhy.drafts import read
from citewhy.drafts.files import DISK, text_to_edit
from citewhy.session.session import Session
from citewhy.text.sentences import split
from citewhy.writers.bibtex import entry
from completion import Editor, Tally, memory_of, processor_of

WORDS = 350
CHAPTERS = 12
PAUSE = 0.9
"""Seconds: longer than the server's own, after which it reads the draft again."""


def make_thesis(folder: Path, pages: int, seed: int) -> Path:
    """A thesis of the abstracts of the starter library."""
    with Session() as session:
        papers = [paper for paper in session.library.papers(session.library.ids()).values() if paper.abstract]
    chance = random.Random(seed)
    (folder / "refs.bib").write_text("\n".join(entry(paper, f"p{n}") for n, paper in enumerate(papers)))
    chapters: list[list[str]] = [[] for _ in range(CHAPTERS)]
    count, number = 0, 0
    while count < pages * WORDS:
        paragraph = []
        for which in chance.sample(range(len(papers)), 5):
            sentence = chance.choice(split(papers[which].abstract)).rstrip(".").replace("%", "\\%")
            paragraph.append(f"{sentence}~\\cite{{p{which}}}." if chance.random() < 1 / 3 else f"{sentence}.")
            count += len(sentence.split())
        heading = f"\\section{{Part {number}}}\n" if number % 20 == 0 else ""
        chapters[number % CHAPTERS].append(heading + "\n".join(paragraph))
        number += 1
    for place, paragraphs in enumerate(chapters):
        text = f"\\chapter{{Chapter {place}}}\n" + "\n\n".join(paragraphs) + "\n"
        (folder / f"chapter{place}.tex").write_text(text, encoding="utf-8")
    inputs = "\n".join(f"\\input{{chapter{place}}}" for place in range(CHAPTERS))
    root = folder / "main.tex"
    root.write_text(
        f"\\documentclass{{book}}\n\\begin{{document}}\n{inputs}\n\\bibliography{{refs}}\n\\end{{document}}\n",
        encoding="utf-8",
    )
    return root


async def write(root: Path, manuscript: Manuscript, given: argparse.Namespace) -> None:
    """Writes sentences, and prints what they took."""
    tally, chance = Tally(), random.Random(given.seed)
    client = LanguageClient("benchmark", "1")
    read_again = asyncio.Event()

    @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
    def published(_: types.PublishDiagnosticsParams) -> None:
        read_again.set()

    await client.start_io(sys.executable, "-m", "citewhy", "lsp")
    general = types.GeneralClientCapabilities(position_encodings=["utf-32"])
    await client.initialize_async(
        types.InitializeParams(types.ClientCapabilities(general=general), root_uri=root.parent.as_uri())
    )
    client.initialized(types.InitializedParams())
    paragraphs = [one for one in manuscript.paragraphs if len(one.sentences) > 2 and not one.aside]
    editors: dict[str, Editor] = {}
    texts: dict[str, str] = {}
    used = []
    for number in range(given.sentences):
        place = chance.choice(paragraphs).sentences[1].place
        name = place.file
        if name not in editors:
            editors[name] = Editor(client, Path(name).absolute())
            texts[name] = text_to_edit(DISK, name)
            document = types.TextDocumentItem(editors[name].uri, "", 1, texts[name])
            read_again.clear()
            since = time.perf_counter()
            client.text_document_did_open(types.DidOpenTextDocumentParams(document))
            await asyncio.wait_for(read_again.wait(), 600)
            if len(editors) == 1:
                print(f"open after {time.perf_counter() - since:.1f} s, {memory_of(client):.0f} MB")
        # What was written before this place in its file has moved it: any end of a sentence will do.
        at = texts[name].find(".\n", min(place.end, len(texts[name]) - 10)) + 1 or len(texts[name])
        before = processor_of(client)
        for word in [*chance.choice(paragraphs).sentences[0].text.split()[:12], "\\cite{"]:
            word = word if word.startswith("\\") else "".join(filter(str.isalnum, word))
            texts[name] = f"{texts[name][:at]} {word}{texts[name][at:]}"
            at += len(word) + 1
            editors[name].change(texts[name])
        for what, letters in (("nothing typed", ""), ("2 letters", "ma")):
            await _ask(
                editors[name],
                f"{texts[name][:at]}{letters}}}{texts[name][at:]}",
                at + len(letters),
                tally,
                what,
            )
        texts[name] = f"{texts[name][:at]}{chance.choice(manuscript.references).key}}}.{texts[name][at:]}"
        editors[name].change(texts[name])
        if number % 4 == 3:
            await asyncio.sleep(PAUSE)
            for _ in range(3):
                other = chance.choice(
                    [start for start in range(len(texts[name])) if texts[name].startswith("\\cite{", start)]
                )
                asked = f"{texts[name][: other + 6]}}} {texts[name][other + 6 :]}"
                await _ask(editors[name], asked, other + 6, tally, "while it is read again")
            editors[name].change(texts[name])
        used.append(processor_of(client) - before)
    print(tally.times())
    print(
        f"processor: {1000 * sum(used) / len(used):.0f} ms a sentence; {memory_of(client):.0f} MB in the end"
    )
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()  # type: ignore[no-untyped-call]


async def _ask(editor: Editor, text: str, offset: int, tally: Tally, what: str) -> None:
    editor.change(text)
    since = time.perf_counter()
    listed = await editor.keys(text, offset)
    tally.wait(what if listed else "without an answer", since)


def main() -> None:
    """Makes the thesis, and writes in it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pages", type=int, default=300, help="pages of 350 words")
    parser.add_argument("--sentences", type=int, default=60, help="sentences that are written")
    parser.add_argument("--root", type=Path, help="the root file of another draft")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        root = given.root or make_thesis(Path(name).resolve(), given.pages, given.seed)
        manuscript = read(root)
        sentences = sum(len(one.sentences) for one in manuscript.paragraphs)
        print(f"{sentences:,} sentences, {len(manuscript.references):,} entries", flush=True)
        asyncio.run(write(root, manuscript, given))


if __name__ == "__main__":
    main()
