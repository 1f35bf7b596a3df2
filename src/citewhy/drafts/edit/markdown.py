"""Citations as an edit writes them in Pandoc's Markdown: ``[see @a, p. 3; @b]``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from citewhy.base.records import Manuscript, Marker
from citewhy.drafts.edit.key_plan import KeyPlan

__all__ = ["braced", "filled"]

_KEY = re.compile(r"(?<![\w\\])@(?P<key>\{[^{}]*\}|\w(?:\w|[:.#$%&+?<>~/-](?=\w))*|\?*)")


def filled(
    manuscript: Manuscript,
    marker: Marker,
    written: str,
    keys: Sequence[str],
    spelled: Callable[[str], str] | None = None,
) -> str:
    """The slot with placeholders replaced; notes stay with their keys. `spelled` returns a key as it is
    written after ``@`` (None: `braced`)."""
    spelled = braced if spelled is None else spelled
    items = list(_KEY.finditer(written))
    if not items:
        added = "; ".join(f"@{spelled(key)}" for key in keys)
        return f"[{added}]" if written.startswith("(") else added  # (CITE); [?], [CITE]
    names = [item["key"].strip("{}") for item in items]
    elsewhere = {key for key in marker.keys if key not in names}  # outside of the slot
    new = [spelled(key) for key in keys if key not in elsewhere]
    if not new and len(items) == 1:
        new = [spelled(key) for key in keys]  # all are cited outside the slot, which must not become empty
    found = KeyPlan(manuscript, names, new)
    return _with_notes(written, items, found)


def _with_notes(written: str, items: Sequence[re.Match[str]], found: KeyPlan) -> str:
    out: list[str] = []
    done = 0
    for place, item in enumerate(items):
        new = found.replaced.get(place)
        if (
            new is not None
            and not new
            and len(items) > 1
            and written[done : item.start()].strip() in {"", ";"}
        ):
            following = written[item.end() : items[place + 1].start() if place + 1 < len(items) else None]
            if following.strip() in {"", ";"}:  # a bare placeholder goes with its semicolon
                done = items[place + 1].start() if place == 0 else item.end()
                continue
        out += [
            written[done : item.start()],
            "; ".join(f"@{key}" for key in new) if new else item[0],
        ]
        done = item.end()
    rest = "".join([*out, written[done:]])
    return rest + "".join(f"; @{key}" for key in found.added)


def braced(key: str) -> str:
    """A key in Markdown: one that starts or ends with punctuation needs braces."""
    return key if re.fullmatch(r"\w(?:\w|[:.#$%&+?<>~/-](?=\w))*", key) else f"{{{key}}}"
