"""LaTeX drafts: macros and included files are expanded, and the position of every character is kept."""
