"""How people and programs reach a session: the command line, and every document that leaves."""
