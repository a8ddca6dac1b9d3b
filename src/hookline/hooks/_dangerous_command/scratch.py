"""Things that a line creates itself, or that lie in a temporary folder: nobody loses them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from itertools import pairwise

from hookline.hooks._dangerous_command.rule import Place
from hookline.hooks._dangerous_command.tables import Split
from hookline.lazy import re
from hookline.shell import UNKNOWN, SimpleCommand, Word
from hookline.shell.effect_table import part_of
from hookline.shell.git_runs import GLOBAL_VALUES
from hookline.shell.options import parse_options, word_set

_TEMPORARY = ("/tmp/", "/var/tmp/", "/private/tmp/", "/dev/shm/")
_DOCKER = word_set("docker podman nerdctl docker-compose podman-compose")
_CLUSTERS = word_set("kubectl oc k kind k3d minikube helm ctlptl")
_DATABASES = word_set("createdb dropdb psql mysql mysqladmin mariadb createuser dropuser")
_FAMILIES = {name: family for family in (_DOCKER, _CLUSTERS, _DATABASES) for name in family}
"""Programs that create and delete the same kind of things."""
_CREATING = word_set("create run init new install createdb createuser start up")
_TYPES = _CREATING | word_set(
    """container volume network image pod namespace ns cluster rm rmi remove delete del uninstall drop stop
    kill compose down deployment service"""
)
"""Operands that are not names."""
_LOCAL_HOST = re.compile(r"localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|/.*")
LOCAL_URL = re.compile(r"\w+://(?:[^/@]*@)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::(\d+))?(?:[/?]|$)")


def join_path(text: str, cwd: str | None, place: Place) -> str:
    """Return *text* as an absolute path, or an empty string if the working directory is unknown."""
    if not text or text.startswith("/") or (not place.home and text.startswith("~")):
        return text
    return "" if cwd is None else posixpath.join(cwd, text)


def is_temporary(word: Word, cwd: str | None, place: Place) -> bool:
    """Return whether a path is in a temporary folder and outside of the project, or comes from `mktemp`."""
    if word.text.startswith(UNKNOWN):
        origins = [place.commands[at].name for at in word.origins if at < len(place.commands)]
        return bool(origins) and set(origins) <= {"mktemp"} and ".." not in word.text
    path = posixpath.normpath(join_path(word.text, cwd, place).replace(UNKNOWN, "x") or ".")
    inside = any(
        path == folder or path.startswith(folder + "/") for folder in (place.root, place.cwd) if folder
    )
    contains = any(folder.startswith(path + "/") for folder in (place.root, place.cwd, place.home) if folder)
    return path.startswith(_TEMPORARY) and not inside and not contains


def find_folder(command: SimpleCommand, place: Place) -> Word | None:
    """Return the working directory of *command*, also if a part of its name is known only at run time."""
    if command.cwd is not None:
        return Word(text=command.cwd, span=command.span)
    inside = ""
    for earlier in reversed(place.earlier()):
        if earlier.name not in ("cd", "pushd", "popd"):
            continue
        target = earlier.words[-1]
        if len(earlier.words) < 2 or target.text.startswith(("-", "..")):  # noqa: PLR2004
            return None
        inside = posixpath.join(target.text, inside) if inside else target.text
        if target.text.startswith(("/", UNKNOWN)):
            return part_of(target, inside)
    return None


def is_scratch_folder(command: SimpleCommand, place: Place) -> bool:
    """Return whether *command* runs in a temporary folder, or in a repository that the line created."""
    folder = find_folder(command, place)
    return folder is not None and (is_temporary(folder, "", place) or is_created_folder(folder.text, place))


WORK_TREE = ("--work-tree", "GIT_WORK_TREE")
_GIT_DIR = ("--git-dir", "GIT_DIR")


def find_settings(command: SimpleCommand, place: Place) -> Iterator[tuple[str, str]]:
    """Yield the variables of *command*: its own, and those that the line exports or passes with `env`."""
    yield from command.assignments
    for earlier in place.earlier():
        if earlier.name in ("export", "env", "declare"):
            pairs = (word.text.partition("=") for word in earlier.words[1:])
            yield from ((name, value) for name, equals, value in pairs if equals)


def repository_folder(command: SimpleCommand, place: Place, *names: str) -> Word | None:
    """Return the folder of the repository that a `git` command works in, or of its work tree."""
    folder, wanted = find_folder(command, place), names or _GIT_DIR
    variables = [
        (name, Word(text=value, span=command.span))
        for name, value in find_settings(command, place)
        if name in wanted
    ]
    for name, value in (*variables, *parse_options(command.words[1:], GLOBAL_VALUES).options):
        if name in ("-C", *wanted) and value is not None:
            cwd = folder.text if folder is not None else None
            text = value.text if value.text.startswith(UNKNOWN) else join_path(value.text, cwd, place)
            folder = Word(text=text, span=value.span, origins=_origins_of(value, command, folder))
    return folder


def _origins_of(value: Word, command: SimpleCommand, folder: Word | None) -> tuple[int, ...]:
    """Return the origins of an option's value, which a joined value such as `--git-dir=X` has lost."""
    whole = next((word.origins for word in command.words if word.span == value.span), ())
    return value.origins or whole or (folder.origins if folder is not None else ())


def is_created_folder(path: str, place: Place) -> bool:
    """Return whether *path* is in a repository that an earlier command of the line created."""
    path = posixpath.normpath(path)
    return any(path == made or path.startswith(made + "/") for made in _created_repositories(place))


def _created_repositories(place: Place) -> Iterator[str]:
    for index, command in enumerate(place.earlier()):
        if command.name in ("cp", "rsync", "gcp"):
            copies = (one.path.text for one in place.effects.get(index, ()) if one.action == "write")
            yield from (text for text in copies if text.startswith(_TEMPORARY))
        if command.name != "git":
            continue
        outer = parse_options(command.words[1:], GLOBAL_VALUES)
        name = outer.operands[0].text if outer.operands else ""
        if name not in ("init", "clone"):
            continue
        values = word_set(
            "-b -o -c -j --branch --origin --depth --template --initial-branch --reference --separate-git-dir"
        )
        operands = parse_options(outer.operands[1:], values, mixed=True).operands
        folder = repository_folder(command, _at(place, index))
        target = operands[-1].text if operands else ""
        if name == "clone" and len(operands) == 1:
            target = target.rstrip("/").rpartition("/")[2].removesuffix(".git")
        known = target.startswith(UNKNOWN) or folder is None
        path = target if known else join_path(target or ".", folder.text if folder else None, place)
        path = posixpath.normpath(path or ".")
        if path not in (".", place.root, place.cwd) and not (place.root + "/").startswith(path + "/"):
            yield path


def _at(place: Place, index: int) -> Place:
    return Place(cwd=place.cwd, home=place.home, root=place.root, commands=place.commands, index=index)


def are_created(command: SimpleCommand, targets: Sequence[Word], place: Place) -> bool:
    """Return whether earlier commands of the line created all *targets*: containers, clusters, databases."""
    family = _FAMILIES.get(command.name, frozenset({command.name}))
    creators = [
        (index, earlier)
        for index, earlier in enumerate(place.earlier())
        if earlier.name in family and _creates(earlier)
    ]
    names = {name for _, earlier in creators for name in _created_names(earlier)}
    indexes = {index for index, _ in creators}
    wanted = [word for word in targets if word.text not in _TYPES]
    return bool(wanted) and all(
        word.text.removeprefix("namespace/").removeprefix("ns/") in names
        or (word.origins and indexes.issuperset(word.origins))
        for word in wanted
    )


def _creates(command: SimpleCommand) -> bool:
    return command.name in _CREATING or any(word.text in _CREATING for word in command.words[1:6])


def _created_names(command: SimpleCommand) -> Iterator[str]:
    """Yield the names that a creating command gives: the option `--name`, or its operands."""
    for option, value in zip(command.words, command.words[1:], strict=False):
        if option.text in ("--name", "-n", "-p", "--profile", "--project-name"):
            yield value.text
    yield from (word.text.partition("=")[2] for word in command.words if word.text.startswith("--name="))
    runs = command.name in _DOCKER and any(word.text == "run" for word in command.words[1:3])
    if not runs:
        yield from (word.text for word in command.words[1:] if not word.text.startswith("-"))


def is_local(command: SimpleCommand) -> bool:
    """Return whether a client connects to this machine."""
    texts = [word.text for word in command.words]
    hosts = [value for name, value in pairwise(texts) if name in ("-h", "--host")]
    hosts += [text.partition("=")[2] for text in texts if text.startswith("--host=")]
    urls = (text for text in texts if "://" in text)
    return all(map(_LOCAL_HOST.fullmatch, hosts)) and all(map(LOCAL_URL.match, urls))


def find_emptied_mount(command: SimpleCommand, place: Place) -> Word | None:
    """Return the volume of `docker run -v DATA:/data IMAGE …` whose whole content the command deletes."""
    text = " ".join(word.text for word in command.words)
    if "run" not in text.split(None, 3)[1:3]:
        return None
    for option, volume in pairwise(command.words):
        source, colon, rest = volume.text.partition(":")
        folder = re.escape(rest.partition(":")[0].rstrip("/") or "/")
        deletes = rf"(?:\brm\s+-\w*[rR]|\bfind\s)[^;&|]*?\s?{folder}/?(?:\*|\.\*|\.git)?(?:\s|$|['\";&])"
        if option.text not in ("-v", "--volume") or not colon or re.search(deletes, text) is None:
            continue
        scratch = source.startswith((*_TEMPORARY, UNKNOWN))
        if not scratch and not are_created(command, [Word(text=source, span=volume.span)], place):
            return volume
    return None


def uses_created_port(command: SimpleCommand, place: Place) -> bool:
    """Return whether a client connects to a port of this machine that a container of the line publishes."""
    texts = [word.text for word in command.words]
    ports = {value for name, value in pairwise(texts) if name in ("-p", "-P", "--port")}
    ports |= {text.partition("=")[2] for text in texts if text.startswith("--port=")}
    ports |= {match[1] for match in map(LOCAL_URL.match, texts) if match is not None}
    if not ports or not is_local(command):
        return False
    runs = (one for one in place.earlier() if one.name in _DOCKER and _creates(one))
    return any(word.text.split(":")[-2:-1] == [port] for one in runs for word in one.words for port in ports)


def is_inside_created(command: SimpleCommand, place: Place) -> bool:
    """Return whether *command* runs in a container that the line started."""
    if not any(via.endswith(" exec") for via in command.via):
        return False
    outer = next(
        (
            index
            for index in range(place.index - 1, -1, -1)
            if place.commands[index].name in _DOCKER and place.commands[index].words[1].text == "exec"
        ),
        None,
    )
    if outer is None:
        return False
    runner = place.commands[outer]
    options = word_set("-u -e -w --user --env --workdir --env-file")
    operands = parse_options(runner.words[2:], options).operands
    return are_created(runner, operands[:1], _at(place, outer))


def uses_local_endpoint(command: SimpleCommand, split: Split, place: Place) -> bool:
    """Return whether the request goes to an emulator on this machine."""
    settings = find_settings(command, place)
    values = (value for name, value in settings if name.startswith("AWS_ENDPOINT_URL"))
    return any(map(LOCAL_URL.match, (split.given.get("--endpoint-url", ""), *values)))


_STARTS = frozenset({"start", "restart"})


def is_own_unit(command: SimpleCommand, split: Split, place: Place) -> bool:
    """Return whether the service is the user's own, or the line starts it again."""
    if command.name != "systemctl" or "ssh" in command.via:
        return False
    if "--user" in split.given:
        return True
    units = {word.text for word in split.operands[1:]}
    later = (one for one in place.commands[place.index + 1 :] if one.name == "systemctl")
    started = {
        word.text for one in later if _STARTS & {word.text for word in one.words} for word in one.words
    }
    return bool(units) and units <= started


_TEST_FILE = re.compile(r"(?i)(?:^|[._/-])(?:tests?|testing|e2e|ci|integration)[._-]")
"""Name of a compose file whose services have only test data."""


def uses_test_file(command: SimpleCommand) -> bool:
    """Return whether a compose command reads a file for tests."""
    pairs = pairwise(word.text for word in command.words)
    files = [value for name, value in pairs if name in ("-f", "--file") and value.endswith((".yml", ".yaml"))]
    return any(map(_TEST_FILE.search, files[-1:]))


def applies_destruction(command: SimpleCommand, place: Place) -> bool:
    """Return whether `terraform apply` destroys, by a plan that the line made or by its settings."""
    words = _terraform_words(command, place)
    if "apply" not in words:
        return False
    plans = [_terraform_words(one, place) for one in place.earlier() if one.name == command.name]
    return not _DESTROYS.isdisjoint(words) or any(
        "plan" in plan and not _DESTROYS.isdisjoint(plan) and not _outputs(plan).isdisjoint(words)
        for plan in plans
    )


_DESTROYS = word_set("-destroy --destroy -destroy=true")


def _terraform_words(command: SimpleCommand, place: Place) -> list[str]:
    """Return the words of *command*, with those of the variables `TF_CLI_ARGS` and `TF_CLI_ARGS_plan`."""
    texts = [word.text for word in command.words]
    names = {"TF_CLI_ARGS", *(f"TF_CLI_ARGS_{text}" for text in texts)}
    return texts + [
        text for name, value in find_settings(command, place) if name in names for text in value.split()
    ]


def _outputs(plan: list[str]) -> set[str]:
    joined = {text.rpartition("=")[2] for text in plan if text.startswith(("-out=", "--out="))}
    return joined | {value for name, value in pairwise(plan) if name in ("-out", "--out")}
