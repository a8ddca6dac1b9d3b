"""Exit with 0 if all test lists are sorted."""

import random
import sys

from sort import sort

rng = random.Random(1)
for size in (0, 1, 2, 10, 200, 1000):
    items = [rng.randrange(100) for _ in range(size)]
    expected = sorted(items)
    sort(items)
    if items != expected:
        sys.exit(f"a list of {size} items is not sorted")
