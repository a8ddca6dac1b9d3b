"""Serve memory, verdicts and budgets to agents over MCP, on stdio or local HTTP."""

import os
import secrets
import sys
from argparse import Namespace
from contextlib import suppress
from typing import Any

from hookline.cli._run_command import discard_stdout
from hookline.core.install_commands import describe_missing
from hookline.system import paths
from hookline.system.paths import create_private

SECRET = "HOOKLINE_MCP_SECRET"  # noqa: S105 -- the name of a variable
MIN_LENGTH = 16
"""Minimum length of the secret, in characters."""


def serve(args: Namespace) -> int:
    cwd = os.path.abspath(args.cwd)
    if not os.path.isdir(cwd):
        raise NotADirectoryError(20, "not a folder", args.cwd)
    try:
        from hookline.cli._mcp_server import build_server, serve_http  # noqa: PLC0415 -- the extra mcp
    except ImportError as error:
        raise LookupError(describe_missing("mcp", "hookline mcp")) from error
    server = build_server(cwd, with_fire=args.fire)
    if args.http is None:
        _serve_stdio(server)
    else:
        serve_http(server, args.http, find_secret(cwd))
    return 0


def _serve_stdio(server: Any) -> None:
    """Serve until the client closes a pipe, also if it closes stdout first."""
    try:
        server.run("stdio")
    except* BrokenPipeError:
        discard_stdout()


def find_secret(cwd: str) -> str:
    """Return the secret from the environment, else one that is generated once and saved."""
    from_env = os.environ.get(SECRET, "")
    if from_env:
        if len(from_env) < MIN_LENGTH:
            raise ValueError(f"{SECRET} is shorter than {MIN_LENGTH} characters; unset it to generate one")
        return from_env
    path = os.path.join(paths.find_places(os.environ, cwd).state, "mcp-secret")
    create_private(os.path.dirname(path))
    secret = _read_secret(path) or _create_secret(path)
    print(f"the secret is in {path}", file=sys.stderr, flush=True)
    return secret


def _read_secret(path: str) -> str:
    """Return the saved secret, or "" if it is missing, incomplete, or accessible to other users."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ""
    with open(descriptor, encoding="ascii", errors="replace") as file:
        status, secret = os.fstat(descriptor), file.read().strip()
    is_private = status.st_uid == os.getuid() and not status.st_mode & 0o077
    return secret if is_private and len(secret) >= MIN_LENGTH else ""


def _create_secret(path: str) -> str:
    """Save a new secret, readable by the user only; concurrent callers get the same one."""
    secret = secrets.token_hex(24)
    temporary = f"{path}.{os.getpid()}"
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "w") as file:
        file.write(secret)
    if os.path.lexists(path):
        os.replace(temporary, path)
        return secret
    with suppress(FileExistsError):
        os.link(temporary, path)
    os.unlink(temporary)
    return _read_secret(path) or secret
