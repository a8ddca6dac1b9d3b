"""Git commands of the engine: without prompts, and with a separate index."""

import os
import subprocess
from collections.abc import Mapping, Sequence

from msgspec import Struct

from hookline.core.kind import ProcessResult
from hookline.system import git_command
from hookline.system.git_command import Checkout

_SETTINGS = {
    "core.untrackedCache": "false",
    "core.sparseCheckout": "false",
    "core.checkStat": "default",
    "core.trustctime": "true",
    "core.splitIndex": "false",
    "index.sparse": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "core.safecrlf": "false",
    "advice.addEmbeddedRepo": "false",
    "core.fsync": "committed,loose-object,reference",  # a row must not outlive a power cut without its commit
    "core.fsyncMethod": "batch",
}
"""Settings that the engine relies on; an agent can change any of them in the repository."""
_FIXED_VARIABLES = {
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_LITERAL_PATHSPECS": "1",
}
_ALLOWED_VARIABLES = (
    "GIT_EXEC_PATH",
    "GIT_SSL_CAINFO",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
)
FROM_FILES = {"GIT_ALLOW_PROTOCOL": "file"}
"""Variables of a command that fetches from a file."""


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
            raise GitFailed(f"git {args[0]} failed: {message}")
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
        variables = {**self.env, **({"GIT_INDEX_FILE": index} if index else {}), **(env or {})}
        folder = tree or self.dir
        return _run(git_command.build_argv(args, self.dir, folder), folder, variables, stdin)


def _run(
    argv: Sequence[str], cwd: str, env: Mapping[str, str], stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    try:
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # only the engine receives Ctrl-C
        )
    except OSError as error:
        raise GitFailed(_explain(error, cwd)) from error
    with process:
        try:
            out, err = process.communicate(_encode(stdin))
        except KeyboardInterrupt:  # a killed git would leave locks in the user's repository
            process.communicate()
            raise
    return subprocess.CompletedProcess(argv, process.returncode, _decode(out), _decode(err))


def _explain(error: OSError, cwd: str) -> str:
    if not isinstance(error, FileNotFoundError):
        return f"cannot start git: {(error.strerror or str(error)).lower()}"
    missing = "git is not installed" if error.filename == "git" else f"folder {cwd!r} does not exist"
    return f"{missing}; the engine requires it"


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _decode(output: bytes) -> str:
    """Decode without a translation of line ends, which would change file names and diffs."""
    return output.decode("utf-8", "surrogateescape")


def clean_env(env: Mapping[str, str]) -> dict[str, str]:
    """Return *env* without variables that would direct git elsewhere."""
    return {**git_command.clean_env(env, _ALLOWED_VARIABLES), **_FIXED_VARIABLES}


def find_checkout(cwd: str, env: Mapping[str, str]) -> Checkout:
    """Return the checkout that contains *cwd*; raise `NoRepository`."""
    return git_command.find_checkout(cwd, clean_env(env), _run_plain)


def open_checkout(cwd: str, env: Mapping[str, str]) -> Git:
    """Return git with the HEAD and the index of the checkout that contains *cwd*; raise `NoRepository`."""
    return open_git(find_checkout(cwd, env).dir, clean_env(env))


def open_git(git_dir: str, env: Mapping[str, str]) -> Git:
    """Return git on the repository *git_dir*, in an environment from `clean_env`; raise `NoRepository`."""
    return Git(dir=git_dir, env=git_command.secure_env(git_dir, env, _run_plain, _SETTINGS.items()))


def _run_plain(argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> ProcessResult:
    process = _run(argv, cwd, env)
    return ProcessResult(code=process.returncode, stdout=process.stdout, stderr=process.stderr)


def run_without_repository(*args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run git outside of any repository, and without the user's configuration."""
    env = {**clean_env(os.environ), "GIT_CEILING_DIRECTORIES": os.sep, "GIT_CONFIG_NOSYSTEM": "1"}
    env = git_command.with_settings({**env, "GIT_CONFIG_GLOBAL": os.devnull})
    return _run(git_command.build_argv(args), os.sep, env, stdin)


def commit_identity(git: Git, env: Mapping[str, str]) -> dict[str, str]:
    """Return the author and committer variables: the user's, if git knows the name."""
    name = git.attempt("config", "user.name").stdout.strip() or env.get("GIT_AUTHOR_NAME", "") or "hookline"
    email = git.attempt("config", "user.email").stdout.strip() or env.get("GIT_AUTHOR_EMAIL", "")
    email = email or "hookline@localhost"
    return {
        **{f"GIT_{role}_NAME": name for role in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{role}_EMAIL": email for role in ("AUTHOR", "COMMITTER")},
    }


def real_path(path: str) -> str:
    """Return a path without symlinks, as git writes it."""
    return os.path.realpath(path)
