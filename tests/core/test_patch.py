"""Test patches, and that every guard sees every file of a patch."""

import pytest

from hookline.core.patch import FilePatch, is_patch, parse_patch
from hookline.core.payload import decode
from hookline.core.state import State
from hookline.hooks.privacy_block import privacy_block
from hookline.hooks.scout_block import scout_block
from hookline.hooks.self_protect import self_protect
from hookline.hosts import load

PATCH = """*** Begin Patch
*** Add File: a.py
+one
+two
*** Update File: b.py
*** Move to: c.py
@@
-old
+new
*** Delete File: d.py
*** End Patch"""
PARTS = (
    FilePatch("a.py", "write", "one\ntwo"),
    FilePatch("b.py", "edit", ""),
    FilePatch("c.py", "write", "new"),
    FilePatch("d.py", "edit", ""),
)
WRAPPINGS = {
    "plain": "{}",
    "after-lines": "\n\n{}",
    "here-document": "<<'EOF'\n{}\nEOF\n",
    "carriage-returns": "{}",
}


def wrapped(how, patch):
    patch = patch.replace("\n", "\r\n") if how == "carriage-returns" else patch
    return WRAPPINGS[how].format(patch)


@pytest.mark.parametrize("how", WRAPPINGS)
def test_every_file_is_found_with_its_new_lines(how):
    assert is_patch(wrapped(how, PATCH))
    assert parse_patch(wrapped(how, PATCH)) == PARTS


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("  *** Add File: a\n", ["a"]),
        ("\t*** Update File: a b \n", ["a b"]),
        ("*** Add File:a\n", ["a"]),
        ("+*** Add File: a\n", []),
        ("*** Add File: \n", []),
        ("*** Rename File: a\n", []),
        ("", []),
    ],
)
def test_marks_are_read_as_leniently_as_patches_are_applied(text, paths):
    assert [part.path for part in parse_patch(text)] == paths


@pytest.mark.parametrize(
    ("text", "is_one"), [("", False), (f"{'x' * 80}{PATCH}", True), (f"{'x' * 81}{PATCH}", False)]
)
def test_a_text_that_only_quotes_one_is_no_patch(text, is_one):
    assert is_patch(text) is is_one


def call(tool, text):
    codex = load("codex")
    payload = {"hook_event_name": "PreToolUse", "cwd": "/repo", "tool_name": tool}
    return decode(codex, {**payload, "tool_input": {"command": text}})[1]


def judged(guard, event):
    known = {"root": "/repo", "home": "/home/user", "guarded_paths": ("/home/user/.config/hookline",)}
    return guard(event, State(now=0.0, facts=known))


GUARDS = [
    (privacy_block, ".env"),
    (scout_block, "node_modules/x.js"),
    (self_protect, "/home/user/.config/hookline/hooks.json"),
]
NAMES = [guard.name for guard, _ in GUARDS]
FORMS = {
    "plain": "*** Begin Patch\n*** Add File: fine.py\n+x\n*** Update File: {}\n+y\n*** End Patch",
    "indented": "*** Begin Patch\n*** Add File: fine.py\n+x\n  *** Update File: {}\n+y\n*** End Patch",
    "wrapped": "<<'EOF'\n*** Begin Patch\n*** Add File: {}\n+x\n*** End Patch\nEOF\n",
    "moved": "*** Begin Patch\n*** Update File: fine.py\n*** Move to: {}\n@@\n-x\n+y\n*** End Patch",
    "deleted": "*** Begin Patch\n*** Delete File: {}\n*** End Patch",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("guard", "path"), GUARDS, ids=NAMES)
def test_a_guard_sees_every_file_of_a_patch(guard, path, form):
    answer = judged(guard, call("apply_patch", FORMS[form].format(path)))

    assert answer is not None
    assert answer.verdict in ("ask", "block")
    assert path in answer.reason
    assert judged(guard, call("apply_patch", FORMS[form].format("other.py"))) is None


@pytest.mark.parametrize("form", ["plain", "indented", "moved", "deleted"])
@pytest.mark.parametrize("command", ["apply_patch <<'EOF'\n{}\nEOF", "applypatch '{}'"])
@pytest.mark.parametrize(("guard", "path"), GUARDS[1:], ids=NAMES[1:])
def test_a_guard_sees_every_file_of_a_patch_that_a_shell_is_given(guard, path, command, form):
    answer = judged(guard, call("Bash", command.format(FORMS[form].format(path))))

    assert answer is not None
    assert answer.verdict == "block"
    assert judged(guard, call("Bash", command.format(FORMS[form].format("other.py")))) is None
