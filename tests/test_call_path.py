"""Test the number of package files whose functions a call enters, and of the patterns that it compiles."""

import json
import os
import subprocess
import sys

MAX_FILES = 124
"""Maximum number of package files whose functions a call enters."""
MAX_PATTERNS = 48
"""Maximum number of regular expressions of the package that a call compiles, including its imports."""
TRACE = """
import json, os, sys

payload = json.loads(sys.argv[1])
entered, patterns = set(), set()

def trace(frame, event, argument):
    if event == "call" and frame.f_code.co_qualname == "compile" and "_compiler" in frame.f_code.co_filename:
        patterns.update({str(frame.f_locals["p"])} if is_ours(frame) else ())
    if event == "call" and "/hookline/" in frame.f_code.co_filename and not is_import(frame):
        entered.add(frame.f_code.co_filename)

def is_ours(frame):
    while os.path.basename(os.path.dirname(frame.f_code.co_filename)) in ("re", "lazy"):
        frame = frame.f_back
    return "/hookline/" in frame.f_code.co_filename

def is_import(frame):
    while frame:
        if frame.f_code.co_name == "<module>" and "/hookline/" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False

from hookline.cli._main import main

def call():
    read, write = os.pipe()
    os.write(write, json.dumps(payload).encode())
    os.close(write)
    os.dup2(read, 0)
    os.close(read)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.argv = ["hookline", "hook", "claude-code"]
    try:
        main()
    except SystemExit:
        pass

sys.setprofile(trace)
call()
sys.setprofile(None)
print(len(entered), len(patterns), file=sys.stderr)
"""


def test_one_call_before_a_tool_passes_through_few_files_and_compiles_few_patterns(user):
    payload = {
        "session_id": "s",
        "transcript_path": f"{user.home}/t.jsonl",
        "cwd": str(user.project),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "git status && ls -la src | head -5"},
        "tool_use_id": "t",
    }
    ran = subprocess.run(
        [sys.executable, "-c", TRACE, json.dumps(payload)],
        capture_output=True,
        text=True,
        check=True,
        cwd=user.project,
        env={"PATH": os.environ["PATH"], "HOME": str(user.home), "HOOKLINE_DAEMON": "off"},
    )

    files, patterns = map(int, ran.stderr.split())

    assert 80 < files <= MAX_FILES
    assert 10 < patterns <= MAX_PATTERNS
