"""DOIs as people and programs write them: with resolvers, proxies, publishers' URLs and remains of exports.
They are stored in lower case without any of these."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from urllib.parse import unquote

from citewhy.text.tidy import shorten

__all__ = ["checked_doi", "clean_doi", "doi_in_url"]

_LONGEST = 2000
_START = re.compile(r"(?<![\w.])(?:doi)?(10\.\d{4,9}(?:\.\d+)*/)", re.ASCII | re.IGNORECASE)
_SHORT = re.compile(r"(?:^|/|doi:?\s*)(10/[a-z0-9]{3,12})$", re.ASCII | re.IGNORECASE)
_SHORT_ADDRESS = re.compile(
    r"^(?:https?://)?(?:(?:dx|www)\.)?doi\.org/([a-z0-9]{3,12})/?$", re.ASCII | re.IGNORECASE
)
_RESOLVER = re.compile(r"(?:^|[/.])(?:dx[.-])?doi[.-]org\b|^[\w.-]*\bdoi\.[a-z.-]+/$", re.IGNORECASE)
_HOST = re.compile(r"^(?:https?://)?[\w-]+(?:[.:][\w-]+)+/", re.IGNORECASE)
_MAY_HIDE = re.compile(r"[%&]|doi\.org", re.IGNORECASE)
_WEB = re.compile(r"https?://", re.IGNORECASE)
_ESCAPED = re.compile(r"%2f|%28|%3c|%3a", re.IGNORECASE)
_LINE_END = re.compile(r"(?<!\\)\\+(?:textbackslash)?r(?=10\.)")
"""Some programs leave this between two identifiers."""
_QUERY = re.compile(r"[?#&]")
_RESOLVER_QUERY = re.compile(r"[?#&](?=\w+=)|#")
_VIEW = re.compile(
    r"(?:/(?:abstract|full|fulltext|full-text|full/html|pdf|epdf|pdfdirect|epub|html|meta|summary|references|suppinfo"
    r"|issuetoc|figures|citations?|related)|\.(?:pdf|full|abstract|short|full-text)|v\d{1,2}(?=\.full|\.abstract|$))+$",
    re.IGNORECASE,
)
"""Publishers append this to the DOI in URLs of a paper's pages."""

_VERSIONED = re.compile(r"//(?:www\.)?(?:bio|med)rxiv\.org/", re.IGNORECASE)
_PAIRS = {")": "(", "]": "[", ">": "<", "}": "{"}
_FORBIDDEN = re.compile(r'[\s{}\\"]')
_PLAIN = re.compile(r"10\.\d{4,9}/[a-z0-9][a-z0-9._()/-]*[a-z0-9]", re.ASCII)


def clean_doi(value: str) -> str:
    """The DOI in a field that should hold one; empty if it is not one.

    >>> clean_doi("https://doi.org/10.3115/1073083.1073135"), clean_doi("Doi 10.2307/1941450")
    ('10.3115/1073083.1073135', '10.2307/1941450')
    >>> clean_doi("https://doi-org.proxy.example.edu/10.1000%2FABC?x=1"), clean_doi("10/fj6g83")
    ('10.1000/abc', '10/fj6g83')
    """
    text = value.strip()[:_LONGEST]
    if "10" not in text and not _MAY_HIDE.search(text):
        return ""  # true of most URLs, and fast
    if _PLAIN.fullmatch(text):
        return text
    if "&" in text:
        text = html.unescape(text)
    if _ESCAPED.search(text):
        text = unquote(text)
    if "\\" in text:
        text = _LINE_END.sub(" ", text)
    start = _START.search(text)
    if start is None:
        return _short(text)
    before, rest = text[: start.start()], text[start.start(1) :]
    address = _HOST.match(before) or "://" in before
    words = rest.split()
    doi = words[0] if words else ""
    if address:
        doi = _without_page(doi, before)
    doi = _trimmed(doi).lower()
    proper = len(doi) > len(start[1]) and doi.isprintable() and not _FORBIDDEN.search(doi)
    return doi if proper else ""


def checked_doi(given: str, warn: Callable[[str], None]) -> str:
    """Cleans the DOI of a field as `clean_doi` does, and warns of a value that is not one."""
    doi = clean_doi(given) if given else ""
    if given and not doi:
        warn(f"{shorten(given)!r} is not a DOI; left empty")
    return doi


def doi_in_url(url: str) -> str:
    """The DOI in the URL of a resolver or of a publisher's page; empty for other URLs.

    >>> doi_in_url("https://a.org/doi/abs/10.1080/0123?journal=x"), doi_in_url("https://a.org/")
    ('10.1080/0123', '')
    """
    return clean_doi(url) if _WEB.match(url.lstrip()) else ""


def _short(text: str) -> str:
    """A shortDOI, which only its service can resolve."""
    short_form = _SHORT.search(text) or _SHORT_ADDRESS.match(text)
    if short_form is None:
        return ""
    short = short_form[1].lower()
    return short if short.startswith("10/") else f"10/{short}"


def _without_page(doi: str, address: str) -> str:
    if _RESOLVER.search(address):
        return _RESOLVER_QUERY.split(doi, maxsplit=1)[0]
    doi = _QUERY.split(doi, maxsplit=1)[0]
    views = _VIEW.search(doi)
    if views is None:
        return doi
    if views[0].lower().startswith("v") and not _VERSIONED.search(address):
        return doi
    return doi[: views.start()]


def _trimmed(doi: str) -> str:
    """The DOI without trailing punctuation of a sentence or a list, except for a balanced closing bracket."""
    while doi:
        last = doi[-1]
        closes = last in _PAIRS and doi.count(last) > doi.count(_PAIRS[last])
        if not closes and last not in ".,;:'\"“”’…*|/":
            break
        doi = doi[:-1]
    return doi
