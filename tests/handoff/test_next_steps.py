"""Test that the next step is found in the last words of agents of many styles."""

import pytest

from hookline.core.conversation import Message, ToolResult, ToolUse
from hookline.core.todos import Todo
from hookline.handoff.extract import SessionFacts, extract_content
from hookline.handoff.next_steps import excludes, find_steps, reports_done
from hookline.language.dialogue import is_result, label_message

OPEN = [
    (
        (
            "I've got the parser working for nested lists. The tricky part that's left is tables with "
            "merged cells, so that comes next."
        ),
        "merged cells",
    ),
    (
        "The migration is written but not applied; run `rails db:migrate` on staging first.",
        "rails db:migrate",
    ),
    (
        (
            "Both endpoints return 200 now. I haven't touched the rate limiter yet, it still counts "
            "OPTIONS requests."
        ),
        "rate limiter",
    ),
    ("Let me fix the failing snapshot.", "failing snapshot"),
    (
        (
            "Tests pass locally. Before merging we have to regenerate the OpenAPI client, otherwise "
            "the mobile build breaks."
        ),
        "OpenAPI client",
    ),
    (
        "I see the problem: `flush()` is called after the response was closed. Moving it before `end()`.",
        "Moving it before",
    ),
    ("This leaves two failing tests, test_tz and test_leap, which I want to look at together.", "test_tz"),
    (
        (
            "There are two ways to go on:\n\n- A: keep the view and add an index\n- B: denormalise the "
            "totals\n\nI'd go with B. Which one do you prefer?"
        ),
        "denormalise",
    ),
    ("The root cause is the missing `await` in `worker.ts:88`. Fixing it now.", "worker.ts:88"),
    (
        "Half of the handlers are converted (12 of 24). The remaining ones are in `handlers/legacy/`.",
        "handlers/legacy",
    ),
    ("Now I need to update the call sites.", "call sites"),
    (
        (
            "I couldn't reproduce the crash with the debug build. My plan is to try again with `-O2` "
            "and the address sanitizer."
        ),
        "address sanitizer",
    ),
    (
        (
            "I've started the reindex job (id 8812); it needs about 40 minutes. Afterwards the alias "
            "has to be switched from products_v3 to products_v4."
        ),
        "products_v4",
    ),
    ("Everything compiles. Outstanding: the Windows path handling and a test for symlinks.", "Windows path"),
    ("Waiting for your decision on the retention period; everything else is in place.", "retention period"),
    ("We're at 61 % coverage. `billing/` is the weakest package with 12 %, I'd continue there.", "billing/"),
    (
        "The linter complains about three unused imports in api.py — trivial, doing that next.",
        "unused imports",
    ),
    (
        (
            "Good question. The cache is invalidated in `after_commit`. Back to the exporter: I still "
            "need to write the header row."
        ),
        "header row",
    ),
    (
        (
            "I reverted the change because it broke login. A better approach would be to validate the "
            "token in the gateway; I'll prototype that in gateway/auth.go."
        ),
        "gateway/auth.go",
    ),
    (
        (
            "Done with the backend part. For the frontend, `useOrders` has to switch to the new cursor "
            "parameter."
        ),
        "useOrders",
    ),
    ("All 48 tests pass. Shall I squash the commits?", "squash"),
    (
        "The deploy is running. If the health check fails again we should bump the memory limit to 1 GiB.",
        "memory limit",
    ),
    ("I need credentials for the sandbox account to go further.", "credentials"),
    ("Would you like me to delete the old tables as well, or keep them for a release?", "old tables"),
    (
        (
            "Unfortunately the build still fails: `undefined reference to crc32`. zlib is probably "
            "missing in the toolchain file."
        ),
        "crc32",
    ),
    (
        "So: step 1 (schema) is finished, step 2 (dual writes) is half done, step 3 (backfill) not begun.",
        "dual writes",
    ),
    (
        "What remains is documentation: the new settings are not described in docs/config.md.",
        "docs/config.md",
    ),
    ("The hook fires twice. I suspect StrictMode; checking with a production build.", "production build"),
    (
        (
            "I'd suggest to look at the connection pool next, since 80 % of the time is spent waiting "
            "for a connection."
        ),
        "connection pool",
    ),
]
FINISHED = [
    "All done! The feature is implemented, tested and pushed.",
    "Merged. There is nothing left to do.",
    (
        "Everything you asked for is in place: the script, the cron job and the docs. Let me know "
        "if you need anything else."
    ),
    "The bug is fixed and released as 2.3.1.",
    "Done. All 212 tests pass and the PR is merged.",
    "Great, glad it works. The work is complete.",
    "The signature is the same, no reference to Bamboo is left, and the full suite passes.",
    (
        "That completes the migration; staging and prod both run the new version, and the old "
        "cluster is deleted."
    ),
]


def test_open_work_is_found_in_most_texts():
    found = [step.lower() in " ".join(find_steps(text)).lower() for text, step in OPEN]

    assert sum(found) >= 0.75 * len(found)


def test_most_reports_of_finished_work_are_results():
    found = [is_result(label_message(text)) for text in FINISHED]

    assert sum(found) >= 0.75 * len(found)


STEPS = [
    ("The login form validates now and the 14 tests pass.", ""),
    (
        "I've added the endpoint. Next I'll write the integration test for the 409 case.",
        "integration test",
    ),
    ("Fixed the race in pool.go. Let me know if you want me to backport it.", ""),
    ("The migration ran on staging. Production is not migrated yet.", "Production is not migrated"),
    ("Should I also update the lock file?", ""),
    ("Two of five endpoints are converted; `orders`, `refunds` and `payouts` remain.", "remain"),
    (
        "The build is broken by the new eslint. To do: pin eslint to 8.57 and try again.",
        "pin eslint",
    ),
    (
        "### Summary\n- parser rewritten\n\n### Remaining\n- error messages in German\n- benchmark",
        "error messages in German",
    ),
    ("You're welcome! Happy to help.", ""),
    ("I can't reproduce the crash on Linux. It needs a Windows machine to go on.", "Windows machine"),
    ("Here is how the cache works: entries expire after 5 minutes, and the next request refills it.", ""),
    ("Renamed everywhere. Still missing: the Helm chart.", "Helm chart"),
    ("Die API ist umgestellt. Als Nächstes kommt die Oberfläche.", "Oberfläche"),
    ("I'll start the dev server and take screenshots.", "screenshots"),
    ("The coverage is at 84 %, the target is 90 %. I'd cover `retry.py` next.", "retry.py"),
    ("Everything is deployed. One thing to watch: memory on node 3.", ""),
    ("Waiting for your approval to run the migration on prod.", "approval"),
    ("Tests are green. You may want to rotate the API key that was in the log.", ""),
    ("Upgraded to React 19; the storybook build still fails with `useId` errors.", "storybook"),
    ("I reverted the change since it made things worse. The leak is still there.", "leak is still there"),
    ("No changes needed, the config already has that value.", ""),
    ("The report is in out/report.html. Is there anything else you need?", ""),
]


def test_steps_that_a_text_leaves_open():
    found = [[one for one in find_steps(text) if not one.endswith("?")] for text, _ in STEPS]
    right = [
        any(step in one for one in steps) if step else not steps
        for steps, (_, step) in zip(found, STEPS, strict=True)
    ]

    assert sum(right) >= 0.75 * len(right)


@pytest.mark.parametrize(
    ("todo", "text", "done"),
    [
        ("logout", "RP-initiated logout works too.", True),
        ("drop zone accepts .kml", "The drop zone accepts .kml.", True),
        ("push", "Committed and pushed.", True),
        ("write the tests", "I still have to write the tests.", False),
    ],
)
def test_todos_that_the_agent_reports_as_done(todo, text, done):
    assert reports_done(todo, text) is done


@pytest.mark.parametrize(
    ("text", "excluded"),
    [
        ("Only the docs are left.", True),
        ("### Remaining\n- docs\n- release", True),
        ("Next I'll write the docs.", False),
        ("Next step: write the docs", False),
        ("Only the UI state is missing.", False),
    ],
)
def test_todos_that_are_not_among_what_is_left(text, excluded):
    assert excludes("UI state", text) is excluded


@pytest.mark.parametrize(("closing", "unfinished"), [("Perfect, thanks!", False), ("and the docs?", True)])
def test_the_person_ends_the_work(closing, unfinished):
    entries = [
        Message(by="person", text="Rewrite the parser so that it supports comments, with tests"),
        ToolUse(call="1", tool="Edit", kind="edit", path="a.py"),
        ToolResult(call="1"),
        Message(by="agent", text="The parser supports comments now, and 12 tests pass."),
    ]

    assert extract_content(entries, SessionFacts(), str).unfinished
    closed = [*entries, Message(by="person", text=closing)]
    assert extract_content(closed, SessionFacts(), str).unfinished is unfinished


def test_a_promise_is_no_report():
    entries = [
        Message(by="person", text="Validate the rows and merge the duplicates"),
        Message(by="agent", text="I'll validate the rows first, then merge the duplicates."),
        ToolUse(call="1", tool="Edit", kind="edit", path="rows.py"),
        ToolResult(call="1"),
        Message(by="agent", text="Validation of the rows works, all tests pass."),
        Message(by="person", text="thanks"),
    ]

    assert "duplicates" in extract_content(entries, SessionFacts(), str).next[0]


def test_parts_of_the_request_that_no_report_names_are_next():
    entries = [
        Message(by="person", text="The report page needs three exports: CSV, XLSX and PDF"),
        ToolUse(call="1", tool="Edit", kind="edit", path="export_csv.py"),
        ToolResult(call="1"),
        Message(by="agent", text="The page exports CSV and XLSX now, all tests pass."),
    ]

    assert extract_content(entries, SessionFacts(), str).next == (
        "not mentioned in the agent's reports: PDF",
    )


@pytest.mark.parametrize(
    ("text", "closing", "unfinished"),
    [
        ("Karanlık tema tamamlandı, testler geçti ve gönderildi.", "Teşekkürler, thanks!", False),
        ("All four items are fixed, each with a UI test.", "Works great. Thank you!", False),
        ("All four items are fixed, each with a UI test.", "Thanks. Does it work on iPads?", True),
        ("Karanlık tema tamamlandı, testler geçti ve gönderildi.", "menüden de değiştirilebilsin", True),
    ],
)
def test_thanks_for_a_list_that_is_done_end_the_work(text, closing, unfinished):
    entries = [
        Message(by="person", text="Şimdi karanlık tema ekle."),
        ToolUse(call="1", tool="TodoWrite", kind="todo"),
        ToolUse(call="2", tool="Bash", kind="shell", command="npm test"),
        ToolResult(call="2"),
        Message(by="agent", text=text),
        Message(by="person", text=closing),
    ]
    content = extract_content(entries, SessionFacts(done=("tema",)), lambda text: text)

    assert content.unfinished is unfinished


def test_last_words_in_another_language_come_before_an_older_todo():
    entries = [
        Message(by="person", text="Teraz dodaj do kasy pole NIP."),
        ToolUse(call="1", tool="TodoWrite", kind="todo"),
        Message(by="agent", text="Został jeszcze brak walidacji sumy kontrolnej."),
    ]
    facts = SessionFacts(todos=(Todo(text="testy", status="pending"),))
    content = extract_content(entries, facts, lambda text: text)

    assert "walidacji" in content.next[0]


def test_a_rollback_that_the_person_asked_for_is_no_failed_approach():
    entries = [
        Message(by="person", text="roll back first, then fix"),
        Message(by="agent", text="Rolled back, the error rate is 0."),
        Message(by="agent", text="A larger cache has no effect. I'm reverting that."),
    ]
    content = extract_content(entries, SessionFacts(), lambda text: text)

    assert content.failed == ("A larger cache has no effect.",)
