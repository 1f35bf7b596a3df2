"""From candidates to suggestions: order, probabilities, sets, intents, reasons, passages."""
