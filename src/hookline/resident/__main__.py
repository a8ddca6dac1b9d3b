"""`python -m hookline.resident`: be the resident."""

import sys

from hookline.resident.starting import main

if __name__ == "__main__":
    sys.exit(main())
