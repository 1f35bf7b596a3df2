"""The texts that an encoder reads."""

from __future__ import annotations

from citewhy.base.records import Context, Paper, Query
from citewhy.search.encode import paper_text, query_text
from citewhy.search.encode.texts import context_text, part_texts


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


def sentence(word: str, length: int) -> str:
    return " ".join([word.capitalize(), *[word] * (length - 1)]) + "."


def test_parts_are_whole_sentences() -> None:
    """Up to sixty words each, after the title."""
    one, two, three = sentence("one", 30), sentence("two", 30), sentence("three", 1)
    assert part_texts(Paper("a", "Trees", f"{one} {two} {three}")) == [
        f"Trees. {one} {two}",
        f"Trees. {three}",
    ]
    long, short = sentence("long", 80), sentence("short", 5)
    assert part_texts(Paper("a", "Trees", f"{short} {long} {short}")) == [
        f"Trees. {short}",
        f"Trees. {long}",
        f"Trees. {short}",
    ]


def test_a_short_abstract_has_no_parts() -> None:
    """The vector of the paper has all of it."""
    assert part_texts(Paper("a", "Trees")) == []
    assert part_texts(Paper("a", "Trees", sentence("one", 60))) == []
    assert part_texts(Paper("a", "Trees", sentence("one", 80))) == []


def test_endless_abstracts_have_few_parts() -> None:
    """The first eight."""
    sentences = [sentence(f"w{place}", 50) for place in range(20)]
    found = part_texts(Paper("a", "Trees", " ".join(sentences)))
    assert found == [f"Trees. {each}" for each in sentences[:8]]
