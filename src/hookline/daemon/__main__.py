"""`python -m hookline.daemon`: run the daemon."""

import gc
import sys

if __name__ == "__main__":
    gc.disable()  # modules are never freed; searching them for garbage delays the first call
    from hookline.daemon.start import main

    sys.exit(main(sys.argv[1:]))
