"""The places of a draft for which its author has chosen no paper when asked: they are not asked again."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from citewhy.base.records import Place, Unit
from citewhy.drafts.edit.decisions import Decisions
from citewhy.session.draft_places import places_of
from citewhy.session.draft_session import DraftSession


class SkippedPlaces:
    """What was skipped in one draft, kept as decisions of its author (`drafts.edit.decisions`)."""

    def __init__(self, draft: DraftSession) -> None:
        self._root = Path(draft.manuscript.path)
        self._decisions = Decisions(self._root if draft.on_disk else None)

    def of(self, units: Sequence[Unit]) -> set[Place]:
        """The places of those units that were skipped, of all open citations of the draft in their order."""
        return {one.unit.place for one in places_of(units, self._name_of) if self._decisions[one.id].settled}

    def skip(self, units: Sequence[Unit], skipped: Collection[Place]) -> None:
        """Keeps that some of the `units`, which are those that are still open, are skipped. Raises as
        `Decisions.change`."""
        ids = (one.id for one in places_of(units, self._name_of) if one.unit.place in skipped)
        self._decisions.change({one: replace(self._decisions[one], settled=True) for one in ids})

    def _name_of(self, file: str) -> str:
        return Path(os.path.relpath(file, self._root.parent)).as_posix()
