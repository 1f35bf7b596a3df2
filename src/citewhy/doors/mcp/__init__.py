"""The server for assistants: real papers with evidence in the place of invented references."""
