"""Test finding the active journal."""

import os

import pytest

from hookline.system.file_facts import HEAD_BYTES, MAX_JOURNAL_BYTES, RECENT_SECONDS, find_active

NOW = 2_000_000.0
TEXT = "iteration\tmetric\n1\t0.5\n"


@pytest.fixture
def write(tmp_path):
    def make(name, *, age=0.0, text=TEXT):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (NOW - age, NOW - age))
        return str(path)

    return make


def path(found):
    return found and found.path


@pytest.mark.parametrize(
    ("age", "whether"), [(0, True), (RECENT_SECONDS, True), (RECENT_SECONDS + 1, False), (-60, True)]
)
def test_one_counts_that_was_written_to_within_half_an_hour(tmp_path, write, age, whether):
    there = write("autoresearch/speed-1/results.tsv", age=age)

    assert path(find_active(str(tmp_path), "", NOW)) == (there if whether else None)


def test_of_several_the_newest_counts(tmp_path, write):
    write("autoresearch/a/results.tsv", age=20)
    newest = write("autoresearch/b/results.tsv", age=10)
    write("autoresearch/c/results.tsv", age=30)

    assert path(find_active(str(tmp_path), "", NOW)) == newest


@pytest.mark.parametrize(
    "name", ["autoresearch/results.tsv", "autoresearch/a/b/results.tsv", "autoresearch/a/x.csv", "a/b.tsv"]
)
def test_only_tables_one_folder_down_count(tmp_path, write, name):
    write(name)

    assert find_active(str(tmp_path), "", NOW) is None


def test_the_one_that_an_engine_names_counts_at_any_age(tmp_path, write):
    write("autoresearch/a/results.tsv")
    named = write("elsewhere/old.tsv", age=10 * RECENT_SECONDS)

    assert path(find_active(str(tmp_path), named, NOW)) == named
    assert path(find_active(str(tmp_path), "elsewhere/old.tsv", NOW)) == named


def test_one_that_is_named_and_not_there_yet_is_none(tmp_path, write):
    write("autoresearch/a/results.tsv")

    assert find_active(str(tmp_path), "not/yet.tsv", NOW) is None


@pytest.mark.parametrize("link", ["autoresearch", "autoresearch/a", "autoresearch/a/results.tsv"])
def test_a_link_out_of_the_repository_leads_nowhere(tmp_path, write, link):
    write("outside/autoresearch/a/results.tsv")
    place = tmp_path / "repo" / link
    place.parent.mkdir(parents=True)
    place.symlink_to(tmp_path / "outside" / link)

    assert find_active(str(tmp_path / "repo"), "", NOW) is None


def test_a_pipe_in_its_place_makes_nobody_wait(tmp_path):
    (tmp_path / "autoresearch" / "a").mkdir(parents=True)
    os.mkfifo(tmp_path / "autoresearch" / "a" / "results.tsv")

    assert find_active(str(tmp_path), "", 0.0) is None
    assert find_active(str(tmp_path), "autoresearch/a/results.tsv", 0.0) is None


def test_of_a_long_one_beginning_and_end_are_read(tmp_path, write):
    rows = "".join(f"{n}\t{n}.5\t{'x' * 90}\n" for n in range(MAX_JOURNAL_BYTES // 64))
    write(
        "autoresearch/a/results.tsv",
        text=f"# metric_direction: higher\niteration\tmetric\tdescription\n{rows}",
    )
    found = find_active(str(tmp_path), "", NOW)

    assert len(rows) > MAX_JOURNAL_BYTES > HEAD_BYTES
    assert (found.count, found.metric) == (MAX_JOURNAL_BYTES // 64 - 1, f"{MAX_JOURNAL_BYTES // 64 - 1}.5")
    assert found.best == found.metric
