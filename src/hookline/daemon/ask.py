"""`python -I -S ask.py hook HOST`, the client without bash: so short because each start compiles it."""

import sys

if __name__ == "__main__":
    sys.path.insert(0, __file__.rpartition("/")[0])
    from asking import main  # type: ignore[import-not-found]  # it lies beside us

    sys.exit(main(sys.argv[1:]))
