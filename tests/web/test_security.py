"""Test who may see and change the dashboard, and that hostile text stays text."""

import re

import pytest
from tests.web import seed
from tests.web.conftest import ADDRESS, csrf, question

PAGES = ("now", "decisions", "spend", "runs", "memory", "health")
MEMORY = "m1" + "0" * 30


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_shown_without_the_link(site, page):
    answer = site.client(inside=False).get(f"/{page}")

    assert answer.status_code == 401
    assert "58eca2c0" not in answer.text


def test_a_stream_needs_the_link(site):
    assert site.client(inside=False).get("/events?page=now").status_code == 404


def test_a_link_opens_once_and_is_replaced(site):
    first = site.keys.token
    site.client()
    again = site.client(inside=False).post("/enter", data={"token": first})

    assert (again.status_code, site.links) == (401, [site.keys.token])
    assert site.keys.token != first


def test_the_cookie_is_for_this_page_only(site):
    client = site.client(inside=False)
    answer = client.post("/enter", data={"token": site.keys.token}, follow_redirects=False)
    cookie = answer.headers["set-cookie"].lower()

    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "max-age" not in cookie
    assert "expires" not in cookie


@pytest.mark.parametrize("host", ["localhost:4321", "127.9.8.7", "evil.example", "127.9.8.7:4322"])
def test_rebinding_a_name_to_this_address(site, host):
    assert site.client(inside=False).get("/static/dashboard.css", headers={"host": host}).status_code == 403


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.9.8.7:9999", f"https://{ADDRESS}"]
)
def test_a_change_from_another_origin(site, origin):
    client = site.client()
    data = {"csrf": csrf(client.get("/memory")), "id": MEMORY}

    assert client.post("/memory/forget", data=data, headers={"origin": origin}).status_code == 403
    assert site.store.memories([MEMORY])


def test_a_change_without_an_origin(site):
    client = site.client()
    del client.headers["origin"]
    data = {"csrf": csrf(client.get("/memory")), "id": MEMORY}

    assert client.post("/memory/forget", data=data).status_code == 403


@pytest.mark.parametrize("token", ["", "0" * 64])
def test_a_change_without_the_forms_token(site, token):
    client = site.client()
    client.get("/memory")

    assert client.post("/memory/forget", data={"csrf": token, "id": MEMORY}).status_code == 403
    assert site.store.memories([MEMORY])


def test_the_token_of_another_viewer(site):
    client, other = site.client(), site.client()
    data = {"csrf": csrf(other.get("/memory")), "id": MEMORY}

    assert client.post("/memory/forget", data=data).status_code == 403


def test_a_change_without_a_cookie(site):
    client, outside = site.client(), site.client(inside=False)
    data = {"csrf": csrf(client.get("/memory")), "id": MEMORY}

    assert outside.post("/memory/forget", data=data).status_code == 403


def test_a_read_only_dashboard_changes_nothing(reading_site):
    client = reading_site.client()
    page = client.get("/memory")
    data = {"csrf": csrf(page), "id": MEMORY}

    assert '<form method="post"' not in page.text
    assert client.post("/memory/forget", data=data).status_code == 403
    assert client.post("/now/decide", data={**data, "choice": "once"}).status_code == 403


def test_a_form_leads_to_no_other_site(site):
    client = site.client()
    for back in ("//evil.example", "https://evil.example", "/\\evil.example"):
        data = {"csrf": csrf(client.get("/memory")), "id": MEMORY, "back": back}
        answer = client.post("/memory/pin", data=data, follow_redirects=False)

        assert answer.headers["location"] == "/"


def test_a_body_that_is_too_long(site):
    assert site.client().post("/enter", data={"token": "x" * 70_000}).status_code == 403


@pytest.mark.parametrize("path", ["/now", "/static/dashboard.js", "/missing", "/events"])
def test_headers_forbid_inline_code_frames_and_other_origins(site, path):
    headers = site.client().get(path).headers
    policy = headers["content-security-policy"]

    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "path", [*PAGES, "decisions?position=1", "decisions?position=2", "decisions?position=3"]
)
def test_hostile_text_is_shown_as_text(hostile_site, path):
    hostile_site.questions.append(question(tool=seed.HOSTILE, summary=seed.HOSTILE, reason=seed.HOSTILE))
    text = hostile_site.client().get(f"/{path}").text

    assert not re.search(r"<img|onerror=\"|<script(?! src)|style=|javascript:", text)
    assert "\u202e" not in text
    assert "49" not in re.findall(r"\{\{|49\u202e", text)


def test_no_template_has_inline_code():
    from pathlib import Path

    from hookline.web.render import FOLDER

    for file in Path(FOLDER, "templates").iterdir():
        assert not re.search(r"\son\w+=|style=|<style|<script(?! src)|\|safe", file.read_text()), file.name
