"""Decide whether a command may be suggested as a fix: all its programs are of a known harmless kind."""

from __future__ import annotations

from collections.abc import Mapping

from hookline.lazy import re
from hookline.redact import redact
from hookline.shell import SimpleCommand, read
from hookline.shell.options import word_set
from hookline.shell.result import UNKNOWN

_INSTALL = word_set("install i ci add sync update upgrade get fetch restore lock rebuild download create")
_USE = word_set("install use local global shell default")
_START = word_set("start restart up daemon-reload reload enable")
_MIGRATE = word_set("migrate upgrade up deploy migrate:latest db:migrate migration:run")
_LOGINS = "gcloud az heroku firebase fly flyctl vault op wrangler"
"""Programs whose login takes no operand but a secret."""
_KINDS: Mapping[str, frozenset[str]] = {
    # Packages and environments.
    "pip pip3 pipx uv poetry pdm conda mamba pixi npm pnpm yarn bun deno gem bundle composer mix hex cargo "
    "go dotnet nuget swift pod carthage flutter dart cabal stack opam luarocks cpanm tlmgr apt apt-get "
    "dnf yum apk zypper choco winget scoop snap port ansible-galaxy vcpkg conan mvn mvnw": _INSTALL
    | word_set(
        """build-dep build venv inject tidy generate deps.get deps.compile ecto.create ecto.migrate resolve
        mod vendor sqlx pub gen-l10n precache dump-autoload link tool relay-compiler tools"""
    ),
    "pacman": word_set("-S -Sy -Syu"),
    "rustup": word_set("target component toolchain update default override"),
    "nvm fnm volta pyenv rbenv asdf mise sdk jenv tfenv goenv nodenv": _USE,
    "corepack": word_set("enable prepare"),
    "cypress playwright spacy puppeteer": word_set("install download"),
    "nltk.downloader venv virtualenv sdkmanager kinit ssh-add createdb": word_set(""),
    "mkdir touch ldconfig fc-cache": word_set(""),
    "ln": word_set("-s"),
    "terraform tofu terragrunt": word_set("init get"),
    "helm": word_set("dependency dep login update"),
    "dbt": word_set("deps"),
    # Services, containers and machines.
    "systemctl service rc-service supervisorctl launchctl pg_ctl minikube colima orb limactl vagrant": _START,
    "multipass supabase localstack": _START,
    "brew": _INSTALL | _START | word_set("link"),
    "docker podman nerdctl docker-compose podman-compose": _START
    | word_set("pull build login network volume buildx"),
    "kubectl oc": word_set("namespace ns use-context"),
    "nvidia-ctk": word_set("configure"),
    "awslocal": word_set("mb create-bucket create-queue create-table create-topic"),
    # Code and data that tools generate, and migrations.
    "prisma": word_set("generate") | _MIGRATE,
    "buf sqlc graphql-codegen panda": word_set("generate gen codegen"),
    "relay-compiler protoc flatc mockgen wire xcodegen build_runner": word_set(""),
    "alembic flask flyway dbmate goose knex sequelize typeorm sqlx diesel": _MIGRATE | word_set("prepare"),
    "rails rake manage.py artisan console": _MIGRATE
    | word_set(
        """db:create db:prepare db:test:prepare key:generate cache:clear config:clear view:clear route:clear
        optimize:clear storage:link collectstatic compilemessages createcachetable assets:precompile"""
    ),
    # Logins that ask, or read a file.
    "aws": word_set("login update-kubeconfig get-login-password"),
    "gh": word_set("login refresh set-default"),
    _LOGINS: word_set("login signin get-credentials"),
    # Inputs and places of other commands.
    "cd echo printf yes true sleep": word_set(""),
}
"""Programs, and the words of which one must be among the first operands, if there are any."""
_WORDS = {program: words for programs, words in _KINDS.items() for program in programs.split()}
_DETOURS = word_set("exec x dlx run config set eval tap trust")
"""Words before the deciding one that run other code, or set something."""
_TASK_RUNNERS = word_set(
    "make gmake just task rake gradle gradlew mvn mvnw bazel sbt ninja cmake meson nx turbo lerna invoke"
)
"""Programs that run targets of the project; the names of the targets decide."""
_SCRIPT_RUNNERS = word_set("npm pnpm yarn bun composer")
_MAX_VERB = 3
"""First operands among which the deciding word is: groups and values of options may precede it."""
_DETAILS = {
    "chmod": re.compile(r"[ua]?\+x [^-]\S*|[4-7]00 [^-]\S*"),
    "git": re.compile(
        r"(?:-C \S+ )?(?:submodule (?:update|init|sync)|lfs (?:pull|fetch|install)|fetch)"
        r"(?: (?!-f\b)[^\s:+]+)*"
    ),
    "sysctl": re.compile(r"(?:-w )?(?:vm\.|fs\.inotify\.|fs\.file-max|net\.core\.)[\w.]*=\d+"),
    "psql": re.compile(
        r"(?:\S+ )*-c (?:create extension|create schema|refresh materialized view)\b[^;]*;?", re.IGNORECASE
    ),
    "Rscript": re.compile(r"-e renv::restore\([\w =]*\)"),
    "source": re.compile(r"\S*/activate"),
    ".": re.compile(r"\S*/activate"),
}
"""Programs whose whole arguments decide."""
_HARMFUL_WORDS = word_set(
    """rm rmi prune delete destroy drop reset down kill stop purge uninstall remove force unlock taint
    rollback flushall flushdb flush clean revert undo terminate abort cancel deinit hard nuke wipe fresh
    deploy publish release push prod production foreach truncate zero dangerous"""
)
"""Parts of operands and options that remove or publish something."""
_NAME_PARTS = re.compile(r"[A-Za-z]+")
_OCCASION = re.compile(
    r"(?<![\w.])(?:[0-9a-f]{8}-[0-9a-f-]{20,}|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}|(?<!=)\d{5,}"
    r"|\d{4}-\d\d-\d\d)(?![\w.])|/tmp/|/proc/",
    re.IGNORECASE,
)
"""Ids, dates and temporary paths, which belong to one occasion."""
_HARMFUL_TEXT = re.compile(
    r"\b(?:https?|ftp|git|ssh|file)://|git\+|git@|github:"  # code from the network
    r"|\b(?:npm|pnpm|yarn|bun) (?:i|install|add) (?:-\S+ )*[\w-]+/"
    r"|(?:TOKEN|SECRET|PASSWORD|PASSWD|_KEY|CREDENTIALS?)\w*=|\$\{?\w*(?:TOKEN|SECRET|PASS|_KEY|CREDENTIAL)"
    r"|--(?:token|password(?!-stdin)|api-key|secret|admin)\b|\blogin\b.* -p\b|REDACTED"
    r"|insecure|(?:no|skip)-?_?(?:verify|check|tls|ssl|cert|gpg|sandbox)|ssl-?_?verify|strict-?ssl"
    r"|allow-(?:unauth|root)|trusted-host|unsafe|privileged|disable|permissive|validate-?certs|REJECT_UNAUTH"
    r"|\b(?:LD_\w+|PATH|\w+PATH|NODE_OPTIONS|SHELL)=|StrictHostKey|auto-approve|break-system"
    r"|--cap-add|--security-opt|\b0?(?:777|666)\b|env\w*[= ]prod"
    r"|migrate-state|VERSION=0|\bupdate 0\b",
    re.IGNORECASE,
)
"""Code from the network, credentials, options that lower security, and migrations back to nothing."""
_ASSIGNED = re.compile(r"(?:\w+_)?ENV|CI|DEBIAN_FRONTEND|COMPOSE_PROFILES|(?:AWS_)?(?:PROFILE|REGION)|CC|CXX")
"""Variables that a fix may set."""
_WRITERS = word_set("mkdir touch ln chmod git")
_CHANGING = frozenset({"write", "append", "truncate", "edit", "delete", "move"})


def is_possible_fix(line: str, failed: str) -> bool:
    """Return whether *line* may be suggested against the failure of the command *failed*."""
    reading = read(line)
    if (
        reading.problems
        or _OCCASION.search(line)
        or _HARMFUL_TEXT.search(line)
        or redact(line) != line
        or _operands(line.split()) == _operands(failed.split())
    ):
        return False
    changes = [effect for effect in reading.effects if effect.action in _CHANGING]
    # What a command prints into a file is content of its own.
    if any(change.content or reading.commands[change.command].name not in _WRITERS for change in changes):
        return False
    return bool(reading.commands) and all(
        _is_wrapper(number, reading.commands) or _is_harmless(command)
        for number, command in enumerate(reading.commands)
    )


def _operands(words: list[str]) -> list[str]:
    return [word for word in words if not word.startswith("-")]


def _is_wrapper(number: int, commands: tuple[SimpleCommand, ...]) -> bool:
    """Return whether the command only runs the next ones, which are judged instead of it."""
    name, depth = commands[number].name, len(commands[number].via)
    inner = commands[number + 1] if number + 1 < len(commands) else None
    return inner is not None and len(inner.via) > depth and inner.via[depth].split()[0] == name


def _is_harmless(command: SimpleCommand) -> bool:
    words = [word.text for word in command.words[1:]]
    if any(UNKNOWN in word for word in words) or not all(
        _ASSIGNED.fullmatch(name) for name, _ in command.assignments
    ):
        return False
    parts = {part.lower() for word in words if word[:1] not in "~/." for part in _NAME_PARTS.findall(word)}
    if not _HARMFUL_WORDS.isdisjoint(parts):
        return False
    if command.name in _DETAILS:
        return bool(_DETAILS[command.name].fullmatch(" ".join(words)))
    return _is_known(command.name, words)


def _is_known(name: str, words: list[str]) -> bool:
    operands = _operands(words)
    if name in _TASK_RUNNERS or (name in _SCRIPT_RUNNERS and {"run", "build"} & {*operands[:_MAX_VERB]}):
        return True
    known = _WORDS.get(name)
    if not known:
        return known is not None
    verb = next((word for word in (*words[:1], *operands[:_MAX_VERB]) if word in known | _DETOURS), "")
    if verb == "run" and operands[-1] != verb:
        inner = words.index(verb) + 1
        return _is_known(words[inner], words[inner + 1 :])
    takes_secret = name in _LOGINS.split() and verb != "get-credentials"
    return verb in known and (not takes_secret or operands[-1] == verb)
