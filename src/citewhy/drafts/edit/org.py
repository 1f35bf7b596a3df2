"""Citations as an edit writes them in Org: ``[cite:see @a p. 3; @b]``."""

from __future__ import annotations

from collections.abc import Sequence

from citewhy.base.records import Manuscript, Marker
from citewhy.drafts.edit import latex, markdown

__all__ = ["filled"]


def filled(manuscript: Manuscript, marker: Marker, written: str, keys: Sequence[str]) -> str:
    """The slot with placeholders replaced; notes stay with their keys."""
    if marker.command == "open":  # [CITE], [?]
        style = "cite/t" if marker.in_text else "cite"
        return f"[{style}:{';'.join(f'@{key}' for key in keys)}]"
    if marker.command.startswith("\\"):
        return latex.filled(manuscript, marker, written, keys)
    if "@" not in written:  # [cite:]
        return ";".join(f"@{key}" for key in keys)
    return markdown.filled(manuscript, marker, written, keys, str)
