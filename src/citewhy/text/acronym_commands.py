"""LaTeX commands that print acronyms and glossary entries, of the packages glossaries, acronym and acro."""

from __future__ import annotations

_FORMS = {
    "first": "gls ac acu iac",  # the full form where it is used first, later the short one
    "short": "acs acsu acrshort glsxtrshort glsentryshort glstext glsentrytext glsname glsentryname",
    "long": "acl aclu acrlong glsxtrlong glsentrylong",
    "full": "acf acfi acrfull glsxtrfull glsfirst",
}
_PLURALS = {
    "gls": "glspl",
    "glsentryname": "glsentryplural",
    "glstext": "glsplural",
    "glsfirst": "glsfirstplural",
    "acu": "acup",
}
_PACKAGES = ("gls", "acr", "iac")
"""How commands begin whose plural ends in "pl"; it ends in "p" otherwise."""


def _uses() -> dict[str, tuple[str, bool]]:
    uses: dict[str, tuple[str, bool]] = {}
    for form, names in _FORMS.items():
        for name in names.split():
            plural = _PLURALS.get(name, f"{name}pl" if name.startswith(_PACKAGES) else f"{name}p")
            uses |= {name: (form, False), plural: (form, True)}
    return uses | {name.capitalize(): use for name, use in uses.items()}


USES = _uses()
"""By command: its form (``first``, ``short``, ``long`` or ``full``), and whether it is a plural."""
