"""Print the number of updates for a solution, in thousands."""

from math import pi, sin

from solver import Solver

N, MOST = 64, 400_000
f = [sin(3 * pi * i / N) + (i % 7) / 7 for i in range(N + 1)]
solver = Solver()
solver.solve(f, 1 / N, 1e-6, MOST)
print(f"{solver.updates / 1000:.3f} thousand updates")
