"""The engine in local files: postings, tables and vectors, mapped into memory.

engine                              opens, updates, checks and removes an index
snapshot refresh loss               its files, how they follow the library, and what shows lost commits
vectors faiss_store vector_cache    vectors: made, searched, and kept for the next time
"""
