"""A table of results with its title, facts and notes, for terminals and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["markdown_page", "text_page"]

Rows = Sequence[Sequence[str]]
"""The head of the table and its rows, of the same length."""


def text_page(title: str, facts: Sequence[str], rows: Rows, notes: Sequence[str]) -> str:
    """Title and facts, the table with its columns aligned to the left, notes."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    table = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    return "\n".join([title, *facts, "", *table, "", *notes]).rstrip()


def markdown_page(title: str, facts: Sequence[str], rows: Rows, notes: Sequence[str]) -> str:
    """A heading, the table with numbers aligned to the right, facts and notes as a list."""
    head, *others = rows
    table = ["| " + " | ".join(row) + " |" for row in (head, ["---", *["---:"] * (len(head) - 1)], *others)]
    return "\n".join([f"# {title}", "", *table, "", *(f"- {note}" for note in (*facts, *notes)), ""])
