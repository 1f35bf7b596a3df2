"""How often a word with a capital that equals the surname of an author means the author.

    python benchmarks/ordinary_words.py [--data DIR] [--drafts DIR] [--documents DIR] [--errors]
    python benchmarks/ordinary_words.py --make FILE [--data DIR]

Counted in the sentences of real drafts, for the first authors of their own bibliographies: a word means the
author if its sentence cites a paper by a first author of this name. Of words that `ordinary_words` sets
aside, the share should be small; of the others, it tells what a surname is worth.

`--make` writes the list of ordinary words (`is_ordinary`): those that the abstracts of the collection have in
small letters at least `LEAST` times, and more often than with a capital inside a sentence.
"""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import orjson

from citewhy.base.errors import CiteWhyError
from citewhy.base.records import Manuscript
from citewhy.drafts import read
from citewhy.search.retrieve.naming import capitalised
from citewhy.text.names import surname
from citewhy.text.ordinary_words import is_ordinary, ordinary_words
from citewhy_lab.train.drafts import read_manifest
from common import parser as shared_parser
from common import wilson

LEAST = 5
_WORD = re.compile(r"(?<![\w'’-])[A-Za-z]?[a-z]+(?![\w'’-])")
_BEGINNING = re.compile(r"(?:^|[.:;?!(\[\"“])\s*$")


def listed(abstracts: Iterator[str]) -> list[str]:
    """Makes the list of ordinary words."""
    small, capital = Counter[str](), Counter[str]()
    for text in abstracts:
        for found in _WORD.finditer(text):
            word = found[0]
            if word.islower():
                small[word] += 1
            elif not _BEGINNING.search(text[max(0, found.start() - 3) : found.start()]):
                capital[word.lower()] += 1
    return sorted(word for word, count in small.items() if len(word) > 1 and LEAST <= count > capital[word])


def abstracts(data: Path) -> Iterator[str]:
    with gzip.open(data / "papers.jsonl.gz") as lines:
        for line in lines:
            yield orjson.loads(line).get("abstract") or ""


def words_of(manuscript: Manuscript) -> Iterator[tuple[str, str, bool, str]]:
    """Yields each word that equals a first author's surname: where it stands, the word, whether it means the
    author, and its sentence."""
    authors = {
        reference.key: surname(reference.paper.authors[0])
        for reference in manuscript.references
        if reference.paper.authors
    }
    surnames = frozenset(authors.values())
    for paragraph in manuscript.paragraphs:
        around = " ".join(each.text for each in paragraph.sentences)
        for sentence in paragraph.sentences:
            text = sentence.text
            cited = {authors.get(key) for marker in sentence.markers for key in marker.keys}
            marked = with_markers(text, [each.offset for each in sentence.markers if each.keys or each.open])
            aside, alone = ordinary_words(marked, around), ordinary_words(marked)
            for word in surnames.intersection(capitalised(text)):
                if word in alone:
                    place = "ordinary, set aside"
                elif word in aside:
                    place = "in small letters around it, set aside"
                elif is_ordinary(word):
                    place = "ordinary, kept for its place"
                else:
                    first = re.match(rf"\W*{word}\b", text, re.IGNORECASE)
                    place = f"not ordinary, {'first in its sentence' if first else 'inside'}"
                yield place, word, word in cited, marked


def with_markers(text: str, offsets: list[int]) -> str:
    for offset in sorted(offsets, reverse=True):
        text = f"{text[:offset]} TARGETCIT {text[offset:]}"
    return text


def manuscripts(drafts: Path, documents: Path | None, manifest: Path) -> Iterator[tuple[str, Manuscript]]:
    for path in sorted(drafts.glob("*.tex")):
        yield "drafts", read(path)
    for draft in read_manifest(manifest, documents) if documents else ():
        try:
            yield "documents of other fields", read(draft.root)
        except CiteWhyError as error:
            print(f"{draft.name}: {error}")


def main() -> None:
    parser = shared_parser(__doc__, "data", "drafts", "documents", "manifest", "errors")
    parser.add_argument("--make", type=Path, help="write the list of ordinary words to this file")
    options = parser.parse_args()
    if options.make:
        options.make.write_text("\n".join(listed(abstracts(options.data))) + "\n", encoding="ascii")
        return
    counts, means = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for kind, manuscript in manuscripts(options.drafts, options.documents, options.manifest):
        for place, word, right, sentence in words_of(manuscript):
            counts[kind, place] += 1
            means[kind, place] += right
            if options.errors and right == place.endswith("aside"):
                print(f"{place}\t{word}\t{sentence[:200]}")
    print("| in | word | occurrences | means the author |\n| --- | --- | --- | --- |")
    for kind, place in sorted(counts):
        low, high = wilson(means[kind, place], counts[kind, place])
        share = means[kind, place] / counts[kind, place]
        print(f"| {kind} | {place} | {counts[kind, place]} | {share:.3f} ({low:.3f} to {high:.3f}) |")


if __name__ == "__main__":
    main()
