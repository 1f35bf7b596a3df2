"""The citations of a draft: which are open, and what stands before them. No library is needed.

    $ python examples/open_citations.py
    Retrieval for Scientific Writing: What an Assistant for Authors Can Build On
    26 open citations, 6 filled, 13 references
    example.tex:27  \\cite{}: … the later articles that refer to it
    example.tex:29  \\citep{?}: … are related if they share many references
    …

Another draft may be named: LaTeX, Markdown or plain text.
"""

import sys
from pathlib import Path

from citewhy import Session
from citewhy.base.assets import example_draft


def main(path: str | None = None) -> None:
    draft = Session.read(path or example_draft("latex"))
    places = [
        (marker, sentence.text[: marker.offset])
        for paragraph in draft.paragraphs
        for sentence in paragraph.sentences
        for marker in sentence.markers
    ]
    missing = [(marker, before) for marker, before in places if marker.open]
    filled, references = len(places) - len(missing), len(draft.references)
    print(draft.title)
    print(f"{len(missing)} open citations, {filled} filled, {references} references")
    for marker, before in missing:
        place = marker.place
        written = Path(place.file).read_text(encoding="utf-8")[place.start : place.end]
        words = " ".join(before.split()[-7:])
        print(f"{Path(place.file).name}:{place.line}  {written}: … {words}")


if __name__ == "__main__":
    main(*sys.argv[1:])
