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
    sed local return exit pg_isready mysqlshow traceroute whois dmesg lsblk lscpu lspci lsusb lsmod nvidia-smi
    sw_vers getent groups who w last vmstat iostat nm objdump readelf ldd size otool addr2line javap locale
    zcat zgrep xzcat bzcat comm paste join seq expr"""
)
_CHECKERS = word_set(
    """pytest py.test jest vitest mocha ava tap karma cypress playwright eslint stylelint flake8 pylint mypy
    pyright basedpyright tsc vue-tsc shellcheck hadolint yamllint actionlint rspec phpunit pest phpstan
    rubocop minitest tox nox unittest doctest ctest nextest eunit bats prove busted gotestsum
    kubeconform golangci-lint staticcheck clippy ktlint
    detekt checkstyle spotbugs bandit semgrep trivy coverage codespell markdownlint hyperfine time bench"""
)
_FORMATTERS = word_set("ruff black isort prettier biome gofmt rustfmt clang-format standard xo oxlint")
"""Programs that change files unless an option says that they only check."""
_FIXING_OPTIONS = word_set("--fix --write -w -i --in-place --autofix -a -A --update -u --updateSnapshot")
_CHECKING_OPTIONS = word_set("--check --diff -d -l --list-different --dry-run -n --no-fix --verify")
_SLEEPERS = word_set("sleep wait watch until start-sleep timeout")
_LOOKING_VERBS = word_set(
    """describe list ls show status ping info inspect whoami view get read logs log ps top events
    history search is query doctor tail members current versions devices routes stats showmigrations"""
)
"""Subcommands that only look, alone or as first or last part, in any program: `list-units`, `route:list`."""
_PARTS = re.compile(r"[-_:]")
_CAMEL_PARTS = re.compile(r"[A-Z]?[a-z0-9]+")
_CHANGING_VERBS = word_set(
    """create delete del rm remove add set update apply deploy run start stop restart reload install upgrade
    uninstall scale patch edit replace rollback rollout exec cp mv push pull build up down kill enable disable
    reset init import restore migrate tag login logout use checkout switch merge rebase commit fetch clone
    label annotate drain prune rename send publish lpush rpush hset sadd zadd xadd incr expire flushall eval
    get-credentials"""
)
"""Subcommands after which no other word decides: `helm upgrade search ./chart`."""
_MAX_VERB, _MAX_CLOUD_VERB = 2, 4
"""First operands among which the deciding word is; clouds have groups of groups."""
_CLOUDS = word_set("aws gcloud az doctl oci ibmcloud hcloud scw")
_PRINTING_OPTIONS = word_set("-v -V -version --version version -h --help help --client -l -L -ls -qa")
"""Words that, without others, make any program print its version, its help or a list."""
_LOOKING_OPTION = re.compile(r"--(?:dry-?run|list|describe|status|info|get)(?:-\w+)?")
_SQL_CLIENTS = word_set(
    "psql mysql mariadb sqlite3 duckdb clickhouse-client cockroach usql bq trino presto snowsql sqlcmd cqlsh"
)
_QUERY = re.compile(
    r"\s*(?:(?:select|with|show|explain|describe|desc|pragma|values)\b|\\[dl]|\.(?:tables|schema|databases|ind))",
    re.IGNORECASE,
)
_SQL_CHANGE = re.compile(
    r"\b(?:insert|update|delete|drop|create|alter|truncate|replace|into|grant|revoke|vacuum|reindex|call|nextval"
    r"|setval|pg_(?:terminate|cancel|reload)\w*)\b|\bpragma \w+ *=",
    re.IGNORECASE,
)
_CODE_RUNNERS = word_set("python python3 node ruby perl php deno bun mongosh")
_CODE_OPTIONS = word_set("-c -e -r -p -pe --eval --print")
_PRINT = re.compile(
    r"\b(?:print\w*|console\.\w+|puts|echo|say|var_dump|p)\b|^[^(]*$|\.(?:find|count|aggregate)\w*\("
)
_CHANGING_CALL = re.compile(
    r"(?:\b|_)(?:create|delete|drop|insert|update|save|write|commit|send|post|put|patch|remove|unlink|rename|seed"
    r"|migrate|init|install|download|run|start|stop|reset|clear|flush|sync|push|publish|system|spawn|exec(?!ute\()"
    r"|mkdir|touch|main|upgrade|register)[a-z_]*\(",
    re.IGNORECASE,
)
"""Calls in a line of code that may change something although no effect on a file is known."""
_READING_SUBCOMMANDS: Mapping[str, frozenset[str]] = {
    "git": word_set(
        """diff branch remote blame rev-parse rev-list grep reflog shortlog cat-file merge-base name-rev
        for-each-ref check-ignore whatchanged var"""
    ),
    "docker podman nerdctl docker-compose": word_set("images stats port diff config"),
    "kubectl oc k9s": word_set("explain cluster-info config api-resources wait"),
    "helm": word_set("template lint"),
    "terraform tofu": word_set("plan output validate providers graph console"),
    "ansible": word_set("setup"),
    "aws gcloud az": word_set("filter"),
    "npm pnpm yarn bun": word_set("outdated why audit explain config bin root"),
    "pip pip3 uv poetry conda": word_set("freeze check index tree"),
    "cargo": word_set("tree metadata"),
    "go": word_set("env doc vet"),
    "brew apt apt-get dnf yum": word_set("policy"),
    "adb": word_set("devices getprop logcat dumpsys"),
    "openssl": word_set("s_client x509 verify crl dgst asn1parse ciphers"),
    "redis-cli valkey-cli": word_set(
        """llen lrange keys scan exists ttl pttl type strlen hget hgetall hlen hkeys mget scard smembers zcard
        zrange zscore xlen xrange xinfo dbsize lastsave memory slowlog"""
    ),
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
_TEST_FILE = re.compile(r"(?:.*/)?(?:(?:tests?|specs?)[-_]\w[\w-]*|[\w.-]+[-_.](?:tests?|specs?))\.\w+")
_GROUPS = word_set(
    """compose state config remote branch image container volume network system context stash tag worktree
    workspace pip"""
)
"""Subcommands with subcommands of their own."""
_READING_GROUP_WORDS = word_set(
    """list ls ps logs show view get status checks diff watch download inspect top port events images config
    describe version get-url current-context get-contexts"""
)
_PACKAGE_MANAGERS = word_set(
    """npm pnpm yarn bun cargo go dotnet swift flutter dart mix composer bundle hatch poetry uv pdm pixi deno
    python python3 terraform tofu"""
)
_TASK_RUNNERS = _PACKAGE_MANAGERS | word_set(
    """npx pnpx bunx make gmake just task rake mvn mvnw gradle gradlew sbt lein bazel buck2 nx turbo lerna
    rails invoke uvx moon mage xcodebuild ctest meson ninja manage.py artisan php ruby node perl zig forge dbt
    nix stack cabal dune rebar3 gleam hardhat anchor"""
)
_INSTALLING_WORDS = word_set(
    """ci install i add sync update upgrade up remove rm uninstall get fetch restore pip pub lock link tool
    mod deps"""
)
"""Words after a package manager that change what is installed: `npm ci`, `poetry add pytest`."""
_READING = {
    program: subcommands | _LOOKING_VERBS
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
    writes = any(
        effect.action in _CHANGING_ACTIONS and effect.path.text != "/dev/null"
        for effect in read(line).effects
    )
    return not writes and classify_command(line) in ("read", "wait")


_CHANGING_ACTIONS = word_set("write append truncate edit delete move mode link create")


def _changes(action: str, path: str) -> bool:
    """Return whether an effect changes more than a log, a temporary file or a device."""
    scratch = path.startswith(("/tmp/", "/dev/", "/var/tmp/")) or path.endswith((".log", ".out"))  # noqa: S108
    return action in _CHANGING_ACTIONS and not scratch


def _classify(command: SimpleCommand) -> CommandKind:
    words = [word.text for word in command.words[1:]]
    name = command.name.removeprefix("./")
    if {"--help", "--version"} & {*words} or (words and _PRINTING_OPTIONS.issuperset(words)):
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
    if len(operands) > 1 and (name == "gh" or (name in _READING and operands[0] in _GROUPS)):
        return "read" if operands[1] in _READING_GROUP_WORDS else "change"
    if any(map(_LOOKING_OPTION.fullmatch, words)) and _CHANGING_VERBS.isdisjoint(word[2:] for word in words):
        return "read"
    if name in _SQL_CLIENTS or (name in _CODE_RUNNERS and _CODE_OPTIONS & {*words}):
        return "read" if _only_prints(name, words) else "change"
    if name in _PACKAGE_MANAGERS and not _INSTALLING_WORDS.isdisjoint(operands[:1]):
        return "change"
    if operands == ["version"] or _looks(name, operands):
        return "read"
    if name not in _TASK_RUNNERS or _FIXING_OPTIONS & {*words}:
        return "change"
    tasks = {part for operand in operands[:3] for part in _split_task(operand)}
    checks = not tasks.isdisjoint(_CHECKING_WORDS | _CHECKERS) or {"--test", "--check"} & {*words}
    return "check" if checks or any(map(_TEST_FILE.fullmatch, operands[:1])) else "change"


def _split_task(operand: str) -> list[str]:
    """Return the parts of the name of a task, such as `:app:testDebug`; of a path, the name of the file."""
    if not {"/", ".", "="}.isdisjoint(operand):
        return [operand.rpartition("/")[2]]
    return [operand, *_PARTS.split(operand), *map(str.lower, _CAMEL_PARTS.findall(operand))]


def _only_prints(name: str, words: list[str]) -> bool:
    """Return whether the SQL or code among *words* is not known to change anything."""
    if name in _SQL_CLIENTS:
        return any(map(_QUERY.match, words)) and not any(map(_SQL_CHANGE.search, words))
    code, prints = words[-1], not {"-p", "--print"}.isdisjoint(words)
    return (
        (prints or bool(_PRINT.search(code)))
        and not _CHANGING_CALL.search(code)
        and not _SQL_CHANGE.search(code)
    )


def _looks(name: str, operands: list[str]) -> bool:
    """Return whether the first operand that is a verb, or has one as a part, only looks."""
    verbs = _READING.get(name, _LOOKING_VERBS)
    for word in operands[1:_MAX_CLOUD_VERB] or operands if name in _CLOUDS else operands[:_MAX_VERB]:
        parts = _PARTS.split(word)
        if word not in verbs and not _CHANGING_VERBS.isdisjoint((word, *parts)):
            return False
        if not verbs.isdisjoint((word, parts[0], parts[-1])):
            return True
    return False
