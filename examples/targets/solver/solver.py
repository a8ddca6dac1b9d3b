"""A multigrid solver of -u'' = f, with tunable smoothing and number of grids."""

LEVELS = 2  # tune: 1..7
BEFORE = 6  # tune: 0..10
AFTER = 6  # tune: 0..10
WEIGHT = 0.5  # tune: 0.3..1.0
COARSEST = 20  # tune: 1..60


class Solver:
    """Solver that counts the updates of points, the cost of a solution."""

    def __init__(self):
        self.updates = 0

    def smooth(self, u, f, h, times):
        n = len(u) - 1
        for _ in range(times):
            new = u[:]
            for i in range(1, n):
                new[i] = u[i] + WEIGHT * 0.5 * (u[i - 1] + u[i + 1] + h * h * f[i] - 2 * u[i])
            u[:] = new
            self.updates += n - 1

    def cycle(self, u, f, h, level):
        n = len(u) - 1
        if level <= 1 or n <= 2:
            self.smooth(u, f, h, COARSEST)
            return
        self.smooth(u, f, h, BEFORE)
        r = residual(u, f, h)
        coarse = [0.0] + [(r[2 * i - 1] + 2 * r[2 * i] + r[2 * i + 1]) / 4 for i in range(1, n // 2)] + [0.0]
        e = [0.0] * len(coarse)
        self.cycle(e, coarse, 2 * h, level - 1)
        for i in range(n // 2):
            u[2 * i] += e[i]
            u[2 * i + 1] += (e[i] + e[i + 1]) / 2
        self.smooth(u, f, h, AFTER)

    def solve(self, f, h, tolerance, most):
        u = [0.0] * len(f)
        aim = tolerance * norm(residual(u, f, h))
        while norm(residual(u, f, h)) > aim and self.updates < most:
            self.cycle(u, f, h, LEVELS)
        return u


def residual(u, f, h):
    n = len(u) - 1
    inner = [f[i] + (u[i - 1] - 2 * u[i] + u[i + 1]) / (h * h) for i in range(1, n)]
    return [0.0, *inner, 0.0]


def norm(r):
    return sum(x * x for x in r) ** 0.5
