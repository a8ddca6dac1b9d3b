"""Test commands that loop, fork, flood, hide or die: they end in time and leave no processes."""

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from msgspec.structs import asdict

from hookline.core.kind import ProcessResult
from hookline.system.process.descendants import end_group
from hookline.system.process.run_command import run
from hookline.system.process.spawn import spawn

LIMIT = 0.5
OVER = 0.5
SLACK = 0.4  # seconds of tolerance for a busy machine
MANY = b"x" * 10_000_000
ENDED = {"timed_out": True, "code": -signal.SIGTERM}
KILLED = {"timed_out": True, "code": -signal.SIGKILL}
WELL = {"timed_out": False, "code": 0}
LEFT = WELL | {"leftover": 1}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="requires /proc")


def sh(script):
    return ["sh", "-c", script, "MARK"]


def bash(script):
    return ["bash", "-c", script, "MARK"]


def py(script):
    return [sys.executable, "-I", "-S", "-c", "import os, signal, sys, time\n" + script, "MARK"]


def perl(script):
    return ["perl", "-MPOSIX", "-e", script, "MARK"]


SLEEP = shutil.which("sleep")
DAEMON = """
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
for fd in range(3): os.close(fd)
"""
STORM = """
end = time.monotonic() + 20
for _ in range(6):
    if os.fork() == 0: {each}
while time.monotonic() < end: time.sleep(0.1)
"""
HOPS = "my $end = time + 5; while (time < $end) { %s exit if fork }"
FIRST_THREAD_ENDS = """
import ctypes, threading
threading.Thread(target=time.sleep, args=(20,)).start()
ctypes.CDLL(None).syscall(60, 0)
"""

DEADLY = "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM XCPU XFSZ VTALRM"
IGNORE = "for n in set(range(1, 32)) - {9, 19}: signal.signal(n, signal.SIG_IGN)\n"

VARIANTS = {
    # loops and waits
    "loops in sh": (sh("while :; do :; done"), ENDED),
    "loops in bash": (bash("while :; do :; done"), ENDED),
    "loops in python": (py("while True: pass"), ENDED),
    "loops in perl": (perl("1 while 1"), ENDED),
    "sleeps": (["sleep", "MARK"], ENDED),
    "sleeps in a child": (sh("sleep $0; :"), ENDED),
    "sleeps in five shells": (sh('sh -c "sh -c \'bash -c \\"sleep $0; :\\"; :\'; :"; :'), ENDED),
    "waits for a pipe nobody writes": (sh("mkfifo $PID_FILE.fifo; cat $PID_FILE.fifo"), ENDED),
    "says something, then nothing": (sh("printf partial; sleep $0"), ENDED | {"stdout": "partial"}),
    "dribbles": (sh("while :; do echo x; sleep 0.02; done"), ENDED),
    # signals
    "ignores SIGTERM in sh": (sh("trap '' TERM; while :; do sleep 0.1; done"), KILLED),
    "ignores SIGTERM in perl": (perl("$SIG{TERM} = 'IGNORE'; sleep 1 while 1"), KILLED),
    "ignores every signal": (py(IGNORE + "while True: time.sleep(1)"), KILLED),
    "blocks every signal": (
        py("signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))\nwhile True: time.sleep(1)"),
        KILLED,
    ),
    "passes the ignoring on": (sh("trap '' TERM; sleep $0 & sleep $0"), KILLED | {"leftover": 2}),
    "takes its time to end": (sh("trap 'sleep $0' TERM; while :; do sleep 0.05; done"), KILLED),
    "ends well when asked": (
        sh("trap 'echo bye; exit 0' TERM; while :; do sleep 0.02; done"),
        {"timed_out": True, "code": 0, "stdout": "bye\n"},
    ),
    "stops itself": (sh("kill -STOP $$"), KILLED),
    "stops its group": (sh("sleep $0 & kill -STOP 0"), KILLED | {"leftover": 1}),
    "stops a child and ends": (sh("sleep $0 & kill -STOP $!"), LEFT),
    "leaves only its first thread": (py(FIRST_THREAD_ENDS), ENDED),
    # children that stay behind
    "leaves a child that holds the pipes": (sh("sleep $0 & echo hi"), LEFT | {"stdout": "hi\n"}),
    "leaves a child that holds nothing": (sh("sleep $0 >/dev/null 2>&1 </dev/null & echo hi"), LEFT),
    "leaves a child that ignores SIGTERM": (sh("trap '' TERM HUP; sleep $0 & :"), LEFT),
    "leaves a child that dribbles": (sh("(while :; do echo x; sleep 0.01; done) & :"), WELL),
    "leaves a child that floods": (sh("yes $0 & :"), LEFT),
    "leaves ten": (sh("for i in 0 1 2 3 4 5 6 7 8 9; do sleep $0 & done"), WELL | {"leftover": 10}),
    "fails and leaves a child": (sh("sleep $0 & exit 2"), {"code": 2, "leftover": 1}),
    "nohup": (sh("nohup sleep $0 >/dev/null 2>&1 & :"), LEFT),
    "a job of its own group": (bash("set -m; sleep $0 & disown; :"), LEFT),
    "jobs of their own groups, waited for": (bash("set -m; sleep $0 & sleep $0 & wait"), {"timed_out": True}),
    # children that hide
    "setsid, waited for": (sh("setsid -w sleep $0"), ENDED | {"leftover": 1}),
    "setsid, left": (sh("setsid sleep $0 & :"), LEFT),
    "setsid without an environment": (sh("env -i setsid sleep $0 & :"), LEFT),
    "setsid without an environment, later": (sh("true; env -i setsid sleep $0 & sleep 0.05"), LEFT),
    "a daemon": (py(DAEMON + "time.sleep(20)"), LEFT),
    "a daemon in perl": (perl("exit if fork; setsid(); exit if fork; sleep 20"), LEFT),
    "a daemon without an environment": (
        py(DAEMON + f"os.execve({SLEEP!r}, ['sleep', sys.argv[1]], {{}})"),
        LEFT,
    ),
    "a daemon that ignores signals": (
        sh("(trap '' TERM HUP INT; setsid sh -c 'sleep $0; :' $0 &) ; exit 0"),
        WELL,
    ),
    "a daemon of a daemon": (sh("setsid sh -c 'setsid sleep $0 & sleep $0' $0 & :"), WELL | {"leftover": 3}),
    "a daemon beside a loop": (sh("setsid sleep $0 & while :; do :; done"), ENDED | {"leftover": 1}),
    # forks
    "a storm of forks": (py(STORM.format(each="pass")), ENDED),
    "a storm that ignores SIGTERM": (
        py("signal.signal(15, signal.SIG_IGN)" + STORM.format(each="pass")),
        KILLED | {"leftover": 63},
    ),
    "a storm of sessions": (py(STORM.format(each="os.setsid()")), ENDED | {"leftover": 63}),
    "a child for a child, for ever": (perl(HOPS % ""), WELL),
    "a session for a session, for ever": (perl(HOPS % "setsid();"), WELL),
    "restarts what ends": (sh("trap '' TERM; while :; do sh -c 'trap - TERM; sleep $0' $0; done"), KILLED),
    "wakes what was stopped": (
        sh("sleep $0 & (trap '' TERM; while :; do kill -CONT $! $$; done) & wait"),
        ENDED | {"leftover": 1},
    ),
    # floods
    "100 MB": (["head", "-c", "100000000", "/dev/zero"], WELL | {"cut": ("stdout",)}),
    "stdout without end": (["yes", "MARK"], ENDED | {"cut": ("stdout",)}),
    "stderr without end": (sh("exec yes $0 >&2"), ENDED | {"cut": ("stderr",)}),
    "both without end": (sh("yes $0 & exec yes $0 >&2"), ENDED | {"cut": ("stdout", "stderr")}),
    "binary": (sh(r"printf '\377\376\000ok'"), WELL | {"stdout": "\ufffd\ufffd\0ok"}),
    "text": (sh("printf 'grün ▲'"), WELL | {"stdout": "grün ▲"}),
    # pipes
    "never reads stdin, ends": (["true", "MARK"], WELL),
    "never reads stdin, stays": (["sleep", "MARK"], ENDED),
    "reads a byte of stdin": (["head", "-c", "1"], WELL | {"stdout": "x"}),
    "reads all of stdin": (["wc", "-c"], WELL | {"stdout": "10000000\n"}),
    "gives back all of stdin": (["cat"], WELL | {"cut": ("stdout",)}),
    "closes stdin": (sh("exec <&-; echo ok"), WELL | {"stdout": "ok\n"}),
    "closes stdin, stays": (sh("exec <&-; sleep $0"), ENDED),
    "closes its outputs, stays": (sh("exec >&- 2>&-; sleep $0"), ENDED),
    "closes everything, ends": (sh("exec <&- >&- 2>&-; exit 3"), {"code": 3}),
    "writes where nobody reads": (sh("yes $0 | head -n 1 >/dev/null"), WELL),
    # ends
    **{f"exit {code}": (sh(f"exit {code}"), {"code": code}) for code in (0, 1, 2, 3, 126, 127, 255)},
    **{
        f"dies by {name}": (
            perl(f"$SIG{{{name}}} = 'DEFAULT'; kill {name} => $$; sleep 20"),
            {"code": -getattr(signal, f"SIG{name}")},
        )
        for name in DEADLY.split()
    },
}
HIDING = [name for name, (_, expected) in VARIANTS.items() if expected.get("leftover") and "code" in expected]
SOON = [name for name in HIDING if not VARIANTS[name][1].get("timed_out", True)]
SLOW = {"100 MB": 5.0, "reads all of stdin": 5.0, "gives back all of stdin": 5.0}


@pytest.fixture
def mark():
    """Return a unique number of seconds for `sleep`, by which its processes are found."""
    return f"97.{secrets.randbelow(10**12):012}"


def assert_told(finished, expected):
    """Compare the result with *expected*; of leftover processes, only whether there are any.

    The intermediate process of a daemon may or may not have ended when they are counted.
    """
    told = {**asdict(finished), "leftover": bool(finished.leftover)}
    wanted = {**expected, "leftover": bool(expected["leftover"])} if "leftover" in expected else expected

    assert {key: told[key] for key in wanted} == wanted


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_is_answered_in_time_and_leaves_nothing(name, mark, tmp_path):
    argv, expected = VARIANTS[name]
    limit = SLOW.get(name, LIMIT)
    before = children()
    began = time.monotonic()
    finished = recorded(argv, mark, tmp_path, stdin=MANY, timeout=limit)
    took = time.monotonic() - began

    assert_told(finished, expected)
    assert took <= limit + OVER + SLACK
    assert (alive(mark), group_alive(tmp_path), children() - before) == ([], False, set())


@pytest.mark.parametrize("name", SOON)
def test_is_answered_soon_after_the_command_ended(name, mark, tmp_path):
    argv, _ = VARIANTS[name]
    began = time.monotonic()
    recorded(argv, mark, tmp_path, stdin=b"", timeout=10)

    assert time.monotonic() - began < OVER + SLACK


@pytest.mark.slow
@pytest.mark.parametrize("name", HIDING)
def test_hides_in_vain_among_the_children_of_a_busy_program(name, mark, tmp_path):
    argv, expected = VARIANTS[name]
    with unrelated() as still_answers:
        finished = recorded(argv, mark, tmp_path, stdin=b"", timeout=LIMIT)

        assert_told(finished, expected)
        assert (alive(mark), group_alive(tmp_path), still_answers()) == ([], False, True)


@contextlib.contextmanager
def unrelated():
    """Start a child that belongs to no hook; yield a function that returns whether it still responds."""
    echo = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "start_new_session": True}
    with subprocess.Popen(["cat"], **echo) as other:
        yield lambda: other.communicate(b"here", timeout=5)[0] == b"here"


def recorded(argv, mark, folder, *, stdin, timeout):
    prelude = ["sh", "-c", 'echo $$ > "$PID_FILE"; exec "$@"', mark]
    env = os.environ | {"PID_FILE": str(folder / "pid")}
    argv = [word.replace("MARK", mark) for word in argv]
    return run([*prelude, *argv], stdin=stdin, cwd=str(folder), env=env, timeout=timeout)


def alive(mark):
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if mark.encode() in path.read_bytes():
                found.append(path.parent.name)
    return found


def group_alive(folder):
    try:
        os.killpg(int((folder / "pid").read_text()), 0)
    except ProcessLookupError:
        return False
    return True


def children():
    """Return the ids of all children of this process, including zombies."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if path.read_text().rpartition(")")[2].split()[1] == str(os.getpid()):
                found.add(path.parent.name)
    return found


def test_gives_what_the_command_said(tmp_path):
    finished = plain("cat; echo problem >&2; exit 3", stdin=b"hello")

    assert finished == ProcessResult(code=3, stdout="hello", stderr="problem\n")


def plain(script, *, stdin=b"", timeout=10.0, **more):
    return run(["sh", "-c", script], stdin=stdin, cwd="/", env=dict(os.environ), timeout=timeout, **more)


def test_runs_where_and_with_what_it_is_told(tmp_path):
    env = {"PATH": os.environ["PATH"], "GREETING": "hi"}
    finished = run(
        ["sh", "-c", "pwd; echo $GREETING $HOME"], stdin=b"", cwd=str(tmp_path), env=env, timeout=10
    )

    assert finished.stdout == f"{tmp_path}\nhi\n"


@pytest.mark.parametrize(("size", "cut"), [(99, ()), (100, ()), (101, ("stdout",)), (300_000, ("stdout",))])
def test_keeps_so_many_bytes_and_says_when_there_were_more(size, cut):
    finished = plain(f"head -c {size} /dev/zero", max_bytes=100)

    assert (len(finished.stdout), finished.cut) == (min(size, 100), cut)


NOT_STARTABLE = {
    "missing program": (["no-such-program"], {}, "cannot start 'no-such-program': no such program"),
    "missing path": (["/no/such/program"], {}, "no such program"),
    "missing interpreter": (["./lost"], {}, "the interpreter in its first line"),
    "not executable": (["./plain"], {}, "it is not executable; run chmod +x"),
    "a folder": (["/"], {}, "it is not executable"),
    "no first line": (["./mute"], {}, "add a first line such as #!/bin/sh"),
    "bad folder": (["true"], {"cwd": "/no/such/folder"}, "its folder '/no/such/folder' cannot be entered"),
    "folder is a file": (["true"], {"cwd": "/dev/null"}, "its folder '/dev/null' cannot be entered"),
    "long argument": (["true", "x" * 10_000_000], {}, "are too long"),
    "long environment": (
        ["true"],
        {"env": {"PATH": "/usr/bin:/bin", "A": "x" * 10_000_000}},
        "are too long",
    ),
    "null in an argument": (["true", "a\0b"], {}, "null byte"),
    "null in the environment": (["true"], {"env": {"A": "a\0b"}}, "null byte"),
    "odd name in the environment": (["true"], {"env": {"A=B": "c"}}, "illegal environment variable name"),
    "nothing": ([], {}, "cannot start an empty command"),
}


@pytest.mark.parametrize("name", NOT_STARTABLE)
def test_says_why_it_could_not_start(name, tmp_path):
    argv, more, why = NOT_STARTABLE[name]
    for file, content, mode in [
        ("plain", "", 0o644),
        ("mute", "true", 0o755),
        ("lost", "#!/no/such/sh", 0o755),
    ]:
        (tmp_path / file).write_text(content)
        (tmp_path / file).chmod(mode)
    finished = run(argv, stdin=b"", timeout=10, **{"cwd": str(tmp_path), "env": dict(os.environ)} | more)

    assert (finished.code, why in finished.problem, finished.timed_out) == (None, True, False), (
        finished.problem
    )


def test_many_at_once_from_many_threads(mark):
    answers = {}

    def ask(number):
        script = f"setsid sleep {mark} & (setsid sleep {mark} &) ; cat; exit {number}"
        answers[number] = plain(script, stdin=str(number).encode())

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert answers == {n: ProcessResult(code=n, stdout=str(n), leftover=2) for n in range(12)}
    assert alive(mark) == []


@pytest.mark.parametrize("own_session", [False, True])
def test_leaves_other_children_of_the_program_alone(own_session, mark):
    ended = subprocess.Popen(["sh", "-c", "exit 7"], start_new_session=own_session)
    living = subprocess.Popen(["sleep", mark], start_new_session=own_session)
    thread = threading.Thread(target=plain, args=(f"setsid sleep {mark} & sleep 0.2",))
    thread.start()
    later = subprocess.Popen(["sh", "-c", "exit 8"], start_new_session=own_session)
    thread.join()
    status = living.poll()
    living.kill()
    living.wait()

    assert (ended.wait(), status, later.wait()) == (7, None, 8)


def test_leaves_what_another_thread_starts_meanwhile_alone():
    thread = threading.Thread(target=plain, args=("setsid sleep 20 & sleep 0.3",))
    thread.start()
    time.sleep(0.1)
    with unrelated() as still_answers:
        thread.join()

        assert still_answers()


def test_leaves_the_orphans_of_other_children_alone(mark):
    with subprocess.Popen(["sh", "-c", f"read x; sleep {mark} & :"], stdin=subprocess.PIPE) as other:
        thread = threading.Thread(target=plain, args=("sleep 0.3",))
        thread.start()
        time.sleep(0.1)
        other.communicate(b"now\n")
        thread.join()
    orphans = alive(mark)
    for pid in orphans:
        os.kill(int(pid), signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(int(pid), 0)

    assert len(orphans) == 1


def test_leaves_no_descriptor_open():
    plain("sleep 20 & :")
    before = os.listdir("/proc/self/fd")
    for script in ("exit 0", "sleep 20 & :", "exec <&-; exit 1"):
        plain(script, stdin=MANY)
    run(["no-such-program"], stdin=b"", cwd="/", env={}, timeout=1)

    assert os.listdir("/proc/self/fd") == before


def test_leaves_the_signals_of_its_thread_as_they_were():
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    plain("true", stdin=MANY)

    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before


IN_A_PROGRAM = """
import ctypes, os, signal, sys, threading
from hookline.system.process.run_command import run
def ask(script, stdin=b""):
    return run(["sh", "-c", script], stdin=stdin, cwd="/", env=dict(os.environ), timeout=10)
def subreaper():
    value = ctypes.c_int()
    ctypes.CDLL(None).prctl(37, ctypes.byref(value), 0, 0, 0)
    return value.value
"""


def program(code, *argv):
    """Run code in a new interpreter and return its output."""
    text = subprocess.check_output([sys.executable, "-c", IN_A_PROGRAM + code, *argv], text=True, timeout=30)
    return text.strip()


@pytest.mark.parametrize("before", [0, 1])
def test_gives_orphans_back_to_whom_they_belonged(before):
    said = program(f"ctypes.CDLL(None).prctl(36, {before}, 0, 0, 0); ask('true'); print(subreaper())")

    assert said == str(before)


def test_survives_a_program_that_dies_of_broken_pipes():
    said = program("signal.signal(signal.SIGPIPE, signal.SIG_DFL); print(ask('exit 4', b'x' * 10**7).code)")

    assert said == "4"


def test_says_so_when_the_program_loses_exit_statuses():
    said = program(
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN); r = ask('exit 2'); print(r.code, r.problem)"
    )

    assert said.startswith("None another part of this program took its exit status")


INTERRUPTED = """
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    ask('setsid sleep MARK')
except KeyboardInterrupt:
    print('interrupted')
"""


def test_an_interrupted_program_ends_its_command(mark):
    said = program(INTERRUPTED.replace("MARK", mark))

    assert (said, alive(mark)) == ("interrupted", [])


def test_a_run_within_a_run_ends_with_it(mark, tmp_path):
    inner = IN_A_PROGRAM + f'ask(\'trap "" TERM; setsid sh -c "sleep {mark}; :" & sleep {mark}\')'
    finished = recorded([sys.executable, "-c", inner], mark, tmp_path, stdin=b"", timeout=1.5)

    assert (finished.timed_out, finished.stderr, alive(mark)) == (True, "", [])


def test_without_proc_the_group_is_ended(mark, tmp_path):
    process = spawn(["sh", "-c", f"trap '' TERM; sleep {mark} & sleep {mark}"], cwd="/", env=dict(os.environ))
    time.sleep(0.2)
    end_group(process, by=time.monotonic() + 1)
    code = process.reap()
    process.close()
    until = time.monotonic() + 5  # a killed process may exist for a moment
    while alive(mark) and time.monotonic() < until:
        time.sleep(0.05)

    assert (code, alive(mark)) == (-signal.SIGKILL, [])
