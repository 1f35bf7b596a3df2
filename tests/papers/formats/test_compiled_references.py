"""Reference lists that say what each part is."""

from __future__ import annotations

import pytest

from citewhy.base.records import Name
from citewhy.papers.formats.compiled_references import paper_of_bibinfo, papers_of_biber

BIBER = r"""\datalist[entry]{nty/global//global/global}
  \entry{orr04}{inproceedings}{}
    \name{author}{2}{}{%
      {{un=0,uniquepart=base,hash=1}{%
         family={Orr},
         familyi={O\bibinitperiod},
         given={Nils\bibnamedelima Per},
         givenun=0}}%
      {{hash=2}{%
         family={Aa},
         given={Ida},
         prefix={van\bibnamedelimb der}}}%
    }
    \name{editor}{1}{}{%
      {{hash=3}{%
         family={{Board of Moss}}}}%
    }
    \list{location}{1}{%
      {Ulm}%
    }
    \list{publisher}{1}{%
      {Wall Press}%
    }
    \field{booktitle}{Moss and {Fern}}
    \field{title}{Growth of {DNA} \emph{in situ}}
    \field{year}{2004}
    \field{pages}{3\bibrangedash 9}
    \verb{doi}
    \verb 10.5555/Moss_1
    \endverb
  \endentry
  \entry{empty}{misc}{}
  \endentry
\enddatalist
"""


def test_a_list_of_biber() -> None:
    """Names by parts, fields, lists and addresses are those of the entry; each entry has its place."""
    (key, start, end, paper), (empty, *_) = papers_of_biber(BIBER)
    assert (key, empty) == ("orr04", "empty")
    assert BIBER[start:end].startswith("\\entry{orr04}")
    assert (paper.title, paper.year, paper.venue, paper.doi) == (
        "Growth of DNA in situ", 2004, "Moss and Fern", "10.5555/moss_1",
    )  # fmt: skip
    assert paper.authors == (Name("Nils Per", "Orr"), Name("Ida", "Aa", "van der"))
    assert paper.publication is not None
    assert paper.publication.editors == ("Board of Moss",)
    assert (paper.publication.pages, paper.publication.publisher, paper.publication.place) == (
        "3-9", "Wall Press", "Ulm",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("latex", "doi"),
    [
        (
            r"\bibitem{a}\bibinfo{author}{N.~Orr}, \bibinfo{author}{I.~Lind}, \newblock\bibinfo{title}"
            r"{On moss}, \newblock\bibinfo{journal}{Walls} (\bibinfo{year}{1999}). \href {https://doi.org/10.5555/m}{\path{x}}",
            "10.5555/m",
        ),
        (
            r"\bibitem [{\citenamefont {Orr}(1999)}]{a} \BibitemOpen \bibfield {author} {\bibinfo {author}"
            r" {\bibfnamefont {N.}~\bibnamefont {Orr}}\ and\ \bibinfo {author} {\bibfnamefont {I.}~"
            r"\bibnamefont {Lind}},\ }\bibfield {title} {\bibinfo {title} {On moss},\ }\href"
            r" {\doibase 10.5555/m} "
            r"{\bibfield {journal} {\bibinfo {journal} {Walls}\ }\bibinfo {year} {1999}}",
            "10.5555/m",
        ),
        (
            r"\bibitem[Orr and Lind(1999)]{a} \bibfield{author}{\bibinfo{person}{N. Orr} {and} \bibinfo"
            r"{person}{I. Lind}.} \bibinfo{year}{1999}\natexlab{}. \newblock \showarticletitle{On"
            r" moss}. \newblock"
            r" \bibinfo{journal}{\emph{Walls}} \bibinfo{volume}{3} (\bibinfo{year}{1999}). \urldef\x",
            "",
        ),
    ],
)
def test_lists_of_publishers(latex: str, doi: str) -> None:
    """The styles of Elsevier, REVTeX and ACM name every part."""
    paper = paper_of_bibinfo("a", latex)
    assert paper is not None
    assert (paper.authors, paper.title, paper.venue, paper.year) == (
        ("N. Orr", "I. Lind"),
        "On moss",
        "Walls",
        1999,
    )
    assert paper.doi == doi


def test_an_item_without_a_title_goes_by_its_place_in_a_journal() -> None:
    """Styles of physics leave titles out."""
    item = r"\bibinfo{author}{N. Orr}, \bibinfo{journal}{Walls} \bibinfo{volume}{3}, \bibinfo{pages}{14}"
    paper = paper_of_bibinfo("a", item)
    assert paper is not None
    assert paper.title == "Walls 3, 14"


def test_other_items_are_not_taken_apart() -> None:
    """Without marks, or without marked authors, an item is left to the reader of printed lists."""
    assert paper_of_bibinfo("a", "N. Orr. On moss. 1999.") is None
    assert paper_of_bibinfo("a", r"\bibinfo{title}{On moss} \bibinfo{author}{N. Orr") is None
