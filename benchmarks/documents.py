"""What is lost of real documents: citation keys in their text that find no paper in a library of their own
bibliographies.

    python benchmarks/documents.py --documents DIR [--manifest FILE] [--out FILE.json] [--keys]

Each document of the manifest is read as `citewhy suggest` reads it, and looked up in a library made of its
own bibliographies. A key counts once a document. Lost keys are counted by cause:

    undefined   no file of the document defines the key: nobody would find it
    elsewhere   a .bib file of the document's folder defines it, but not one that the document names
    unread      a bibliography that the document names is missing or cannot be read
    refused     the bibliography has the key, but the library has no such paper

`unseen` are keys of the bibliography that a plain search for citation commands finds in the files that were
read, and the reader does not.
"""

from __future__ import annotations

import re
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from citewhy.answers.questions import identify
from citewhy.base.records import Manuscript
from citewhy.drafts import read
from citewhy.text.source import read_text
from citewhy_lab.train.drafts import Draft, add_bibliographies, read_manifest
from common import parser as shared_parser

CITED = re.compile(r"\\[A-Za-z]*cite[A-Za-z]*\*?\s*(?:<[^<>]*>|\[[^][]*\])*\s*\{([^{}]*)\}")
CITED_IN_MARKDOWN = re.compile(r"(?<![\w\\./])@\{?([\w][\w:.#$%&+?<>~/-]*\w)")
COMMENT = re.compile(r"(?<!\\)%[^\r\n]*")
NOT_TEXT = re.compile(
    r"\\begin\{(comment|verbatim|lstlisting)\}.*?\\end\{\1\}|\\iffalse.*?\\fi\b|\\nocite\{[^{}]*\}", re.DOTALL
)
NOT_TEXT_IN_MARKDOWN = re.compile(
    r"<!--.*?-->|^[ \t]*(`{3,}|~{3,}).*?^[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE
)


@dataclass
class Row:
    """What was found in one document."""

    name: str
    seconds: float = 0.0
    keys: int = 0
    matched: int = 0
    lost: dict[str, list[str]] = field(default_factory=dict)
    unseen: list[str] = field(default_factory=list)
    crash: str = ""


def read_document(draft: Draft, folder: Path, library_folder: Path) -> Row:
    """Reads one document and looks up its keys."""
    started = time.process_time()
    manuscript = read(draft.root)
    row = Row(draft.name, time.process_time() - started)
    named = (Path(each) for each in manuscript.bibliographies if Path(each).is_file())
    paths = dict.fromkeys(each.resolve() for each in (*named, *draft.bibliographies))
    with add_bibliographies(library_folder, paths) as library:
        papers = identify(library, manuscript)
    cited = set(cited_keys(manuscript))
    row.keys = len(cited)
    row.matched = len(cited & papers.keys())
    defined = {reference.key for reference in manuscript.references}
    anywhere = entries_below(folder)
    for key in sorted(cited - papers.keys()):
        if key in defined:
            cause = "refused"
        elif manuscript.unread:
            cause = "unread"
        else:
            cause = "elsewhere" if key.lower() in anywhere else "undefined"
        row.lost.setdefault(cause, []).append(key)
    row.unseen = sorted(keys_by_search(manuscript) & defined - cited - set(manuscript.nocite))
    return row


def cited_keys(manuscript: Manuscript) -> Iterator[str]:
    for paragraph in manuscript.paragraphs:
        for sentence in paragraph.sentences:
            for marker in sentence.markers:
                yield from marker.keys


def entries_below(folder: Path) -> set[str]:
    """Returns the keys that any .bib file in a folder defines, in lower case."""
    found: set[str] = set()
    for path in folder.rglob("*.bib"):
        if path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            found |= {key.strip().lower() for key in re.findall(r"@\w+\s*[{(]\s*([^\s,{}]+)\s*,", text)}
            found |= {key.strip().lower() for key in re.findall(r"\\bibitem(?:\[[^]]*\])?\{([^{}]+)\}", text)}
    return found


def keys_by_search(manuscript: Manuscript) -> set[str]:
    """Returns the keys that a search without any knowledge of macros finds in the files that were read."""
    found: set[str] = set()
    for name in manuscript.files:
        text = read_text(name)
        if manuscript.format == "latex":
            text = NOT_TEXT.sub("", COMMENT.sub("", text)).split("\\end{document}")[0]
            found |= {" ".join(key.split()) for keys in CITED.findall(text) for key in keys.split(",")}
        else:
            found |= set(CITED_IN_MARKDOWN.findall(NOT_TEXT_IN_MARKDOWN.sub("", text)))
    return found


def table(rows: list[Row]) -> str:
    """Writes the result as a Markdown table."""
    causes: Counter[str] = Counter()
    for row in rows:
        causes.update({cause: len(keys) for cause, keys in row.lost.items()})
    keys, lost = sum(row.keys for row in rows), sum(causes.values())
    slowest = max(rows, key=lambda row: row.seconds)
    figures: dict[str, str] = {
        "documents": f"{len(rows):,}",
        "that could not be read": f"{sum(bool(row.crash) for row in rows):,}",
        "keys in their texts": f"{keys:,}",
        "matched": f"{sum(row.matched for row in rows):,}",
        "lost": f"{lost:,} ({lost / max(keys, 1):.2%})",
        **{f"lost: {cause}": f"{count:,}" for cause, count in sorted(causes.items())},
        "unseen": f"{sum(len(row.unseen) for row in rows):,}",
        "slowest, seconds of one processor": f"{slowest.seconds:.1f}",
    }
    return "\n".join(
        ["| | |", "| --- | ---: |", *(f"| {name} | {value} |" for name, value in figures.items())]
    )


def main() -> None:
    parser = shared_parser(__doc__, "documents!", "manifest")
    parser.add_argument("--out", type=Path, help="write a row a document to this file")
    parser.add_argument("--keys", action="store_true", help="list the lost and the unseen keys")
    given = parser.parse_args()
    rows = []
    for draft in read_manifest(given.manifest, given.documents):
        with tempfile.TemporaryDirectory() as library:
            try:
                row = read_document(draft, given.documents / draft.name, Path(library))
            except Exception:  # a crash is a result
                row = Row(draft.name, crash=traceback.format_exc())
                print(row.crash)
        rows.append(row)
        if given.keys and (row.lost or row.unseen):
            print(row.name, row.lost, "unseen:", row.unseen, flush=True)
    if given.out:
        given.out.write_bytes(orjson.dumps([vars(row) for row in rows], option=orjson.OPT_INDENT_2))
    print(table(rows))


if __name__ == "__main__":
    main()
