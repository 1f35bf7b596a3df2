"""The frame of every plot: a white sheet with a title for screen readers, and a style."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

__all__ = ["sheet"]


def sheet(width: int, height: int, title: str, style: str, drawn: Iterable[str]) -> str:
    """The SVG document of `width` × `height` pixels with the elements `drawn`."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{style}</style>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        *drawn,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"
