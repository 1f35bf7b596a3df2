"""`python -m citewhy`: the command line."""

from citewhy.cli import main

main()
