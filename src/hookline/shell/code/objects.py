"""Objects of evaluated code: instances of classes, and those of libraries that run git, docker or ssh."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from hookline.shell.code.commands import add_command, call_functions, find_output, run_argv
from hookline.shell.code.methods import flatten_items
from hookline.shell.code.tables import GIT_METHODS, PROGRAM_PREFIXES
from hookline.shell.code.values import (
    UNKNOWN,
    Arguments,
    ClassValue,
    CodeState,
    FunctionValue,
    Instance,
    Keywords,
    Program,
    Reference,
    Value,
    to_text,
)

_CONSTRUCTORS = ("__init__", "constructor", "initialize", "__construct")
_CALL_METHODS = ("__call__", "__invoke", "call")
"""Methods that a call of an instance runs."""


def find_class_member(cls: ClassValue, name: str) -> Value:
    for _ in range(8):
        if name in cls.members:
            return cls.members[name]
        base = next((base for base in cls.bases if isinstance(base, ClassValue)), None)
        if base is None or base is cls:
            return None
        cls = base
    return None


def create_instance(state: CodeState, cls: ClassValue, arguments: Arguments, keywords: Keywords) -> Value:
    instance = Instance(cls)
    for name in _CONSTRUCTORS:
        member = find_class_member(cls, name)
        if isinstance(member, FunctionValue):
            state.call(state, FunctionValue(member.node, member.scope, instance), arguments, keywords)
            return instance
    instance.attributes |= dict(keywords)
    names = [name for name, value in cls.members.items() if not isinstance(value, FunctionValue)]
    instance.attributes |= dict(zip(names, arguments, strict=False))
    return instance


def find_call(instance: Instance) -> Value:
    """Return the function that a call of *instance* runs."""
    found = (find_class_member(instance.cls, name) for name in _CALL_METHODS)
    member = next((value for value in found if isinstance(value, FunctionValue)), None)
    return FunctionValue(member.node, member.scope, instance) if member is not None else None


Runner: TypeAlias = Callable[[CodeState, Program, Arguments, Keywords], Value]


def find_program(state: CodeState, name: str) -> Program | None:
    """Return the program that a library function with the full *name* runs."""
    for prefix, words in PROGRAM_PREFIXES.items():
        if f"{state.language}:{name}".startswith(prefix):
            members = tuple(f"{state.language}:{name}".removeprefix(prefix).split("."))
            return Program(words, members) if words else Program(members)
    return None


def run_program(state: CodeState, program: Program, arguments: Arguments, keywords: Keywords) -> Value:
    """Run a program by the names and arguments of a call: `repo.git.push("origin", force=True)`."""
    runner = _RUNNERS.get(to_text(program.words[0]), _run_named)
    result = runner(state, program, arguments, keywords)
    call_functions(state, arguments, result)
    return result


def extend_program(state: CodeState, program: Program, key: Value) -> Program:
    """Return the program with further words; it counts as run, because a later operator may run it."""
    words = key if isinstance(key, list) else [key]
    run_program(state, program, words, {})
    return Program((*program.words, *words), program.members)


def _run_named(state: CodeState, program: Program, arguments: Arguments, keywords: Keywords) -> Value:
    texts = [_to_word(item) for item in flatten_items(arguments) if not isinstance(item, dict)]
    members = [name for name in program.members if name not in _STARTS]
    run_argv(state, [*program.words, *members, *texts, *_find_options(arguments, keywords)], {})
    return find_output(state)


_STARTS = ("run", "popen", "run_fg", "run_bg", "run_tee", "bake", "with_env", "with_cwd")
"""Methods of plumbum and sh that start a program with further arguments."""


def _run_git(state: CodeState, program: Program, arguments: Arguments, keywords: Keywords) -> Value:
    if not program.members:
        return _run_named(state, program, arguments, keywords)
    *outer, name = program.members
    words = GIT_METHODS.get(name, name.replace("_", "-")).split()
    texts = [_to_word(item) for item in flatten_items(arguments) if not isinstance(item, dict)]
    texts = texts[texts[:1] == ["git"] :]
    if name in ("remote", "create_remote"):
        return Program(program.words, ("remotes", "origin"))
    if "reset" in words:
        texts = ["--hard" if text.lower().endswith("hard") else text for text in texts]
    if words == ["clean"]:
        texts = [f"-{text}" if text.isalpha() and len(text) <= _MAX_FLAGS else text for text in texts]
        texts = ["-f" if text == "FORCE" or UNKNOWN in text else text for text in texts]
    if words == ["push"] and ({"remote", "remotes"} & {*outer} or "refspec" in keywords):
        texts = ["origin", *texts]
    run_argv(state, [*program.words, *words, *texts, *_find_options(arguments, keywords)], {})
    return Program(program.words)


_MAX_FLAGS = 4


def _run_ssh(state: CodeState, program: Program, arguments: Arguments, keywords: Keywords) -> Value:
    """Run a command on another machine: `connection.run("ls")`."""
    name = program.members[-1] if program.members else ""
    if name in _REMOTE_METHODS and arguments:
        run_argv(state, [*program.words, to_text(arguments[0])], {})
        return find_output(state)
    if name in _UPLOAD_METHODS and arguments:
        host = to_text(program.words[-1])
        run_argv(state, ["scp", to_text(arguments[0]), f"{host}:{to_text(arguments[-1])}"], {})
    if name == "local" and arguments:
        add_command(state, keywords, text=to_text(arguments[0]))
    return Program(program.words, program.members[:-1])


_REMOTE_METHODS = frozenset(
    {"run", "sudo", "exec_command", "execCommand", "exec", "exec!", "execute", "system"}
)


_UPLOAD_METHODS = frozenset({"put", "putFile", "putDirectory", "upload", "upload!", "fastPut"})


def _run_docker(state: CodeState, program: Program, arguments: Arguments, keywords: Keywords) -> Value:
    """Run a method of a client for docker: `client.containers.run("alpine", "ls", volumes={…})`."""
    *outer, name = program.members or ("",)
    if name in ("run", "create") and outer[:1] == ["containers"]:
        image, *command = [*arguments, *([keywords["command"]] if "command" in keywords else [])] or [UNKNOWN]
        words = ["run", *_find_mounts(keywords), image, *_split_command(command)]
    elif name == "exec_run":
        words = ["exec", UNKNOWN, *_split_command([*arguments, keywords.get("cmd", "")][:1])]
    elif name in ("remove", "prune", "kill", "stop", "restart"):
        kind = (outer or ["containers"])[0].removesuffix("s")
        flags = ["-f"] if name == "prune" or keywords.get("force") else []
        words = [kind, "rm" if name == "remove" else name, *flags, *map(to_text, arguments or outer[1:])]
    else:
        return Program(program.words, (*outer, *map(to_text, arguments)))
    run_argv(state, [*program.words, *words], {})
    return find_output(state)


def _find_mounts(keywords: Keywords) -> list[Value]:
    """Return the options of `docker run` for the named arguments."""
    volumes = keywords.get("volumes")
    words: list[Value] = []
    for source in volumes if isinstance(volumes, list | dict) else ():
        target = volumes[source] if isinstance(volumes, dict) else None
        bound = (
            f":{to_text(target.get('bind'))}:{to_text(target.get('mode', 'rw'))}"
            if isinstance(target, dict)
            else ""
        )
        words += ["-v", to_text(source) + bound]
    for name, option in (("working_dir", "-w"), ("entrypoint", "--entrypoint")):
        words += [option, to_text(keywords[name])] if name in keywords else []
    return words


def _split_command(command: list[Value]) -> list[Value]:
    return [word for item in command for word in (item if isinstance(item, list) else to_text(item).split())]


_RUNNERS: Mapping[str, Runner] = {"git": _run_git, "ssh": _run_ssh, "docker": _run_docker}


def _to_word(value: Value) -> str:
    return value.name.rpartition(".")[2] if isinstance(value, Reference) else to_text(value)


def _find_options(arguments: Arguments, keywords: Keywords) -> list[str]:
    """Return the options for named arguments, and for the entries of mappings."""
    given = {
        **keywords,
        **{key: item for one in arguments if isinstance(one, dict) for key, item in one.items()},
    }
    return [option for name, value in given.items() if (option := _to_option(name, value))]


def _to_option(name: str, value: Value) -> str:
    """Return the option for a named argument; nothing for one that is false or no text."""
    flag = name if name.startswith("-") else f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"
    flag = "--hard" if flag == "--working-tree" else flag
    if value is True or value is None or value == 1:
        return flag if value is not None or name.startswith("-") else ""
    if name.startswith("refspec"):
        return to_text(value)
    return f"{flag}={value}" if isinstance(value, str) else ""
