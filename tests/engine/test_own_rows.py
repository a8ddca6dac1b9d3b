"""Test that rows which an agent writes into the journal itself are ignored."""

import json
import sys
from pathlib import Path

import pytest
from tests.engine.parallel.test_crashes_in_parallel import started, until
from tests.engine.test_crashes import ended, killed
from tests.engine.test_lost_work import LESS
from tests.engine.test_user_files_untouched import twice

pytestmark = pytest.mark.slow

TABLE = (
    "printf '%s\\t2100-01-01T00:00:00Z\\t%s\\t1\\t-9\\tpass\\t\\tkeep\\t1\\n' "
    '{number} $(git rev-parse HEAD) >> "$AUTORESEARCH_JOURNAL"'
)
TWIN = (
    'printf \'%s\\n\' \'{{"iteration": {number}, "timestamp": 1800000000, "status": "keep", '
    '"commit": "abc", "metric": 1, "best": 1}}\' >> "${{AUTORESEARCH_JOURNAL%.tsv}}.jsonl"'
)


@pytest.mark.parametrize("where", [TABLE, TWIN])
@pytest.mark.parametrize("number", [1, 2])
def test_a_row_of_an_agents_own_is_not_believed_after_a_crash(project, where, number):
    project.script(LESS, where.format(number=number))
    ended(killed(project, "after-agent"))
    project.hookline("run", "--resume", check=0)

    assert [(row.iteration, row.status, row.metric) for row in project.rows] == [
        (0, "baseline", 10.0),
        (1, "keep", 9.0),
    ]
    assert project.tip == project.rows[1].commit


def test_nor_is_what_it_makes_of_earlier_rows(project):
    project.target(experiments=2)
    script = project.home / "change.py"
    script.write_text(
        "import os, pathlib\n"
        "path = pathlib.Path(os.environ['AUTORESEARCH_JOURNAL']).with_suffix('.jsonl')\n"
        "path.write_text(path.read_text().replace('9.0', '1.0'))\n"
    )
    project.script(f"test $(cat src/n) = 10 || {sys.executable} {script}", LESS)
    ended(killed(project, "after-agent:2"))
    project.hookline("run", "--resume", check=0)

    assert [row.metric for row in project.rows] == [10.0, 9.0, 8.0]


def test_nor_are_rows_beside_others(project):
    project.target(experiments=2)
    project.script(
        LESS, TABLE.format(number='$(echo "$HOOKLINE_RUN" | cut -d: -f2)'), "touch $HOME/at$$; sleep 30"
    )
    process = started(project, "--parallel", "2")
    until(project.root / "autoresearch")
    while len(list(project.home.glob("at*"))) < 2:
        assert process.poll() is None
    twice(process)
    project.script("true")
    project.hookline("run", "--resume", check=0)

    assert sorted(project.statuses) == ["baseline", "keep", "superseded"]
    assert {row.metric for row in project.rows} == {10.0, 9.0}


def test_notes_that_somebody_else_wrote_end_no_run(project):
    project.script(LESS, 'for one in "$(dirname "$AUTORESEARCH_JOURNAL")"/*.json*; do echo 5 >> "$one"; done')
    ended(killed(project, "after-agent"))
    folder = Path(project.root, "autoresearch")
    (run,) = folder.iterdir()
    note = run / "run.json"
    note.write_text(note.read_text().removesuffix("5\n"))
    assert json.loads(note.read_text())["target"] == "small"
    project.hookline("status", check=0)
    project.hookline("run", "--resume", check=0)

    assert project.statuses == ["baseline", "keep"]
