"""For each sample of a source's layout: its format, what is kept of it, and what is not.

The papers are invented, and their fields the same in all samples as far as a source has them; the layouts are
those that the sources write.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from citewhy.base.records import (
    Alias,
    Citation,
    CitingSentence,
    FullText,
    Header,
    Identifier,
    Paper,
    Reference,
    ReferenceList,
    Sentence,
)
from citewhy.papers.formats import Record

MOSS = Paper(
    "lee2004moss",
    "Moss on Northern Walls: A Survey of Shade",
    "We count the mosses of forty walls.",
    ("Ann Lee", "Bo van der Roe"),
    2004,
    "Journal of Wall Studies",
    "10.5555/jws.2004.001",
)
BRICK = Paper("doe2011brick", "Brick & Lichen: Growth under Drought", authors=("Cy Doe",), year=2011)
PAGE = "https://wall.example/1"


@dataclass(frozen=True)
class Sample:
    """`left` are the fields that are seen and not kept, with the number of records that have each."""

    file: str
    format: str
    records: tuple[Record, ...]
    left: Mapping[str, int] = field(default_factory=dict)
    refused: int = 0


def once(names: str) -> dict[str, int]:
    return dict.fromkeys(names.split(), 1)


def moss(identifier: str, **changes: object) -> Paper:
    return replace(MOSS, id=identifier, **changes)  # type: ignore[arg-type]


def brick(identifier: str, **changes: object) -> Paper:
    return replace(BRICK, id=identifier, **changes)  # type: ignore[arg-type]


OF_CROSSREF = (
    moss(
        "10.5555/jws.2004.001",
        abstract="We count the mosses of forty walls, with CO2 & shade.",
        authors=("Ann Lee", "Bo van der Roe Jr.", "The Wall Society"),
    ),
    ReferenceList(
        "10.5555/jws.2004.001",
        (
            Reference("ref1", Paper("ref1", "", doi="10.5555/stone.2011.7")),
            Reference("ref2", Paper("ref2", "A mortar atlas", authors=("Poe",), year=1998)),
        ),
        year=2004,
        source="crossref",
    ),
)
"""The first records of both samples of Crossref, which says the same in JSON and in XML."""

S2 = "https://www.semanticscholar.org/paper/"
ONE, TWO, THREE = (f"{'a' * 39}{number}" for number in (1, 2, 3))
CORPUS = "CorpusId:555000001"

WALL_SENTENCE = CitingSentence(2, "Introduction", ("Lichen grows under drought (", ("b0",), ")."))

SAMPLES = (
    Sample(
        "zotero.bib",
        "BibTeX",
        (moss("lee2004moss", url=PAGE), brick("doe2011brick", venue="Walls and Water")),
        once("file shorttitle"),
    ),
    Sample(
        "zotero.ris",
        "RIS",
        (moss("10.5555/jws.2004.001", url=PAGE), brick("doe2011brick", venue="Walls and Water")),
        once("database_provider file_attachments1"),
    ),
    Sample(
        "openalex.jsonl",
        "OpenAlex works",
        (
            moss("W5550000001", abstract="We count the mosses of forty walls. Shade explains most of it."),
            Alias("W5550000001", "PMID:55500001"),
            Citation("W5550000001", "W5550000002", "openalex", 0),
            Citation("W5550000001", "W5550000003", "openalex", 0),
            brick("W5550000002", url="https://stone.example/7"),
        ),
        {
            **once("cited_by_count open_access related_works"),
            **once("counts_by_year updated_date created_date concepts ids.mag"),
            **once("primary_location.is_oa primary_location.landing_page_url primary_location.source.id"),
            **once(
                "primary_location.source.is_oa primary_location.source.issn primary_location.source.issn_l"
            ),
            **once("primary_location.source.type primary_location.source.host_organization_name"),
            **once("authorships.institutions authorships.is_corresponding authorships.author.id"),
            "authorships.raw_author_name": 2,
            "authorships.author_position": 2,
        },
    ),
    Sample(
        "openalex_page.json",
        "OpenAlex works",
        (
            Paper(
                "W5550000003",
                "A Mortar Atlas",
                authors=("Dee Poe",),
                year=1998,
                venue="Stone Letters",
                doi="10.5555/stone.2011.7",
            ),
        ),
        once(
            "cited_by_count authorships.author_position authorships.author.id host_venue.id host_venue.url "
            "(meta) (group_by)"
        ),
    ),
    Sample(
        "s2_batch.json",
        "Semantic Scholar",
        (
            moss(ONE, url=S2 + ONE),
            Alias(ONE, CORPUS),
            Alias(ONE, "W04-0001"),
            Alias(ONE, "PMID:55500001"),
            Alias(ONE, "DBLP:journals/jws/LeeR04"),
            Alias(ONE, "arXiv:0403.00001"),
            Citation(ONE, TWO, "semantic scholar", 0),
            Citation(THREE, ONE, "semantic scholar", 0),
            brick(TWO),
        ),
        {
            **once("influentialCitationCount publicationVenue.id publicationVenue.type tldr fieldsOfStudy"),
            **once("externalIds.MAG citationCount referenceCount references.title citations.title"),
            **once("publicationVenue.name isOpenAccess"),
            "authors.authorId": 2,
        },
        refused=1,
    ),
    Sample(
        "s2_references.json",
        "Semantic Scholar",
        (brick(TWO, authors=()),),
        {
            **once("contexts intents (offset) (next)"),
            "citedPaper.(works without an id)": 1,
            "isInfluential": 2,
        },
    ),
    Sample(
        "s2_papers.jsonl",
        "Semantic Scholar",
        (moss(CORPUS, abstract="", authors=("Ann Lee",), url=S2 + ONE),),
        once(
            "authors.authorId externalids.MAG s2fieldsofstudy referencecount "
            "influentialcitationcount citationcount isopenaccess"
        ),
    ),
    Sample(
        "s2_abstracts.jsonl",
        "Semantic Scholar",
        (Header(Paper(CORPUS, "", MOSS.abstract)),),
        once("openaccessinfo"),
    ),
    Sample(
        "s2_citations.jsonl",
        "Semantic Scholar",
        (Citation(CORPUS, "CorpusId:555000002", "semantic scholar", 2),),
        {**once("isinfluential contexts intents"), "(citations of unknown works)": 1},
    ),
    Sample("s2_paper_ids.jsonl", "Semantic Scholar", (Alias(CORPUS, ONE),)),
    Sample(
        "s2orc_metadata.jsonl",
        "S2ORC metadata",
        (
            moss(
                CORPUS,
                authors=("Ann B. Lee", "Bo Roe Jr."),
                url="https://api.semanticscholar.org/CorpusID:555000001",
            ),
            Alias(CORPUS, "arXiv:0403.00001"),
            Alias(CORPUS, "PMID:55500001"),
            Alias(CORPUS, "W04-0001"),
            Citation(CORPUS, "CorpusId:555000002", "s2orc", 0),
            Citation("CorpusId:555000003", CORPUS, "s2orc", 0),
        ),
        once("mag_id mag_field_of_study has_pdf_parse has_pdf_parsed_abstract has_pdf_parsed_body_text"),
    ),
    Sample(
        "s2orc_parses.jsonl",
        "S2ORC full texts",
        (
            FullText(
                CORPUS,
                (
                    Sentence(1, "abstract", "We count the mosses of forty walls."),
                    Sentence(2, "Introduction", "Lichen grows under drought [1]."),
                    Sentence(3, "Introduction", "Figure 1 shows a wall."),
                ),
            ),
            ReferenceList(
                CORPUS,
                (
                    Reference(
                        "BIBREF0",
                        Paper(
                            "CorpusId:555000002",
                            "Brick and Lichen: Growth under Drought",
                            authors=("C Doe",),
                            year=2011,
                            venue="Workshop on Stone",
                            doi="10.5555/stone.2011.7",
                        ),
                    ),
                ),
                (CitingSentence(2, "Introduction", ("Lichen grows under drought [", ("BIBREF0",), "].")),),
                source="s2orc",
            ),
        ),
        once("_pdf_hash body_text.ref_spans bib_entries.volume bib_entries.pages ref_entries"),
    ),
    Sample(
        "s2orc_pdf.json",
        "S2ORC full texts",
        (
            Header(Paper("wall", "Moss on Northern Walls", "We count the mosses.", ("Ann Lee",))),
            FullText(
                "wall",
                (
                    Sentence(0, "title", "Moss on Northern Walls"),
                    Sentence(1, "abstract", "We count the mosses."),
                    Sentence(2, "Introduction", "Shade matters."),
                ),
            ),
        ),
        once("header authors.affiliation pdf_parse.paper_id pdf_parse.body_text.sec_num"),
    ),
    Sample(
        "s2orc_dataset.jsonl",
        "S2ORC full texts",
        (
            Alias(CORPUS, "PMID:55500001"),
            Header(Paper(CORPUS, "Moss on Northern Walls", MOSS.abstract, ("Ann Lee",), doi=MOSS.doi)),
            FullText(
                CORPUS,
                (
                    Sentence(0, "title", "Moss on Northern Walls"),
                    Sentence(1, "abstract", "We count the mosses of forty walls."),
                    Sentence(2, "Introduction", "Lichen grows under drought (Doe, 2011)."),
                    Sentence(3, "Introduction", "It is slow."),
                ),
            ),
            ReferenceList(
                CORPUS,
                (Reference("b0", Paper("CorpusId:555000002", "Brick and Lichen: Growth under Drought")),),
                (WALL_SENTENCE,),
                source="s2orc",
            ),
        ),
        once(
            "externalids.mag content.source content.annotations.authorfirstname "
            "content.annotations.authorlastname content.annotations.bibauthor updated"
        ),
    ),
    Sample(
        "s2orc_v2.jsonl",
        "S2ORC full texts",
        (
            Header(Paper(CORPUS, "Moss on Northern Walls", authors=("Ann Lee",))),
            FullText(
                CORPUS,
                (
                    Sentence(0, "title", "Moss on Northern Walls"),
                    Sentence(1, "Introduction", "Lichen grows under drought (Doe, 2011)."),
                    Sentence(2, "Introduction", "It is slow."),
                ),
            ),
            ReferenceList(
                CORPUS,
                (Reference("b0", Paper("CorpusId:555000002", "Brick and Lichen: Growth under Drought")),),
                (replace(WALL_SENTENCE, sid=1),),
                source="s2orc",
            ),
        ),
        once("openaccessinfo authors.authorId body.annotations.sentence bibliography.annotations.bib_author"),
    ),
    Sample(
        "better_bibtex.json",
        "Better BibTeX JSON",
        (
            moss("lee2004moss"),
            Paper("wall1999", "Wall v. Moss", year=1999, url="https://court.example/1999/5"),
        ),
        {
            **once("attachments itemKey tags dateAdded dateModified libraryID uri version"),
            **once("notes key court (notes) (config) (version)"),
            "(collections)": 1,
            "itemID": 2,
        },
    ),
    Sample(
        "zotero_api.json",
        "JSON of Zotero's web API",
        (moss("lee2004moss", authors=("Ann Lee", "The Wall Society")),),
        once(
            "key version library links meta data.key data.version data.extra data.collections data.dateAdded"
        ),
    ),
    Sample(
        "zotero.csv",
        "a table with a header (CSV)",
        (
            moss("ITEM0001", title='Moss on Northern Walls: A Survey of "Shade"', url=PAGE),
            brick("ITEM0002", title="Brick & Lichen", venue="Stone Press"),
        ),
        {
            "Num Pages": 1,
            "Date Added": 2,
            "Date Modified": 2,
        },
    ),
    Sample(
        "zotero.rdf",
        "Zotero RDF",
        (
            moss("10.5555/jws.2004.001", url=PAGE),
            brick("doe2011brick", venue="Proceedings of the Second Workshop on Stone"),
        ),
        {
            **once("(Attachment) (Collection)"),
        },
    ),
    Sample(
        "zotero.sql",
        "Zotero's database",
        (
            moss("ITEM0001"),
            brick(
                "doe2011brick",
                authors=("The Wall Society",),
                venue="Proceedings of the Second Workshop on Stone",
            ),
        ),
        {
            **once("itemKey (attachments) (notes)"),
            "(deleted items and feeds)": 1,
        },
        refused=1,
    ),
    Sample(
        "csl_items.json",
        "CSL-JSON",
        (moss("lee2004moss", abstract="We count the mosses & ferns of forty walls.", url=PAGE),),
    ),
    Sample(
        "crossref.json",
        "Crossref works",
        (
            *OF_CROSSREF,
            Paper(
                "10.5555/stone.vol2",
                "Second Workshop on Stone",
                authors=("Ed Itor",),
                venue="Stone Press",
                doi="10.5555/stone.vol2",
            ),
        ),
        {
            **once("indexed content-domain published-print created"),
            **once("source is-referenced-by-count prefix deposited score alternative-id"),
            **once("author.ORCID author.authenticated-orcid author.affiliation reference.doi-asserted-by"),
            **once("reference.first-page reference.volume reference.journal-title reference.unstructured"),
            **once("(status) (message-type) (message-version) (facets) (total-results) (items-per-page)"),
            "(query)": 1,
            "member": 2,
        },
    ),
    Sample(
        "arxiv.atom",
        "an Atom feed of arXiv",
        (
            moss(
                "arXiv:0403.00001",
                title="Moss on Northern Walls: A Survey of α-Shade",
                venue="J. Wall Stud. 3 (2004) 1-9",
                url="https://arxiv.org/abs/0403.00001",
            ),
        ),
        once("updated comment author/affiliation"),
    ),
    Sample(
        "arxiv_metadata.jsonl",
        "arXiv metadata as JSON",
        (
            moss(
                "arXiv:0403.00001",
                authors=("Ann Lee", "Bo van der Roe", "Cy Rössler Jr"),
                venue="J. Wall Stud. 3 (2004) 1-9",
                url="https://arxiv.org/abs/0403.00001",
            ),
            Paper(
                "arXiv:math/0401001",
                "Arches",
                authors=("Dee Poe", "Fay Moe"),
                year=2004,
                url="https://arxiv.org/abs/math/0401001",
            ),
        ),
        {**once("submitter comments update_date"), "categories": 2},
    ),
    Sample(
        "pubmed.xml",
        "PubMed XML",
        (
            moss(
                "PMID:55500001",
                title="Moss on northern walls: a survey of shade",
                abstract="METHODS: We count the mosses of forty walls. RESULTS: Shade explains most.",
                authors=("Ann B Lee", "Bo van der Roe Jr", "Wall Study Group"),
            ),
            Citation("PMID:55500001", "PMID:55500002", "pubmed", 0),
            Paper("PMID:55500002", "Brick and lichen", authors=("C Doe",), year=2001, venue="Stone"),
        ),
        once(
            "MedlineCitation/DateCompleted "
            "MedlineCitation/Article/Abstract/CopyrightInformation "
            "MedlineCitation/Article/AuthorList/Author/AffiliationInfo "
            "MedlineCitation/Article/PublicationTypeList MedlineCitation/Article/VernacularTitle "
            "MedlineCitation/MedlineJournalInfo MedlineCitation/MeshHeadingList PubmedData/History "
            "PubmedData/PublicationStatus "
            "PubmedData/ReferenceList/Reference PubmedData/ReferenceList/Reference/Citation"
        ),
    ),
    Sample(
        "pubmed.nbib",
        "PubMed format (.nbib)",
        (
            moss(
                "PMID:55500001",
                title="Moss on northern walls: a survey of shade, of a title that goes on in the next line",
                abstract="METHODS: We count the mosses of forty walls. RESULTS: Shade explains most.",
                authors=("Ann B Lee", "Bo van der Roe Jr"),
            ),
            Paper("PMID:55500002", "Brick and lichen", authors=("C Doe",), year=2001, venue="Stone"),
        ),
        {
            **once("STAT DCOM AD PT MH PST TT"),
            "OWN": 2,
            "SO": 2,
            "AID": 1,
        },
    ),
    Sample(
        "pubmed.csv",
        "a table with a header (CSV)",
        (
            moss(
                "PMID:55500001",
                title="Moss on northern walls: a survey of shade",
                abstract="",
                authors=("AB Lee", "B. van der Roe"),
                venue="J Wall Stud",
            ),
        ),
        {
            "Citation": 1,
            "First Author": 1,
            "Create Date": 1,
        },
    ),
    Sample(
        "scopus.csv",
        "a table with a header (CSV)",
        (
            moss(
                "2-s2.0-55500000001",
                url="https://www.scopus.com/inward/record.uri?eid=2-s2.0-55500000001",
            ),
            brick("2-s2.0-55500000002", title="Brick & Lichen", venue="Stone"),
        ),
        {
            **dict.fromkeys(
                (
                    *("Authors", "Author(s) ID", "Cited by"),
                    *("Publication Stage", "Source"),
                ),
                2,
            ),
        },
    ),
    Sample(
        "spreadsheet.csv",
        "a table with a header (CSV)",
        (
            Paper("lee2004moss", "Moss on Northern Walls", authors=("Ann Lee", "Bo Roe"), year=2004),
            Paper("doebrick", "Brick & Lichen", authors=("Cy Doe",)),
        ),
        {"My notes": 2},
        refused=1,
    ),
    Sample(
        "endnote.xml",
        "EndNote XML",
        (
            moss("10.5555/jws.2004.001", url=PAGE),
            brick("doe2011", title="Brick & Lichen", venue="Stone Press"),
        ),
        once("auth-address accession-num urls/pdf-urls"),
    ),
    Sample(
        "endnote.enw",
        "EndNote tagged text (.enw)",
        (
            moss("lee2004moss", url=PAGE),
            brick("doe2011brick", venue="Proceedings of the Second Workshop on Stone"),
        ),
    ),
    Sample(
        "wos.txt",
        "Web of Science text",
        (
            moss("WOS:000555000000001", venue="JOURNAL OF WALL STUDIES"),
            ReferenceList(
                "WOS:000555000000001",
                (
                    Reference(
                        "cr1", Paper("cr1", "", authors=("C Doe",), year=2011, doi="10.5555/stone.2011.7")
                    ),
                    Reference("cr2", Paper("cr2", "", authors=("F Moe",), year=2001, doi="10.5555/mortar.4")),
                ),
                year=2004,
                source="web of science",
            ),
            Paper(
                "WOS:000555000000002",
                "Second Workshop on Stone",
                authors=("E Itor",),
                year=2011,
                venue="Stone Series",
            ),
        ),
        once("C1 CR TC"),
    ),
    Sample(
        "wos_table.txt",
        "a table of Web of Science",
        (
            moss(
                "WOS:000555000000001",
                abstract='We count the mosses of "forty" walls.',
                venue="JOURNAL OF WALL STUDIES",
            ),
            ReferenceList(
                "WOS:000555000000001",
                (
                    Reference(
                        "cr1", Paper("cr1", "", authors=("C Doe",), year=2011, doi="10.5555/stone.2011.7")
                    ),
                ),
                year=2004,
                source="web of science",
            ),
        ),
    ),
    Sample(
        "jats.xml",
        "JATS XML",
        (
            moss(
                "10.5555/jws.2004.001",
                abstract="We count the mosses of forty walls. Shade explains most.",
                authors=("Ann Lee", "Bo van der Roe Jr", "Wall Study Group"),
            ),
            Alias("10.5555/jws.2004.001", "PMID:55500001"),
            Alias("10.5555/jws.2004.001", "PMC5550001"),
            FullText(
                "10.5555/jws.2004.001",
                (
                    Sentence(0, "title", "Moss on Northern Walls: A Survey of Shade"),
                    Sentence(1, "abstract", "We count the mosses of forty walls."),
                    Sentence(2, "abstract", "Shade explains most."),
                    Sentence(3, "Introduction", "Lichen grows under drought [1]."),
                    Sentence(4, "Introduction", "Walls stand still."),
                    Sentence(5, "Mortar", "Mortar is old [1,2]."),
                ),
            ),
            ReferenceList(
                "10.5555/jws.2004.001",
                (
                    Reference(
                        "r1",
                        Paper(
                            "PMID:55500002",
                            "Brick and Lichen: Growth under Drought",
                            authors=("C Doe",),
                            year=2011,
                            venue="Stone",
                            doi="10.5555/stone.2011.7",
                        ),
                    ),
                    Reference("r2", Paper("r2", "A Mortar Atlas", authors=("D Poe",), year=1998)),
                ),
                (
                    CitingSentence(3, "Introduction", ("Lichen grows under drought [", ("r1",), "].")),
                    CitingSentence(5, "Mortar", ("Mortar is old [", ("r1", "r2"), "].")),
                ),
                2004,
                "jats",
            ),
        ),
        once(
            "front/journal-meta/journal-id "
            "front/article-meta/article-categories "
            "front/article-meta/contrib-group/contrib/xref front/article-meta/aff "
            "front/article-meta/permissions front/article-meta/abstract "
            "back/ack back/ref-list/ref (fig) (inline-formula)"
        ),
    ),
    Sample(
        "hayagriva.yml",
        "Hayagriva YAML",
        (moss("lee2004moss", url=PAGE), brick("doe2011brick")),
        refused=1,
    ),
    Sample(
        "mods.xml",
        "MODS XML",
        (
            moss(
                "lee-roe-2004-moss",
                title="The Moss on Northern Walls: A Survey of Shade",
                authors=("Ann Lee", "The Wall Society"),
                url=PAGE,
            ),
        ),
        once("titleInfo typeOfResource"),
    ),
    Sample(
        "dblp.xml",
        "DBLP XML",
        (
            moss(
                "DBLP:journals/jws/LeeR04",
                abstract="",
                authors=("Ann Lee", "Bo Rößler"),
                venue="J. Wall Stud.",
                url=PAGE,
            ),
            brick("DBLP:conf/stone/Doe11", venue="Stone"),
            Paper(
                "DBLP:conf/stone/2011",
                "Second Workshop on Stone, Gravel",
                authors=("Ed Itor",),
                year=2011,
                venue="Stone",
            ),
        ),
        once("url crossref (www)"),
    ),
    Sample(
        "CITATION.cff",
        "Citation File Format (CITATION.cff)",
        (
            moss("10.5555/jws.2004.001"),
            Paper(
                "roe2005mosscount",
                "Mosscount",
                authors=("Bo van der Roe", "The Wall Society"),
                year=2005,
                url="https://wall.example/mosscount",
            ),
            brick("doe2011brick", venue="Proceedings of the Second Workshop on Stone"),
        ),
        once("authors.orcid preferred-citation.authors.affiliation"),
        refused=1,
    ),
    Sample(
        "crossref_unixsd.xml",
        "Crossref XML (unixref)",
        (*OF_CROSSREF,),
        once(
            "journal/journal_article/citation_list/citation journal/journal_article/crossmark"
            " journal/journal_issue/contributors"
        ),
    ),
    Sample(
        "datacite.json",
        "DataCite JSON",
        (
            moss("10.5555/jws.2004.001", url=PAGE),
            ReferenceList(
                "10.5555/jws.2004.001",
                (Reference("ref1", Paper("ref1", "", doi="10.5555/stone.2011.7")),),
                year=2004,
                source="datacite",
            ),
            brick("10.5555/brick", venue="Stone Archive", doi="10.5555/brick"),
        ),
        once(
            "(links) (meta) attributes.container.type"
            " attributes.creators.affiliation attributes.creators.nameIdentifiers"
            " attributes.descriptions.description attributes.relatedIdentifiers.relatedIdentifier"
            " attributes.relatedIdentifiers.relatedIdentifierType attributes.rightsList"
            " attributes.sizes attributes.subjects.subjectScheme attributes.titles.lang"
        ),
    ),
    Sample(
        "word_sources.xml",
        "sources of Word (Sources.xml)",
        (
            moss("Lee04", abstract=""),
            brick("Doe11", venue="Stone in Dry Years"),
            Paper("Soc05", "Walls of the town", authors=("The Wall Society",), year=2005, url=PAGE),
        ),
        once("ShortTitle"),
        refused=1,
    ),
    Sample(
        "references.bbl",
        "a reference list (\\bibitem)",
        (
            Paper(
                "lee2004moss",
                "Moss on northern walls: A survey of shade",
                authors=("Ann Lee", "Bo van der Roe"),
                year=2004,
                venue="Journal of Wall Studies, 3(1):1–9",
            ),
            Paper(
                "doe2011brick",
                "Brick & lichen: Growth under drought",
                authors=("Cy Doe",),
                year=2011,
                venue="In Second Workshop on Stone, 2011",
            ),
        ),
    ),
    Sample(
        "ids.txt",
        "a list of DOIs or ids",
        (
            Identifier("10.5555/jws.2004.001", doi="10.5555/jws.2004.001"),
            Identifier("10.5555/stone.2011.7", doi="10.5555/stone.2011.7"),
            Identifier("arXiv:0403.00001", ("0403.00001",)),
            Identifier("PMID:55500001", ("55500001",)),
            Identifier("W04-0001"),
            Identifier("W5550000002"),
        ),
    ),
)
