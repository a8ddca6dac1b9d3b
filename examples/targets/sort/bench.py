"""Print the number of reads and writes of list items by a sort, in thousands."""

import random

from sort import sort


class Touched(list):
    """A list that counts reads and writes of its items."""

    touches = 0

    def __getitem__(self, at):
        Touched.touches += 1
        return super().__getitem__(at)

    def __setitem__(self, at, item):
        Touched.touches += 1
        super().__setitem__(at, item)


rng = random.Random(7)
inputs = [rng.sample(range(9000), 3000), [n // 3 for n in range(600)], sorted(rng.sample(range(900), 400))]
for items in inputs:
    sort(Touched(items))
print(f"{Touched.touches / 1000:.3f} thousand touches")
