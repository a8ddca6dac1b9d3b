"""Serve memory, verdicts and budgets to agents over MCP: through a pipe, or over HTTP on this machine."""

import os
import secrets
import sys
from argparse import ArgumentParser, Namespace
from contextlib import suppress

from hookline.cli._command import Command
from hookline.core.extras import describe_missing
from hookline.system import paths

SECRET = "HOOKLINE_MCP_SECRET"  # noqa: S105 -- the name of a variable
MIN_LENGTH = 16
"""Characters of the shortest secret that is accepted."""


def serve(args: Namespace) -> int:
    cwd = os.path.abspath(args.cwd)
    if not os.path.isdir(cwd):
        raise NotADirectoryError(20, "is no folder", args.cwd)
    try:
        from hookline.cli._mcp_server import build_server, serve_http  # noqa: PLC0415 -- the extra mcp
    except ImportError as error:
        raise LookupError(describe_missing("mcp", "hookline mcp")) from error
    server = build_server(cwd, with_fire=args.fire)
    if args.http is None:
        server.run("stdio")
    else:
        serve_http(server, args.http, _find_secret(cwd))
    return 0


def _find_secret(cwd: str) -> str:
    """Return the secret of the environment, else one that is generated once and saved for the user only."""
    from_env = os.environ.get(SECRET, "")
    if from_env:
        if len(from_env) < MIN_LENGTH:
            raise ValueError(f"{SECRET} is shorter than {MIN_LENGTH} characters; unset it to have one chosen")
        return from_env
    path = os.path.join(paths.find_places(os.environ, cwd).state, "mcp-secret")
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    secret = _read_secret(path) or _create_secret(path)
    print(f"the secret is in {path}", file=sys.stderr, flush=True)
    return secret


def _read_secret(path: str) -> str:
    """Return the saved secret, or "" if there is none or its writer did not finish."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            secret = file.read().strip()
    except FileNotFoundError:
        return ""
    return secret if len(secret) >= MIN_LENGTH else ""


def _create_secret(path: str) -> str:
    """Save a new secret, readable by the user only; concurrent callers get the same one."""
    secret = secrets.token_hex(24)
    temporary = f"{path}.{os.getpid()}"
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "w") as file:
        file.write(secret)
    if os.path.exists(path):
        os.replace(temporary, path)
        return secret
    with suppress(FileExistsError):
        os.link(temporary, path)
    os.unlink(temporary)
    return _read_secret(path) or secret


def run(args: Namespace) -> int:
    return int(args.carry_out(args))


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port < 1 << 16:
        raise ValueError(text)
    return port


def arguments(parser: ArgumentParser) -> None:
    subparsers = parser.add_subparsers(title="what to do", metavar="WHAT", required=True)
    about = "Serve MCP until whoever asked is gone."
    serve_parser = subparsers.add_parser("serve", help=about, description=about)
    serve_parser.set_defaults(carry_out=serve)
    serve_parser.add_argument(
        "--http", type=_port, metavar="PORT", help="over HTTP, on this machine only; 0: any port"
    )
    serve_parser.add_argument(
        "--cwd", default=".", metavar="FOLDER", help="the project; usually where it is started"
    )
    serve_parser.add_argument(
        "--fire", action="store_true", help="also let the caller fire events, for hosts"
    )


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
