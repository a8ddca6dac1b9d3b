"""Test the kinds of prompts: tasks, additions, choices and replies."""

import pytest

from hookline.core.conversation import Message, ToolResult, ToolUse
from hookline.handoff.prompts import classify_prompt
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


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (text, kind)
        for kind, texts in (
            ("task", [*TASKS, *IN_WORK_TASK]),
            ("choice", [*CHOICES, *IN_WORK_CHOICE]),
            ("reply", [*REPLIES, *IN_WORK_REPLY]),
        )
        for text in texts
    ],
)
def test_prompts(text, kind):
    assert classify_prompt(text) in ((kind, "addition") if kind == "task" else (kind,))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (text, kind)
        for kind, texts in (
            ("task", AFTER_RESULT_TASK),
            ("choice", AFTER_RESULT_CHOICE),
            ("reply", AFTER_RESULT_REPLY),
        )
        for text in texts
    ],
)
def test_prompts_after_a_result(text, kind):
    assert classify_prompt(text, settled=True) in ((kind, "addition") if kind == "task" else (kind,))


def test_an_explicit_change_of_task_replaces_the_task():
    assert classify_prompt("Forget that for now. Please first fix the release workflow") == "task"
    assert classify_prompt("also add the missing translations") == "addition"
    assert classify_prompt("Great, now write a short design note about this", settled=True) == "task"


@pytest.mark.parametrize(
    ("prompt", "decisions"),
    [("still overlaps on my phone", []), ("use tabs, not spaces", ["use tabs, not spaces"])],
)
def test_a_complaint_is_not_a_decision(prompt, decisions):
    texts = [("person", "Fix the legend of the chart."), ("agent", "It sits below now."), ("person", prompt)]
    edit = ToolUse(call="1", tool="Edit", kind="edit", path="legend.css")
    entries = [*(Message(by=by, text=text) for by, text in texts), edit]

    assert list(find_decisions(entries, find_task(entries, ""))) == decisions


DONE = [
    Message(by="person", text="Wtyczka wysyła PDF dwa razy. Znajdź przyczynę."),
    ToolUse(call="1", tool="Edit", kind="edit", path="mail.php"),
    ToolUse(call="2", tool="Bash", kind="shell", command="phpunit"),
]
STATEMENTS = """\
ok działa. Teraz dodaj do kasy pole NIP, a dane firmy mają się same uzupełniać po wpisaniu numeru.
Şimdi karanlık tema ekle, sistem tercihine uysun, menüden de değiştirilebilsin.
次に、支出をカテゴリ別に集計するグラフ画面を追加して。月ごとに切り替えられるように。
""".splitlines()


@pytest.mark.parametrize("text", STATEMENTS)
@pytest.mark.parametrize(("path", "begins"), [("other.php", True), ("mail.php", False)])
def test_a_long_statement_after_proved_work_begins_a_task_if_other_files_follow(text, path, begins):
    edit = ToolUse(call="3", tool="Edit", kind="edit", path=path)
    entries = [*DONE, Message(by="person", text=text), edit]
    task = find_task(entries, "")

    assert (task.text == text) is begins
    assert (text in find_decisions(entries, task)) is not begins


def test_a_statement_after_a_failed_command_begins_no_task():
    failed = ToolResult(call="2", error="Error: Class SoapClient not found")
    edit = ToolUse(call="3", tool="Edit", kind="edit", path="other.php")
    entries = [*DONE, failed, Message(by="person", text=STATEMENTS[0]), edit]

    assert find_task(entries, "").text.startswith(DONE[0].text)


NO_DECISIONS = ["deadzone feels too big", "no grazie, basta così", "No thanks.", "that looks a bit off"]


@pytest.mark.parametrize("text", NO_DECISIONS)
def test_complaints_and_refused_offers_are_no_decisions(text):
    edit = ToolUse(call="3", tool="Edit", kind="edit", path="mail.php")
    entries = [*DONE, Message(by="person", text=text), edit]

    assert not list(find_decisions(entries, find_task(entries, "")))


def test_the_report_before_a_request_and_a_bare_request_are_no_conditions():
    text = "Soak ran all night, no reset. Now the battery: 9 mA. Use STOP2 between samples. Bitte reparieren."
    entries = [Message(by="person", text=text)]

    assert list(find_decisions(entries, find_task(entries, ""))) == ["Use STOP2 between samples."]
