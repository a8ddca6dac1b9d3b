"""Test the labels of an agent's sentences, on texts that are not part of the training corpus."""

import pytest

from hookline.language.dialogue import is_result, label_message

OPEN = """\
Next: port the two remaining handlers, then run the contract tests.
Next up is the retry logic in sync.py.
The next step is to regenerate the client.
Then I'll move the fixtures to conftest.py.
What's left: docs and the changelog.
Still open: the Windows path case in test_paths.
Still missing are the translations for the error page.
Remaining work: delete the old endpoint once mobile 3.4 is out.
I'll now switch the importer to streaming.
I still have to update the OpenAPI file.
To finish this I need to backfill the column and drop the default.
After that the flag can be removed.
Should I also change the other two call sites?
Do you want me to rebase onto main first?
Two call sites are left: billing.py and reports.py.
TODO: wire the new setting into the Helm chart.
It remains to rerun the benchmark on the big instance.
Tomorrow: rerun the load test with 500 users.
Waiting for the DBA to grant CREATE on the schema; then run the migration again.
From here: make the parser accept CRLF, then rerun test_import.
""".splitlines()
FAILED = """\
Batching in the trigger doesn't work because the rows are locked in a different order.
A global lock is too slow: throughput drops to a third.
That didn't help, the same 14 tests fail.
Using weakrefs had no effect on the RSS.
esbuild cannot do it: decorators metadata is not supported.
I tried to mock the clock, but freezegun breaks asyncio timeouts.
The regex approach is a dead end, nested quotes need a parser.
vcrpy was no help since the client uses its own transport.
Reverted: the index made writes twice as slow.
Turning off THP made no difference.
Pinning the version only moves the conflict to grpcio, so I dropped that.
Caching the token is not an option, it is bound to the request.
The polyfill route fails, Safari 15 has no BroadcastChannel in workers.
Retrying inside the transaction is out, it holds the lock for seconds.
I backed that out again since snapshots changed in 40 files.
Copy-on-write was the wrong idea, most pages are written anyway.
With jemalloc it got even worse, so back to the default allocator.
thread-loader didn't pay off, the workers start too late.
""".splitlines()
PLAIN = """\
The lock is taken twice in the same thread.
Both handlers share the same session object.
The test passes 50 of 50 times now.
I changed the default to 30 seconds.
The column is nullable because older rows have no value.
Added the setting and a test for it.
There are 83 call sites in 12 packages.
Slower: perhaps too many workers.
I've reverted everything;
the build is back at 19 s.
The contract check fails: the field has to be nullable.
""".splitlines()
RESULTS = """\
All done, 40 tests pass, pushed to main.
Merged. The issue was closed automatically.
Released as 2.4.1.
Everything is in place: tests, docs and changelog. Committed as 9f9f.
Done. Thanks for the quick answers!
Shipped.
Implemented, tested and pushed.
Finished: all three pages are converted and committed.
Done, committed in one commit.
The parser supports comments now, with 12 tests. Committed.
""".splitlines()


def share(texts, test):
    return sum(map(test, texts)) / len(texts)


@pytest.mark.parametrize(("texts", "label", "bar"), [(OPEN, "open", 0.75), (FAILED, "failed", 0.6)])
def test_most_sentences_get_their_label(texts, label, bar):
    assert share(texts, lambda text: label_message(text)[-1].label == label) >= bar


def test_plain_sentences_are_neither_failures_nor_open_work():
    assert share(PLAIN, lambda text: label_message(text)[-1].label in ("done", "other")) >= 0.7


def test_reports_of_results_are_results():
    assert share(RESULTS, lambda text: is_result(label_message(text))) >= 0.8


def test_items_below_a_heading_of_open_work_are_open():
    text = "### Summary\n- parser rewritten\n\n### Remaining\n- error messages in German\n- benchmark"

    assert label_message(text)[1:] == (("error messages in German", "open"), ("benchmark", "open"))


def test_a_question_is_no_result():
    assert is_result(label_message("Small records are 64 % faster."))
    assert not is_result(label_message("Small records are 64 % faster. Should I go on?"))
