"""The index on this machine: postings, tables and vectors in files, mapped into memory.

postings bm25 passages contexts     words: who has them, and how papers and citing sentences score
vectors nearest dense vector_cache  vectors: searched, compared, made, and kept for the next time
tables evidence                     papers and citations, and which of them count as of a scope
opened view                         an opened index, and what it answers to one query
segments snapshot refresh           files, and how they follow the library
"""
