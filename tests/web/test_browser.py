"""Test the dashboard in a real browser: live updates, answers, attacks, keyboard and accessibility."""

from pathlib import Path

import axe_core_python
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys as Key
from tests.web import browser as browsers
from tests.web import seed
from tests.web.conftest import question

from hookline.core.approval import Decision

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not all(browsers.programs()), reason="requires chromium and chromedriver"),
]
PAGES = ("now", "decisions", "decisions?position=1", "spend", "runs", "memory", "health")
AXE = next(Path(axe_core_python.__file__).parent.rglob("axe.min.js")).read_text()


@pytest.fixture(scope="module")
def browser():
    with browsers.opened("--window-size=1200,900") as started:
        yield started


def body(browser):
    return browser.find_element(By.TAG_NAME, "body").text


def test_a_blocked_push_appears_on_the_open_page(browser, site, user):
    with browsers.served(site) as address:
        browsers.enter(browser, site, address)
        browser.get(f"http://{address}/decisions?action=block")
        rows = len(browser.find_elements(By.CSS_SELECTOR, "#rows tr"))
        browsers.wait(lambda: site.feed._viewers)  # noqa: SLF001
        site.reader.read()
        push = seed.record(
            "new", "s", 9e8, "codex", user.project, "PreToolUse", "git push -f", "block", ("a:b",), "r"
        )
        site.store.record([push])
        browsers.wait(lambda: "git push -f" in body(browser))

        assert len(browser.find_elements(By.CSS_SELECTOR, "#rows tr")) == rows + 1


def test_a_question_is_answered_on_the_page(browser, site):
    with browsers.served(site) as address:
        browsers.enter(browser, site, address)
        site.questions.append(question())
        message = browsers.wait(lambda: browser.find_elements(By.NAME, "message"))[0]
        message.send_keys("use the staging registry")
        browser.find_element(By.CSS_SELECTOR, "button[value=deny]").click()
        browsers.wait(lambda: site.decisions)
        browsers.wait(lambda: "Denied" in body(browser))

        assert site.decisions == [Decision(id="q1", choice="deny", message="use the staging registry")]
        assert browser.title.startswith("(1) ")


@pytest.mark.parametrize("page", PAGES)
def test_hostile_text_executes_nothing(browser, hostile_site, page):
    hostile_site.questions.append(question(tool=seed.HOSTILE, summary=seed.HOSTILE, reason=seed.HOSTILE))
    with browsers.served(hostile_site) as address:
        browsers.enter(browser, hostile_site, address)
        browser.get(f"http://{address}/{page}")
        browsers.wait(lambda: hostile_site.feed._viewers or page not in ("now", "decisions"))  # noqa: SLF001

        assert browser.execute_script("return window.hacked") is None
        assert not browser.find_elements(By.CSS_SELECTOR, "main img, main script")
        assert [entry for entry in browser.get_log("browser") if "Content Security" in entry["message"]] == []


def test_another_page_changes_nothing(browser, site):
    forge = """
        const form = document.createElement("form");
        form.method = "post"; form.action = arguments[0];
        form.innerHTML = '<input name="id" value="q1"><input name="choice" value="once">';
        document.body.append(form); form.submit();
    """
    with browsers.served(site) as address, browsers.another_site() as elsewhere:
        browsers.enter(browser, site, address)
        browser.get(f"http://{elsewhere}/")
        browser.execute_script(forge, f"http://{address}/now/decide")
        browsers.wait(lambda: address in browser.current_url)

        assert site.decisions == []
        assert "another page" in body(browser)


def test_the_key_leaves_the_address_bar(browser, site):
    with browsers.served(site) as address:
        token = site.keys.token
        browsers.enter(browser, site, address)

        assert token not in browser.current_url
        assert browser.execute_script("return document.cookie") == ""


def test_pages_are_reached_by_keyboard(browser, site):
    with browsers.served(site) as address:
        browsers.enter(browser, site, address)
        browser.find_element(By.TAG_NAME, "body").send_keys("2")
        browsers.wait(lambda: browser.current_url.endswith("/decisions"))
        browser.find_element(By.TAG_NAME, "body").send_keys(Key.TAB)
        first = browser.switch_to.active_element.text
        browser.find_element(By.TAG_NAME, "body").send_keys("/")

        assert first == "Skip to content"
        assert browser.switch_to.active_element.tag_name == "input"


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1200])
def test_every_page_passes_the_rules_of_axe(browser, site, user, width, dark):
    site.questions.append(question())
    media = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )
    found = {}
    with browsers.served(site) as address:
        browsers.enter(browser, site, address)
        for page in PAGES:
            browser.get(f"http://{address}/{page}")
            browser.execute_script(AXE)
            result = browser.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
            found[page] = [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in result["violations"]]
            overflow = browser.execute_script("return document.documentElement.scrollWidth - innerWidth")
            found[page] += [("scrolls sideways", overflow)] if overflow > 0 else []

    assert found == {page: [] for page in PAGES}
