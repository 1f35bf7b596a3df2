"""CORWA: paragraphs of related-work sections with a discourse tag for each sentence (Li et al. 2022).

Three layouts are read:

- JSON lines with ``id``, ``paper``, ``sentences``, ``tags`` (docs/data.md);
- the JSON lines of the corpus, with ``id`` (paper, ``_``, number), ``paragraph`` (``[BOS]`` before each
  sentence) and ``discourse_tags``;
- the corpus as annotated with BRAT: a folder with ``PAPER.txt``, a sentence on each line after ``[BOS]`` and
  an empty line between paragraphs, and ``PAPER.ann``, whose annotations of ``[BOS]`` are the tags.

A data set is read strictly: an invalid line is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from citewhy.base.errors import InputError
from citewhy.ranking.classify.discourse import TAGS
from citewhy.text.source import open_lines
from citewhy_lab.evaluate.datasets.lines import Line, every_object

_BEGIN = "[BOS]"
_ANNOTATION = re.compile(r"T\d+\t(?P<label>\S+) (?P<start>\d+) (?:[\d ;]* )?(?P<end>\d+)\t")


@dataclass(frozen=True, slots=True)
class TaggedParagraph:
    """A paragraph with as many `tags` as `sentences`, at least one."""

    id: str
    paper: str
    sentences: tuple[str, ...]
    tags: tuple[str, ...]


def read_corwa(path: Path) -> list[TaggedParagraph]:
    """Returns the paragraphs of a file or a folder, in order (of a folder: by name of the file).

    Raises InputError for anything that is in none of the layouts, and for a sentence without a tag.
    """
    paragraphs = list(_brat(path) if path.is_dir() else _lines(path))
    if not paragraphs:
        raise InputError("no paragraph is in this file", path=path)
    return paragraphs


def _lines(path: Path) -> Iterator[TaggedParagraph]:
    for line in every_object(path):
        if "discourse_tags" in line.fields:
            parts = line.text("paragraph").split(_BEGIN)
            sentences, name = tuple(part.strip() for part in parts if part.strip()), "discourse_tags"
            paper = line.text("id").rpartition("_")[0] or line.text("id")
        else:
            sentences, name = line.texts("sentences"), "tags"
            paper = line.text("paper")
        tags = line.texts(name)
        if len(tags) != len(sentences):
            raise line.error(
                f"{len(sentences)} sentences, but {len(tags)} tags", "give one for each sentence"
            )
        if unknown := [tag for tag in tags if tag not in TAGS]:
            raise _unknown(unknown[0], line)
        yield TaggedParagraph(line.text("id"), paper, sentences, tags)


def _brat(folder: Path) -> Iterator[TaggedParagraph]:
    texts = sorted(folder.glob("*.txt"))
    if not texts:
        raise InputError(
            "the folder has no .txt files", path=folder, hint="give the folder of the BRAT files"
        )
    for text in texts:
        tags = dict(_annotations(text.with_suffix(".ann")))
        sentences: list[tuple[str, str]] = []
        number, offset = 0, 0
        for count, line in open_lines(text):
            start = offset + line.find(_BEGIN)
            offset += len(line) + 1
            if line.strip().startswith(_BEGIN):
                if start not in tags:
                    raise InputError(
                        "this sentence has no tag",
                        path=text,
                        line=count,
                        hint=f"{text.stem}.ann needs one at character {start}",
                    )
                sentences.append((line.strip().removeprefix(_BEGIN).strip(), tags[start]))
            elif not line.strip() and sentences:
                yield _paragraph(text.stem, number, sentences)
                number, sentences = number + 1, []
        if sentences:
            yield _paragraph(text.stem, number, sentences)


def _annotations(path: Path) -> Iterator[tuple[int, str]]:
    """Returns the tags of sentences, by the character where they begin; other annotations are left out."""
    if not path.is_file():
        raise InputError("this file with the annotations is missing", path=path)
    for _, line in open_lines(path):
        annotation = _ANNOTATION.match(line)
        if annotation and line.rstrip().endswith(_BEGIN):
            if annotation["label"] not in TAGS:
                raise _unknown(annotation["label"], Line(path, _, {}))
            yield int(annotation["start"]), annotation["label"]


def _paragraph(paper: str, number: int, sentences: Sequence[tuple[str, str]]) -> TaggedParagraph:
    texts, tags = zip(*sentences, strict=True)
    return TaggedParagraph(f"{paper}_{number}", paper, texts, tags)


def _unknown(tag: str, line: Line) -> InputError:
    return line.error(f"there is no discourse tag {tag!r}", f"known: {', '.join(TAGS)}")
