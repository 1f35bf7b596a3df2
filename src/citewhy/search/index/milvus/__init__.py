"""The engine in a Milvus server: what is searched lies there, what is looked up stays here.

engine                 opens, updates, checks and removes an index
address server         which server and collection is meant; calls, tried again, with errors as sentences
collection loading     rows in a collection; how they follow the library
words                  BM25 as inner products of sparse vectors
told stores view       what the server is told of a scope; its searches of vectors and of words

A question to a library has two kinds of steps. *Searches* read all of it: the nearest vectors, the best
papers by the words of titles and abstracts. They are the server's. *Look-ups* read what is known of a few
thousand candidates, by row: years, citations, words, vectors. They stay in the files of the local engine,
which are mapped into memory, so that what is not looked up is not read. To fetch the same from the server
would take longer than all other steps of a question together (`docs/milvus.md`). So every score is computed
here, from arrays and by the same code, whoever found the paper.

What no server can say is searched here, too: the fields of citing sentences, whose texts and statistics are
others for every year and every citing paper (`index.fields`).

The library in SQLite is the truth. A collection says of which library it is, of which generation, and whether
it was loaded to the end. What is missing or of another state is written again, and only that.
"""
