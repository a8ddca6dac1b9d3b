"""Repositories whose configuration names programs, which git would run for whoever works there."""

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

HOOKS = (
    *("post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc", "fsmonitor-watchman"),
    *("pre-commit", "commit-msg", "post-commit", "post-merge", "post-rewrite", "update"),
)

IDENTITY = {f"GIT_{role}_{part}": "a@b" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}


class HostileRepository:
    """A repository in which attacks are prepared; each leaves a file with its name if its program runs."""

    def __init__(self, root: Path, outside: Path) -> None:
        self.root, self.outside = root, outside
        for name in ("programs", "markers"):
            (outside / name).mkdir(parents=True, exist_ok=True)

    @property
    def ran(self) -> set[str]:
        return set(os.listdir(self.outside / "markers"))

    def program(self, attack: str) -> str:
        """Return the path of a program that leaves a file."""
        path = self.outside / "programs" / attack
        path.write_text(f"#!/bin/sh\n: > '{self.outside}/markers/{attack}'\n")
        path.chmod(0o755)
        return str(path)

    def git(self, *words: str) -> str:
        off = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"]}
        options = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
        command = ["git", *options, "-C", str(self.root), *words]
        done = subprocess.run(command, env={**off, **IDENTITY}, capture_output=True, check=True, text=True)
        return done.stdout.strip()

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def configure(self, text: str | bytes, file: str = ".git/config") -> None:
        data = text if isinstance(text, bytes) else text.encode()
        path = self.root / file
        self.write(file, (path.read_bytes() if path.exists() else b"") + b"\n" + data + b"\n")

    def attributes(self, text: str | bytes) -> None:
        self.configure(text, ".git/info/attributes")


Attack = Callable[[HostileRepository, str], None]


def _setting(repository: HostileRepository, attack: str, *, name: str) -> None:
    repository.git("config", name, repository.program(attack))


def _driver(repository: HostileRepository, attack: str, *, kind: str, key: str, driver: str = "x") -> None:
    repository.attributes(f"* {kind}={driver}")
    repository.configure(f'[{kind} "{driver}"]\n{key} = "{repository.program(attack)}"')


def _required_filter(repository: HostileRepository, attack: str) -> None:
    _driver(repository, attack, kind="filter", key="clean")
    _driver(repository, attack, kind="filter", key="smudge")
    repository.configure('[filter "x"]\nrequired')


def _filter_named_by_other_bytes(repository: HostileRepository, attack: str) -> None:
    repository.attributes(b"* filter=\xff\xc3")
    repository.configure(b'[filter "\xff\xc3"]\nclean = "%s"' % repository.program(attack).encode())


def _merge_driver_with_a_line_end(repository: HostileRepository, attack: str) -> None:
    repository.configure(
        f'[merge]\ndefault = "a\rb"\n[merge "a\rb"]\ndriver = "{repository.program(attack)}"'
    )


def _hooks(repository: HostileRepository, attack: str, *, folder: str) -> None:
    for name in HOOKS:
        repository.write(f".git/{folder}/{name}", "")
        shutil.copy(repository.program(attack), repository.root / f".git/{folder}/{name}")
    if folder != "hooks":
        repository.git("config", "core.hooksPath", f".git/{folder}")


def _configured_hooks(repository: HostileRepository, attack: str) -> None:
    """Name hooks in the configuration, as git 2.54 and later run them."""
    for name in HOOKS:
        repository.configure(f'[hook "x"]\nevent = {name}\ncommand = "{repository.program(attack)}"')


def _include(repository: HostileRepository, attack: str, *, section: str) -> None:
    repository.attributes("* filter=x")
    repository.configure(f'[filter "x"]\nclean = "{repository.program(attack)}"', ".git/evil.inc")
    repository.configure(f"[{section}]\npath = evil.inc")


def _worktree_settings(repository: HostileRepository, attack: str) -> None:
    repository.attributes("* filter=x")
    repository.git("config", "extensions.worktreeConfig", "true")
    repository.configure(f'[filter "x"]\nclean = "{repository.program(attack)}"', ".git/config.worktree")


def _files_elsewhere(repository: HostileRepository, attack: str) -> None:
    """Redirect git to files outside of the repository."""
    elsewhere = repository.outside / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    repository.git("config", "core.worktree", str(elsewhere))


def _submodule(repository: HostileRepository, attack: str) -> None:
    """Add a submodule with settings of its own, which our settings do not reach."""
    inner = HostileRepository(repository.root / "sub", repository.outside)
    inner.root.mkdir()
    inner.git("init", "-q")
    inner.write("file", "1\n")
    inner.git("add", "file")
    inner.git("commit", "-qm", "one")
    repository.write(".gitmodules", '[submodule "sub"]\npath = sub\nurl = ./sub\nignore = none\n')
    repository.git("add", "sub", ".gitmodules")
    repository.git("commit", "-qm", "sub", "--", "sub", ".gitmodules")
    inner.write("file", "2\n")
    inner.attributes("* filter=x diff=x")
    for name in ("core.fsmonitor", "filter.x.clean", "diff.x.textconv", "diff.external"):
        _setting(inner, attack, name=name)
    repository.configure(
        '[submodule "sub"]\nignore = none\n[diff]\nsubmodule = diff\nignoreSubmodules = none'
    )
    repository.configure("[status]\nsubmoduleSummary = true")


def _alternate_references(repository: HostileRepository, attack: str) -> None:
    other = repository.outside / "other.git"
    repository.git("clone", "-q", "--bare", str(repository.root), str(other))
    repository.write(".git/objects/info/alternates", f"{other}/objects\n")
    _setting(repository, attack, name="core.alternateRefsCommand")


def _credentials(repository: HostileRepository, attack: str) -> None:
    for name in ("credential.helper", "credential.https://example.org.helper", "core.askPass"):
        _setting(repository, attack, name=name)


def _aliases(repository: HostileRepository, attack: str) -> None:
    for name in ("diff", "ls-files", "config", "rev-parse", "status", "add", "stash", "log"):
        repository.git("config", f"alias.{name}", f"!{repository.program(attack)}")


def _pagers(repository: HostileRepository, attack: str) -> None:
    for name in ("core.pager", "pager.diff", "pager.log", "pager.config"):
        _setting(repository, attack, name=name)


def _signatures(repository: HostileRepository, attack: str) -> None:
    repository.configure("[commit]\ngpgSign\n[log]\nshowSignature\n[tag]\ngpgSign")
    for name in ("gpg.program", "gpg.ssh.program", "gpg.openpgp.program"):
        _setting(repository, attack, name=name)


def _missing_object(repository: HostileRepository, attack: str, *, url: str, name: str = "") -> None:
    """Remove an object that git would fetch from a remote, by a program that the settings name."""
    blob = repository.git("rev-parse", "HEAD:a.txt")
    os.unlink(repository.root / ".git/objects" / blob[:2] / blob[2:])
    repository.git("config", "core.repositoryFormatVersion", "1")
    repository.git("config", "extensions.partialClone", "origin")
    repository.git("config", "remote.origin.promisor", "true")
    repository.git("config", "remote.origin.url", url.format(program=repository.program(attack)))
    repository.git("config", "protocol.allow", "always")
    repository.git("config", "protocol.ext.allow", "always")
    if name:
        _setting(repository, attack, name=name)


ATTACKS: Mapping[str, Attack] = {
    "filter-clean": partial(_driver, kind="filter", key="clean"),
    "filter-smudge": partial(_driver, kind="filter", key="smudge"),
    "filter-process": partial(_driver, kind="filter", key="process"),
    "filter-required": _required_filter,
    "filter-named-nothing": partial(_driver, kind="filter", key="clean", driver=""),
    "filter-named-like-a-setting": partial(_driver, kind="filter", key="clean", driver="a=b.c"),
    "filter-named-in-upper-case": partial(_driver, kind="filter", key="CLEAN", driver="X"),
    "filter-named-by-other-bytes": _filter_named_by_other_bytes,
    "include": partial(_include, section="include"),
    "include-if": partial(_include, section='includeIf "gitdir:**"'),
    "config.worktree": _worktree_settings,
    "core.worktree": _files_elsewhere,
    "fsmonitor": partial(_setting, name="core.fsmonitor"),
    "hooks": partial(_hooks, folder="hooks"),
    "hooks-path": partial(_hooks, folder="tools"),
    "configured-hooks": _configured_hooks,
    "external-diff": partial(_setting, name="diff.external"),
    "diff-command": partial(_driver, kind="diff", key="command"),
    "textconv": partial(_driver, kind="diff", key="textconv"),
    "merge-driver": partial(_driver, kind="merge", key="driver"),
    "merge-driver-with-a-line-end": _merge_driver_with_a_line_end,
    "pagers": _pagers,
    "aliases": _aliases,
    "credentials": _credentials,
    "editor": partial(_setting, name="core.editor"),
    "signatures": _signatures,
    "submodule": _submodule,
    "alternate-references": _alternate_references,
}
"""Attacks after which the repository's content is still complete, by name."""
FETCHES: Mapping[str, Attack] = {
    "fetch-by-ssh": partial(_missing_object, url="ssh://example.org/x", name="core.sshCommand"),
    "fetch-by-proxy": partial(_missing_object, url="git://example.org/x", name="core.gitProxy"),
    "fetch-by-upload-pack": partial(_missing_object, url="/", name="remote.origin.uploadpack"),
    "fetch-by-command": partial(_missing_object, url="ext::{program}"),
    "fetch-by-helper": partial(_missing_object, url="https://example.org/x", name="credential.helper"),
}
"""Attacks on the fetch of a missing object, by name."""


def plant_embedded_repository(repository: HostileRepository, attack: str) -> Path:
    """Commit a folder that is a repository itself, with a file that differs from its index."""
    folder = repository.root / "embedded"
    for name in ("objects", "refs", ".hookline"):
        repository.write(f"embedded/{name}/.keep", "")
    repository.write("embedded/HEAD", "ref: refs/heads/main\n")
    repository.write("embedded/.gitattributes", "* filter=x\n")
    repository.write("embedded/file", "1\n")
    core = "[core]\nrepositoryFormatVersion = 0\nbare = false\nworktree = .\n"
    repository.write("embedded/config", f'{core}[filter "x"]\nclean = "{repository.program(attack)}"\n')
    embedded = (f"--git-dir={folder}", f"--work-tree={folder}", "-c", "filter.x.clean=")
    repository.git(*embedded, "add", str(folder / "file"))
    repository.write("embedded/file", "two\n")
    repository.git("add", "embedded")
    repository.git("commit", "-qm", "embedded", "--", "embedded")
    return folder
