"""Time of the classifier per sentence: `python bench/language.py`."""

import sys
import time
from argparse import ArgumentParser

from hookline.cli._bench.bars import Figure, at_most
from hookline.language.segment import find_sentences
from hookline.language.ship_requests import find_request
from hookline.language.statements import find_statements

ROUNDS = 300
MAX_MILLISECONDS = 1.0
PROMPT = (
    "hey, quick one{n}. we always use pnpm{n} here, never npm, and tests live next to the code. can you fix "
    "the failing test in cart{n}.spec and then look at the build? i think it broke with the last merge{n}"
)
"""The number differs in each round, because the inputs of known words are cached."""


def figures(scale: float) -> list[Figure]:
    rounds = max(int(ROUNDS * scale), 10)
    prompts = [PROMPT.replace("{n}", str(number)) for number in range(rounds)]
    sentences = len(find_sentences(prompts[0]))
    times = {}
    for name, function in (("statements", find_statements), ("requests to ship", find_request)):
        function(PROMPT)
        start = time.process_time()
        for prompt in prompts:
            function(f"{name}: {prompt}")
        times[name] = (time.process_time() - start) / rounds / sentences * 1000
    return [
        at_most(
            f"language-{name.split()[0]}", f"search for {name}, per sentence", value, MAX_MILLISECONDS, "ms"
        )
        for name, value in times.items()
    ]


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help=f"fraction of {ROUNDS} rounds")
    for figure in figures(parser.parse_args().scale):
        print(f"{figure.what}: {figure.shown}, limit {figure.bar}")


if __name__ == "__main__":
    sys.exit(main())
