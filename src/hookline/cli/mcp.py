"""Serve memory, verdicts and budgets to agents over MCP: through a pipe, or over HTTP on this machine."""

import os
import secrets
import sys
from argparse import ArgumentParser, Namespace
from contextlib import suppress

from hookline.cli._command import Command
from hookline.core.extras import missing
from hookline.system import paths

SECRET = "HOOKLINE_MCP_SECRET"  # noqa: S105 -- the name of a variable
SHORTEST = 16


def serve(args: Namespace) -> int:
    cwd = os.path.abspath(args.cwd)
    if not os.path.isdir(cwd):
        raise NotADirectoryError(20, "is no folder", args.cwd)
    try:
        from hookline.cli._mcp_server import build, serve_http  # noqa: PLC0415 -- the extra mcp
    except ImportError as error:
        raise LookupError(missing("mcp", "hookline mcp")) from error
    server = build(cwd, fires=args.fire)
    if args.http is None:
        server.run("stdio")
    else:
        serve_http(server, args.http, _secret(cwd))
    return 0


def _secret(cwd: str) -> str:
    """The secret of the environment, else one that is chosen once and kept for the user alone."""
    given = os.environ.get(SECRET, "")
    if given:
        if len(given) < SHORTEST:
            raise ValueError(f"{SECRET} is shorter than {SHORTEST} characters; unset it to have one chosen")
        return given
    path = os.path.join(paths.find(os.environ, cwd).state, "mcp-secret")
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    kept = _kept(path) or _chosen(path)
    print(f"the secret is in {path}", file=sys.stderr, flush=True)
    return kept


def _kept(path: str) -> str:
    """Empty where there is none, or only the beginning of one that whoever wrote it did not end."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            found = file.read().strip()
    except FileNotFoundError:
        return ""
    return found if len(found) >= SHORTEST else ""


def _chosen(path: str) -> str:
    """A new one, for the user alone; of two that choose at once, both have the same."""
    chosen = secrets.token_hex(24)
    new = f"{path}.{os.getpid()}"
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "w") as file:
        file.write(chosen)
    if os.path.exists(path):
        os.replace(new, path)
        return chosen
    with suppress(FileExistsError):
        os.link(new, path)
    os.unlink(new)
    return _kept(path) or chosen


def run(args: Namespace) -> int:
    return int(args.carry_out(args))


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port < 1 << 16:
        raise ValueError(text)
    return port


def arguments(parser: ArgumentParser) -> None:
    verbs = parser.add_subparsers(title="what to do", metavar="WHAT", required=True)
    about = "Serve MCP until whoever asked is gone."
    one = verbs.add_parser("serve", help=about, description=about)
    one.set_defaults(carry_out=serve)
    one.add_argument(
        "--http", type=_port, metavar="PORT", help="over HTTP, on this machine only; 0: any port"
    )
    one.add_argument("--cwd", default=".", metavar="FOLDER", help="the project; usually where it is started")
    one.add_argument("--fire", action="store_true", help="also let the caller fire events, for hosts")


COMMAND = Command(
    about="Serve memory, verdicts and budgets to agents over MCP.",
    examples="""
hookline mcp serve                  through a pipe, as an agent starts it
hookline mcp serve --http 8765      on http://127.0.0.1:8765/mcp, for those who send the secret
hookline mcp serve --fire           for a program whose only way to its hooks is MCP

The tools are recall, remember, verdict and budget, and with --fire also fire. Leave that one to programs: an
agent that fires events tells the hooks what it likes, though only of sessions that are apart from all others.
""",
    run=run,
    arguments=arguments,
    exits="0 when the caller is gone, 1 when the port cannot be had, 2 when it was called wrongly",
)
