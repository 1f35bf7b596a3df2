"""One entry of a printed reference list."""

from __future__ import annotations

import pytest

from citewhy.text.printed_reference import Parsed, parse

CHICAGO = "University of Chicago Press"

ENTRIES = {
    "a book with its publisher": (
        f"Kuhn, Thomas S. (1962). The Structure of Scientific Revolutions. Chicago: {CHICAGO}.",
        Parsed(
            *(("Thomas S. Kuhn",), False, 1962, ""),
            *("The Structure of Scientific Revolutions", f"Chicago: {CHICAGO}"),
        ),
    ),
    "a year at the end": (
        "Habermas, Jürgen: Theorie des kommunikativen Handelns, Bd. 1, Suhrkamp, Frankfurt 1981.",
        Parsed(("Jürgen Habermas",), False, 1981, "", "Theorie des kommunikativen Handelns", "Suhrkamp"),
    ),
    "German": (
        "Müller, K. und Schmidt, P. (2010): Grundlagen der Physik. In: Zeitschrift für Optik, Jg. 12, S. 3.",
        Parsed(
            ("K. Müller", "P. Schmidt"), False, 2010, "", "Grundlagen der Physik", "Zeitschrift für Optik"
        ),
    ),
    "German, with others": (
        "Müller, K. u. a. (2010): Grundlagen der Physik. Berlin.",
        Parsed(("K. Müller",), True, 2010, "", "Grundlagen der Physik", "Berlin"),
    ),
    "French": (
        "Bourdieu, P. et Passeron, J.-C. (1970). La reproduction. Paris : Minuit.",
        Parsed(("P. Bourdieu", "J.-C. Passeron"), False, 1970, "", "La reproduction", "Paris : Minuit"),
    ),
    "Spanish": (
        "García Márquez, G. y Pérez, A. (1999). La hojarasca. Revista de Letras, 4(2), 10-20.",
        Parsed(("G. García Márquez", "A. Pérez"), False, 1999, "", "La hojarasca", "Revista de Letras"),
    ),
    "an organisation, with an address": (
        "World Health Organization. (2020). Tuberculosis report. https://www.who.int/tb. doi: 10.1000/ABC.",
        Parsed(
            *(("World Health Organization",), False, 2020, "", "Tuberculosis report", ""),
            *("10.1000/abc", "https://www.who.int/tb"),
        ),
    ),
    "a year with a letter, a title that asks": (
        "Peter F. Brown and Robert L. Mercer. 1993b. Is it right? An essay on words. In Studies of words.",
        Parsed(
            *(("Peter F. Brown", "Robert L. Mercer"), False, 1993, "b"),
            *("Is it right? An essay on words", "Studies of words"),
        ),
    ),
    "a generation": (
        "Smith, J., Jr. (2001). Sampling matters! An empirical study. Journal of Things, 3, 1-2.",
        Parsed(
            ("J. Smith Jr.",), False, 2001, "", "Sampling matters! An empirical study", "Journal of Things"
        ),
    ),
    "others that are left out": (
        "Vaswani, A., Shazeer, N., et al.: Attention is all you need. In: Advances, pp. 5–6 (2017)",
        Parsed(
            *(("A. Vaswani", "N. Shazeer"), True, 2017, ""),
            *("Attention is all you need", "Advances"),
        ),
    ),
    "no names and no year": ("Nothing at all", Parsed(title="Nothing at all")),
    "nothing": ("", Parsed()),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry(name: str) -> None:
    """Its fields, each as it is printed; those that it does not have are empty."""
    text, expected = ENTRIES[name]
    assert parse(text) == expected


@pytest.mark.parametrize("year", ["1799", "2100", "19933"])
def test_numbers_that_are_no_years(year: str) -> None:
    """A year is of the 19th to the 21st century."""
    assert parse(f"Brown, P. F. ({year}). A title of words. A journal.").year is None


def test_a_month_is_no_venue() -> None:
    """What follows the title may be when it was read."""
    assert parse("Brown, P. F. (1993). A title of words. March, 2019.").venue == ""


def test_long_lists_of_names() -> None:
    """Hundreds of authors are read, and what is not a name ends the list."""
    names = ", ".join(f"Brown{chr(97 + number % 26) * 3}, P." for number in range(200))
    said = parse(f"{names} (1993). A title of words. A journal, 3.")
    assert (len(said.authors), said.title) == (200, "A title of words")
