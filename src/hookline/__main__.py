"""`python -m hookline` is `hookline`."""

import sys

from hookline.cli import main

sys.exit(main())
