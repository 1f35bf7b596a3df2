"""What a training step is made of: pairs that belong together, and papers that do not."""
