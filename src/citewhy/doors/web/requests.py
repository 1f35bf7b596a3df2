"""What requests hold, as records that check it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from citewhy.base.config import DEFAULT_K, DEFAULT_PASSAGES

MOST_K = 100
MOST_TEXT = 50_000
"""Characters of a text that is asked about."""

Text = Annotated[str, StringConstraints(min_length=1, max_length=MOST_TEXT)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=1_000)]
Count = Annotated[int, Field(ge=1, le=MOST_K)]
Only = Literal["new", "mine", "all"]
Purpose = Literal["background", "method", "result"]
Files = Annotated[
    dict[Name, Annotated[str, StringConstraints(max_length=8 << 20)]], Field(min_length=1, max_length=500)
]


class Request(BaseModel):
    """A request. Unknown fields are errors, so that a misspelt one is not ignored."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class AddFiles(Request):
    """Files and folders that are added to the library, under the folder of the server."""

    paths: Annotated[list[Name], Field(min_length=1, max_length=100)]


class OpenDraftBody(Request):
    """A draft: a path under the folder of the server, or the contents of its files by name."""

    path: Name | None = None
    files: Files | None = None
    root: Name | None = None
    """The name of the root file, where several of `files` can be it."""


class Position(Request):
    """A position in a file of a draft: a character (code point) from 0, or a line from 1."""

    file: Name
    offset: Annotated[int, Field(ge=0)] | None = None
    line: Annotated[int, Field(ge=1)] | None = None


class SuggestAt(Request):
    """What is asked of a draft: one place, by its id or a position; or, with neither, all of them."""

    place: Name | None = None
    at: Position | None = None
    text: Annotated[str, StringConstraints(max_length=MOST_TEXT)] = ""
    """Another question, in the place of the sentence."""
    k: Count = DEFAULT_K
    only: Only = "all"
    intent: Purpose | None = None


class RejectPaper(Request):
    """A paper that is not wanted for a place."""

    place: Name
    paper: Name


class ChoosePapers(Request):
    """The papers that are to be written at a place, in the place of those chosen before."""

    place: Name
    papers: Annotated[list[Name], Field(max_length=100)] | None = None
    """Their ids; none at all: what is chosen stays as it is."""
    settled: bool = False
    """Whether the place needs no paper, such as one that is cited already."""


class ApplyEdit(Request):
    """Writes what is chosen; with `revision`, only if the draft is still in this state."""

    revision: int | None = None


class SuggestText(Request):
    """A sentence, or a draft as files in memory, or the path of a draft under the folder of the server."""

    text: Text | None = None
    files: Files | None = None
    path: Name | None = None
    root: Name | None = None
    k: Count = DEFAULT_K
    only: Only = "all"
    intent: Purpose | None = None
    paragraph: bool = False
    """Whether `text` is the first sentence of a paragraph, for the rest of which papers are wanted."""
    beside: Annotated[list[Name], Field(max_length=100)] = []
    """Papers that the citation has already."""
    threshold: Annotated[float, Field(ge=0, le=1)] | None = None
    year: Annotated[int, Field(ge=1500, le=2099)] | None = None


class ReviewDraft(Request):
    """The draft that is reviewed, an open one by its id, files in memory, or a path; and what is asked of it:
    uncited claims, missing works, or the report of both with an audit."""

    draft: Name | None = None
    files: Files | None = None
    path: Name | None = None
    root: Name | None = None
    k: Count = 1
    budget: Annotated[int, Field(ge=0, le=1_000)] | None = None
    only: Only = "all"
    part: Literal["uncited", "missing", "all"] = "uncited"
    year: Annotated[int, Field(ge=1500, le=2099)] | None = None


class ClassifySentences(Request):
    """Sentences, and the classifier: that of intents, or that of sentences that need a citation."""

    sentences: Annotated[list[Text], Field(min_length=1, max_length=1_000)]
    classifier: Literal["intents", "needs"] = "intents"


class FindPassages(Request):
    """A paper, and the sentence that cites it."""

    paper: Name
    text: Text
    k: Count = DEFAULT_PASSAGES


class Choice(Request):
    """The papers for a place of files in memory: its id, or a position in it."""

    place: Name | None = None
    at: Position | None = None
    papers: Annotated[list[Name], Field(min_length=1, max_length=100)]


class EditFiles(Request):
    """Files in memory, and the papers that are to be written into them."""

    files: Files
    root: Name | None = None
    choices: Annotated[list[Choice], Field(min_length=1, max_length=1_000)]
