"""DOIs, however somebody wrote them."""

from __future__ import annotations

import pytest
from growth import assert_linear

from citewhy.text.doi import clean_doi, doi_in_url


@pytest.mark.parametrize(
    ("written", "doi"),
    [
        ("10.5555/jws.2004.001", "10.5555/jws.2004.001"),
        (" 10.5555/JWS.2004.001. ", "10.5555/jws.2004.001"),
        ("https://doi.org/10.5555/jws.2004.001", "10.5555/jws.2004.001"),
        ("http://dx.doi.org/http://dx.doi.org/10.5555/a", "10.5555/a"),
        ("doi: https://doi.org/10.5555/a", "10.5555/a"),
        ("Doi 10.5555/S0378-1127(99)00294-7", "10.5555/s0378-1127(99)00294-7"),
        ("DOI10.5555/a", "10.5555/a"),
        ("10.5555%2Fa%3Cb%3E", "10.5555/a<b>"),
        ("https://doi.org/10.5555%2Fa", "10.5555/a"),
        ("https://doi-org.proxy.example.edu/10.5555/a?x=1", "10.5555/a"),
        ("https://dx.doi.org.proxy.example.edu/10.5555/a", "10.5555/a"),
        ("http://doi.acm.org/10.5555/1035134.1035163", "10.5555/1035134.1035163"),
        ("https://www-tandfonline-com.proxy.example.edu/doi/full/10.5555/01.x?journalCode=a", "10.5555/01.x"),
        ("https://onlinelibrary.wiley.com/doi/10.5555/abc/abstract", "10.5555/abc"),
        ("https://dl.acm.org/doi/pdf/10.5555/12.34", "10.5555/12.34"),
        ("https://link.springer.com/article/10.5555/s1-2#Sec1", "10.5555/s1-2"),
        (
            "https://journals.plos.org/plosone/article?id=10.5555/pone.1&type=x",
            "10.5555/pone.1",
        ),
        ("https://www.biorxiv.org/content/10.5555/123456v2.full", "10.5555/123456"),
        ("https://doi.org/10.5555/zenodo.1234v2", "10.5555/zenodo.1234v2"),
        ("/10.5555/j.jvlc.2010.08.005", "10.5555/j.jvlc.2010.08.005"),
        ("Artn 8170 10.5555/2002jd002558", "10.5555/2002jd002558"),
        ("10.5555/epfl-thesis-7156, urn:nbn:ch:bel-1", "10.5555/epfl-thesis-7156"),
        ("10.5555/a [doi]", "10.5555/a"),
        ("S0140-6736(06)69637-2 [pii]\\r10.5555/S0140-6736(06)69637-2", "10.5555/s0140-6736(06)69637-2"),
        ("10.5555/a; PMID: 12345", "10.5555/a"),
        ("(10.5555/a)", "10.5555/a"),
        ("10.5555/1520(1992)031&lt;1507:Pft&gt;2.0.Co;2", "10.5555/1520(1992)031<1507:pft>2.0.co;2"),
        ("10.5555.1/a", "10.5555.1/a"),
        ("10/fj6g83", "10/fj6g83"),
        ("https://doi.org/fj6g83", "10/fj6g83"),
        ("doi:10/FJ6G83", "10/fj6g83"),
    ],
)
def test_what_is_a_doi(written: str, doi: str) -> None:
    """One form of it: lower case, without resolvers, proxies, pages and remains of exports."""
    assert clean_doi(written) == doi
    assert clean_doi(doi) == doi


@pytest.mark.parametrize(
    "written",
    [
        *(
            "",
            "none",
            "10.5555",
            "10.5555/",
            "10.5555/..",
            "dx.doi.org/10.1103",
            "211/23/3653",
            "3-900051-14-3",
        ),
        *("110.5555/a", "0.5555/a", "PMC171400", "arXiv:1103.3373v1", "Accepted for publication"),
        *("https://www.jstor.org/stable/2781822", "10.5555/a\u0000b", "1/2", "10/"),
    ],
)
def test_what_is_none(written: str) -> None:
    """Other numbers, halves of DOIs, and text are no DOI."""
    assert clean_doi(written) == ""


def test_addresses() -> None:
    """Only an address is looked into: a title with a DOI in it is none."""
    assert doi_in_url("https://doi.org/10.5555/a") == "10.5555/a"
    assert doi_in_url("10.5555/a") == ""
    assert doi_in_url("see https://doi.org/10.5555/a") == ""


@pytest.mark.parametrize(
    "unit", ["10.5555/", "(", "%2F", "https://a/", "doi:", "10.5555/a ", "&amp;", "/abstract"]
)
def test_no_value_takes_long(unit: str) -> None:
    """Work grows with the length, whatever stands in the field."""
    assert_linear(clean_doi, unit)
