"""Which keys of a citation an edit replaces, and by which."""

from __future__ import annotations

from collections.abc import Sequence

from citewhy.base.records import Manuscript
from citewhy.drafts.placeholders import is_placeholder

__all__ = ["KeyPlan"]


class KeyPlan:
    """Which keys of a citation give way, and to what: each placeholder takes the next new key, the last one
    all that are left. Without a placeholder, the first undefined key is one, if there is a bibliography."""

    def __init__(self, manuscript: Manuscript, written: Sequence[str], new: Sequence[str]) -> None:
        defined = {reference.key for reference in manuscript.references}
        undefined = [place for place, key in enumerate(written) if key not in defined]
        leaving = [place for place in undefined if is_placeholder(written[place])]
        if not leaving and defined and not manuscript.unread:
            leaving = undefined[:1]
        kept = {key for place, key in enumerate(written) if place not in leaving}
        waiting = [key for key in new if key not in kept]
        self.replaced: dict[int, list[str]] = {}
        """By place; empty: the key goes."""
        for number, place in enumerate(leaving):
            last = number == len(leaving) - 1
            if waiting or not number:
                self.replaced[place] = waiting if last else waiting[:1]
                waiting = [] if last else waiting[1:]
        self.added = waiting
        """Those that come after the last."""
