"""Vocabulary: verbs that ship, openings of a request, and words that make a verb a noun."""

import re


def spelled(text: str) -> frozenset[str]:
    return frozenset(text.split())


VERBS = spelled("ship merge squash-merge deploy redeploy re-deploy publish release pr shipit")
NOUNS = spelled("release deploy deployment redeploy merge publish rollout")
GERUNDS = spelled("shipping merging deploying publishing releasing redeploying")
DONE = spelled("shipped merged deployed published released")
REQUESTS = spelled("pr prs mr mrs")

OPENING = spelled("open create raise submit file make send push put post draft prepare start issue")
"""Verbs that ask for a pull request with it as their object."""
DOING = spelled(
    "do cut make create trigger run start kick perform execute begin launch initiate tag push roll"
)
"""Verbs that ask for a release, a deploy or a merge with it as their object."""
RUNNING = spelled("run trigger start kick execute begin launch initiate")
RUNNABLE = spelled("script job pipeline workflow command task action target process")
ONGOING = spelled("start begin continue proceed go mind keep")
TOOLS = spelled(
    """npm pnpm yarn bun npx cargo uv poetry twine make just git gh glab vercel netlify fly flyctl firebase
    hatch docker serverless sls cdk gem mvn gradle lerna nx wrangler"""
)

SMALL = spelled(
    "a an the this that these those my your our its another new draft one it with off out up for of"
)
"""Words that may come between such a verb and its object."""

_WORDS = """please pls plz kindly ok okay alright right great good cool nice perfect thanks yes yep yeah yup
    sure lgtm well hey hi hello now then next finally also just simply so and first lastly afterwards again
    quickly immediately directly actually instead otherwise go too still safely only maybe today asap do
    anyway done but however though quoted"""
_READY = r"(?:now |all )?(?:good|ready|safe|fine|clear|free|happy) (?:enough )?to"
_PHRASES = (
    r"thank you",
    r"(?:after|do) (?:that|this)",
    r"(?:looks|all) good",
    r"all done",
    r"at last",
    r"in that case",
    r"this time",
    r"go ahead(?: and| to)?",
    r"go on and",
    r"(?:proceed|try) (?:to|and)",
    r"feel free to",
    r"be sure to",
    r"make sure (?:to|you|that you)",
    r"remember to",
    r"(?:don't|dont|do not|never) (?:forget|hesitate) to",
    r"(?:don't|dont|do not) (?:stop|rest|quit) (?:until|till) you",
    r"why (?:(?:don't|dont|do not) (?:you|we)|not)",
    r"(?:can|could) we",
    r"let's|lets|let us",
    r"(?:it's |it is )?time to",
    r"(?:you|we) (?:can|may|could|should|must|need to|have to|want to)",
    r"(?:you|we)(?:'re| are) (?:free|allowed) to",
    r"(?:can|could|would|will) (?:you|u)",
    r"i(?: want| need| would like|'d like|'d love)(?: you)? to",
    r"(?:want|need) you to",
    r"i (?:think|guess|say|suggest)(?: that)?",
    r"help (?:me|us)(?: to)?",
    r"your task is to",
    r"(?:the )?next step is to",
    r"all that's left is to",
    rf"(?:it|this|that|everything|all|code|branch|pr)(?:'s| is| looks| seems) {_READY}",
    rf"(?:(?:we|you)(?:'re| are)|i(?:'m| am)) {_READY}",
    rf"(?:looks |seems |all )?{_READY}",
    r"\d+[.)]?",
    r"@[\w-]+",
)
LEAD = re.compile(f"(?:(?:{'|'.join((*_PHRASES, *_WORDS.split()))})(?: |$))*")
"""The openings of a request, which alone may come before its verb."""

QUESTIONS = spelled("how why what which who whose where whether wherever")
AUXILIARIES = spelled("is are was were do does did should has have can could will would shall may might am")
SUBJECTS = spelled("i we they he she it people users everyone somebody nobody ci you")
CONDITIONS = spelled(
    "if when once after as unless assuming provided before until while whenever since because"
)
NEGATIONS = spelled(
    """not never no without don't dont doesn't doesnt didn't didnt won't wont can't cant cannot shouldn't
    shouldnt mustn't isn't aren't wasn't wouldn't couldn't nor neither nobody avoid stop skip refrain"""
)
UNNEGATED = spelled("worry mind bother wait hesitate forget care stop sweat")
"""Verbs whose negation does not extend further: `don't worry about X and ship it`."""
LISTING = spelled("between both either compare versus vs")
TELLING = spelled("explain describe define discuss compare document understand")
INFINITIVES = spelled(
    """build test lint run check compile package tag bump push commit verify validate install automate
    prepare create make be review rebase squash sign upload download generate format ask decide plan
    wait approve use write read update fetch pull clone bundle stage version rollback fix change set see
    do have get"""
)

FINITE = spelled(
    """is are was were has had isn't aren't wasn't doesn't didn't don't fails failed breaks broke crashes
    crashed hangs hung works worked seems looks takes took keeps kept needs returns returned gives gave
    throws threw shows showed says said got gets happened happens times timed stopped does did should
    must will would can can't cannot won't errors went goes"""
)
COMPOUNDS = spelled(
    """target targets script scripts key keys log logs step steps job jobs pipeline pipelines button
    buttons workflow workflows hook hooks notes note date dates candidate branch branches process
    command commands function functions endpoint method handler queue queues event events conflict
    conflicts commit commits sort strategy request requests template templates description descriptions
    title body comment comments review reviews number numbers plan plans checklist schedule time times
    failure failures stage environment environments folder directory dir page cycle train manager tag
    tags preview previews history status state tool tools driver driver's option options flag flags
    config configuration settings class module enum permission permissions api apis guide policy window
    day label labels tests suite link links url feedback diff size author authors reviewer reviewers
    blocker blockers criteria message messages artifact"""
)
PRONOUNS = spelled("it this that these those them everything all both")
POINTING = spelled("this that these those the my your our both all two three a an its")
LOOSE = spelled(
    """now please today asap when if once after as and then to into in onto upstream back anyway
    immediately for away too or via using from on before because since unless so at by right straight
    already first directly pls against without with"""
)
CODE_OBJECTS = {
    "release": spelled(
        """lock locks mutex memory resource resources connection connections handle handles semaphore buffer
        buffers gil pool socket sockets cursor thread threads focus capture pointer hold slot slots
        reference references object objects context permit lease allocation descriptor descriptors"""
    ),
    "publish": spelled(
        "event events message messages notification notifications signal signals metric metrics"
    ),
    "ship": spelled("logs metrics events telemetry traces"),
}
"""Objects that programs release, publish and ship at run time."""
MERGED = spelled(
    """branch branches pr prs mr mrs pull change changes changeset feature features fix fixes patch patches
    work hotfix bugfix commit commits release stack topic code update updates request requests refactor
    refactoring"""
)
TRUNKS = spelled("main master develop dev trunk staging production prod release upstream mainline default")
LATER = re.compile(
    r"\b(?:tomorrow|later|eventually|someday|(?:next|on|this|coming)\ (?:week|month|sprint|quarter"
    r"|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|at\ some\ point|in\ the\ future"
    r"|dry[ -]?run|nothing|myself|(?:until|when|after|once|unless|before)\ i(?:'ve|'m)?\ (?:say|tell"
    r"|approve|approved|confirm|give|review|reviewed|ask|have|am|sign|get|looked|checked))\b",
    re.VERBOSE,
)
"""Phrases that postpone a request, make it a dry run, or leave it to the person."""
RUN_ON = spelled(
    """good green done pass passes passed passing ready lgtm fine fixed approved great perfect ok okay left
    more clean works complete finished happy thanks right cool nice merged"""
)
"""Last words of a remark before a request without a comma: `looks good ship it`."""
