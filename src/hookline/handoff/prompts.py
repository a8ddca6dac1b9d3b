"""Classify the prompts of a person: new tasks, additions to a task, choices and replies."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Literal

from hookline.language.segment import split_clauses, split_sentences
from hookline.lazy import re

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
_THANKS = frozenset(
    "thanks thank thx danke merci gracias grazie obrigado obrigada bedankt tack tak kiitos".split()
)
_DECLINE = 2
"""Words of a clause such as `no thanks`."""
_FILLING = "that that's it's this they all is are was in now too on a to me then one"
_CONSENT, _PRAISE = frozenset(_AGREEING.split()), frozenset(_PRAISING.split())
_PHATIC = _CONSENT | _PRAISE | frozenset(_FILLING.split())
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_LEADING_WORD = re.compile(
    r"(?i)(?:(?:ok(?:ay)?|ye(?:s|p|ah)|sure|alright|great|nice|thanks|thx|cool|perfect|good)\b[\s,]+)+"
)
_WORK = (
    "add|fix|implement|write|rewrite|profile|backfill|tackle|create|update|refactor|migrate|remove|delete"
    "|rename|investigate|find|figure out|take care|have a look|look|make|build|set up|port|convert|upgrade"
    "|deploy|release|document|review|test|check|prepare|move|change|replace|clean|optimi[sz]e|debug|drop"
    "|reproduce|rework|extend|introduce|support|split|extract|expose|roll out|turn|cut|reduce|speed up"
    "|translate|design|configure|enable|disable|get|mark|generate|benchmark|audit|backport|publish|bump"
    "|wire|handle|show|hide|lazy-load|start|stream|rotate|bring|automate|simplify|validate|list|provide|measure"
    "|merge|install|downgrade|pin|mention|cover|sort|log|switch|let|allow|restrict|print|draw|connect"
    "|finish|complete|baue?|füge|schreibe?|behebe?|erstelle?|ändere|entferne?|prüfe?|ersetze?|migriere?"
)
REQUESTS = re.compile(rf"(?i)\b(?:{_WORK})\b(?= (?:an?|the|its?|our|them|all|to|up)\b)")
"""Verbs that ask for work."""
_GO_ON = re.compile(
    r"(?i)(?:and |then |please,? |just |you (?:can|may) )*(?:continue|go (?:on|ahead)|proceed|do (?:it|that"
    r"|so)|keep (?:going|at it)|carry on|resume|pause|(?:wait|hold on)(?=\W*$)|let me|i'll|i will|i'm"
    r"|stop(?: here|$)|brb|weiter|(?:commit|push|merge|ship)(?: and \w+)?(?: it| this| that| them|$)?|(?:open"
    r"|create) (?:a|the) pr|try (?:it )?again|retry|rerun)\b(?! with (?!it|that|this))(?: +(?!but\b|then\b"
    r"|now\b|and\b|into\b)[^\s,]+){0,8}(?:, (?:i|we|it|the|thanks?)\b[^,]*)?\W*$|.*\b(?:we're|we are|that's"
    r"|that is) (?:done|all|it)\b|\S{1,12}(?: \S+)?\W*$|(?:the|my) \S+(?: \S+)? (?:is|are) (?:up|back|running"
    r"|there)(?: again| now)?\W*$"
)
_REPLACES = re.compile(
    r"(?i)(?:(?:and|so|but|please|first|stop|hold on|wait)\b[ ,]+)*(?:now|next|jetzt|als nächstes|danach"
    r"|new (?:task|request|topic|bug|problem|thing)|(?:the )?(?:real|actual|last|second|other|final) (?:task"
    r"|thing|work|problem|topic|one for)|separate\w*|different (?:topic|problem|thing)|something (?:else"
    r"|urgent|different)|part two|on to|moving on|back to|time for|another|urgent|hotfix|change of plans?"
    r"|forget|scrap|never mind|nevermind|park|leave (?:that|it) for later|drop everything|instead(?=:)"
    r"|what (?:we|i) need next|after (?:that|this)|meanwhile|follow[- ]up|since you|as a follow[- ]up"
    r"|start (?:on|with)|pick up|let's (?:move|do (?!it\b)|tackle|start|get)"
    r"|(?:do )?(?:exactly )?(?:the )?same (?:for|with|in|thing))\b(?=[\s,:.;]|$)"
    rf"|then (?:please )?(?:{_WORK})\b(?! (?:it|this|that|them)\b)|(?:commit|push|merge) .*[,.;] (?:and"
    rf" )?then (?:{_WORK})\b"
)
_ADDS = re.compile(
    r"(?i)(?:and |so |but |please |then )*(?:(?:the )?same (?:bug|problem|issue|error)|also|außerdem"
    r"|noch (?:was|etwas|eins)|one (?:more|last)(?! question)|btw|by the way|while \w+|(?:go on|continue"
    r"|proceed|carry on|keep going|go ahead) with (?!it|that|this)|(?:can|could|would|will) (?:you"
    r"|we) (?:please )?also)\b|.*\b(?:(?:as well|too)(?: please)?\W*$|while (?:you|we)(?:'re| are) at it)"
)
_BEFORE = re.compile(r"(?i)\bbefore (?:you|i|we)\b")
_ASKS = re.compile(
    r"(?i)(?:please |then |and )*(?:(?:can|could|would|will) (?:you (?!explain|tell|show me)|we (?:also"
    rf"|now|have|please|{_WORK})\b)|(?:i|we)(?:'d| would| also)* (?:like|need|want)\b(?! to know)"
    rf"|(?:{_WORK})\b(?! (?:it|this|that|them|sure)\b))"
)
_SUGGESTS = re.compile(
    r"(?i)(?:(?:can|could|should) we (?:not |just )?(?:use|do it)|(?:what|how) about (?!the\b)"
    r"|why not)\b(?!.*\bother\b)"
)
"""Questions that propose another way, or more of the same."""
_REPORT = re.compile(
    r"(?i)(?:there(?:'s| is| are)|we (?:got|see)|(?:the |our )?(?:customers?|users?|people|qa|support|ops"
    r"|clients?) (?!is\b|are\b|has\b)\w+|(?!(?:it|that|this|you|i|we)\b)\S+(?: \S+){0,7} (?:is (?:broken|slow"
    r"|flaky|gone|missing|wrong|red|still)|crash(?:es|ed)|throws?|returns?|leaks?|hangs?|fails?|dies?"
    r"|expires?|drops?|flickers?|takes? \d|goes up|shows?|prints?|(?:is|are) not|need(?:s|ed)?|dauert|fehlt"
    r"|stürzt))\b"
)
_TICKET = re.compile(r"\S*(?:\W+\S+){0,6}?\W*(?:#\d+|[A-Z]{2,}-\d+)\b")
_CORRECTS = re.compile(
    r"(?i)(?:wait\W+|but |then |so |and )*(?:nein|nicht|kein\w*|lieber|nimm|lass|bitte (?:nicht|kein\w*)|no"
    r"|not|don't|do not|never(?! mind)|actually|rather|instead(?!:)|use|keep(?! going)|try|prefer|only"
    r"|stop \w+ing|name|call|skip|leave|please (?:no|don't|use|keep|only)|that's|that|it's|this is"
    r"|you (?:forgot|missed)|option|go with|(?:the )?(?:first|second|third|last) (?:option|one|variant|way)"
    r"|[a-d1-9][,.)])(?![\w'])"
)
CONSTRAINT = re.compile(
    r"(?i)\b(?:nein|nicht|kein\w*|lieber|nur|statt\w*|muss|soll\w*|ohne|bitte|nimm|no|not|never|must|should"
    r"|shall|instead|rather|only|use|keep|prefer|try|exclude|put|go with|take|pick|option|call it|name it|but"
    r"|needs? to|ha(?:s|ve) to|leave|drop|without|let's|please|always|at (?:least|most)|unless|stop|revert"
    r"|forgot|then|remove|stays?|throttle|limit|ignore|max|can wait)\b|n't\b|^\(?[a-d1-9]\)?[,.] "
)
"""Words of a person who decides how the work is done."""
_CONDITION = re.compile(r"(?i)(?:but |and )?(?:keep|use|no|don't|only|without|never|leave)\b")
_ANSWER = 3
"""Words of an answer to a question that is more than consent."""
QUESTION = re.compile(r"(?i)(?:please )?(?:explain|tell|describe|what|why|how|which|who|where)\b|.*\?")
_POLITE = re.compile(r"(?i)\b(?:bitte|soll\w*|please)\b")
_LONG, _IDEOGRAPH = 70, re.compile(r"[\u3040-\u9fff\uac00-\ud7af]")
"""Letters of a statement that is more than an answer; an ideograph counts as two."""
_SHORT, _SHORT_AFTER_PRAISE = 12, 7
"""Words of a request after a result, or after praise, that may rather be about the result."""


def classify_prompt(
    text: str,
    *,
    settled: bool = False,
    asked: bool = False,
    acted: bool = False,
    differs: bool = False,
) -> PromptKind:
    """Return what a prompt is for: a new task, an addition to the task, a choice about it, or a reply.

    *settled*: the agent had just reported a result, so that a request is rather a new task. *asked*: the
    agent had just asked a question, so that a statement is a choice. *acted*: the agent then changed files,
    so that a statement was more than a reply. *differs*: the agent had proved its work, and then worked on
    other files, so that a long statement in any language is a new task.
    """
    sentences, praised, consented = strip_opening(text)
    body = " ".join(sentences)
    if all(_GO_ON.match(sentence) for sentence in sentences):
        return "reply"
    if any(_REPLACES.match(sentence) for sentence in sentences):
        return "task"
    asks = _asks(sentences, acted=acted)
    if _SUGGESTS.match(sentences[0]):
        return "addition"
    is_question = sentences[0].endswith("?") or sentences[-1].endswith("?")
    if not asks and is_question and "instead" not in body:
        return "reply"
    if asks and not _CORRECTS.match(sentences[0]) and (settled or praised or not consented):
        return _rank_request(body, sentences, settled=settled or praised, praised=praised)
    if differs and not asked and not is_question and _begins_work(body):
        return "task"
    answers = asked and len(body.split()) >= _ANSWER and not is_question
    return "choice" if acted or answers or CONSTRAINT.search(body) else "reply"


def _begins_work(body: str) -> bool:
    """Return whether a statement is long and does not restrict how the work is done."""
    return is_long(body) and not CONSTRAINT.search(_POLITE.sub("", body))


def is_long(text: str) -> bool:
    return len(text) + len(_IDEOGRAPH.findall(text)) >= _LONG


def strip_opening(text: str) -> tuple[list[str], bool, bool]:
    """Return the sentences after praise and consent at the beginning, and whether there were such words."""
    praised = consented = False
    clauses = deque(
        (sentence, clause) for sentence in split_sentences(text) for clause in split_clauses(sentence)
    )
    while clauses:
        words = {word.lower().replace("\u2019", "'") for word in _WORD.findall(clauses[0][1])}
        words = {word for word in words if not word.isdigit()}
        if not _declines(words) and (words - _PHATIC or (words and not words & (_CONSENT | _PRAISE))):
            break
        praised, consented = praised or bool(words & _PRAISE), consented or bool(words & _CONSENT)
        clauses.popleft()
    kept = [" ".join(clause for _, clause in group) for _, group in groupby(clauses, itemgetter(0))]
    leading = _LEADING_WORD.match(kept[0]) if kept else None
    kept[:1] = [kept[0][leading.end() :]] if leading else kept[:1]
    return kept, praised, consented or leading is not None


def is_thanks(text: str) -> bool:
    """Return whether a prompt thanks for or praises the work, and asks nothing."""
    words = {word.lower() for word in _WORD.findall(text)}
    return "?" not in text and (bool(words & _THANKS) or strip_opening(text)[1])


def _declines(words: set[str]) -> bool:
    """Return whether a clause says no more than `no thanks`."""
    return len(words) <= _DECLINE and bool(words & _THANKS)


def _asks(sentences: list[str], *, acted: bool) -> bool:
    patterns = (_ADDS, _ASKS, _REPORT, _TICKET)
    return any(
        pattern.match(sentence)
        for sentence in sentences
        for pattern in (patterns if not sentence.endswith("?") else (_ADDS, _ASKS)[not acted :])
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
    sentences = strip_opening(text)[0]
    first = next((number for number, one in enumerate(sentences) if _REPLACES.match(one)), 0)
    for number, sentence in enumerate(sentences[first:]):
        clauses = split_clauses(sentence)
        starts = [at for at, clause in enumerate(clauses) if at and _CONDITION.match(clause)]
        constrains = CONSTRAINT.search(sentence) or " when " in sentence
        names = len(_POLITE.sub("", sentence).split()) > 1
        if number and constrains and names and not _ASKS.match(sentence):
            yield sentence
        elif starts:
            yield " ".join(clauses[starts[0] :])
