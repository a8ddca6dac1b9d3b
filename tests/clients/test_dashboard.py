"""Test the dashboard with a real agent and a real browser: a block appears, and a question is answered."""

import ctypes
import json
import os
import pty
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from selenium.webdriver.common.by import By
from tests.clients.installed_files import wired
from tests.conftest import SCRATCH
from tests.daemon.conftest import House
from tests.web import browser as browsers

from .client import load
from .driver import Place, Played, Player
from .inside import bring_loopback_up
from .script import Reply, say
from .users import trail

pytestmark = [
    pytest.mark.clients,
    pytest.mark.skipif(not all(browsers.programs()), reason="requires chromium and chromedriver"),
]
PUSH = "git push --force origin main"
ASKED = "chmod -R 755 . && echo ran-$((40 + 2))"
SEEN = """
const text = arguments[0];
new MutationObserver(() => {
  if (!window.seenAt && document.body.innerText.includes(text)) window.seenAt = Date.now();
}).observe(document.body, {childList: true, subtree: true});
"""
FOCUS = """
const element = document.querySelector(arguments[0]);
if (element) element.focus();
return element;
"""
NEW_NETWORK = 0x40000000
SHELL = load("claude-code").shell


@pytest.fixture(scope="module")
def network() -> Iterator[None]:
    """Move this thread, and what it starts, to a network that has only a loopback interface.

    The daemon does not answer callers of another network, so all of them share this one.
    """
    if os.geteuid():
        pytest.skip("requires root, to create a network for several programs")
    system = ctypes.CDLL(None, use_errno=True)
    with Path("/proc/thread-self/ns/net").open() as before:
        assert system.unshare(NEW_NETWORK) == 0
        bring_loopback_up()
        yield
        assert system.setns(before.fileno(), NEW_NETWORK) == 0


@pytest.fixture(scope="module")
def browser(network: None) -> Iterator[Any]:
    with browsers.opened("--window-size=1200,900") as started:
        yield started


@pytest.fixture
def house(user: Any, network: None) -> Iterator[House]:
    made = House(user, os.path.realpath(tempfile.mkdtemp(prefix="h-", dir=SCRATCH)))
    yield made.start()
    made.end()


Watch = Callable[..., Any]


@pytest.fixture
def watch(house: House, claude_code: Player, browser: Any, request: pytest.FixtureRequest) -> Watch:
    """Return a function that starts Claude Code while the browser shows a page of `hookline ui`."""

    @contextmanager
    def start(page: str, *replies: Reply) -> Iterator[Future[Played]]:
        arrived, ready = Queue[Place](), threading.Event()

        def wait_for_page(place: Place) -> None:
            arrived.put(place)
            ready.wait(120)

        files = wired("claude-code", str(house.client), 605.0)
        config = {".config/hookline/hookline.toml": 'approvals = "wait"\n'}
        scenario = {
            "settings": files.pop(".claude/settings.json"),
            "home": {**files, **config},
            "replies": replies,
            "first": wait_for_page,
            "env": {"HOOKLINE_DAEMON": "on", "TMPDIR": SCRATCH},
            "timeout": 240.0,
            "network": (),
        }
        with ThreadPoolExecutor(1) as pool:
            played = pool.submit(claude_code, request.node.name, **scenario)
            try:
                with dashboard(house, arrived.get(timeout=60)) as link:
                    browser.get(link)
                    browsers.wait(lambda: browser.find_elements(By.CSS_SELECTOR, "nav a"), 60)
                    browser.get(f"{link.partition('/#')[0]}/{page}")
                    ready.set()
                    yield played
            finally:
                ready.set()

    return start


@contextmanager
def dashboard(house: House, place: Place) -> Iterator[str]:
    """Run `hookline ui` at a terminal of its own, and yield the link that it prints."""
    terminal, other_end = pty.openpty()
    argv = ["setsid", "--ctty", str(house.root / "bin/hookline"), "ui"]
    with subprocess.Popen(
        argv, stdin=other_end, stdout=subprocess.PIPE, env=dict(place.env), cwd=place.repo, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()
            process.wait(60)
            os.close(terminal)
            os.close(other_end)


def said(played: Played) -> str:
    return json.dumps([turn.body for turn in played.turns], ensure_ascii=False)


def shown(browser: Any) -> str:
    """Return the text of the page, in one step because updates replace its elements."""
    return str(browser.execute_script("return document.querySelector('main').innerText"))


def test_a_blocked_push_appears(
    watch: Watch, browser: Any, hookline: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with watch("decisions?action=block", SHELL(PUSH), say("done")) as playing:
        browser.execute_script(SEEN, PUSH)
        browsers.wait(lambda: PUSH in shown(browser), 200)
        seen = browser.execute_script("return window.seenAt") / 1000
        played = playing.result(240)
    (blocked,) = [record for record in trail(played, hookline) if record["action"] == "block"]
    with capsys.disabled():
        print(f"\na blocked push appeared after {1000 * (seen - blocked['at']):.0f} ms")

    assert "dangerous-command:git-push-force" in said(played)


def focus(browser: Any, selector: str) -> Any:
    """Return an element that has the focus; an update does not replace the part of the page around it."""
    return browsers.wait(lambda: browser.execute_script(FOCUS, selector), 60)


def answer(browser: Any, choice: str, message: str = "") -> None:
    """Answer the question on the page Now."""
    field = focus(browser, "[name=message]")
    assert ASKED in shown(browser)
    field.send_keys(message)
    browser.find_element(By.CSS_SELECTOR, f"button[value={choice}]").click()


def test_an_allowed_call_runs(watch: Watch, browser: Any) -> None:
    with watch("now", SHELL(ASKED), say("done")) as playing:
        answer(browser, "once")
        played = playing.result(240)

    assert "ran-42" in json.dumps(played.turns[1].body)


def test_a_denied_call_gives_the_model_the_message(watch: Watch, browser: Any) -> None:
    with watch("now", SHELL(ASKED), say("done")) as playing:
        answer(browser, "deny", "change only the scripts")
        played = playing.result(240)
    last = json.dumps(played.turns[1].body)

    assert "a person denied this call: change only the scripts" in last
    assert "ran-42" not in last


def test_an_ended_session_calls_no_more_tools(watch: Watch, browser: Any) -> None:
    mark = "echo ran >> ../ran.txt"
    with watch("now", SHELL(ASKED), SHELL(mark), SHELL(mark), say("done")) as playing:
        focus(browser, "[name=message]")
        focus(browser, "button[formaction='/now/end']").click()
        browsers.wait(lambda: "ends at its next tool call" in shown(browser), 60)
        answer(browser, "once")
        played = playing.result(240)

    assert (len(played.turns), Path(played.home, "../ran.txt").exists()) == (2, False)
