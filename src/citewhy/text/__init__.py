"""Text: files to strings, sentences, tokens, names, citation markers."""
