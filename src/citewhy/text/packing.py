"""Compression of short texts, most of which have the same words."""

from __future__ import annotations

import threading

__all__ = ["pack", "unpack"]

_LEVEL = 3

# What records of papers have in common; the most frequent comes last. Libraries hold what was packed with it:
# not one byte of it may change.
_ENTRIES = """
@inproceedings{,
  title        = {The },
  booktitle    = {Proceedings of the International Conference on },
  editor       = { and },
  address      = {},
  organization = {Springer},
  isbn         = {978-},
@book{, publisher = {Cambridge University Press}, edition = {},
@incollection{ @phdthesis{ school = {University of }, @techreport{ institution = {},
@misc{ howpublished = {\\url{https://}}, urldate = {2019-01-01},
  note = {}, keywords = {,}, eprint = {}, archivePrefix = {arXiv}, language = {english},
  abstract     = {We present a new method for the analysis of this study },
TY  - JOUR
TI  -
AU  -
JO  -
PY  -
SP  -
EP  -
DO  - 10.
UR  - https://
ER  -
{"id":"","type":"article-journal","title":"","author":[{"family":"","given":""}],"issued":{"date-parts":[[2015]]},
"container-title":"","DOI":"10."}
@article{,
author = { and },
title = {{}},
journal = {Journal of },
volume = {},
number = {},
pages = {--},
year = {20},
month = {},
doi = {10.1016/j.},
issn = {},
url = {http://dx.doi.org/10.1007/},
publisher = {Elsevier}
}"""
_FIELDS = """
,false,{"type":"article-journal","title":"<span class=\\"nocase\\"></span>","editors":[[""," "]],
"container":"Proceedings of the ","container_short":"","volume":"","number":"","pages":"-","publisher":"",
"place":"New York","edition":"","series":"","series_number":"","chapter":"","genre":"PhD thesis","event":"",
"event_place":"","date":"2015-01","original_date":"","accessed":"","isbn":"978-","issn":"","pmid":"","pmcid":"PMC",
"arxiv":"","language":"en","version":"","note":"","keywords":[""]}]
[["",""],["J.",""],["",""]],2015,"Journal of ","10.1016/j.","http://dx.doi.org/10.",false,{"type":
"article-journal","container":"","volume":"","number":"","pages":"-","date":"2012"}]"""
_DICTIONARY = b"".join(
    (
        _ENTRIES.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").encode(),
        _FIELDS.replace("\n", "").encode(),
        b'\0["BibTeX","@article{',
    )
)


class _Codec:
    """A compressor and a decompressor, which only one thread may use."""

    def __init__(self) -> None:
        from zstandard import DICT_TYPE_RAWCONTENT, ZstdCompressionDict, ZstdCompressor, ZstdDecompressor

        words = ZstdCompressionDict(_DICTIONARY, dict_type=DICT_TYPE_RAWCONTENT)
        self.compress = ZstdCompressor(level=_LEVEL, dict_data=words, write_dict_id=False).compress
        self.expand = ZstdDecompressor(dict_data=words).decompress


class _OfThread(threading.local):
    codec: _Codec | None = None


_of_thread = _OfThread()


def _codec() -> _Codec:
    codec = _of_thread.codec
    if codec is None:
        codec = _of_thread.codec = _Codec()
    return codec


def pack(text: bytes) -> bytes:
    """Compresses a text. The result may differ from one version of zstandard to the next."""
    return _codec().compress(text)


def unpack(packed: bytes) -> bytes:
    """Returns the text that was packed."""
    return _codec().expand(packed)
