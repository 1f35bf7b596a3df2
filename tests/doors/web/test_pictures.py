"""What the pictures of the page show."""

from __future__ import annotations

from pathlib import Path

from web_client import Client

pytest_plugins = ("web_server",)

TEXT = """---
title: On translation
bibliography: refs.bib
---

# Tuning

Weights are tuned [@och2003], and scores compared [@papineni2002; @och2003].

# Summaries

Summaries are compared [@lin2004]. Translation needs alignment [@].
"""

BIB = """@inproceedings{och2003, title={Minimum Error Rate Training in Statistical Machine Translation},
 author={Franz Josef Och}, year={2003}}
@inproceedings{papineni2002, title={Bleu: a Method for Automatic Evaluation of Machine Translation},
 author={Kishore Papineni and Salim Roukos and Todd Ward and Wei-Jing Zhu}, year={2002}}
@inproceedings{lin2004, title={ROUGE: A Package for Automatic Evaluation of Summaries}, author={Chin-Yew Lin},
 year={2004}}
@inproceedings{unused, title={Never cited}, author={No Body}, year={1999}}
"""


def test_years_and_map(client: Client, folder: Path) -> None:
    """The years have every entry, and what was suggested; the map what is cited, at different places."""
    (folder / "draft.md").write_text(TEXT, encoding="utf-8")
    (folder / "refs.bib").write_text(BIB, encoding="utf-8")
    draft = client.open("draft.md")
    before = client.api("GET", f"/drafts/{draft['id']}/picture/years").json["papers"]
    assert {(one["key"], one["year"], one["cited"]) for one in before} == {
        ("och2003", 2003, 2),
        ("papineni2002", 2002, 1),
        ("lin2004", 2004, 1),
        ("unused", 1999, 0),
    }
    client.api("POST", f"/drafts/{draft['id']}/suggest", {"k": 3}, Accept="application/x-ndjson")
    years = client.api("GET", f"/drafts/{draft['id']}/picture/years").json["papers"]
    assert {one["place"] for one in years} == {None, draft["places"][0]["id"]}
    papers = client.api("GET", f"/drafts/{draft['id']}/picture/map").json["papers"]
    cited = {one["key"]: one for one in papers if one["cited"]}
    assert {key: one["cited"] for key, one in cited.items()} == {
        "och2003": 2,
        "papineni2002": 1,
        "lin2004": 1,
    }
    assert cited["och2003"]["sections"] == ["Tuning"]
    assert cited["lin2004"]["lines"] == [{"file": "draft.md", "line": 12}]
    assert any(one["places"] for one in papers)
    assert len({(one["x"], one["y"]) for one in papers}) == len(papers)
    assert all(0 <= one["x"] <= 1 and 0 <= one["y"] <= 1 for one in papers)
