"""The classifier of citation intents: a few fine-tuned layers of the encoder's start, with two heads."""
