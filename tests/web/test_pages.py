"""Test the content of the pages and their actions."""

import json
import re
from time import time as now

import pytest
from tests.web import seed
from tests.web.conftest import csrf, question

from hookline.budget.ledger import BUDGET_NOTE
from hookline.core.approval import Decision
from hookline.core.rule_exceptions import find_exception
from hookline.core.values import replace
from hookline.hooks.end_session import ENDED_NOTE
from hookline.memory.forget import replace_memories
from hookline.memory.learn import POSITION_NOTE
from hookline.web.pages.health import measure

MEMORY = "m1" + "0" * 30


def read(site, path):
    answer = site.client().get(path)
    assert answer.status_code == 200, answer.text
    return answer.text


def test_sessions_that_need_a_person_come_first(site):
    site.questions.append(question())
    text = read(site, "/now")
    places = [
        text.index(need) for need in ("waits for your answer", "asks for permission", "waits for a prompt")
    ]

    assert places == sorted(places)


@pytest.mark.parametrize(
    ("form", "decision"),
    [
        ({"choice": "once"}, Decision(id="q1", choice="once")),
        ({"choice": "session"}, Decision(id="q1", choice="session")),
        ({"choice": "deny", "message": " not now "}, Decision(id="q1", choice="deny", message="not now")),
    ],
)
def test_a_question_is_answered(site, form, decision):
    site.questions.append(question())
    client = site.client()
    page = client.get("/now")
    answer = client.post("/now/decide", data={"csrf": csrf(page), "back": "/now", "id": "q1", **form})

    assert (site.decisions, answer.status_code) == ([decision], 200)


def test_an_unknown_choice_decides_nothing(site):
    client = site.client()
    data = {"csrf": csrf(client.get("/now")), "id": "q1", "choice": "always", "back": "/now"}

    assert "Not done: no choice named" in client.post("/now/decide", data=data).text
    assert site.decisions == []


def set_budget(site, session, time):
    client = site.client()
    form = {"csrf": csrf(client.get("/now")), "back": "/now", "session": session, "time": time}
    return client.post("/now/budget", data=form).text


@pytest.mark.parametrize(("time", "seconds"), [("20m", 1200), (" 7d ", 604_800), ("1s", 1)])
def test_a_time_budget_is_set(site, time, seconds):
    before = now()
    text = set_budget(site, "c4417e90-77aa", time)
    end = site.store.notes("c4417e90-77aa")[BUDGET_NOTE]

    assert before + seconds <= end <= now() + seconds
    assert "Time budget set" in text


def test_a_time_budget_is_removed(site):
    assert "Time budget removed" in set_budget(site, "7d10b8aa-1f00", "none")
    assert site.store.notes("7d10b8aa-1f00")[BUDGET_NOTE] is None


@pytest.mark.parametrize(
    ("session", "time", "problem"),
    [
        ("7d10b8aa-1f00", "8d", "invalid duration"),
        ("7d10b8aa-1f00", "20", "invalid duration"),
        ("7d10b8aa-1f00", "", "invalid duration"),
        ("old-8", "20m", "is not active"),
    ],
)
def test_a_wrong_time_budget_changes_nothing(site, session, time, problem):
    before = site.store.notes(session)

    assert problem in set_budget(site, session, time)
    assert site.store.notes(session) == before


def test_a_read_only_dashboard_has_no_form_of_budgets(reading_site):
    assert "/now/budget" not in read(reading_site, "/now")


@pytest.mark.parametrize(
    ("event", "action", "rules", "need"),
    [
        ("PreToolUse", "block", ("loop-breaker:repeated-failure",), "repeats itself"),
        ("PermissionRequest", "pass", (), "asks for permission"),
        ("Notification", "pass", (), "notified you"),
        ("Stop", "pass", (), "waits for a prompt"),
    ],
)
def test_the_last_record_of_a_session_tells_its_need(site, user, event, action, rules, need):
    last = seed.record("z", "7d10b8aa-1f00", now(), "codex", user.project, event, "x", action, rules, "r")
    site.store.record([last])
    text = read(site, "/now")
    card = text[: text.index("Decisions of session 7d10b8aa")].rpartition("<article")[2]

    assert f'<p class="need">{need}</p>' in card


def test_a_session_without_time_left_is_over_its_budget(site):
    site.store.set_notes("7d10b8aa-1f00", {BUDGET_NOTE: now() - 5})

    assert '<p class="need">is over its budget</p>' in read(site, "/now")


def post_now(site, action, session):
    client = site.client()
    form = {"csrf": csrf(client.get("/now")), "back": "/now", "session": session}
    return client.post(f"/now/{action}", data=form).text


def test_subagents_are_listed_under_their_session(site):
    text = re.sub(r"<[^>]+>", " ", read(site, "/now"))
    part = " ".join(text[text.index("Subagents") : text.index("Decisions of session 7d10b8aa")].split())

    assert re.search(r"Explore 4f2a90c1 · ended after 1m 10s", part)
    assert re.search(r"Explore 91bb07d2 · running for 5m \d+s sed -n 1,80p src/login.py", part)


def test_a_session_is_ended(site):
    text = post_now(site, "end", "58eca2c0-5a41")

    assert site.store.notes("58eca2c0-5a41")[ENDED_NOTE] is True
    assert "ends at its next tool call" in text


def test_a_host_that_lets_no_hook_end_a_session_has_no_button(site):
    text = read(site, "/now")

    assert ('aria-label="End 58eca2c0"' in text, 'aria-label="End 7d10b8aa"' in text) == (True, False)
    assert "codex lets no hook end a session" in text
    assert "Not done: codex cannot be ended" in post_now(site, "end", "7d10b8aa-1f00")
    assert ENDED_NOTE not in site.store.notes("7d10b8aa-1f00")


def test_a_session_is_handed_over(site, user, tmp_path):
    transcript = tmp_path / "session.jsonl"
    prompt = {"type": "user", "message": {"role": "user", "content": "Fix the login of expired tokens"}}
    transcript.write_text(json.dumps({**prompt, "uuid": "1", "timestamp": "2026-01-01T00:00:00Z"}) + "\n")
    site.store.set_notes("58eca2c0-5a41", {POSITION_NOTE: {"path": str(transcript)}})
    text = post_now(site, "hand-over", "58eca2c0-5a41")
    handoff = site.store.handoffs(session="58eca2c0-5a41", limit=1)[0]

    assert f"Saved as handoff {handoff.id}" in text
    assert "Fix the login of expired tokens" in handoff.text
    assert handoff.details["why"] == "rotation"


def test_a_session_without_a_prompt_is_not_handed_over(site):
    assert "no content for a handoff" in post_now(site, "hand-over", "c4417e90-77aa")


@pytest.mark.parametrize("action", ["end", "hand-over"])
def test_only_active_sessions_are_ended_or_handed_over(site, action):
    assert "is not active" in post_now(site, action, "old-8")


def test_a_read_only_dashboard_ends_nothing(reading_site):
    text = read(reading_site, "/now")

    assert ("/now/end" in text, "/now/hand-over" in text) == (False, False)


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", {"r1", "r2", "r3", "r4"}),
        ("?action=block", {"r1"}),
        ("?host=codex", {"r3", "r4"}),
        ("?hook=privacy-block", {"r2"}),
        ("?text=PYTEST", {"r3"}),
        ("?age=100s", {"r4"}),
        ("?session=58eca2c0-5a41", {"r1", "r2"}),
        ("?folder=/nowhere", set()),
    ],
)
def test_decisions_are_filtered(site, query, shown):
    keys = {"r1": seed.PUSH, "r2": "cat .env", "r3": "pytest -q", "r4": ">ls<"}
    text = read(site, f"/decisions{query}")

    assert {name for name, call in keys.items() if call in text} == shown


def test_an_invalid_age_is_explained(site):
    answer = site.client().get("/decisions?age=soon")

    assert (answer.status_code, "invalid age" in answer.text) == (404, True)


def test_a_decision_has_its_explanation_with_the_span(site):
    text = read(site, "/decisions?position=1")

    assert f"<mark>{seed.PUSH}</mark>" in text or re.search(r"<mark>[^<]*--force[^<]*</mark>", text)
    assert "git-push-force · block" in text or "git-push-force" in text
    assert "Passed: self-protect" in text


def test_an_exception_excepts_exactly_this_call(site):
    import tomllib
    from html import unescape

    text = read(site, "/decisions?position=1&reason=release+day")
    snippet = unescape(re.search(r'<pre id="exception"[^>]*>(.*?)</pre>', text, re.DOTALL)[1])
    allow = tuple(tomllib.loads(snippet)["hooks"]["dangerous-command"]["allow"])

    def excepted(command):
        return find_exception(allow, "dangerous-command", "git-push-force", command)

    assert excepted(seed.PUSH) == "release day"
    assert excepted(f"{seed.PUSH} --all") is None


def test_spend_sums_by_model_and_names_silent_hosts(site, user):
    site.store.record([seed.record("k", "quiet", 9e9, "kiro", user.project, "Stop", "", "pass", (), "")])
    text = read(site, "/spend?days=7")

    assert "gpt-5-codex" in text
    assert "No usage data from: kiro" in text
    assert "3 sessions" in text


def test_spend_sums_by_branch(site, user):
    text = re.sub(r"<[^>]+>", " ", read(site, "/spend?days=7"))

    assert re.search(rf"{user.project} · fix-login\s+\$[\d.]+", text)
    assert re.search(rf"{user.project} · main\s+\$[\d.]+", text)


def test_a_memory_is_edited_pinned_and_forgotten(site):
    client = site.client()
    token = csrf(client.get("/memory"))

    def post(action, **form):
        return client.post(
            f"/memory/{action}", data={"csrf": token, "back": "/memory", "id": MEMORY, **form}
        ).text

    assert "Saved." in post("edit", text="Use uv")
    assert "Pinned" in post("pin")
    memory = site.store.memories([MEMORY])[0]
    assert (memory.text, memory.pinned, memory.source) == ("Use uv", True, "user")
    assert "Forgotten." in post("forget")
    assert not site.store.memories([MEMORY])
    assert "no longer exists" in post("pin")


def test_a_forgotten_memory_restores_the_one_that_it_replaced(site):
    old = site.store.memories([MEMORY])[0]
    new = replace(old, id="m2" + "0" * 30, text="Run the tests without Postgres")
    replace_memories(site.store, new, [old])
    client = site.client()
    form = {"csrf": csrf(client.get("/memory")), "back": "/memory", "id": new.id}
    text = client.post("/memory/forget", data=form).text

    assert f"Restored, which it had replaced: {old.text}" in text
    assert site.store.memories([old.id, new.id]) == [old]


def test_a_fix_is_changed(site, user):
    client = site.client()
    token = csrf(client.get("/memory"))
    form = {"csrf": token, "key": "E1f2", "project": str(user.project), "fix": "uv add pyyaml"}
    client.post("/memory/fix", data=form)

    assert site.store.signatures(key="E1f2")[0].fix == "uv add pyyaml"


def test_memory_is_searched(site):
    text = read(site, "/memory?text=postgres")

    assert "Postgres must be up" in text
    assert "No known errors match" in text


def test_runs_have_a_chart_with_a_noise_band_and_diffs(site, user):
    import shutil

    shutil.rmtree(user.project / ".git")
    seed.add_run(user.project, "sort-261115-1850", 5.0)
    seed.add_run(user.project, "sort-261116-0900", 8.0)
    run = read(site, "/runs?run=sort-261115-1850")

    assert 'class="band"' in run
    assert run.count("<circle") == 9
    assert re.search(r'<circle class="crashed"[^>]*><title>4: crash, no metric', run)
    assert "+b = 3" in read(site, "/runs?run=sort-261115-1850&experiment=1")
    assert (
        read(site, "/runs?compare-sort-261115-1850=on&compare-sort-261116-0900=on").count('class="line') == 2
    )
    assert site.client().get("/runs?run=other").status_code == 404


def test_health_runs_the_checks_on_request(site):
    client = site.client()
    page = client.get("/health")
    checked = client.post("/health/check", data={"csrf": csrf(page), "back": "/health"}).text

    assert "Not checked yet" in page.text
    assert "fix &lt;b&gt;this&lt;/b&gt;" in checked
    assert "my-check: 1 in the last 7 days" in checked


def test_percentiles_are_those_of_the_nearest_rank():
    found = measure("h", [float(number) for number in range(100, 0, -1)])

    assert (found.calls, found.p50, found.p95, found.p99) == (100, 50.0, 95.0, 99.0)
    assert measure("h", [7.0]).p99 == 7.0


def test_an_empty_store_shows_every_page(store, setup):
    from tests.web.conftest import Site

    client = Site(store, setup).client()

    assert {
        client.get(f"/{page}").status_code
        for page in ("now", "decisions", "spend", "runs", "memory", "health")
    } == {200}


def test_a_read_only_dashboard_names_the_command_of_the_checks(reading_site):
    assert "runs no checks; run <code>hookline doctor</code>" in read(reading_site, "/health")
