"""`python -m citewhy`: the command line."""

from citewhy.doors.cli import main

main()
