"""Numbers with their nouns."""

from citewhy.text.counted import counted, inflected


def test_one_and_several() -> None:
    """One is singular, nothing is plural; thousands are separated; an irregular plural is given."""
    assert [counted(count, "paper") for count in (0, 1, 2, 2048)] == [
        "0 papers",
        "1 paper",
        "2 papers",
        "2,048 papers",
    ]
    assert counted(3, "query", "queries") == "3 queries"
    assert (inflected(1, "is", "are"), inflected(0, "is", "are")) == ("is", "are")
