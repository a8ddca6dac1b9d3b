"""Generate prompts with the common phrasings of lasting statements, and near misses, with labels.

The corpus has few of them, because its authors avoided the obvious words. The random seed is fixed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from examples import Row

DO = """use {a}|use {a}, not {b}|use {a} instead of {b}|use {a} rather than {b}|run the linter before commits|run {a} before committing|
run the tests before you push|write tests beside the code|write a test for every bug fix|put tests next to the code|
name branches type/ticket|format with {a}|squash commits before merging|sign commits|write commit messages in English|
use tabs|use spaces, two of them|use snake_case for columns|use early returns|use type hints everywhere|log with {a}|
store amounts as integer cents|store times in UTC|keep functions short|validate input with {a}|write docs in {file}|
pin versions of dependencies|add a changelog entry for user-visible changes|use conventional commits|use named exports|
read the config from {file}|call the api through the client in {file}|put migrations in {file}|rebase instead of merging|
handle errors with {a}|target {a}|cache with {a}|mock only the network|keep {file} sorted|document public functions""".replace(
    "\n", ""
)
AVOID = """use {b}|use {b} here|push to main|push to main without a review|push directly to main|force push|commit to main|commit secrets|
use sudo|use mocks for the database|mock the database|use default exports|use tabs|use any|use floats for money|use print for logging|
edit generated files|edit {file} by hand|touch {file}, it is generated|change the public api without asking|add dependencies without asking|
install packages globally|log personal data|skip the tests|disable lint rules|catch bare exceptions|hardcode urls|use wildcard imports|
merge without approval|delete migrations|use inline styles|call the database from views|use relative imports|leave TODOs in the code|
add comments that repeat the code|use emojis in commit messages|run migrations on prod|use global state|bypass the cache""".replace(
    "\n", ""
)
WANT = """short answers|answers in {lang}|small commits|small diffs|bullet points|code before words|plain English|a plan before code|tests first|
the explicit version|boring code|one question at a time|metric units|the full file path in answers|no emojis""".replace(
    "\n", ""
)
AGENT = """ask me before you delete anything|ask before installing a package|show me the plan before you edit|explain in one sentence|answer in {lang}|
keep your answers short|give me the diff first|tell me which files you changed|don't summarise what you did|do not apologise|
don't ask for confirmation, just do it|skip the explanations|write the commit message yourself|run the tests yourself""".replace(
    "\n", ""
)
RULES = """convention:always {do}|convention:never {avoid}|convention:we always {do}|convention:we never {avoid}|convention:we {do} here|
convention:in this repo we {do}|convention:in this project, {do}|convention:please always {do}|convention:please never {avoid}|
convention:don't {avoid}|convention:dont {avoid}|convention:do not {avoid}|convention:don't ever {avoid}|convention:you must always {do}|
convention:everyone here has to {do}|convention:the rule is: {do}|convention:our convention is to {do}|convention:we use {a}|
convention:we use {a}, not {b}|convention:we use {a} for everything, never {b}|convention:we're using {a} here|convention:in {scope} we use {a}|
convention:in {scope}, {do}|convention:{do} in {scope}, always|convention:no {b} in {scope}|convention:{b} is forbidden here|
convention:for {scope} always {do}|convention:make sure to always {do}|convention:you should never {avoid}|convention:we do not {avoid}|
convention:nobody may {avoid}|convention:this project uses {a}|convention:the project uses {a} as package manager|
convention:all code in {scope} must use {a}|convention:{scope} is generated, never edit it by hand|convention:tests live in {file}|
convention:the staging host needs the VPN|convention:the integration tests need docker|convention:releases happen on tuesdays|
preference:i prefer {want}|preference:i prefer {a} over {b}|preference:i always want {want}|preference:i like {want}|preference:i'd like you to always {do}|
preference:please {agent}|preference:always {agent}|preference:from now on {agent}|preference:in future {agent}|preference:when you answer, give me {want}|
preference:i don't want you to {avoid}|preference:stop adding comments to everything|preference:stop using {b}|preference:i want {want}, every time|
preference:never {avoid} unless i say so|preference:next time {agent}|preference:whenever you finish, tell me which files you changed|
correction:no, {do}|correction:no, we {do}|correction:no, use {a} here instead of {b}|correction:that's wrong, we use {a}|correction:that is not right, we {do}|
correction:you used {b} again, we use {a}|correction:wrong: here we {do}|correction:i said use {a}, not {b}|correction:actually we use {a} here, not {b}|
correction:not {b}, {a}|correction:you should use {a} for this kind of thing, not {b}|correction:again: never {avoid}|
decision:we decided to {do}|decision:we decided to use {a} instead of {b}|decision:we have decided to {do}|decision:we decided on {a}|
decision:we agreed to {do}|decision:agreed that we {do}|decision:we agreed that everyone will {do}|decision:let's go with {a} for the queue|
decision:let's stick with {a}|decision:we're going with {a}|decision:going with {a}|decision:we chose {a} over {b}|decision:we settled on {a}|
decision:decision: {a} for the new service|decision:decided: we {do}|decision:the team decided to {do}|decision:we'll stick with {a}|
decision:we will go with {a} because {b} is too slow|decision:it was decided to {do}|decision:i decided to keep {a}|decision:we picked {a}|
decision:we dropped {b} for good|decision:we moved from {b} to {a}|decision:after the meeting it's final: {a}|
blocker:we are blocked by {block}|blocker:we're blocked on {block}|blocker:blocked: {block}|blocker:blocked by {block}|blocker:blocker: {block}|
blocker:the release is blocked by {block}|blocker:we can't deploy until {wait}|blocker:we cannot continue until {wait}|
blocker:staging is down until {wait}|blocker:still waiting for {block}|blocker:nothing can be merged until {wait}|blocker:this is blocked until {wait}|
resolved:we are no longer blocked|resolved:no longer blocked by {block}|resolved:the blocker is gone|resolved:we're unblocked|
resolved:staging works again|resolved:{block} is resolved, we can go on|resolved:the blocker with {block} is resolved|resolved:no more blockers|resolved:blockers: none|resolved:unblocked|resolved:we are unblocked now|
resolved:now we are no longer blocked|resolved:no open blockers|resolved:no blockers left|resolved:no blockers|resolved:blocker resolved|
convention:never {avoid}|convention:dont use {b}|convention:never use {b} here|convention:no {b} here|decision:agreed that we use {a} everywhere|decision:agreed: {do}|
blocker:blocked: waiting for the cert|blocker:blocked: waiting for {block}|blocker:waiting for {block}|decision:going with {a} then|
decision:{a} it is|convention:never use {b} in this repo|convention:{a} only, no {b}|convention:we always write tests beside the code|
convention:always use {a}|convention:never use {b}|convention:use {a}, never {b}|convention:don't use {b}, use {a}|convention:please use {a} instead of {b}""".replace(
    "\n", ""
)
MISSES = """order:use {a} for this one|order:use {a} this time|order:for now {do}|order:{do} in this file|order:just this once {avoid}|order:don't {avoid} yet|
order:do not commit yet|order:don't touch this file|order:never mind, go on|order:always start with the failing test in this task|
order:for this PR only, {do}|order:today don't {avoid}|order:stop the server|order:stop|order:let's go with the second option|
order:use that one|order:remember to {do} when you finish this|order:please {do} in {file}|order:no, undo that|order:no, the other file|
question:should we always {do}?|question:do we {do}?|question:why do we always {do}?|question:did we decide to {do}?|question:what did we decide about {a}?|
question:is it true that we never {avoid}?|question:do you always {do}?|question:shall we use {a} or {b}?|question:are we blocked by {block}?|
conditional:if we ever move to {a}, we {do}|conditional:suppose we always {do}|conditional:if the client agrees we will use {a}|
conditional:maybe we should always {do}|conditional:we could decide to {do} later|conditional:once we decide on {a}, {do}|
report:{name} says we should always {do}|report:{name} always wants us to {do}|report:{name} said: never {avoid}|report:the README says to always {do}|
report:the docs recommend to {do}|report:the linter says never {avoid}|report:according to the blog you should never {avoid}|
report:the other team decided to {do}|report:the wiki says we decided to {do}|report:my old company always used {b}|
private:my wife and i decided to move to {city}|private:i never eat before noon|private:we always go to {city} in summer|
private:my doctor says i should never drink coffee|private:i decided to quit smoking|private:my kids always use my laptop|
private:our landlord decided to sell the house|private:i prefer tea|private:my son is blocked by a cold|
opinion:i think {b} is overrated|opinion:nobody should ever use {b}, honestly|opinion:{a} is always a pain|opinion:i wish we used {a}|
fact:it always fails|fact:the build never works on my machine|fact:we have not decided yet|fact:nothing is decided about {a}|
fact:this function always returns None|fact:the test never passes on ci|fact:the main thread is blocked until the promise resolves|
fact:we used {b} before|fact:i used to always {do}|fact:the request is blocked by the firewall rule in this test|fact:the tests use {a}|
fact:you always do that|fact:i never said that|fact:{file} uses {a}|fact:i'm waiting for the build|fact:i installed {a}|fact:it never worked|
fact:next i will read the tests|fact:i looked at both|fact:i decided to run the tests first|fact:i'll use {a} to search|conditional:once unblocked, i go on|
fact:it will be unblocked on friday|fact:we aren't unblocked|question:who can get us unblocked?|conditional:when we are unblocked we can merge|
fact:i will stick to it for now|order:use {a} to open it|order:run {a} now|question:do you use {a}?""".replace(
    "\n", ""
)
AROUND = """order:fix the failing test in {file}|order:add a button to the page|order:delete the old dist folder|order:force push the branch|
order:can you run them?|order:rename the variable in {file}|order:look at {file}|order:please refactor {file}|order:update the readme|
question:why does it fail?|question:what does {file} do?|fact:the tests take four minutes|smalltalk:hey|smalltalk:thanks, that worked|
smalltalk:good morning|order:now deploy it|order:commit it|fact:i renamed the file|order:try again|order:write the migration|
order:continue with the next step|fact:ci is green|order:explain the error""".replace("\n", "")
WORDS = {
    "a": "pnpm|ruff|PostgreSQL|vitest|Tailwind|zod|poetry|uv|Redis|gRPC|pytest|kotlin|SwiftUI|structlog|dayjs|MySQL|S3|terraform|cargo nextest|"
    "esbuild|React Query|Kafka|SQLAlchemy|Node 22|C++20|spaces",
    "b": "npm|black|MongoDB|jest|styled-components|yup|pip|conda|RabbitMQ|REST|unittest|java|UIKit|print|moment|SQLite|EFS|cloudformation|make|"
    "webpack|Redux|cron|raw SQL|Node 18|C++14|tabs",
    "file": "src/api|docs/|tests/integration|db/migrations|config.toml|generated/|lib/fn.ts|cart.spec.ts|Makefile|app/models.py|main.go|vendor/",
    "scope": "the api package|the frontend|tests|new services|the firmware|scripts/|the web app|shared code|src/core|this repo|our notebooks",
    "lang": "German|French|English|Spanish|Dutch",
    "name": "Anna|my boss|the architect|Tomasz|our QA|the customer|Bob",
    "city": "Lisbon|Italy|Berlin|Porto",
    "block": "the security review|the missing certificate|the frozen schema|the license server|legal|the broken CI runner|access to the cluster|"
    "the vendor's api key|the outage at the cloud provider|the database migration of the other team",
    "wait": "ops rotates the cert|legal signs off|the vendor answers|the new keys arrive|IT unlocks the account|the freeze is over|the schema is approved",
}
LEADS = "|||||||btw, |ok so |hey, |remember that |please remember: |note that |remember: |also |and |fyi, |one thing: |"
SEPARATORS = (". ", ". ", ". ", ", ", ", and now ", " and now ", "\n", " - ", "; ")


def _fill(rng: random.Random, text: str) -> str:
    lists = {"do": DO, "avoid": AVOID, "want": WANT, "agent": AGENT, **WORDS}
    while "{" in text:
        name = text[text.index("{") + 1 : text.index("}")]
        text = text.replace(f"{{{name}}}", rng.choice(lists[name].split("|")), 1)
    return text


def _pick(rng: random.Random, phrases: str) -> tuple[str, str]:
    label, _, text = rng.choice(phrases.split("|")).partition(":")
    return label, _fill(rng, text)


def _write(rng: random.Random) -> Row:
    """Return a prompt of a rule or a near miss, with other sentences around it."""
    lasting = rng.random() < 0.5
    label, text = _pick(rng, RULES if lasting else MISSES)
    lead = rng.choice(LEADS.split("|")) if lasting and label not in ("correction", "resolved") else ""
    middle = (lead + text, label, text if lasting else None)
    before = [(*_pick(rng, AROUND)[::-1], None)] if rng.random() < 0.3 else []
    after = [(*_pick(rng, AROUND)[::-1], None)] if rng.random() < 0.45 else []
    prompt, parts = "", []
    for part, kind, statement in (*before, middle, *after):
        shown = part[:1].upper() + part[1:] if rng.random() < 0.45 else part
        said = shown[-len(statement) :] if statement else None
        prompt += (
            rng.choice(SEPARATORS) if prompt and not prompt.endswith("?") else " " if prompt else ""
        ) + shown
        parts.append([shown, kind, said])
    return {"prompt": prompt + rng.choice(("", ".", "")), "parts": parts}


def generate_statements(count: int, seed: int = 0) -> Iterator[Row]:
    rng = random.Random(seed)
    yield from (_write(rng) for _ in range(count))
