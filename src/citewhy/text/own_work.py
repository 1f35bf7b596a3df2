"""Whether a printed citation is of a work by the authors who cite it."""

from __future__ import annotations

from collections.abc import Sequence

from citewhy.text.names import surname
from citewhy.text.tokens import words


def is_own_work(citation: str, authors: Sequence[str]) -> bool | None:
    """Whether a citation by name and year has the family name of one of `authors`, those of the citing paper;
    None if no author is known, or the citation, such as "[3]", names nobody.

    >>> is_own_work("(Wang and Ng, 2011)", ["Pidong Wang"]), is_own_work("Brown et al. (1993)", ["Wang, P."])
    (True, False)
    """
    named = words(citation)
    if not authors or not any(word.isalpha() and len(word) > 1 for word in named):
        return None
    read = f" {' '.join(named)} "
    return any(f" {' '.join(words(surname(author)))} " in read for author in authors)
