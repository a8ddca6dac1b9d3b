"""Test the kinds of prompts: tasks, additions, choices and replies."""

import pytest

from hookline.core.conversation import Message, ToolResult, ToolUse
from hookline.handoff.prompts import read_prompts
from hookline.handoff.task import find_decisions, find_task

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
AFTER_RESULT_TASK = """\
cool. the admin page shows deleted users, hide them
Looks good! Could you also take care of the flaky upload spec?
ok next one: dark mode for the docs
merged. the next ticket is PAY-88, refunds over 1000 EUR need a second approval
thanks. there's another thing bothering me, the CLI prints the banner twice when stdout is not a tty
Great, now please write a short design note about this in docs/design
alright. Let's get rid of moment.js
nice work. I'd like to have the same for the mobile app
works. customers from Switzerland get the wrong VAT rate, can you look into it?
awesome, then the last thing for today: bump the version to 4.1.0 and update the changelog
Perfect. Our staging certificate expires on Friday; please automate the renewal with certbot
good. what we need next is an export of the audit log as CSV, streamed, gzip
OK that's done then. I need a script that anonymizes the production dump, emails and names at least
👍 can you have a look at why the nightly build takes 50 minutes?
wonderful. search is still case sensitive for umlauts. please fix
lgtm, shipping it. Meanwhile start with the Kafka consumer, spec is in docs/consumer.md
Thanks! New topic. The login page flickers on Safari 17
""".splitlines()
AFTER_RESULT_CHOICE = """\
hm no, use tabs like everywhere else in the repo
wait, that should be behind the feature flag new_pricing
you forgot that guests don't have an email
actually I'd rather keep the old endpoint for a while
the error message must not contain the account number
no, revert the change in the shared library. fix it in our code only
please don't log the token
""".splitlines()
AFTER_RESULT_REPLY = """\
awesome, thanks a lot
great. how long does the full suite take now?
ok, is that already deployed?
commit and push please
thanks, I'll review it tomorrow
looks good to me
cool, and why was it slow before?
open a PR
sweet
did you run the linter?
""".splitlines()
IN_WORK_TASK = """\
stop. Something urgent came up: production returns 502 for /api/v2/orders since 10 minutes. Find out why
change of plans, we drop the websocket idea. Implement it with server-sent events in src/events
Forget that for now. Please first fix the release workflow, it fails on the tag job
park this. write me a query that lists all tenants without a billing address
never mind the refactoring, just make the importer accept semicolons as separator
hold on, different problem: the CI runner is out of disk. clean up the docker images in the workflow
while the tests run: add an index on events(created_at) in a new migration
also add the missing German translations for the new screen
and please update the README with the new flags too
one more thing, the API docs need an example for pagination
""".splitlines()
IN_WORK_CHOICE = """\
use zod, not yup
not in the controller, put it into the service
make it 30 seconds instead of 10
I'd prefer a single query here
we don't support Windows, skip that part
the limit should be configurable through the environment
stop using any, write proper types
go with option B
second option, but without the cache
leave the old tests alone
name it `retention_days`, keep_days is ambiguous
only for the EU region please
no mocks for the database, we have testcontainers
let's do it with a trigger instead
that's too slow, we need to stay below 50 ms
Don't add a dependency for that. 10 lines of our own are fine
it has to stay compatible with 3.9
sure, but keep the public signature
yes but log it at debug level
""".splitlines()
IN_WORK_REPLY = """\
yes
go ahead
sounds good, continue
ok do it
what does that flag do?
why is that needed?
how many rows are affected?
hmm interesting
is that safe on prod?
brb, lunch
where is that configured?
yes please, go on
sorry, was away. please continue
which file is that in?
try again, I restarted the vpn
the database is up again
""".splitlines()


RESULT = "Fixed: the test waits for the upload now. All 42 tests pass."
PLAN = "The test starts two uploads. I'd use a lock, and add it to the importer next."
SETS = [
    (TASKS, RESULT, "other.py", {"task", "addition"}, 0.75),
    (AFTER_RESULT_TASK, RESULT, "other.py", {"task", "addition"}, 0.75),
    (IN_WORK_TASK, PLAN, "other.py", {"task", "addition"}, 0.6),
    (CHOICES, PLAN, "importer.py", {"choice"}, 0.65),
    (IN_WORK_CHOICE, PLAN, "importer.py", {"choice"}, 0.65),
    (AFTER_RESULT_CHOICE, RESULT, "importer.py", {"choice", "problem"}, 0.8),
    (REPLIES, PLAN, "", {"reply"}, 0.9),
    (IN_WORK_REPLY, PLAN, "", {"reply"}, 0.9),
    (AFTER_RESULT_REPLY, RESULT, "", {"reply"}, 0.9),
]


def classify(text, before, path):
    """Return the kind of a prompt after a text of the agent, and before an edit of a file."""
    entries = [
        Message(by="person", text="Fix the flaky upload test in the importer"),
        ToolUse(call="1", tool="Edit", kind="edit", path="importer.py"),
        ToolUse(call="2", tool="Bash", kind="shell", command="make check"),
        ToolResult(call="2"),
        Message(by="agent", text=before),
        Message(by="person", text=text),
        *([ToolUse(call="3", tool="Edit", kind="edit", path=path)] if path else []),
    ]
    return list(read_prompts(entries))[-1].kind


@pytest.mark.parametrize(("texts", "before", "path", "kinds", "bar"), SETS)
def test_most_prompts_have_their_kind(texts, before, path, kinds, bar):
    right = [classify(text, before, path) in kinds for text in texts]

    assert sum(right) >= bar * len(right)


@pytest.mark.parametrize(
    ("prompt", "decisions"),
    [("still overlaps on my phone", []), ("use tabs, not spaces", ["use tabs, not spaces"])],
)
def test_a_complaint_is_not_a_decision(prompt, decisions):
    texts = [("person", "Fix the legend of the chart."), ("agent", "It sits below now."), ("person", prompt)]
    edit = ToolUse(call="1", tool="Edit", kind="edit", path="legend.css")
    entries = [*(Message(by=by, text=text) for by, text in texts), edit]

    assert list(find_decisions(entries, find_task(entries, ""))) == decisions


NO_DECISIONS = ["deadzone feels too big", "No thanks.", "that looks a bit off"]


@pytest.mark.parametrize("text", NO_DECISIONS)
def test_complaints_and_refused_offers_are_no_decisions(text):
    entries = [
        Message(by="person", text="The plugin sends the mail twice. Find the cause."),
        ToolUse(call="1", tool="Edit", kind="edit", path="mail.php"),
        Message(by="person", text=text),
        ToolUse(call="3", tool="Edit", kind="edit", path="mail.php"),
    ]

    assert not list(find_decisions(entries, find_task(entries, "")))


def test_choices_of_an_earlier_task_are_not_told():
    entries = [
        Message(by="person", text="Add an export of invoices as CSV."),
        Message(by="agent", text="I'll write it with pandas."),
        Message(by="person", text="no, use the csv module, not pandas"),
        ToolUse(call="1", tool="Edit", kind="edit", path="export.py"),
        Message(by="agent", text="The export is done and all tests pass."),
        Message(by="person", text="Great. New ticket: the login page is broken on Safari, please fix it"),
        ToolUse(call="2", tool="Edit", kind="edit", path="login.js"),
    ]
    task = find_task(entries, "")

    assert "login page" in task.text
    assert not list(find_decisions(entries, task))
