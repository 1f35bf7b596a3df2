"""The texts that an encoder reads."""

from __future__ import annotations

from citewhy.encode import paper_text, query_text
from citewhy.encode.texts import context_text
from citewhy.records import Context, Paper, Query


def test_a_sentence_has_its_title_behind() -> None:
    """Markers are no words, white space is one space."""
    query = Query(
        "local", text="We follow TARGETCIT  and OTHERCIT,\nas ever.", title="On Trees", abstract="No."
    )
    assert query_text(query) == "We follow and , as ever. On Trees"
    assert query_text(Query("local", text="As TARGETCIT.")) == "As ."


def test_a_citing_sentence_reads_as_one_that_asks() -> None:
    """Without a title: whose sentence it is may not be known."""
    text = "We follow TARGETCIT  and OTHERCIT,\nas ever."
    assert context_text(Context("c", "a", ("b",), text)) == query_text(Query("local", text=text))


def test_a_whole_paper_asks_as_it_answers() -> None:
    """Title and abstract, in both roles; without an abstract nothing hangs at the end."""
    assert query_text(Query("global", title="On Trees", abstract="They grow.")) == "On Trees. They grow."
    assert paper_text(Paper("a", "On Trees", "They grow.")) == "On Trees. They grow."
    assert paper_text(Paper("a", "On Trees")) == query_text(Query("global", title="On Trees")) == "On Trees"
