"""Text processing: reading and decoding files, sentences, tokens, names, citation markers."""
