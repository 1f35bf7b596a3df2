"""Writes the library by which later versions are tested, as this version makes it: one for each release.

python tests/data/make_library.py
"""

from __future__ import annotations

import os
import tarfile
import tempfile
from pathlib import Path

from citewhy.base.config import VERSION
from citewhy.session.importing import add_files

FILES = {
    "refs.bib": """\
@article{lee2001,
  author = {Lee, Ann and Ek, Bo},
  title = {Parsing with {Trees}},
  journal = {Journal of Examples},
  year = {2001},
  doi = {10.1000/parsing},
  abstract = {We parse sentences with trees.}
}
@inproceedings{ek2000,
  author = {Ek, Bo},
  title = {Tagging by Rules},
  booktitle = {Proceedings of Examples},
  year = {2000}
}
""",
    "papers.jsonl": """\
{"id": "P1", "title": "Speech without Words", "authors": ["Cy Fox"], "year": 2003}
{"id": "P2", "title": "Parsing with Trees", "authors": ["Ann Lee", "Bo Ek"], "doi": "10.1000/parsing"}
""",
    "contexts.jsonl": """\
{"context_id": "P1_1", "citing_id": "P1", "cited_ids": ["lee2001"], "text": "Trees parse TARGETCIT."}
""",
    "citations.tsv": "citing_id\tcited_id\nP1\tek2000\n",
    "aliases.tsv": "id\tsame_as\nek2000\tACL:X00-1001\n",
}
"""What is added to it."""


def main() -> None:
    target = Path(__file__).parent / "libraries" / f"{VERSION}.tar.gz"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, content in FILES.items():
            Path(name).write_text(content, encoding="utf-8")
        add_files(Path("library"), list(FILES), vectors=False)
        with tarfile.open(target, "w:gz") as archive:
            for path in sorted(Path("library").rglob("*")):
                if path.is_file() and path.name != ".lock":
                    archive.add(path, path.relative_to("library"))
    print(target)


if __name__ == "__main__":
    main()
