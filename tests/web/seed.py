"""A store with sessions, decisions, usage, memories, errors, handoffs and runs, for tests and screenshots."""

import subprocess
import time
from pathlib import Path

from hookline.budget.branches import BRANCHES_NOTE
from hookline.budget.ledger import BUDGET_NOTE, USAGE_NOTE
from hookline.core.records import Handoff, Memory
from hookline.core.store import Record
from hookline.core.usage import Tally, TokenCounts, tally_to_json
from hookline.engine import runs
from hookline.engine.journal import KEPT, Row

HOSTILE = '<script>window.hacked=1</script><img src=x onerror="window.hacked=1">"\'`{{7*7}}\u202e'
PUSH = "git push --force origin main"
BLOCKED = "This push can overwrite commits of others on the remote. Pull or rebase, then push without force."


def fill(store, project, *, now=None, hostile=False):
    """Fill *store* with data of a day's work in the folder *project*."""
    now = now or time.time()
    name = HOSTILE if hostile else "58eca2c0-5a41"
    branch = HOSTILE if hostile else "fix-login"
    sessions = {
        name: ("claude-code", 5400, 171_000, "claude-opus-4-5", 900),
        "7d10b8aa-1f00": ("codex", 1500, 64_000, "gpt-5-codex", 2400),
        "c4417e90-77aa": ("gemini-cli", 300, 12_000, "gemini-2.5-pro", None),
    }
    for session, (host, age, used, model, left) in sessions.items():
        store.begin_session(session, host=host, cwd=str(project), at=now - age)
        tally = Tally(
            spent={model: TokenCounts(40_000, used // 9, used * 6, used)},
            model=model,
            used=used,
            window=200_000,
            turn=7,
        )
        store.set_notes(session, {USAGE_NOTE: {"mark": {}, "tally": tally_to_json(tally)}})
        store.set_notes(session, {BRANCHES_NOTE: [["main", {}], [branch, {model: [10_000, 900, 90_000, 0]}]]})
        if left is not None:
            store.set_notes(session, {BUDGET_NOTE: now + left})
    for days in range(8, 29, 2):
        store.begin_session(f"old-{days}", host="claude-code", cwd=str(project), at=now - days * 86_400)
        spent = TokenCounts(90_000 * (days % 5 + 1), 20_000, 900_000, 70_000)
        tally = Tally(spent={"claude-sonnet-4-5": spent})
        store.set_notes(f"old-{days}", {USAGE_NOTE: {"mark": {}, "tally": tally_to_json(tally)}})
    first, second, third = sessions
    summary, why, output = (HOSTILE,) * 3 if hostile else ("cat .env", "It may contain secrets.", "token abc")
    store.record(
        [
            record(
                "r1",
                first,
                now - 300,
                "claude-code",
                project,
                "PreToolUse",
                PUSH,
                "block",
                ("dangerous-command:git-push-force",),
                BLOCKED + " [dangerous-command:git-push-force]",
            ),
            record(
                "r2",
                first,
                now - 200,
                "claude-code",
                project,
                "PreToolUse",
                summary,
                "ask",
                ("privacy-block:secret-file",),
                why,
            ),
            record(
                "r3",
                second,
                now - 120,
                "codex",
                project,
                "PostToolUse",
                "pytest -q",
                "modify",
                (),
                "",
                trail=(
                    {
                        "hook": "redact-secrets",
                        "said": "modify",
                        "before": {"output": output},
                        "after": {"output": "token [redacted]"},
                        "ms": 0.8,
                    },
                ),
            ),
            record(
                "r4",
                second,
                now - 60,
                "codex",
                project,
                "PreToolUse",
                "ls",
                "pass",
                (),
                "",
                warnings=("12 minutes left",),
            ),
            record("r5", third, now - 30, "gemini-cli", project, "Stop", "", "pass", (), ""),
            record(
                "r6",
                second,
                now - 10,
                "codex",
                project,
                "PostToolUse",
                "npm test",
                "pass",
                (),
                "",
                counts={"hooks:failed:my-check": 1},
            ),
            *list_subagent_records(second, now, project, HOSTILE if hostile else "Explore"),
        ]
    )
    memory = HOSTILE if hostile else "Tests run with `make test`; Postgres must be up."
    store.remember(
        Memory(
            id="m1" + "0" * 30,
            at=now - 86_400,
            text=memory,
            kind="fact",
            project=str(project),
            confidence=0.9,
            source="user",
            uses=3,
            used=now - 900,
        )
    )
    store.remember(
        Memory(
            id="m2" + "0" * 30,
            at=now - 8_000,
            text="We keep SQL in stores/ only.",
            kind="convention",
            project=str(project),
            confidence=0.7,
            source=second,
            pinned=True,
        )
    )
    missing = "ModuleNotFoundError: No module named 'yaml'"
    for _ in range(4):
        store.count_error("E1f2", text=missing, at=now - 500, project=str(project), command="pytest")
    store.record_fix("E1f2", "pip install pyyaml", project=str(project))
    store.add_handoff(
        Handoff(
            id="h1",
            at=now - 4000,
            session=first,
            project=str(project),
            text="Branch: fix-login\nNext step: add the test for an expired token\nBlockers: none",
        )
    )


def list_subagent_records(session, now, project, name):
    """Return the records of two subagents, of which one has ended."""
    calls = (
        ("4f2a90c1-e3", 400, "SubagentStart", ""),
        ("4f2a90c1-e3", 380, "PreToolUse", "rg -n expires src"),
        ("91bb07d2-f4", 350, "SubagentStart", ""),
        ("4f2a90c1-e3", 330, "SubagentStop", ""),
        ("91bb07d2-f4", 140, "PreToolUse", "sed -n 1,80p src/login.py"),
    )
    return [
        record(
            f"subagent-{age}",
            session,
            now - age,
            "codex",
            project,
            event,
            summary,
            "pass",
            (),
            "",
            subagent=subagent,
            subagent_type=name,
        )
        for subagent, age, event, summary in calls
    ]


def record(id_, session, at, host, project, event, summary, action, rules, reason, **fields):  # noqa: PLR0917 -- the columns of a row
    trail = ({"hook": "self-protect", "said": "pass", "ms": 0.31},)
    if rules:
        hook = rules[0].partition(":")[0]
        trail += ({"hook": hook, "said": action, "rule": rules[0], "reason": reason, "ms": 0.84},)
    defaults = {"tool": "shell" if event.endswith("ToolUse") else "", "trail": trail, "ms": 2.5}
    return Record(
        id=id_,
        at=at,
        session=session,
        host=host,
        event=event,
        cwd=str(project),
        summary=summary,
        action=action,
        rules=rules,
        reason=reason,
        **(defaults | fields),
    )


TARGET = (Path(__file__).parents[2] / "examples/targets/sort/.hookline/targets/sort.toml").read_text()


def add_run(root, name, best, *, stopped="budget"):
    """Write the files of a run of the engine with experiments of each kind."""
    base, change = commit(root, "sort.py", "a = 1\n"), commit(root, "sort.py", "a = 2\nb = 3\n")
    run = runs.save(
        runs.Run(
            id=name,
            root=str(root),
            text=TARGET,
            name="sort",
            base=base,
            branch=f"autoresearch/{name}",
            scratch=f"{root}/.scratch-{name}",
            mark="m",
            began=time.time() - 7200,
            stopped=stopped,
        )
    )
    low, rows = 120.0, []
    kinds = (
        "baseline",
        "keep",
        "discard",
        "keep",
        "crash",
        "discard_noise",
        "keep",
        "discard",
        "keep_reworked",
    )
    for number, status in enumerate(kinds):
        before = low
        low -= best if status.startswith("keep") else 0
        kept = status in KEPT
        metric = None if status == "crash" else low if kept else low + 6
        rows.append(
            Row(
                iteration=number,
                timestamp=run.began + number * 60 + 1,
                status=status,
                metric=metric,
                best=low,
                mad=1.5,
                delta=None if number == 0 or metric is None else metric - before,
                description=f"try {number}: shorter inner loop",
                commit=change if number else base,
                base=base,
                seconds=55.0,
            )
        )
    run.journal.rewrite(rows)
    return run


def commit(root, name, text):
    (root / name).write_text(text)
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    if not (root / ".git" / "objects").exists():
        subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    subprocess.run([*git, "add", name], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", f"change {name}"], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return head.stdout.strip()
