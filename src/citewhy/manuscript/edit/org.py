"""Citations as an edit writes them in Org: ``[cite:see @a p. 3; @b]``."""

from __future__ import annotations

from collections.abc import Sequence

from citewhy.manuscript.edit import latex, markdown
from citewhy.records import Manuscript, Marker

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
