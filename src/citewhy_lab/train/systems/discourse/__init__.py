"""The discourse tagger: CORWA's labels for the sentences of related-work paragraphs."""
