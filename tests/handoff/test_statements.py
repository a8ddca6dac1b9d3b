"""Test the kinds of prompts and of an agent's sentences."""

import pytest

from hookline.handoff.statements import classify, is_result, split_sentences

TASKS = """\
Fixed, thanks. Next ticket: the CSV export drops the last row when the file ends without newline
ok merged. now the same for the Android client please
Perfect. Then let's get the release notes ready for 4.2, grouped by area
that works. I also want a dry-run flag for the importer that prints what would change
good, ship it. After that: the search page needs keyboard navigation (arrow keys, enter, escape)
cool. can you now write the migration guide for plugin authors?
Deployed, all quiet. Second thing for today: alerts for queue depth over 10k, in Terraform like the others
New problem: checkout returns 500 for guests since the deploy. Look into it before anything else
leave that for later. production is throwing 502s on /api/search, find out why
PAY-812: refunds over 10 000 are rejected by the gateway. Reproduce with the sandbox first
Add rate limiting to the public API, 100 requests per minute and key, 429 with Retry-After
Please rewrite the onboarding tutorial so that it starts with Docker Compose and not with pip
I'd like to have the dashboard load in under a second. Profile it and fix the top two
Great! Could we also get the same thing for invoices?
ok that's in. let's tackle the flaky login test now, it failed three times this week
stop, forget the refactoring. We need a hotfix on release/3.1: dates before 1970 crash the parser
merci! Now translate the emails to French, templates are in mails/
The nightly job leaks memory, 200 MB per run. Find the leak.
Users report that uploads over 2 GB hang at 99%. Please investigate
and now the harder part: make it work offline, with a queue that syncs when the network is back
while CI runs: write the ADR for the switch to ULIDs, docs/adr has the template
Awesome work. One more: the docker image should build for arm64 too
alright, part 2. Replace moment by date-fns in packages/web, no behaviour change
""".splitlines()
CHOICES = """\
no, use a queue. polling every second kills the database
not like that. the API must stay backwards compatible
don't add a dependency for this, write the ten lines yourself
please keep the old field for one release
use Postgres advisory locks instead, we have no redis in prod
option 2, but with a feature flag
I prefer the second variant, it is easier to test
yes, but only for logged in users
make it configurable instead of hard coding 30 seconds
ok but don't touch the public interface
we can't use GPL libraries here
the timeout should be 5 s, not 30
b, and name it retry_after
hmm, rather put this into the middleware so all routes get it
the column has to stay nullable, mobile 2.x doesn't send it
tabs are fine, but no semicolons please
never log the token, not even in debug
skip the cache, correctness first: no stale prices
go with sqlite for the tests, postgres only in CI
remove it, we don't need a retry there
that's over-engineered. a dict is enough, no class please
keep it simple: no new table, a JSON column will do
""".splitlines()
REPLIES = """\
ok
yes
continue
go on please
looks good, continue
thanks, that's all for today
why does it need root?
what does the second query do?
I'm back. go ahead
sounds good
hm, interesting
ok do it
push it
lunch, back in an hour
the VPN is up again, you can go on
did the tests pass?
""".splitlines()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (text, kind)
        for kind, texts in (("task", TASKS), ("choice", CHOICES), ("reply", REPLIES))
        for text in texts
    ],
)
def test_prompts(text, kind):
    assert classify(text, "person") == kind


NEXT = """\
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
""".splitlines()
PLAIN = """\
The lock is taken twice in the same thread.
Both handlers share the same session object.
The test passes 50 of 50 times now.
I changed the default to 30 seconds.
The column is nullable because older rows have no value.
Added the setting and a test for it.
There are 83 call sites in 12 packages.
""".splitlines()


@pytest.mark.parametrize(
    ("text", "kind"),
    [(text, kind) for kind, texts in (("next", NEXT), ("failed", FAILED), ("", PLAIN)) for text in texts],
)
def test_sentences_of_an_agent(text, kind):
    assert classify(text, "agent") == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("All done.", "finished"),
        ("Done: the image has 219 MB. No open points.", "finished"),
        ("Everything is on main.", "finished"),
        ("Half of it is done.", ""),
        ("lookup() is done.", ""),
        ("Done with the first half.", ""),
    ],
)
def test_the_end_of_the_work(text, kind):
    assert classify(text, "agent") == kind


def test_a_request_after_a_result_is_a_task():
    assert is_result("Small records are 64 % faster.")
    assert not is_result("It is faster. Should I go on?")
    assert classify("change the log format to JSON", "person", settled=True) == "task"
    assert classify("no, use JSON", "person", settled=True) == "choice"


def test_sentences():
    assert list(split_sentences("It fails. Next: a.py. v1.2 is old\n- b")) == [
        "It fails.",
        "Next: a.py. v1.2 is old",
        "b",
    ]
