"""`python -m studio` is the `studio` command."""

import sys

from studio.cli import main

if __name__ == "__main__":  # a process beside the server reads this file, too
    sys.exit(main())
