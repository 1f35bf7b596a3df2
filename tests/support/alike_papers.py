"""Records that may be one paper: few titles, people and years, in many combinations."""

from __future__ import annotations

from hypothesis import strategies as st

from citewhy.base.records import Paper, Publication

WORDS = ["trees", "banks", "rivers", "the", "of", "lakes"]
titles = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
papers = st.builds(
    Paper,
    id=st.just("a"),
    title=titles | st.sampled_from(["Trees and banks", "The trees of the banks", "Trees", "河 岸 的 树"]),
    authors=st.sampled_from(
        [
            ("Ann Lee",),
            ("Lee, A.",),
            ("Bea Lee",),
            ("Ann Lee", "Bo Roe"),
            ("Ann Lee", "et al."),
            ("Bo Roe",),
            (),
        ]
    ),
    year=st.sampled_from([None, 1999, 2000, 2001, 2002, 2005]),
    venue=st.sampled_from(["ACL", "acl", "CL", "arXiv"]),
    doi=st.sampled_from(["", "10.1/x", "10.1/y"]),
    publication=st.none()
    | st.builds(
        Publication,
        type=st.sampled_from(["", "article-journal", "book", "chapter", "dataset"]),
        volume=st.sampled_from(["", "3", "4"]),
        pages=st.sampled_from(["", "10-12", "13-20"]),
        edition=st.sampled_from(["", "2", "third"]),
    ),
)
