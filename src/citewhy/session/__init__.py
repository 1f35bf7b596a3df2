"""One library and its models, opened once for every interface."""
