"""The kind of a command line: whether it only reads, checks, waits, or may change something."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Literal, TypeAlias

from hookline.lazy import re
from hookline.shell import SimpleCommand, read
from hookline.shell.effects import command_effects
from hookline.shell.options import word_set

CommandKind: TypeAlias = Literal["read", "wait", "check", "change"]
"""Kinds of command lines, from the weakest to the strongest.

`check` runs tests or another check that changes nothing but caches. Whatever no table knows may change
something.
"""
_ORDER: Mapping[CommandKind, int] = {"read": 0, "wait": 1, "check": 2, "change": 3}
_READERS = word_set(
    """cat bat ls ll tree head tail less more grep rg egrep fgrep ag ack find fd wc which type file stat pwd
    diff cmp du df ps pgrep top free uptime whoami id hostname uname date env printenv jq yq awk sort
    uniq cut tr nl tac rev column basename dirname realpath readlink echo printf cd pushd popd true
    false : test [ [[ export set source . umask ulimit lsof netstat ss dig nslookup host ping curl wget
    http nc sha256sum md5sum md5 shasum xxd od hexdump strings journalctl man tldr history jobs read tee
    sed local return exit"""
)
_CHECKERS = word_set(
    """pytest py.test jest vitest mocha ava tap karma cypress playwright eslint stylelint flake8 pylint mypy
    pyright basedpyright tsc vue-tsc shellcheck hadolint yamllint actionlint rspec phpunit pest phpstan
    rubocop minitest tox nox unittest doctest ctest gotestsum golangci-lint staticcheck clippy ktlint
    detekt checkstyle spotbugs bandit semgrep trivy coverage codespell markdownlint hyperfine time bench"""
)
_FORMATTERS = word_set("ruff black isort prettier biome gofmt rustfmt clang-format standard xo oxlint")
"""Programs that change files unless an option says that they only check."""
_FIXING_OPTIONS = word_set("--fix --write -w -i --in-place --autofix -a -A --update -u --updateSnapshot")
_CHECKING_OPTIONS = word_set("--check --diff -d -l --list-different --dry-run -n --no-fix --verify")
_SLEEPERS = word_set("sleep wait watch until start-sleep timeout")
_READING_SUBCOMMANDS: Mapping[str, frozenset[str]] = {
    "git": word_set(
        """status log diff show branch remote blame ls-files ls-tree rev-parse rev-list describe grep reflog
        shortlog cat-file merge-base name-rev for-each-ref ls-remote check-ignore whatchanged var version"""
    ),
    "docker podman nerdctl docker-compose": word_set(
        "ps logs images inspect version info stats top port events history diff ls config"
    ),
    "kubectl oc k9s": word_set(
        "get describe logs top explain version cluster-info config api-resources events wait"
    ),
    "helm": word_set("list ls status get history show search template lint version"),
    "terraform tofu": word_set("plan show output validate version providers graph console"),
    "ansible": word_set("ping setup"),
    "aws gcloud az": word_set("describe list get show ls sts"),
    "npm pnpm yarn bun": word_set("ls list view info outdated why audit explain config bin root"),
    "pip pip3 uv poetry conda": word_set("list show freeze check index tree info"),
    "cargo": word_set("tree metadata search version"),
    "go": word_set("list env version doc vet"),
    "systemctl service launchctl": word_set("status is-active is-enabled list-units list show"),
    "brew apt apt-get dnf yum": word_set("list info search show policy"),
}
_CHECKING_WORDS = word_set(
    """test tests check checks lint lints typecheck type-check types e2e unit integration spec specs verify
    vet clippy bench benchmark analyze coverage validate ci smoke"""
)
"""Words after a task runner that mean a check, alone or before a colon or dash: `npm run test:unit`."""
_CHECK_SCRIPT = re.compile(
    r"(?:[\w.-]+/)*(?:\w+[-_])*(?:tests?|checks?|lint|smoke|verify|e2e)(?:[-_]\w+)*\.(?:sh|bash|py|js|ts|rb|pl)"
)
"""Scripts whose names say that they check: `./smoke.sh`, `scripts/run_tests.sh`."""
_GROUPS = word_set(
    """compose state config remote branch image container volume network system context stash tag worktree
    workspace"""
)
"""Subcommands with subcommands of their own."""
_READING_GROUP_WORDS = word_set(
    """list ls ps logs show view get status checks diff watch download inspect top port events images config
    describe version get-url current-context get-contexts"""
)
_PACKAGE_MANAGERS = word_set(
    """npm pnpm yarn bun cargo go dotnet swift flutter dart mix composer bundle hatch poetry uv pdm pixi deno
    python python3"""
)
_TASK_RUNNERS = _PACKAGE_MANAGERS | word_set(
    """npx pnpx bunx make gmake just task rake mvn mvnw gradle gradlew sbt lein bazel buck2 nx turbo lerna
    rails invoke uvx moon mage xcodebuild ctest meson ninja"""
)
_INSTALLING_WORDS = word_set(
    """ci install i add sync update upgrade up remove rm uninstall get fetch restore pip lock link tool mod
    deps"""
)
"""Words after a package manager that change what is installed: `npm ci`, `poetry add pytest`."""
_VERSION_PRINTERS = word_set("npm pnpm yarn bun")
"""Programs whose subcommand `version` prints versions, but sets the version before another operand."""
_READING = {
    program: subcommands
    for programs, subcommands in _READING_SUBCOMMANDS.items()
    for program in programs.split()
}


def classify_command(line: str, shell: Literal["bash", "powershell", "cmd"] = "bash") -> CommandKind:
    """Return the strongest kind among the commands of *line*."""
    reading = read(line, shell=shell)
    wrappers = {via.split()[0] for command in reading.commands for via in command.via if via}
    kinds = [_classify(command) for command in reading.commands if command.name not in wrappers]
    # A reading has no effects on other machines and in containers; the commands that run there have them.
    inner = (effect for command in reading.commands if command.via for effect in command_effects(command))
    effects = (*reading.effects, *inner)
    if reading.problems or any(_changes(effect.action, effect.path.text) for effect in effects):
        kinds.append("change")
    return max(kinds, key=_ORDER.__getitem__, default="read")


def is_read_only(line: str) -> bool:
    """Return whether *line* runs only programs that are known to change nothing."""
    reading = read(line)
    writes = any(
        effect.action in ("write", "append", "truncate", "edit", "delete", "move", "mode", "link")
        and effect.path.text != "/dev/null"
        for effect in reading.effects
    )
    return not writes and classify_command(line) in ("read", "wait")


_CHANGING_ACTIONS = frozenset({"write", "append", "truncate", "edit", "delete", "move", "mode", "link"})


def _changes(action: str, path: str) -> bool:
    """Return whether an effect changes more than a log, a temporary file or a device."""
    scratch = path.startswith(("/tmp/", "/dev/", "/var/tmp/")) or path.endswith((".log", ".out"))  # noqa: S108
    return action in _CHANGING_ACTIONS and not scratch


def _classify(command: SimpleCommand) -> CommandKind:
    words = [word.text for word in command.words[1:]]
    name = command.name.removeprefix("./")
    if {"--help", "--version"} & {*words}:
        return "read"
    if name in _SLEEPERS:
        return "wait"
    if name in _FORMATTERS:
        return "check" if _CHECKING_OPTIONS & {*words} or words[:1] == ["check"] else "change"
    if name in _CHECKERS:
        installs = not _INSTALLING_WORDS.isdisjoint(words[:1])
        return "change" if installs or _FIXING_OPTIONS & {*words} else "check"
    if name in _READERS:
        return _classify_reader(name, words)
    if _CHECK_SCRIPT.fullmatch(name):
        return "check"
    return _classify_subcommand(name, [word for word in words if not word.startswith("-")], words)


def _classify_reader(name: str, words: list[str]) -> CommandKind:
    if name in ("curl", "wget", "http"):
        sends = {
            "-d",
            "-F",
            "-T",
            "--data",
            "--form",
            "--upload-file",
            "--json",
            "--data-raw",
            "--data-binary",
        }
        method = next((after for word, after in pairwise(words) if word in ("-X", "--request")), "")
        return "change" if sends & {*words} or method not in ("", "GET", "HEAD") else "read"
    return "read"


def _classify_subcommand(name: str, operands: list[str], words: list[str]) -> CommandKind:
    if {"--dry-run", "--dryrun"} & {*words}:
        return "read"
    if name in _VERSION_PRINTERS and operands == ["version"]:
        return "read"
    reading = _READING.get(name)
    if len(operands) > 1 and (name == "gh" or (reading is not None and operands[0] in _GROUPS)):
        return "read" if operands[1] in _READING_GROUP_WORDS else "change"
    if reading is not None and any(
        operand.partition("-")[0] in reading or operand in reading for operand in operands[:2]
    ):
        return "read"
    if name in _PACKAGE_MANAGERS and operands[:1] and operands[0] in _INSTALLING_WORDS:
        return "change"
    if name in _TASK_RUNNERS:
        tasks = [
            part for operand in operands[:3] for part in (operand, *operand.replace("-", ":").split(":"))
        ]
        checks = any(task in _CHECKING_WORDS or task in _CHECKERS for task in tasks)
        return "check" if checks and not _FIXING_OPTIONS & {*words} else "change"
    return "change"
