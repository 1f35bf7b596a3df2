"""Makes suggestions of candidates: order, probabilities, sets, intents, reasons, passages."""
