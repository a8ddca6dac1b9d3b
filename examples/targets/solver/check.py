"""Exit with 0 if the result of the solver is a solution."""

import sys
from math import pi, sin

from solver import Solver, norm, residual

N = 64
f = [sin(2 * pi * i / N) for i in range(N + 1)]
u = Solver().solve(f, 1 / N, 1e-6, 400_000)
sys.exit(norm(residual(u, f, 1 / N)) > 1e-5 * norm(f))
