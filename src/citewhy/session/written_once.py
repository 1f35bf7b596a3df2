"""The edit that writes the first choices of an answer, and whether it has been made: what it inserts is
evidence for what is still open, but nothing that the author has seen."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path, PurePath

from citewhy.answers.answer import DraftAnswer
from citewhy.base.config import VERSION
from citewhy.drafts.edit.journal import last_asked
from citewhy.drafts.edit.patch import Patch
from citewhy.session.draft_session import DraftSession


def write_first(draft: DraftSession, answer: DraftAnswer, edit: Patch) -> None:
    """Applies the edit that writes the first choices of an answer, so that `is_written` knows it. Raises as
    `Patch.apply`."""
    edit.apply(_asked_for(draft, answer, edit.files))


def is_written(draft: DraftSession, answer: DraftAnswer) -> bool:
    """Whether the last edit of the draft wrote the first choices of an answer to the same question, and no
    file has changed since."""
    if not draft.on_disk:
        return False
    asked, files = last_asked(Path(answer.manuscript.path))
    return bool(asked) and asked == _asked_for(draft, answer, files)


def _asked_for(draft: DraftSession, answer: DraftAnswer, changed: Collection[PurePath]) -> str:
    """A checksum of all that an answer depends on, but for the files of the draft that are `changed`."""
    manuscript, wishes, files = answer.manuscript, replace(answer.options, k=1, export=None), draft.files
    checksum = hashlib.sha256(f"{VERSION} {answer.pipeline} {wishes}".encode())
    checksum.update(draft.answered_by.encode())
    root = files.resolve(files.path(manuscript.path)).parent
    names = {files.resolve(files.path(name)) for name in (*manuscript.files, *manuscript.bibliographies)}
    for path in sorted(names.difference(changed)):
        content = files.read(path) if files.is_file(path) else b""
        checksum.update(f"{os.path.relpath(path, root)} {len(content)} ".encode() + content)
    return checksum.hexdigest()
