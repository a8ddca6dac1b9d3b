import json
import os
import py_compile
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path

import pytest

from hookline import Budget, Count, Event, Notify, PostToolUse, PreToolUse, Response, State, block, inject
from hookline.core.frozen import Frozen
from hookline.core.kind import Declaration, HookFailed
from hookline.core.state import Facts
from hookline.core.usage import Usage
from hookline.core.values import replace
from hookline.kinds import _response_json
from hookline.kinds.python import KIND, Discovery, Source, find_hooks

LIMIT = 5.0
NOW = State(now=1_000_000.0)
CALL = PreToolUse(tool="Bash", kind="shell", input=Frozen({"command": "ls"}))
PID = """
import os
@hook()
def pid(event: PreToolUse, state: State) -> Response | None:
    return inject(str(os.getpid()))
"""

TWICE = """
@hook()
def x(event: Stop, state: State): ...
@hook(name="x")
def y(event: Stop, state: State): ...
"""
SHOUT = """
import stat
def shout():
    for fd in set(map(int, os.listdir("/proc/self/fd"))) - {0, 1, 2}:
        try:
            stat.S_ISFIFO(os.fstat(fd).st_mode) and os.write(fd, b"noise\\n")
        except OSError:
            pass
"""


def one(body: str, settings: str = "") -> str:
    """Return the text of a file with one hook, whose function has this *body*."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return (
        f"import ctypes, os, sys, time\n@hook()\ndef one(event: PreToolUse, state: State{settings}):\n{lines}"
    )


def test_a_hook_is_found_with_all_that_it_declares(project):
    found = project.found(
        '@hook(priority={PreToolUse: 10, PostToolUse: 95}, name="my-guard", nature="advice", timeout=2.5,\n'
        '      aliases=("guard",), on_failure="block", on_timeout="warn", enabled=False)\n'
        "async def guard(event: PreToolUse | PostToolUse, state: State, *, words: tuple[str, ...] = ('a',))"
        ":\n"
        '    """Guards."""\n'
    )

    path = str(project.root / ".hookline/hooks/x.py")
    (declaration,) = found.declarations
    digest = declaration.spec["digest"]
    assert found == Discovery(
        declarations=(
            Declaration(
                kind="python",
                name="my-guard",
                on=(PreToolUse, PostToolUse),
                spec={
                    "path": path,
                    "digest": digest,
                    "function": "my-guard",
                    "settings": {"words": ("a",)},
                    "nature": "advice",
                    "about": "Guards.",
                    "priorities": {"PreToolUse": 10, "PostToolUse": 95},
                    "aliases": ("guard",),
                    "enabled": False,
                },
                priority=95,
                timeout=2.5,
                on_failure="block",
                on_timeout="warn",
                source="project",
                origin=".hookline/hooks/x.py:2",
                root=str(project.root),
            ),
        )
    )


def test_a_hook_may_listen_for_every_event(project):
    found = project.found('@hook(nature="observer")\ndef all(event: Event, state: State): ...\n')

    assert [(each.on, each.observer) for each in found.declarations] == [((Event,), True)]


def test_a_file_without_hooks_declares_none(project):
    assert project.found("x = 1\n") == Discovery()


def test_a_hook_that_was_imported_for_use_is_not_declared_again(project):
    project.file("helper.py", "from hookline import *\n" + PID)

    assert project.found("from helper import pid\n") == Discovery()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("def x(:\n", ".hookline/hooks/x.py:2: SyntaxError: invalid syntax"),
        (
            "import nothing_like_it\n",
            ".hookline/hooks/x.py:2: ModuleNotFoundError: No module named 'nothing_like_it'",
        ),
        ("\nraise ValueError('no')\n", ".hookline/hooks/x.py:3: ValueError: no"),
        ("import sys\nsys.exit(3)\n", ".hookline/hooks/x.py:3: SystemExit: 3"),
        ("@hook()\ndef x(event: PreToolUse): ...\n", "expected two, (event, state)"),
        (
            "@hook()\ndef x(event: PreToolUse, state: State, *, s: object = frozenset()): ...\n",
            "setting 's' of hook 'x' has the default frozenset(), which is not JSON",
        ),
        (
            "class Own(PreToolUse): ...\n@hook()\ndef x(event: Own, state: State): ...\n",
            "no event named 'Own'; available: SessionStart,",
        ),
        (
            TWICE,
            "duplicate hook name 'x'; rename one of the hooks",
        ),
        ("import os\nos._exit(0)\n", "its import ended its worker process"),
    ],
)
def test_a_broken_file_is_a_problem_with_its_place(project, text, problem):
    found = project.found(text)

    assert found.declarations == ()
    assert len(found.problems) == 1
    assert found.problems[0].startswith(".hookline/hooks/x.py:")
    assert problem in found.problems[0]


def test_a_broken_file_spoils_no_other(project):
    good = project.file("good.py", "from hookline import *\n" + PID)
    bad = project.file("bad.py", "(")
    endless = project.file("endless.py", "while True: pass")
    dead = project.file("dead.py", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    gone = replace(good, path=str(project.root / "gone.py"))

    found = find_hooks([bad, endless, dead, gone, good], project.machine, limit=1.0)

    assert [each.name for each in found.declarations] == ["pid"]
    assert found.problems == (
        "bad.py:1: SyntaxError: '(' was never closed",
        "endless.py: its import timed out after 1 s",
        "dead.py: its import ended its worker process",
        "gone.py: cannot be read: No such file or directory",
    )


def test_a_users_file_is_shown_with_its_whole_path(project):
    source = replace(project.file("x.py", "("), source="user")

    assert find_hooks([source], project.machine).problems[0].startswith(f"{project.root}/x.py:1: ")


def test_modules_are_found_by_their_import_path(project):
    project.file("src/guards/__init__.py", "from guards.deep import pid\n")
    project.file("src/guards/deep.py", "from hookline import *\n" + PID)
    whole, single, missing = (
        Source(module=module, source="project", root=str(project.root))
        for module in ("guards", "guards.deep:pid", "guards.deep:pod")
    )

    found = find_hooks([whole, single, missing], project.machine)

    assert [(each.name, each.spec["module"], each.origin) for each in found.declarations] == [
        ("pid", "guards", "src/guards/deep.py:4"),
        ("pid", "guards.deep:pid", "src/guards/deep.py:4"),
    ]
    assert found.problems == ("src/guards/deep.py: BadHook: no hook named 'pod' here; available: pid",)
    assert all(project.bound(each)(CALL, NOW, LIMIT) for each in found.declarations)


def test_an_installed_module_may_hold_hooks(project):
    (declaration,) = find_hooks(
        [Source(module="hookline.hooks.budget_countdown", source="user", root=str(project.root))],
        project.machine,
    ).declarations

    assert declaration.name == "budget-countdown"


def test_an_entry_may_name_a_module_and_a_hook(project):
    project.file("guards.py", "from hookline import *\n" + PID)
    entry = Declaration(
        kind="python", name="e", on=(PreToolUse,), spec={"python": "guards:pid"}, root=str(project.root)
    )

    assert project.bound(entry)(CALL, NOW, LIMIT).context
    with pytest.raises(HookFailed, match="it is declared for PostToolUse, but listens for PreToolUse"):
        project.bound(entry)(PostToolUse(tool="Bash"), NOW, LIMIT)


def test_an_answer_arrives_whole(project):
    carry = project.hook(
        one(
            "return Response(verdict='ask', reason='r', rule='u', span=(1, 3), context=('c\\n', 'ü'),\n"
            "    warnings=('w',), changes={'input': {'a': [1, None, {'b': 2.5}]}}, replace_context=True,\n"
            "    memory={'m': (1, 2)}, effects=(Notify(title='t', text='x'), Count(name='n', by=2)))"
        )
    )

    assert carry(CALL, NOW, LIMIT) == Response(
        verdict="ask",
        reason="r",
        rule="u",
        span=(1, 3),
        context=("c\n", "ü"),
        warnings=("w",),
        changes={"input": {"a": (1, None, {"b": 2.5})}},
        replace_context=True,
        memory={"m": (1, 2)},
        effects=(Notify(title="t", text="x"), Count(name="n", by=2)),
    )


def test_a_hook_that_returns_none_passes(project):
    assert project.hook(one("return None"))(CALL, NOW, LIMIT) is None


def test_an_async_hook_is_awaited(project):
    carry = project.hook(
        "import asyncio\n@hook()\nasync def x(event: PreToolUse, state: State):\n"
        "    await asyncio.sleep(0.01)\n    return block('later')\n"
    )

    assert carry(CALL, NOW, LIMIT) == block("later")


def test_a_hook_sees_the_event_and_the_state(project):
    state = State(
        now=12.5,
        budget=Budget(ends_at=20.0),
        env=Frozen({"A": "b"}),
        memory=Frozen({"seen": ("x",)}),
        counters=Frozen({"n": 3}),
        facts=Facts(
            {
                "root": lambda: "/r",
                "home": lambda: "/h",
                "branch": lambda: "main",
                "usage": lambda: Usage(used=7),
            }
        ),
    )
    carry = project.hook(
        one(
            "return inject(repr((event.command, state.now, state.budget.seconds_left(state.now),\n"
            "    state.env['A'], state.memory['seen'], state.counters['n'],\n"
            "    state.root, state.home, state.branch, state.usage.used)))"
        )
    )

    said = carry(CALL, state, LIMIT)

    assert said == inject("('ls', 12.5, 7, 'b', ('x',), 3, '/r', '/h', 'main', 7)")


def test_settings_are_passed_and_checked(project):
    source = one("return inject(f'{words}')", settings=", *, words: tuple[str, ...] = ('a',)")
    (declaration,) = project.found(source).declarations

    def said(settings):
        return project.bound(replace(declaration, spec={**declaration.spec, "settings": settings}))(
            CALL, NOW, LIMIT
        )

    assert said(declaration.spec["settings"]) == inject("('a',)")
    assert said({"words": ["b"]}) == inject("('b',)")
    with pytest.raises(HookFailed, match="setting 'words' of hook 'one' must be a list of texts, not 3"):
        said({"words": 3})
    with pytest.raises(HookFailed, match=r"hook 'one': no setting named 'word'; did you mean 'words'\?"):
        said({"word": ["b"]})


def test_the_worker_is_kept_between_calls(project):
    carry = project.hook(PID)

    assert carry(CALL, NOW, LIMIT) == carry(CALL, NOW, LIMIT)


def test_every_call_starts_in_the_root_with_its_own_environment(project):
    env = {**project.machine.env, "HOOKLINE_DEPTH": "outer", "MINE": "x"}
    outer = replace(project, machine=replace(project.machine, env=env))
    text = one(
        "seen = [os.environ.get(name, '-') for name in ('HOOKLINE_DEPTH', 'MINE', 'LEFT')]\n"
        "seen.append(os.getcwd())\n"
        "os.environ['LEFT'] = 'x'\nos.chdir('/')\nreturn inject(*seen)"
    )

    assert outer.hook(text)(CALL, NOW, LIMIT) == inject("outer:one", "x", "-", str(project.root))
    assert project.hook(text)(CALL, NOW, LIMIT) == inject("one", "-", "-", str(project.root))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("1 / 0", r"failed: ZeroDivisionError: division by zero \(\.hookline/hooks/x\.py:8\)"),
        ("sys.exit(4)", r"failed: SystemExit: 4 \(.*x\.py:8\)"),
        ("raise KeyboardInterrupt", "failed: KeyboardInterrupt "),
        ("def deep(): deep()\ndeep()", "failed: RecursionError: maximum recursion depth exceeded"),
        ("return [bytes(1 << 30) for _ in range(4096)]", "failed: MemoryError"),
        ("return input()", "failed: EOFError"),
        ("return 'text'", "returned str, not a Response or None"),
        ("return Response(context=({1},))", "returned a Response that is not JSON: Object of type set"),
        ("return Response(memory={'n': float('nan')})", "returned a Response that is not JSON"),
        (
            "return Response(effects=(Count(name='n', by={1}),))",
            "returned a Response that is not JSON: Object of type set",
        ),
        ("return Response(effects=('x',))", "failed: TypeError: .* must be a `msgspec.Struct`"),
        ("return Response(context=(1,))", r"returned a Response with an invalid 'context': \[1\]"),
        ("return Response(context='text')", "returned a Response with an invalid 'context': 'text'"),
        ("return Response(verdict='deny')", "returned a Response with an invalid 'verdict': 'deny'"),
        ("return Response(span=(1,))", r"an invalid 'span': \[1\]"),
        ("return Response(effects=(Count(name='n', by=True),))", "an invalid 'effects': "),
        ("return inject('x' * 9_000_000)", "returned an answer of more than 8,388,608 characters"),
        ("return state.facts['diff']", "failed: KeyError: 'diff'"),
    ],
)
def test_a_hook_that_fails_says_how_and_the_worker_lives_on(project, body, said):
    once = "calls.append(1)\nif len(calls) > 1: return inject('again')\n"
    carry = project.hook("calls = []\n" + one(once + body))

    with pytest.raises(HookFailed, match=said):
        carry(CALL, NOW, LIMIT)
    assert carry(CALL, NOW, LIMIT) == inject("again")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("os._exit(3)", "ended its worker process$"),
        (
            "print('bye')\nos._exit(0)",
            "ended its worker process; last output: bye",
        ),
        ("ctypes.string_at(0)", "(?s)last output: Fatal Python error: Segmentation fault.*x.py"),
        ("os.abort()", "last output: Fatal Python error: Aborted"),
        ("os.kill(os.getpid(), 9)", "ended its worker process$"),
        ("os.closerange(3, 1 << 16)", "ended its worker process"),
        ("shout()", "wrote into the reply pipe"),
    ],
)
def test_a_hook_that_ends_its_worker_is_survived_and_the_worker_replaced(project, tmp_path, body, said):
    mark = str(tmp_path / "once")
    first = f"if os.path.exists({mark!r}): return inject('again')\nopen({mark!r}, 'w').close()\n"
    carry = project.hook(SHOUT + one(first + body))

    with pytest.raises(HookFailed, match=said):
        carry(CALL, NOW, LIMIT)
    assert carry(CALL, NOW, LIMIT) == inject("again")


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "time.sleep(60)",
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass",
        "import subprocess\nsubprocess.run(['sleep', '60'], start_new_session=True)",
        "if os.fork() == 0:\n    os.setsid()\n    time.sleep(60)\ntime.sleep(60)",
        "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
    ],
)
def test_a_hook_that_does_not_end_is_ended_by_its_limit(project, over, body):
    carry = project.hook(one("if event.tool == 'Bash':\n" + "\n".join(f"    {x}" for x in body.splitlines())))
    began = time.monotonic()

    with pytest.raises(TimeoutError):
        carry(CALL, NOW, 0.6)

    assert 0.5 < time.monotonic() - began < 0.6 + over
    assert carry(replace(CALL, tool="Read"), NOW, LIMIT) is None


OWNER = """
import os, sys, time
from hookline import PreToolUse, State
from hookline.core.kind import Declaration, Machine
from hookline.kinds.python import KIND
from hookline.system.process.run_command import run, start

machine = Machine(run=run, start=start, env=dict(os.environ), clock=time.monotonic)
spec = {"python": "guards:one"}
entry = Declaration(kind="python", name="x", on=(PreToolUse,), spec=spec, root=sys.argv[1])
print("begins", flush=True)
KIND.bind(entry, machine)(PreToolUse(tool="Bash"), State(now=0.0), 1.5)
time.sleep(60)
"""


def eventually(holds, within: float = 10.0) -> bool:
    until = time.monotonic() + within
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.slow
@pytest.mark.parametrize("body", ["while True: pass", "return None"])
def test_a_worker_whose_owner_was_killed_ends_by_itself(project, body):
    project.file("guards.py", "from hookline import *\n" + one(body))
    owner = subprocess.Popen([sys.executable, "-c", OWNER, str(project.root)], stdout=subprocess.PIPE)
    with owner:
        owner.stdout.readline()
        assert eventually(lambda: len(workers_in(project.root)) == 1)
        time.sleep(0.3)
        owner.kill()

    assert eventually(lambda: workers_in(project.root) == [])


def test_a_copy_of_the_worker_made_by_forking_does_not_answer(project):
    carry = project.hook(one("os.fork()\nreturn inject(str(os.getpid()))"))

    answers = {carry(CALL, NOW, LIMIT).context for _ in range(5)}

    assert len(answers) == 1
    assert eventually(lambda: len(workers_in(project.root)) == 1)


def test_prints_do_not_disturb(project):
    carry = project.hook(
        one(
            "print('{}' * 50_000)\nsys.stderr.write('x' * 200_000)\nos.system('echo loud')\n"
            "return inject('quiet')"
        )
    )

    assert [carry(CALL, NOW, LIMIT) for _ in range(3)] == [inject("quiet")] * 3


def test_a_worker_that_was_killed_while_idle_is_replaced(project):
    carry = project.hook(PID)
    (first,) = carry(CALL, NOW, LIMIT).context
    os.kill(int(first), signal.SIGKILL)
    time.sleep(0.1)

    (second,) = carry(CALL, NOW, LIMIT).context

    assert second != first


def test_calls_at_once_do_not_wait_for_each_other(project):
    carry = project.hook(one("time.sleep(1)\nreturn inject(str(os.getpid()))"))
    began = time.monotonic()

    with ThreadPoolExecutor(4) as threads:
        said = list(threads.map(lambda _: carry(CALL, NOW, LIMIT), range(4)))

    assert len({each.context for each in said}) == 4
    assert time.monotonic() - began < 4.0


def test_no_more_than_two_workers_wait(project):
    carry = project.hook(one("time.sleep(0.3)"))
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: carry(CALL, NOW, LIMIT), range(4)))

    assert eventually(lambda: len(workers_in(project.root)) == 2)


def workers_in(folder: Path) -> list[Path]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (
                process.joinpath("cwd").readlink() == folder
                and b"_worker" in process.joinpath("cmdline").read_bytes()
            ):
                found.append(process)
        except OSError:
            continue
    return found


def test_a_worker_that_cannot_be_started_is_a_failure(project):
    lost = Declaration(
        kind="python", name="x", on=(PreToolUse,), spec={"python": "a:b"}, root="/nowhere/at/all"
    )

    with pytest.raises(HookFailed, match=r"could not be run: cannot start .* cannot be entered"):
        project.bound(lost)(CALL, NOW, LIMIT)


def scratch(project) -> list[Path]:
    return sorted(Path(project.machine.scratch).glob("*"))


def without_workers(project):
    """Return the project as in a later process, which must not start a worker."""

    def refuse(*args, **kwargs):
        raise AssertionError("a worker was started")

    return replace(
        project, machine=replace(project.machine, start=refuse, resources=type(project.machine.resources)())
    )


def test_what_was_found_is_remembered(project):
    found = project.found(PID)

    (file,) = scratch(project)
    assert file.stat().st_mode & 0o777 == 0o600
    assert without_workers(project).found(PID) == found


def test_another_content_is_not_taken_for_the_remembered_one(project):
    project.found(PID)

    with pytest.raises(AssertionError, match="a worker was started"):
        without_workers(project).found(PID + "\n")


def test_what_a_file_imports_is_part_of_what_is_remembered(project):
    text = "from helper import WORD\n@hook()\ndef x(event: Stop, state: State, *, word: str = WORD): ...\n"
    project.file("helper.py", "WORD = 'old'")
    project.found(text)
    project.file("helper.py", "WORD = 'newer'")
    later = replace(project, machine=replace(project.machine, resources=type(project.machine.resources)()))

    (declaration,) = later.found(text).declarations
    later.machine.resources.close()

    assert declaration.spec["settings"] == {"word": "newer"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"files": {}}',
        b'{"files": [], "hooks": []}',
        b'{"files": {}, "hooks": [{}]}',
        b'{"files": {}, "hooks": 3}',
        b'{"files": {}, "hooks": ["name"]}',
        b"[" * 100_000,
    ],
)
def test_a_corrupt_memory_is_ignored(project, content):
    found = project.found(PID)
    (file,) = scratch(project)
    file.write_bytes(content)

    assert project.found(PID) == found
    assert json.loads(file.read_bytes())["hooks"][0]["name"] == "pid"


def spoil_events(said):
    said["hooks"][0]["events"] = ["Nothing"]


def spoil_failure(said):
    said["hooks"][0]["on_failure"] = "shrug"


def spoil_settings(said):
    said["hooks"][0]["settings"] = []


@pytest.mark.parametrize("spoil", [spoil_events, spoil_failure, spoil_settings])
def test_a_memory_with_wrong_values_is_ignored(project, spoil):
    found = project.found(PID)
    (file,) = scratch(project)
    said = json.loads(file.read_bytes())
    spoil(said)
    file.write_text(json.dumps(said))

    assert project.found(PID) == found


def test_a_memory_that_others_may_write_or_that_is_a_link_is_ignored(project, tmp_path):
    project.found(PID)
    (file,) = scratch(project)
    file.chmod(0o666)
    with pytest.raises(AssertionError, match="a worker was started"):
        without_workers(project).found(PID)

    file.chmod(0o600)
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(AssertionError, match="a worker was started"):
        without_workers(project).found(PID)


@pytest.mark.skipif(os.getuid() != 0, reason="requires root")
def test_a_memory_of_another_user_is_ignored(project):
    project.found(PID)
    (file,) = scratch(project)
    os.chown(file, 12345, 12345)

    with pytest.raises(AssertionError, match="a worker was started"):
        without_workers(project).found(PID)


def test_without_a_scratch_folder_nothing_is_remembered(project):
    bare = replace(project, machine=replace(project.machine, scratch=""))

    assert len(bare.found(PID).declarations) == 1
    assert scratch(project) == []


def test_problems_are_not_remembered(project):
    project.found("import later_installed\n")
    project.file("later_installed.py", "")

    assert project.found("import later_installed\n" + PID).problems == ()


def test_a_changed_file_runs_in_a_fresh_worker_once_it_was_found_again(project):
    old = project.hook(one("return inject('old')"))
    assert old(CALL, NOW, LIMIT) == inject("old")

    new = project.hook(one("return inject('new')"))

    assert new(CALL, NOW, LIMIT) == inject("new")
    with pytest.raises(HookFailed, match="changed after it was inspected"):
        old(CALL, NOW, LIMIT)


def test_only_the_content_that_was_asked_for_is_found(project):
    source = replace(project.file("x.py", "x = 1\n"), digest="0" * 64)

    assert find_hooks([source], project.machine).problems == ("x.py: changed while it was read; try again",)


def test_attack_a_project_that_shadows_the_standard_library_or_us(project):
    for name in (
        "json.py",
        "asyncio.py",
        "hookline/__init__.py",
        "src/pickle.py",
        ".hookline/hooks/base64.py",
    ):
        project.file(name, "raise SystemExit('shadowed')\n")

    carry = project.hook(
        "import json\n@hook()\nasync def x(event: PreToolUse, state: State):\n    return inject('ok')\n"
    )

    assert carry(CALL, NOW, LIMIT) == inject("ok")


@pytest.mark.slow
@pytest.mark.parametrize("place", [".", "src", ".hookline/hooks"])
def test_attack_a_compiled_file_that_does_not_match_its_text(project, tmp_path, place):
    link = tmp_path / "link"
    link.symlink_to(project.root)
    linked = replace(project, root=link)
    evil = linked.file(f"{place}/helper.py", "WORD = 'evil'\n")
    cached = py_compile.compile(evil.path, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
    linked.file(f"{place}/helper.py", "WORD = 'good'\n")
    text = "from helper import WORD\n" + one("return inject(WORD)")

    assert [each.hook(text)(CALL, NOW, LIMIT) for each in (project, linked)] == [inject("good")] * 2
    assert Path(cached).exists()
    assert not list(project.root.glob("**/x*.pyc"))


def test_the_kind_says_what_it_is():
    assert (KIND.name, KIND.key, dict(KIND.fields)) == ("python", "python", {"python": (str,)})


def test_every_field_of_a_response_comes_back_from_a_worker():
    assert {one.name for one in fields(Response)} == set(_response_json.CHECKS)
