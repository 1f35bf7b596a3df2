"""What "Ibid." or "Ebd." at an open citation means: the citation before it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from citewhy.answers.resolve.notes import is_again
from citewhy.base.records import Manuscript, Marker, Paragraph, Resolution, Unit


def cited_again(manuscript: Manuscript, unit: Unit, papers: Mapping[str, str]) -> Resolution | None:
    """The papers of the citation before that of a `unit`, if its words say that it is the same ("Ibid.
    [CITE]"): the one before it in the same note, or else the only one of the note before; in running text,
    the last one before. None if they do not say so. `papers` are the ids of the papers in the bibliography,
    by key."""
    marker, words = unit.marker, words_of_again(unit)
    if marker is None or not words:
        return None
    before = _before(manuscript, unit.paragraph, marker)
    ids = dict.fromkeys(papers[key] for other in before for key in other.keys if key in papers)
    known = bool(ids) and not any(other.open for other in before)
    return Resolution(words.split()[0], "again", tuple(ids) if known else (), known and len(ids) == 1)


def words_of_again(unit: Unit) -> str:
    """The words before an open citation, if they say that it is the citation before; otherwise empty."""
    marker, sentence = unit.marker, unit.sentence
    if marker is None or sentence is None or unit.undefined:
        return ""
    words = sentence.text[: marker.offset]
    if unit.paragraph is not None and unit.paragraph.note_to is not None and not is_again(words):
        # "Ebd., S. 12" may look like the end of a sentence, and the beginning of the next.
        earlier = itertools.takewhile(lambda one: one != sentence, unit.paragraph.sentences)
        words = " ".join([*(one.text for one in earlier), words])
    return words if is_again(words) else ""


def _before(manuscript: Manuscript, own: Paragraph | None, marker: Marker) -> Sequence[Marker]:
    """The citation before `marker` in its own note or paragraph; or else all of the note before, or the last
    of the paragraphs before. A note without a citation may name anything."""
    is_note = own is not None and own.note_to is not None
    last: Sequence[Marker] = ()
    for paragraph in manuscript.paragraphs:
        if is_note and paragraph.note_to is None:
            continue
        markers = [one for sentence in paragraph.sentences for one in sentence.markers]
        if marker in markers:
            number = markers.index(marker)
            return markers[number - 1 : number] if number else last
        last = markers if is_note else markers[-1:] or last
    return ()
