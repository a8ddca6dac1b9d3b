"""Classify the prompts of a person: new tasks, additions to a task, choices and replies."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Literal, NamedTuple

from hookline.language.segment import split_clauses, split_sentences

PromptKind = Literal["task", "addition", "choice", "reply"]
_AGREEING = """
ok okay yes yep yeah yup sure right fine agreed alright got it understood hm hmm ah oh well hi hey hello sorry
so and please ja gut
"""
_PRAISING = """
great nice nicely good thanks thank you thx merci danke perfect awesome wow cool excellent super lovely much
brilliant wonderful amazing sweet cheers bravo lgtm looks look looking done love prima klasse passt toll job
work find catch stuff live green works worked quiet merged deployed released fixed shipped approved verified
confirmed tested reviewed pushed finished ship shipping push merge merging everywhere main lot so very myself
just morning evening everyone part phew yay wow haha omg finally parfait génial bien gracias perfecto
"""
_FILLING = "that that's it's this they all is are was in now too on a to me then one"
_CONSENT, _PRAISE = frozenset(_AGREEING.split()), frozenset(_PRAISING.split())
_PHATIC = _CONSENT | _PRAISE | frozenset(_FILLING.split())
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_NO_WORDS = re.compile(r"^[^\w`'\"(#/\[-]+")
_LEADING_WORD = re.compile(
    r"(?i)(?:(?:ok(?:ay)?|yes|yep|yeah|sure|alright|great|nice|thanks|thank you|thx|cool|perfect"
    r"|good)\b[\s,]+)+"
)
_WORK = (
    "add|fix|implement|write|rewrite|profile|backfill|tackle|create|update|refactor|migrate|remove|delete"
    "|rename|investigate|find|figure out|take care|have a look|look|make|build|set up|port|convert|upgrade"
    "|deploy|release|document|review|test|check|prepare|move|change|replace|clean|optimi[sz]e|debug|drop"
    "|reproduce|rework|extend|introduce|support|split|extract|expose|roll out|turn|cut|reduce|speed up"
    "|translate|design|configure|enable|disable|get|mark|generate|benchmark|audit|backport|publish|bump"
    "|wire"
    "|handle|show|hide|lazy-load|start|stream|rotate|bring|automate|simplify|validate|list|provide|measure"
    "|merge|install|downgrade|pin|mention|cover|sort|log|switch|let|allow|restrict|print|draw|connect"
    "|finish|complete|baue?|füge|schreibe?|behebe?|erstelle?|ändere|entferne?|prüfe?|ersetze?|migriere?"
)
_GO_ON = re.compile(
    r"(?i)(?:and |then |please,? |just |you (?:can|may) )*(?:continue|go (?:on|ahead)|proceed|do (?:it"
    r"|that|so)"
    r"|keep (?:going|at it)|carry on|resume|pause|(?:wait|hold on)(?=\W*$)|let me|i'll|i will|i'm"
    r"|stop(?: here|$)|brb"
    r"|weiter|(?:commit|push|merge|ship)(?: and \w+)?(?: it| this| that| them|$)?|(?:open|create) (?:a"
    r"|the) pr"
    r"|try (?:it )?again|retry|rerun)\b"
    r"(?! with (?!it|that|this))(?: +(?!but\b|then\b|now\b|and\b|into\b)[^\s,]+){0,8}(?:, (?:i|we|it|the"
    r"|thanks?)\b[^,]*)?\W*$"
    r"|.*\b(?:we're|we are|that's|that is) (?:done|all|it)\b|\S+(?: \S+)?\W*$|(?:the|my) \S+(?:"
    r" \S+)? (?:is|are)"
    r" (?:up|back|running|there)(?: again| now)?\W*$"
)
_REPLACES = re.compile(
    r"(?i)(?:(?:and|so|but|please|first|stop|hold on|wait)\b[ ,]+)*(?:now|next|jetzt|als nächstes|danach"
    r"|new (?:task|request|topic"
    r"|bug|problem|thing)|(?:the )?(?:real|actual|last|second|other|final) (?:task|thing|work|problem"
    r"|topic|one for)"
    r"|separate\w*|different (?:topic|problem|thing)|something (?:else|urgent|different)|part two|on to"
    r"|moving"
    r" on|back to|time for|another|urgent|hotfix|change of plans?|forget|scrap|never mind"
    r"|nevermind|park|leave (?:that|it) for later|drop everything|instead(?=:)|what (?:we|i) need next"
    r"|after (?:that|this)|meanwhile|follow[- ]up|since you|as a follow[- ]up|start (?:on|with)|pick up"
    r"|let's (?:move|do (?!it\b)|tackle|start|get)|(?:do )?(?:exactly )?(?:the )?same (?:for|with|in"
    r"|thing))"
    r"\b(?=[\s,:.;]|$)"
    rf"|then (?:please )?(?:{_WORK})\b(?! (?:it|this|that|them)\b)|(?:commit|push|merge) .*[,.;] (?:and"
    rf" )?then (?:{_WORK})\b"
)
_ADDS = re.compile(
    r"(?i)(?:and |so |but |please |then )*(?:(?:the )?same (?:bug|problem|issue|error)|also|außerdem"
    r"|noch (?:was|etwas|eins)|one (?:more|last)(?! question)|btw"
    r"|by the"
    r" way|while \w+|(?:go on|continue|proceed|carry on|keep going|go ahead) with (?!it|that|this)"
    r"|(?:can|could|would|will) (?:you|we) (?:please )?also)\b|.*\b(?:(?:as well|too)(?: please)?\W*$"
    r"|while (?:you|we)(?:'re| are) at it)"
)
_BEFORE = re.compile(r"(?i)\bbefore (?:you|i|we)\b")
_ASKS = re.compile(
    r"(?i)(?:please |then |and )*(?:(?:can|could|would|will) (?:you (?!explain|tell|show me)|we (?:also"
    r"|now|get"
    r"|have|please)\b)|(?:i|we)(?:'d| would| also)* (?:like|need|want)\b(?! to know)"
    rf"|(?:{_WORK})\b(?! (?:it|this|that|them|sure)\b))"
)
_SUGGESTS = re.compile(
    r"(?i)(?:(?:can|could|should) we (?:not |just )?(?:use|do it)|(?:what|how) about (?!the\b)|why"
    r" not)\b(?!.*\bother\b)"
)
_OTHER_WAY = re.compile(r"(?i)\b(?:instead|rather|use|only|just|not|without)\b")
"""Questions that propose another way, or more of the same."""
_REPORT = re.compile(
    r"(?i)(?:there(?:'s| is| are)|we (?:got|see)|(?:the |our )?(?:customers?|users?|people|qa|support"
    r"|ops|clients?)"
    r" (?!is\b|are\b|has\b)\w+|(?!(?:it|that|this|you|i|we)\b)\S+(?: \S+){0,7} (?:is (?:broken|slow"
    r"|flaky|gone"
    r"|missing|wrong|red|still)|crash(?:es|ed)|throws?|returns?|leaks?|hangs?|fails?|dies?|expires?|drops?"
    r"|flickers?|takes? \d|goes up|shows?|prints?|(?:is|are) not|need(?:s|ed)?|dauert|fehlt|stürzt))\b"
)
_TICKET = re.compile(r"\S*(?:\W+\S+){0,6}?\W*(?:#\d+|[A-Z]{2,}-\d+)\b")
_CORRECTS = re.compile(
    r"(?i)(?:wait\W+|but |then |so |and )*(?:nein|nicht|kein\w*|lieber|nimm|lass|bitte (?:nicht|kein\w*)"
    r"|no|not|don't"
    r"|do not"
    r"|never(?! mind)|actually|rather|instead(?!:)|use|keep(?! going)|try|prefer|only|stop \w+ing|name"
    r"|call|skip"
    r"|leave|please (?:no|don't|use|keep|only)|that's|that|it's|this is|you (?:forgot|missed)|option|go"
    r" with"
    r"|(?:the )?(?:first|second|third|last) (?:option|one|variant|way)|[a-d1-9][,.)])(?![\w'])"
)
CONSTRAINT = re.compile(
    r"(?i)\b(?:nein|nicht|kein\w*|lieber|nur|statt\w*|muss|soll\w*|ohne|bitte|nimm|no|not|never|must"
    r"|should|shall|instead|rather|only|use|keep|prefer|try|exclude|put|go with|take|pick|option|call it"
    r"|name it|but|needs? to|ha(?:s|ve) to|leave|drop|without|let's|please|always|at (?:least|most)"
    r"|unless|stop|revert|forgot|then|remove|stays?|throttle|limit|ignore|max)\b|n't\b"
    r"|^\(?[a-d1-9]\)?[,.] "
)
"""Words of a person who decides how the work is done."""
_AMOUNT = re.compile(
    r"(?i)\b\d+(?:\.\d+)? ?(?:%|ms|s|seconds?|minutes?|hours?|days?|am|pm|[km]b|gb)(?!\w)"
    r"|\bper (?:second|minute|hour|day)\b"
)
_CONDITION = re.compile(r"(?i)(?:but |and )?(?:keep|use|no|don't|only|without|never|leave)\b")
_ANSWER = 3
"""Words of an answer to a question that is more than consent."""
_LONG = 15
"""Words of a prompt that is a task if the agent had just reported a result."""
_SHORT, _SHORT_AFTER_PRAISE = 12, 7
"""Words of a request after a result, or after praise, that may rather be about the result."""


class _Body(NamedTuple):
    sentences: list[str]
    """The prompt without thanks, greetings, reports of success and consent at its beginning."""
    praised: bool
    consented: bool


def classify_prompt(
    text: str, *, settled: bool = False, asked: bool = False, acted: bool = False
) -> PromptKind:
    """Return what a prompt is for: a new task, an addition to the task, a choice about it, or a reply.

    *settled*: the agent had just reported a result, so that a request is rather a new task. *asked*: the
    agent had just asked a question, so that a statement is a choice. *acted*: the agent then changed files,
    so that a statement was more than a reply.
    """
    sentences, praised, consented = _strip_opening(split_sentences(text))
    body = " ".join(sentences)
    if all(_GO_ON.match(sentence) for sentence in sentences):
        return "reply"
    if any(_REPLACES.match(sentence) for sentence in sentences):
        return "task"
    asks = _asks(sentences)
    if _SUGGESTS.match(sentences[0]):
        return "choice" if _OTHER_WAY.search(body) else "addition"
    is_question = sentences[0].endswith("?") or sentences[-1].endswith("?")
    if not asks and is_question and "instead" not in body:
        return "reply"
    if asks and not _CORRECTS.match(sentences[0]) and (settled or praised or not consented):
        return _rank_request(body, sentences, settled=settled or praised, praised=praised)
    if settled and len(body.split()) >= _LONG and not CONSTRAINT.search(body):
        return "task"
    answers = asked and len(body.split()) >= _ANSWER and not is_question
    return "choice" if acted or answers or CONSTRAINT.search(body) or _AMOUNT.search(body) else "reply"


def praises(text: str) -> bool:
    """Return whether a prompt begins with praise or a report of success."""
    return _strip_opening(split_sentences(text)).praised


def _strip_opening(sentences: list[str]) -> _Body:
    praised = consented = False
    clauses = deque((sentence, clause) for sentence in sentences for clause in split_clauses(sentence))
    while clauses:
        words = {word.lower().replace("\u2019", "'") for word in _WORD.findall(clauses[0][1])}
        words = {word for word in words if not word.isdigit()}
        if words - _PHATIC or (words and not words & (_CONSENT | _PRAISE)):
            break
        praised, consented = praised or bool(words & _PRAISE), consented or bool(words & _CONSENT)
        clauses.popleft()
    kept = [" ".join(clause for _, clause in group) for _, group in groupby(clauses, itemgetter(0))]
    leading = _LEADING_WORD.match(kept[0]) if kept else None
    kept[:1] = [kept[0][leading.end() :]] if leading else kept[:1]
    return _Body(kept, praised, consented or leading is not None)


def _asks(sentences: list[str]) -> bool:
    patterns = (_ADDS, _ASKS, _REPORT, _TICKET)
    return any(
        pattern.match(sentence)
        for sentence in sentences
        for pattern in (patterns if not sentence.endswith("?") else (_ADDS, _ASKS))
    ) or any(_ASKS.match(clause) for sentence in sentences for clause in split_clauses(sentence)[1:])


def _rank_request(body: str, sentences: list[str], *, settled: bool, praised: bool) -> PromptKind:
    """Return whether a request begins a new task, adds to the present one, or is about how it is done."""
    words = len(body.split())
    if any(map(_ADDS.match, sentences)) and (not praised or _BEFORE.search(body)):
        return "addition"
    if settled:
        is_short = words < (_SHORT_AFTER_PRAISE if praised else _SHORT)
        return "addition" if is_short and not _TICKET.match(body) else "task"
    first = sentences[0]
    is_report = (_REPORT.match(first) or _TICKET.match(first)) and not CONSTRAINT.search(first)
    return "addition" if is_report or (words >= _SHORT and _ASKS.match(first)) else "choice"


def find_conditions(text: str) -> Iterator[str]:
    """Yield the parts of a request, after its beginning, that say how the work is to be done."""
    for number, sentence in enumerate(_strip_opening(split_sentences(text)).sentences):
        clauses = split_clauses(sentence)
        starts = [at for at, clause in enumerate(clauses) if at and _CONDITION.match(clause)]
        constrains = CONSTRAINT.search(sentence) or " when " in sentence
        if number and constrains and not _ASKS.match(sentence):
            yield sentence
        elif starts:
            yield " ".join(clauses[starts[0] :])
