"""Generate prompts about shipping from phrases, with labels, besides those of the corpus.

A prompt combines an opening, a phrase that ships or does not, and a rest. The random seed is fixed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from examples import Row

POLITE = 0.7
"""Share of the polite questions that end with a question mark."""
VERBS = """ship it|ship this|ship|merge it|merge|merge this|merge the PR|merge my branch|merge the branch into main|merge to main|
merge #{n}|merge {n} and {n}|squash and merge|squash-merge it|rebase and merge|deploy|deploy it|deploy this to prod|deploy to staging|
deploy the api|deploy the {thing}|redeploy the {thing}|deploy {version} to production|release it|release {version}|release the {thing}|
do the release|make a release|cut a release|cut {version}|cut the {version} tag|tag {version} and push|tag and push|tag it|
publish|publish it|publish the package|publish {version} to npm|publish the crate|publish the image|npm publish|cargo publish|
push the image to the registry|push the release tag|docker push {version}|
open a PR|open the PR|open a pull request against main|open an MR|create a PR|create the pull request|make a PR|raise a PR|
raise a pull request|submit a PR|submit it for review as a PR|file a PR|send a PR|send the PR|put up a PR|put a PR up|post the PR|
PR this|PR it|pr please|draft a PR|gh pr create|gh pr merge|get it merged|get this merged|get it in|get it out|get it out the door|
get this live|get it live|get it onto prod|get the fix out to users|put it live|put it on prod|put it in production|put it out there|
put the {thing} online|take it live|make it live|go live|go live with it|go to prod|roll it out|roll it out to everyone|roll out {version}|
roll the {thing} out to all users|land it|land this|land the change|land the patch|send it|send it out|send it off to the store|
submit the build to the app store|submit to testflight|upload the build to the play store|upload the wheel to pypi|twine upload|
promote to production|promote the build|promote staging to prod|push it to production|push it out|push the release out|
launch it|launch the {thing}|kick off the deploy|kick off the release|start the deployment|start the rollout|trigger the deploy pipeline|
trigger the release workflow|run the deploy|run the deploy script|run make deploy|run `npm publish`|run terraform apply on prod|
run the release job|hit the merge button|press merge|click merge|turn on auto-merge|enable auto merge on it|queue it for merge|
add it to the merge queue|take the PR out of draft and merge|mark it ready and merge|bring it to production|bring this live|
bring it to main|move it to prod|hand it in as an MR|sync it to the bucket|rsync the build to the server|flash it to the fleet|
push the update to all devices|go ahead with the merge|go ahead with the deployment|proceed with the release|finish the release|
do the deploy|do the merge|do the rollout|make the PR|bundle it in one PR|turn it into a PR|wrap it up in a PR|out with it to prod|
fire off the release|release the hotfix|ship the hotfix|hotfix it to prod|deliver it|deliver the build to the customer|
distribute the apk to the testers|apply it to production|helm upgrade prod|kubectl apply it on prod|vercel --prod|fly deploy""".replace(
    "\n", ""
)
OPENINGS = """|||please |pls |ok |okay, |ok now |now |great, |nice, |perfect. |lgtm, |LGTM. |looks good, |looks good to me. |all green, |
tests pass, |tests pass so |CI is green. |CI is green, |everything passes, |good work. |thanks! |cool, |yes, |yep |approved, |i approve, |
alright, |go ahead and |go ahead, |can you |could you |could you please |can you please |would you |will you |i want you to |
i'd like you to |i need you to |let's |lets |time to |you can |you may |you can now |feel free to |just |then |and then |finally |
we're done here, |done reviewing, |reviewed it, |no blockers left, |customer is waiting, |it's friday but |i dont care, |
don't wait for me, |don't worry about the docs, |no need to ask, |bump the version and |fix the typo and |run the tests and if they pass |
if the tests pass |if CI is green |once the tests pass |when the build is green |after that |commit and |commit everything and |
rebase on main and |squash the commits and |update the changelog, then |finish the refactor, run the tests and |add a test and |
write the release notes and |clean it up and |rename it and |fix the lint errors, commit, and |resolve the conflicts and |
you have my ok to |you're free to |it's ready, |ready to go, |ready? ""|we are good to |good to go, |the demo is in an hour, |
i've checked it on staging, |sign-off is there, |legal said yes, |why don't you |why not |don't forget to |make sure to |""".replace(
    "\n", ""
)
ENDINGS = """|||||| please| pls| now| today| asap| right away| for me| when you're done| thanks| and tell me the url|.|!|, thanks|. thx| already|
 then| and report back| and ping me| and close the ticket| immediately| with the usual title| with a short description| to main|
, i'll be offline|, no more changes|, we need it today| and post the link|, go""".replace("\n", "")
NEGATIONS = """don't |dont |do not |please don't |pls dont |never |do not ever |you must not |don't you dare |hold off, don't |
please do not |not yet, don't |without my ok never |we should not |no need to |i don't want you to |stop, don't |wait, don't |
i did not ask you to |it's not ready to |we're not ready to |avoid trying to |you shouldn't |you can't |nobody should |hold off before you |""".replace(
    "\n", ""
)
QUESTIONS = """should we |should i |did you |do we need to |how do i |how do we |how would i |how can i |why did you |why do we |when should we |
when do we |who can |what happens if we |what happens when i |is it safe to |is it ok to |is it too early to |are we ready to |
do you think we can |could we ever |which command do i use to |what does it take to |explain how to |explain how we |
tell me how to |describe how we |document how to |show me how to |remind me how to |what's the best way to |how long does it take to |""".replace(
    "\n", ""
)
LATERS = """tomorrow we |next week we |on monday we will |later i will |i'll |i will |i'd |we will |bob will |maria can |the release manager will |
once legal signs off we |when i'm back i'll |eventually we |one day we |if we ever |after the freeze we can |they want to |the team wants to |
the boss wants to |anna asked whether to |ask bob to |he told me to |we usually |we always |we never |every night we |in that repo they |
plan how to |prepare everything so i can |get it ready so we can |fix the tests so we can |make it possible to |so that users can |
write a script to |write a script that can |write a function to |add a button to |add a command to |create a workflow to |add a job to |
the pipeline should |the bot should |the user can |let users |allow admins to |i tried to |we used to |yesterday i had to |i forgot to |
i can't |i'm not allowed to |it failed to |the script refuses to |""".replace("\n", "")
REPORTS = """i merged it yesterday|it was deployed last night|we shipped {version} on monday|already published|the deploy failed|
the deploy failed with exit code 1, find out why|the release is broken|merge conflict in {file}|resolve the merge conflicts|
the PR is approved by two people|PR {n} is still open|i pushed a fix|i pushed, have a look|bob merged his branch and now it breaks|
since the last deploy the {thing} is slow|after the release users complained|the rollout was stopped|the push was rejected|
npm publish says 403|why was it released without tests|deployment hangs at step 3|the merge broke main|the tag points at the wrong commit|
prod is down after the deploy, check the logs|the pull request got two comments, address them|review PR {n}|review this PR|
look at the open PRs|list the open pull requests|what does PR {n} do|summarise PR {n}|close PR {n}|check out PR {n} locally|
rebase on main|rebase my branch|merge main into this branch|merge master into my branch|pull the latest main and fix conflicts|
update the PR description|change the title of the PR|reply to the review comments|commit it|commit this|commit everything|
push it|push|push the branch|push to origin|push this up|push everything|git push|push my commits|commit and push|
just commit|commit but don't push|commit locally|stage the changes|amend the commit|revert the merge|roll back the deploy|
undo the release|delete the tag|delete the remote branch|hold off on merging|hold the release|wait with the deploy|pause the rollout|
get it ready for release|prepare the release|prepare the PR but leave it to me|draft the release notes|write the release notes for {version}|
update the changelog for {version}|bump the version to {version}|plan the rollout|make a deployment checklist|dry run the deploy|
do a dry run of the release|simulate the publish|terraform plan|show the diff before we merge|test it on staging first""".replace(
    "\n", ""
)
SENSES = """merge the two dicts|merge both lists|merge these arrays by id|merge the dataframes on customer_id|merge the two functions into one|
merge the config files|implement merge sort|merge overlapping intervals|merge the duplicate rows|merge cells in the excel export|
push the item onto the stack|push the value to the array|push a notification when it is done|push the state into the history|
push events into the queue|add push notifications|publish an event to kafka|publish a message when the order is paid|
publish the metrics to statsd|fix the publish button|the publish endpoint returns 500|rename publish() to emit()|release the lock|
release the mutex in the finally block|release memory after use|release the connection back to the pool|handle key release events|
deploy key is missing|edit the deploy script|fix deploy.sh|refactor the deploy job|add a deploy step to the workflow|
the deploy preview is broken|add a staging stage to the pipeline|write a Dockerfile|write a helm chart for the {thing}|
write a release-notes generator|add release drafter config|parse the release tag|sort releases by date|add the shipping address|
calculate shipping costs|shipping label pdf is empty|validate the ship date|the ship moves too fast|draw the ship sprite|
let the ship land on the planet|landing page needs a new hero|land use data is wrong|add a PR template|add a PR labeler action|
write a merge conflict marker parser|add a git pre-push hook|fix the pre-push hook|mock the push api|submit button is disabled|
submit the form on enter|open the file|open a socket|open an issue for this|open PR {n} in the browser|make the PR smaller|
split the PR|send an email when done|send the request again|upload the avatar to s3 in the handler|add file upload|tag the photos|
add a tag field|cut the string at 80 chars|cut the first column|roll the dice|roll out animation for the menu|
launch the browser in the test|launch screen is blank|promote the user to admin|promote the piece when the pawn reaches the end|
go through the code|go test ./...|live reload is broken|make the counter update live|put the constants in one file|
put it behind a flag|production config is missing a key|compare prod and staging config|add a prod profile|create a release branch|
create a branch|create a tag class|start the server|start a new file|run the tests|run the linter|trigger a rerender|
kick off a background job in the handler|deliver the message at least once|distribute the load evenly|sync the state with the url|
explain the release process|explain the difference between merge and rebase|what is a merge queue|is there a deploy guide""".replace(
    "\n", ""
)
PLAIN = """fix the {thing}|look into the failing test in {file}|add a test for the empty case|refactor {file}|why is the {thing} slow|
rename the variable|explain this function|clean up the imports|the tests take too long|update the docs for the {thing}""".replace(
    "\n", ""
)
THINGS = "api|backend|frontend|worker|site|docs|landing page|app|dashboard|service|lambda|firmware|plugin|extension|theme|login page|parser"
FILES = "cart.spec.ts|src/main.rs|parser.py|deploy.yml|index.html|config.toml|utils.go|README.md"


def _pick(rng: random.Random, phrases: str) -> str:
    phrase = rng.choice(phrases.split("|"))
    number, version = rng.randint(2, 990), f"{rng.choice(['', 'v'])}{rng.randint(0, 9)}.{rng.randint(0, 20)}"
    things = {"n": number, "version": version, "thing": rng.choice(THINGS.split("|"))}
    return phrase.format(**things, file=rng.choice(FILES.split("|")))


def _write(rng: random.Random) -> tuple[str, bool]:
    kind = rng.choices(range(8), weights=(50, 8, 11, 11, 8, 14, 6, 5))[0]
    verb = _pick(rng, VERBS)
    if kind == 0:
        opening = _pick(rng, OPENINGS)
        polite = opening.startswith(("can ", "could ", "will ", "would ", "why "))
        text = opening + verb + _pick(rng, ENDINGS)
        text = f"{text.rstrip('.!')}?" if polite and rng.random() < POLITE else text
    elif kind in (1, 2, 3):
        prefix = _pick(rng, (NEGATIONS, QUESTIONS, LATERS)[kind - 1])
        text = (
            prefix + verb + (rng.choice(("?", "?", "")) if kind == 2 else _pick(rng, ("||| yet|.|, thanks")))
        )
    elif kind in (4, 5, 6):
        text = _pick(rng, ("||please |ok |can you |now ")) + _pick(rng, (REPORTS, SENSES, PLAIN)[kind - 4])
        text += _pick(rng, "||.|, thanks| please")
    else:
        text = f"{verb} {rng.choice(('tomorrow', 'next week', 'later', 'on monday', 'myself', 'when i say so', 'once i approved it'))}"
        text = rng.choice(("we'll ", "i'll ", "let's ", "")) + text
    return text, kind == 0


def generate_rows(count: int, seed: int = 0) -> Iterator[Row]:
    """Yield rows; some have other sentences before or after."""
    rng = random.Random(seed)
    for _ in range(count):
        text, ship = _write(rng)
        for _ in range(rng.choice((0, 0, 0, 1, 2))):
            other = _pick(rng, rng.choice((REPORTS, SENSES, PLAIN, PLAIN)))
            text = (
                f"{other}{rng.choice(('. ', ', ', chr(10), '. '))}{text}"
                if rng.random() < 0.7
                else f"{text}. {other}"
            )
        text = text[:1].upper() + text[1:] if rng.random() < 0.4 else text
        yield {"prompt": text, "ship": ship}
