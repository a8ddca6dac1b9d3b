"""Test the files that differ at the end of a session, and the commands worth repeating."""

from hookline.core.conversation import ToolResult, ToolUse
from hookline.handoff.work import find_commands, follow_files


def play(*steps):
    """Return the entries of edits (paths) and commands (texts with a space)."""
    for number, step in enumerate(steps):
        call = str(number)
        if " " in step:
            yield ToolUse(call=call, tool="Bash", kind="shell", command=step)
        else:
            yield ToolUse(call=call, tool="Edit", kind="edit", path=f"/p/{step}")
        yield ToolResult(call=call)


def changed(*steps, differing=None):
    return [*follow_files([*play(*steps)], "/p", differing).changed]


def test_restored_committed_and_deleted_files_do_not_differ():
    assert changed("a.py", "b.py", "git checkout -- a.py") == ["b.py"]
    assert changed("a.py", "git commit -qam x", "b.py") == ["b.py"]
    assert changed("a.py", "b.py", "rm a.py") == ["b.py"]
    assert changed("a.py", "b.py", "git rm -q a.py") == ["b.py"]
    assert changed("a.py", "b.py", "git commit -qm x a.py") == ["b.py"]


def test_a_renamed_file_has_its_new_name():
    assert changed("a.py", "git mv a.py c.py") == ["c.py"]
    assert changed("a.py", "mv a.py d/c.py") == ["d/c.py"]


def test_git_is_believed_rather_than_the_calls():
    steps = ("a.py", "b.py", "git commit -qam x", "c.py")

    assert changed(*steps, differing=frozenset({"b.py", "other.py"})) == ["b.py"]
    assert changed(*steps, differing=frozenset()) == []


def test_reverts_are_known_by_their_call():
    files = follow_files([*play("a.py", "git restore a.py")], "/p", None)

    assert files.reverted == {"1": ("a.py",)}


def test_a_command_that_the_last_words_name_is_worth_repeating():
    entries = [*play("node scripts/compare.mjs", "node scripts/other.mjs", "ls -la")]

    assert find_commands(entries, "Rerun compare.mjs until it is equal.") == ("node scripts/compare.mjs",)
    assert find_commands(entries, "") == ()


def test_the_words_of_a_loop_are_no_commands():
    entries = [*play("for n in 1 2; do pytest -q; done")]

    assert find_commands(entries, "") == ()


def test_a_build_that_failed_is_replaced_by_a_later_one_under_another_tag():
    lines = {name: f"docker build -t app:{name} ." for name in ("before", "alpine", "slim", "tiny")}
    entries = []
    for name, line in lines.items():
        entries.append(ToolUse(call=name, tool="Bash", kind="shell", command=line))
        entries.append(ToolResult(call=name, error="no wheel" * (name in ("alpine", "tiny"))))

    assert find_commands(entries, "") == (lines["before"], lines["slim"], f"{lines['tiny']} (failed last)")


def test_a_command_that_succeeds_replaces_one_with_more_arguments_that_failed():
    failed = ToolUse(call="a", tool="Bash", kind="shell", command="bin/phpunit --filter Gus")
    entries = [failed, ToolResult(call="a", error="Class not found"), *play("bin/phpunit --filter Kasa")]
    both = ("bin/phpunit --filter Gus (failed last)", "bin/phpunit --filter Kasa")

    assert find_commands(entries, "") == both
    whole = ToolUse(call="b", tool="Bash", kind="shell", command="bin/phpunit")
    assert find_commands([*entries, whole, ToolResult(call="b")], "") == (both[1], "bin/phpunit")
