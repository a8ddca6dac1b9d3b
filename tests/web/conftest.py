"""Fixtures: a dashboard over a filled store, and clients of it."""

import re

import pytest
from starlette.testclient import TestClient
from tests.web import seed

from hookline.cli.explain import explain_command
from hookline.core.diagnosis import attention
from hookline.core.values import replace
from hookline.runtime.setup import load_setup
from hookline.stores import sqlite
from hookline.web.application import build_app
from hookline.web.dashboard import Approvals, Checkup, Dashboard
from hookline.web.keys import Keys
from hookline.web.live_updates import Feed, Reader
from hookline.web.spendings import Spendings

ADDRESS = "127.9.8.7:4321"


class Site:
    """A dashboard, its application, and the questions that wait."""

    def __init__(self, store, setup, *, read_only=False):
        self.store, self.questions, self.decisions = store, [], []
        self.reader = Reader(store, setup, lambda: tuple(self.questions))
        self.dashboard = Dashboard(
            store=store,
            setup=setup,
            approvals=Approvals(list_questions=lambda: tuple(self.questions), decide=self._decide),
            explain=explain_command,
            checkup=Checkup(run=lambda: [attention("x", "fix <b>this</b>")]),
            take_snapshot=self.reader.take_snapshot,
            spendings=Spendings(store, setup.places),
            read_only=read_only,
        )
        self.links = []
        self.keys = Keys(announce=self.links.append)
        self.feed = Feed(self.reader)
        self.app = build_app(self.dashboard, self.feed, self.keys, ADDRESS)

    def _decide(self, decision):
        self.decisions.append(decision)
        return ""

    def client(self, *, inside=True, **headers):
        base = f"http://{ADDRESS}"
        client = TestClient(self.app, base_url=base, headers={"origin": base} | headers)
        if inside:
            assert client.post("/enter", data={"token": self.keys.token}).status_code == 200
        return client


def csrf(page):
    return re.search(r'<meta name="csrf" content="(\w+)">', page.text)[1]


@pytest.fixture
def setup(user, monkeypatch):
    for name, value in user.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(user.project)
    loaded = load_setup(user.environment(), str(user.project))
    loaded.resources.close()
    return loaded


@pytest.fixture
def store(tmp_path):
    opened = sqlite.open_store(str(tmp_path / "store.db"))
    yield opened
    opened.close()


@pytest.fixture
def site(store, setup, user):
    seed.fill(store, user.project)
    return Site(store, setup)


@pytest.fixture
def hostile_site(store, setup, user):
    seed.fill(store, user.project, hostile=True)
    return Site(store, setup)


@pytest.fixture
def reading_site(site):
    return Site(site.store, site.dashboard.setup, read_only=True)


def question(**fields):
    from hookline.core.approval import Question

    values = {
        "id": "q1",
        "host": "codex",
        "session": "7d10b8aa-1f00",
        "root": "/p",
        "cwd": "/p",
        "tool": "shell",
    }
    more = {
        "summary": "npm publish",
        "reason": "publishes a package",
        "rules": ("g:publish",),
        "at": 1.0,
        "until": 9e9,
    }
    return replace(Question(**values, **more), **fields)
