"""`python -m hookline.daemon`: run the daemon."""

import sys

from hookline.daemon.start import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
