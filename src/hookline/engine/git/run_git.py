"""Git commands of the engine: without the repository's hooks, without prompts, with a separate index."""

import os
import subprocess
from collections.abc import Mapping, Sequence

from msgspec import Struct

_CONFIG_ARGS = (
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.untrackedCache=false"),
    *("-c", "core.sparseCheckout=false"),
    *("-c", "core.checkStat=default"),
    *("-c", "core.trustctime=true"),
    *("-c", "core.splitIndex=false"),
    *("-c", "index.sparse=false"),
    *("-c", "gc.auto=0"),
    *("-c", "maintenance.auto=false"),
    *("-c", "commit.gpgSign=false"),
    *("-c", "core.safecrlf=false"),
    *("-c", "log.showSignature=false"),
    *("-c", "advice.addEmbeddedRepo=false"),
    *(
        "-c",
        "core.fsync=committed,loose-object,reference",
    ),  # a row must not outlive a power cut without its commit
    *("-c", "core.fsyncMethod=batch"),
)
"""Settings that the engine relies on; an agent can change any of them in the repository."""
_FIXED_VARIABLES = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_EDITOR": "true",
}
_ALLOWED_VARIABLES = (
    "GIT_EXEC_PATH",
    "GIT_SSL_CAINFO",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
)


class GitFailed(OSError):
    """A git command that failed; the message names it and git's error."""


class Git(Struct, frozen=True, kw_only=True):
    """Git on one repository, with the identity for commits."""

    dir: str
    """The git directory that all worktrees share."""
    env: Mapping[str, str]

    def __call__(
        self,
        *args: str,
        tree: str = "",
        index: str = "",
        stdin: str = "",
        env: Mapping[str, str] | None = None,
    ) -> str:
        """Return git's raw output; raise `GitFailed`."""
        process = self.attempt(*args, tree=tree, index=index, stdin=stdin, env=env)
        if process.returncode:
            message = (
                process.stderr.strip() or process.stdout.strip() or f"exit code {process.returncode}"
            ).splitlines()[-1]
            raise GitFailed(f"git {args[0]} did not work: {message}")
        return process.stdout

    def attempt(
        self,
        *args: str,
        tree: str = "",
        index: str = "",
        stdin: str = "",
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Return the finished process, for callers to which a failure is a valid outcome."""
        location = (f"--git-dir={self.dir}", *([f"--work-tree={tree}"] if tree else []))
        variables = {**self.env, **({"GIT_INDEX_FILE": index} if index else {}), **(env or {})}
        return _run(
            ["git", *_CONFIG_ARGS, *location, *args], cwd=tree or self.dir, env=variables, stdin=stdin
        )


def _run(
    argv: Sequence[str], *, cwd: str, env: Mapping[str, str], stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    try:
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="surrogateescape",
            start_new_session=True,  # only the engine receives Ctrl-C
        )
    except FileNotFoundError as error:
        missing = "git is not installed" if error.filename == "git" else f"{cwd!r} is not there"
        raise GitFailed(f"{missing}; the engine needs it") from error
    with process:
        try:
            out, err = process.communicate(stdin)
        except KeyboardInterrupt:  # a killed git would leave locks in the user's repository
            process.communicate()
            raise
    return subprocess.CompletedProcess(argv, process.returncode, out, err)


def clean_env(env: Mapping[str, str]) -> dict[str, str]:
    """Return *env* without variables that would direct git elsewhere."""
    allowed = {
        name: value
        for name, value in env.items()
        if not name.startswith("GIT_") or name in _ALLOWED_VARIABLES
    }
    return {**allowed, **_FIXED_VARIABLES}


def run_in(cwd: str, env: Mapping[str, str], *args: str) -> subprocess.CompletedProcess[str]:
    """Run git in *cwd*, on the repository that it finds there."""
    return _run(["git", *_CONFIG_ARGS, *args], cwd=cwd, env=clean_env(env))


def run_without_repository(*args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run git outside of any repository."""
    env = {**clean_env(os.environ), "GIT_CEILING_DIRECTORIES": os.sep, "GIT_CONFIG_NOSYSTEM": "1"}
    return _run(["git", *args], cwd=os.sep, env={**env, "GIT_CONFIG_GLOBAL": os.devnull}, stdin=stdin)


def commit_identity(cwd: str, env: Mapping[str, str]) -> dict[str, str]:
    """Return the author and committer variables: the user's, if git knows the name."""
    name = (
        run_in(cwd, env, "config", "user.name").stdout.strip() or env.get("GIT_AUTHOR_NAME", "") or "hookline"
    )
    email = run_in(cwd, env, "config", "user.email").stdout.strip() or env.get("GIT_AUTHOR_EMAIL", "")
    email = email or "hookline@localhost"
    return {
        **{f"GIT_{role}_NAME": name for role in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{role}_EMAIL": email for role in ("AUTHOR", "COMMITTER")},
    }


def real_path(path: str) -> str:
    """Return a path without symlinks, as git writes it."""
    return os.path.realpath(path)
