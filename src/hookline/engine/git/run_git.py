"""Run git for the engine: never a hook of the repository, never a question, never another's index."""

import os
import subprocess
from collections.abc import Mapping, Sequence

from msgspec import Struct

_ALWAYS = (
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
    ),  # a row may outlive a power cut only with its commit
    *("-c", "core.fsyncMethod=batch"),
)
"""An agent can set anything in a repository; these must be as the engine needs them."""
_ENV = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_EDITOR": "true",
}
_PASSED = ("GIT_EXEC_PATH", "GIT_SSL_CAINFO", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")


class GitFailed(OSError):
    """Git did not do what it should; the message says what, and what git said."""


class Git(Struct, frozen=True, kw_only=True):
    """Git on one repository, with the identity that commits get."""

    dir: str
    """The folder that all worktrees share."""
    env: Mapping[str, str]

    def __call__(
        self,
        *words: str,
        tree: str = "",
        index: str = "",
        stdin: str = "",
        env: Mapping[str, str] | None = None,
    ) -> str:
        """What git printed, raw; raises `GitFailed`."""
        done = self.attempt(*words, tree=tree, index=index, stdin=stdin, env=env)
        if done.returncode:
            said = (
                done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}"
            ).splitlines()[-1]
            raise GitFailed(f"git {words[0]} did not work: {said}")
        return done.stdout

    def attempt(
        self,
        *words: str,
        tree: str = "",
        index: str = "",
        stdin: str = "",
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """The same where failing is an answer too."""
        where = (f"--git-dir={self.dir}", *([f"--work-tree={tree}"] if tree else []))
        own = {**self.env, **({"GIT_INDEX_FILE": index} if index else {}), **(env or {})}
        return _run(["git", *_ALWAYS, *where, *words], cwd=tree or self.dir, env=own, stdin=stdin)


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
            start_new_session=True,  # Ctrl-C is for the engine to hear
        )
    except FileNotFoundError as error:
        missing = "git is not installed" if error.filename == "git" else f"{cwd!r} is not there"
        raise GitFailed(f"{missing}; the engine needs it") from error
    with process:
        try:
            out, err = process.communicate(stdin)
        except KeyboardInterrupt:  # killed half-way it would leave locks in the user's repository
            process.communicate()
            raise
    return subprocess.CompletedProcess(argv, process.returncode, out, err)


def clean(env: Mapping[str, str]) -> dict[str, str]:
    """*env* without what would point git somewhere else."""
    kept = {name: value for name, value in env.items() if not name.startswith("GIT_") or name in _PASSED}
    return {**kept, **_ENV}


def asked(cwd: str, env: Mapping[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    """Git as it finds itself from *cwd*."""
    return _run(["git", *_ALWAYS, *words], cwd=cwd, env=clean(env))


def apart(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Git on what it is given, and on no repository."""
    env = {**clean(os.environ), "GIT_CEILING_DIRECTORIES": os.sep, "GIT_CONFIG_NOSYSTEM": "1"}
    return _run(["git", *words], cwd=os.sep, env={**env, "GIT_CONFIG_GLOBAL": os.devnull}, stdin=stdin)


def identity(cwd: str, env: Mapping[str, str]) -> dict[str, str]:
    """Whose name commits bear: the user's, where one is known to git."""
    name = (
        asked(cwd, env, "config", "user.name").stdout.strip() or env.get("GIT_AUTHOR_NAME", "") or "hookline"
    )
    mail = asked(cwd, env, "config", "user.email").stdout.strip() or env.get("GIT_AUTHOR_EMAIL", "")
    mail = mail or "hookline@localhost"
    return {
        **{f"GIT_{role}_NAME": name for role in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{role}_EMAIL": mail for role in ("AUTHOR", "COMMITTER")},
    }


def ours(path: str) -> str:
    """A path without links, as git writes it."""
    return os.path.realpath(path)
