"""Test the notification at the end of a run: it is sent once, with the result and without secrets."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from tests.engine.agents.test_host_agent import killed
from tests.engine.conftest import TARGET

from hookline.core.values import replace
from hookline.engine.journal import Row
from hookline.engine.notify import end_message
from hookline.engine.runs import Run
from hookline.engine.stop_reason import StopReason

RUN = Run(
    id="small-261115-1200", root="/home/me/apps", text=TARGET.format(experiments=3), name="small", base="b",
    branch="hookline/small-261115", scratch="/s", mark="m", began=0.0, spent=754.0,
)  # fmt: skip
ROWS = [
    Row(iteration=0, timestamp=0.0, status="baseline", metric=10.0, best=10.0),
    Row(iteration=1, timestamp=0.0, status="keep", metric=8.0, best=8.0),
    Row(iteration=2, timestamp=0.0, status="crash", best=8.0),
]


def test_a_message_says_why_and_what_it_came_to():
    told = end_message(RUN, StopReason(reason="time", text="1h is over"), ROWS)

    assert told == {
        "text": "apps: run small-261115-1200 ended after 12m34s (time: 1h is over); 2 experiments, "
        "1 kept; best metric: 8 (-20.0% against 10), lower is better",
        "project": "apps",
        "branch": "hookline/small-261115",
        "duration": "12m34s",
        "tsv_summary": "2 iterations, metric: 8",
    }


def test_a_run_without_rows_is_told_too():
    told = end_message(replace(RUN, spent=0.0), StopReason(reason="interrupted", text="ended"), [])

    assert told["tsv_summary"] == "0 iterations"
    assert told["text"].endswith("0 experiments, 0 kept; metric: nothing measured yet")


def test_no_secret_is_told():
    secret = "ghp_" + "a1B2" * 9

    told = end_message(RUN, StopReason(reason="halted", text=f"token {secret}"), ROWS)

    assert secret not in json.dumps(told)


@pytest.fixture
def receiver():
    heard, done = [], threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            heard.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.end_headers()
            done.set()

        def log_message(self, *args): ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/hook", heard, done
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_webhook_hears_of_the_end_of_a_run_once(project, receiver):
    url, heard, done = receiver
    project.script("echo 9 > src/n; echo less")
    project.hookline("run", check=0, AR_NOTIFY_WEBHOOK=url)

    assert done.wait(20)
    assert [told["project"] for told in heard] == ["a project"]
    assert heard[0]["message"].startswith(f"a project: run {project.run.id} ended after ")


def test_a_run_that_was_killed_is_shown_by_status(project):
    project.script("echo 9 > src/n")
    assert killed(project, "after-commit").returncode == -9
    told = project.hookline("status", check=0).stdout

    name = project.run.id
    assert f"run {name} was interrupted: `hookline run --resume {name}` continues it; experiment 1" in told
    project.hookline("run", "--resume", check=0)
    assert "run " not in project.hookline("status", check=0).stdout
