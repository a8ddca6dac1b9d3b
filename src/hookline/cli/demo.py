"""Show a blocked push inside an installed agent, offline, against a scripted model."""

import os
import shutil
import signal
import textwrap
from argparse import Namespace

from hookline import hosts
from hookline.cli._demo import CLIENTS, _scene
from hookline.cli._demo._client import Client
from hookline.cli._demo._scene import Played
from hookline.cli._output import sanitize
from hookline.install.inspect import FORBIDDEN_COMMAND, SAMPLE_RULE

LABEL_WIDTH = 10


def run(args: Namespace) -> int:
    path = os.environ.get("PATH", os.defpath)
    name = args.host or _choose_host(path)
    client: Client = CLIENTS.load(name)
    program = _find_program(client, name, path)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _exit_on_signal)  # so that the agent is ended, and its folder removed
    print(f"{client.title} runs in a temporary home and project; a script plays its model.\n", flush=True)
    played = _scene.play(client, hosts.load(name), program, path)
    _check_end(client, played)
    blocked = SAMPLE_RULE in played.result and played.after == played.before
    _print_transcript(played, blocked=blocked)
    _print_next(client, name, blocked=blocked)
    return 0 if blocked else 1


def _exit_on_signal(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


def _choose_host(path: str) -> str:
    """Return the only host with a demo that is installed, or the first if none is."""
    names = CLIENTS.names()
    installed = [name for name in names if shutil.which(CLIENTS.load(name).program, path=path)]
    if len(installed) > 1:
        raise LookupError(f"several agents are installed; name the host: {', '.join(installed)}")
    return (installed or names)[0]


def _find_program(client: Client, name: str, path: str) -> str:
    program = shutil.which(client.program, path=path)
    if program is None:
        alternative = f"`hookline explain {name} '{FORBIDDEN_COMMAND}'` works without it"
        missing = f"{client.title} is not installed: no program {client.program!r} on PATH"
        raise FileNotFoundError(f"{missing}; install it ({client.install}); {alternative}")
    if not shutil.which("git", path=path):
        raise FileNotFoundError("the demo requires git; install it and try again")
    return os.path.abspath(program)


def _check_end(client: Client, played: Played) -> None:
    """Raise `OSError` unless the agent ran to its end and told its model about the push."""
    process = played.process
    if process.timed_out:
        raise TimeoutError(
            f"{client.program!r} did not end within {_scene.TIME_LIMIT:.0f} s and was stopped; "
            "nothing outside the temporary folder has changed"
        )
    if process.code != 0 or not played.result:
        output = (process.problem or process.stderr or process.stdout).strip().splitlines() or ["no output"]
        raise OSError(f"{client.program!r} failed with exit code {process.code}: {sanitize(output[-1])}")


def _print_transcript(played: Played, *, blocked: bool) -> None:
    verdict = "blocks it; the agent reads" if blocked else "did not stop it; the agent reads"
    kept = "still has" if played.after == played.before else "lost"
    lines = (
        ("you", _scene.PROMPT),
        ("agent", f"$ {FORBIDDEN_COMMAND}"),
        ("hookline", f"{verdict}: {played.result}"),
        ("agent", played.process.stdout),
        ("remote", f"{kept} the commit of a colleague: {played.before}"),
    )
    for label, text in lines:
        _print_labelled(label, text)


def _print_labelled(label: str, text: str) -> None:
    indent = f"{label:<{LABEL_WIDTH}}"
    width = max(shutil.get_terminal_size().columns - 1, 2 * LABEL_WIDTH)
    words = sanitize(" ".join(text.split()))
    print(
        textwrap.fill(
            words,
            width,
            initial_indent=indent,
            subsequent_indent=" " * LABEL_WIDTH,
            break_long_words=False,
            break_on_hyphens=False,
        )
    )


def _print_next(client: Client, name: str, *, blocked: bool) -> None:
    if blocked:
        print(f"\nnext: `hookline init --host {name}` in your project, or with --user in all of them")
    else:
        print(f"\n{client.title} did not run the hooks; an administrator's settings may forbid them")
