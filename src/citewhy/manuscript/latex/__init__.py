"""LaTeX drafts: expanded like TeX does, with the place of every character."""
