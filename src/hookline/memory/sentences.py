"""Classify sentences that are worth remembering, because they still hold after their session.

Not remembered are momentary orders (“don't commit yet”), statements about programs (“it returns None
instead of 5”), plans, conditions, and references that only this session resolves. A false standing order
does more harm than a missed one: every later session reads it.
"""

from __future__ import annotations

import re

Found = tuple[str, str, float]
"""Kind, text and confidence."""
SHORTEST = 12
"""Minimum length in characters of a text that becomes a memory."""

_CHOSE = r"(?:decided|chose|chosen|settled on|opted|agreed (?:to|on))"
_WHO = r"\b(?:i|we)(?:'ve| have)?(?: (?:both|all|finally|already|now|just|then|also|therefore))?"
_CHOOSING = r"(?:us(?:e|ed|ing)|ch(?:ose|oose)|pick(?:ed)?|ke(?:ep|pt)|prefer(?:red)?|stored?|switched? to)"
_DECIDED = re.compile(
    rf"(?i)\bdecision:\s*\w|{_WHO} {_CHOSE}\b|^(?:so |ok, |okay, )?decided (?:to|on|against)\b"
    r"|\b(?:it (?:was|is|has been)|it's(?: been)?|the team(?: has)?) decided\b"
    r"|(?:^|\b(?:i'm|i am|we're|we are) )going with\b|\b(?:we|i)(?:'ll| will) (?:go with|stick (?:to|with))\b"
    r"|\blet's (?:go with|stick (?:to|with))\b"
    rf"|(?:^|\b(?:i|we|let's) (?:\w+ ){{0,2}}){_CHOOSING}\b[^.]{{0,80}}"
    r"\b(?:instead of|rather than|over) \w[^.]{0,80}\bbecause\b"
)
_UNDECIDED = re.compile(
    r"(?i)^(?:if|once|when|whenever|whether|unless|until|till|had|suppose|assuming|what if)\b"
    r"|(?:not|n't|never|yet to|nobody)(?: \w+){0,2} (?:decided|chosen|settled|opted|agreed)\b"
    rf"|\b(?:if|once|when|whether|unless|until|whatever|what|which|how|before|after) (?:i|we|you|they)"
    rf"(?:'ve| have| had)?(?: \w+)? {_CHOSE}"
)
_REPORTED = re.compile(
    r"(?i)\b(?:sa(?:ys?|id)|tells?|told|claim(?:s|ed)?|mention(?:s|ed)?|report(?:s|ed)?|state[sd]?|"
    r"wr(?:ites?|ote)|reads|suggest(?:s|ed)?|ask(?:s|ed)?|accord(?:s|ing) to|apparently|reportedly|seems?)\b"
)
"""Words with which an agent reports statements of others, such as those of a file it read."""
_POINTLESS = re.compile(
    r"(?i)\b(?:that|this|it|them|those|these|yours|(?:option|approach|plan|variant|version"
    r"|proposal) [a-z0-9]|"
    r"(?:the )?(?:first|second|third|last|other|former|latter)(?: (?:one|option|way|approach|version))?|"
    r"your (?:suggestion|proposal|recommendation|plan|idea))[.! ]*$"
)
"""Endings that refer to an earlier sentence for the choice."""
_STEP = re.compile(
    r"(?i)\b(?:decided|chose|chosen|opted|agreed) to (?:first )?(?:run|look|check|read|start|begin|try"
    r"|see|test"
    r"|investigate|examine|inspect|search|open|verify|proceed|continue|explore|review|debug|wait|stop|ask"
    r"|skip)\b"
)
"""Decisions about the next step, which is done when the next session reads them."""

_BLOCKED = re.compile(
    r"(?i)\bblockers?\s*[:\u2013\u2014]\s*(?!(?:none|nothing|n/?a|no(?= (?:blockers?|more|open|known)\b"
    r"|\W*$))\b)\w"
    r"|^(?:(?:still|currently|now) )?blocked (?:by|on|until)\b"
    r"|\b(?:i|we)(?:'m|'re| am| are| remain)(?: (?:still|currently|now))? blocked (?:by|on|until)\b"
    r"|\b(?:this|it|work|tasks?|issues?|steps?|story|ticket|releases?|deploy(?:ment)?|rollout|merge|pr|"
    r"migration|feature|upgrade|rest|everything|progress)\b[^.]{0,30}?"
    r" (?:is|are|remains?|stays?)(?: (?:still|currently|now))? blocked (?:by|on|until)\b"
    r"|\bwaiting (?:for|on) (?:the |a |an |our |their )?(?:[\w-]+ ){1,3}?(?:to|from|before)\b"
    r"|\bcan(?:not|'t) (?:proceed|continue|go on) (?:until|without|because)\b"
)
_PASSING = re.compile(
    r"(?i)\bblocked (?:by|on) (?:a |an |the |my |our )?(?:\w+[ -]){0,2}?(?:hooks?|guards?|hookline"
    r"|sandbox|mutex|lock|"
    r"promise|i/o|permissions?|polic(?:y|ies))\b"
    r"|\bwaiting (?:for|on) (?:the |a |an |our |my |your )?(?:\w+ ){0,2}?(?:servers?|builds?|tests?"
    r"|suites?|commands?|"
    r"process(?:es)?|jobs?|containers?|install\w*|compil\w*|outputs?|responses?|pages?|apps?|services?|"
    r"downloads?|scripts?|tasks?|subagents?|agents?|results?|db|database|pods?|deploy(?:ment)?s?|ci"
    r"|pipelines?|"
    r"workflows?|locks?|runs?|it|them|you|users?|input|port|emulator|browser)\b"
    r"|\bcan(?:not|'t) (?:proceed|continue|go on) (?:until|without|because)\b[^.]*\b(?:you|your"
    r"|confirm\w*|more "
    r"(?:context|information|details?)|too (?:large|long|big))\b"
)
"""Waits that end within the session, and obstacles to a single call of an agent."""

_CLEARED = re.compile(
    r"(?i)\b(?:unblocked|no longer blocked|"
    r"blockers?:? (?:is |are |was |were )?(?:none|gone|resolved|cleared)|no (?:more |open )?blockers)\b"
)
_UNCLEARED = re.compile(
    r"(?i)\b(?:once|when|whenever|until|till|if|unless|as soon as|after|before|not|cannot|never|nothing|who|"
    r"how|(?:will|would|can|could|should|must|may|might|to|needs?) (?:\w+ )?(?:be|get))\b|n't\b"
)
"""Words with which the blocker still holds."""
_CLAUSE = re.compile(r"[.!?\n]+")

_STANDING = re.compile(
    r"(?i)^(?:please )?(?:always|never|from now on|remember(?: that|:| to)|"
    r"i(?:'d)? (?:prefer|always want|never want|like you to)|we (?:always|never|prefer))(?=\W|$)"
)
_ORDERED = re.compile(
    r"(?i)^(?:please )?(?:stop \w+ing|"
    r"do(?:n't| not) (?:ever|use|add|run|touch|commit|push|write|change|edit|create|put|"
    r"modify|delete|remove|install))(?=\W|$)"
)
_NO_RULE = re.compile(
    r"(?i)^(?:please )?(?:never ?mind\b|always (?:fails?|returns?|gives?|shows?|says|gets?|crash\w*|been"
    r"|is|was|has|"
    r"the same)\b|never (?:worked|works|seen|heard|had|been|got|happen\w*|knew|thought|fails?|returns?)\b)"
    r"|\b(?:this time|for now|right now|at the moment|just (?:this )?once|for the moment|only for this)\b"
    r"|\b(?:that|this|it|them|those|these)(?: again)?[.! ]*$"
    r"|\b(?:this|that|the current) (?:pr|commit|session|turn|task|step|change|run)\b"
    r"|\bthe (?:first|second|third|last|other|former|latter)(?: (?:one|option|way|file|version"
    r"|approach))?[.!]?$"
)
"""Sentences that begin like a rule but are not one."""
_OF_THE_MOMENT = re.compile(
    r"(?i)\b(?:yet|(?<!from )now|today|tonight|until|till|before i|so far|just (?:look|tell|show|explain"
    r"|answer|list"
    r"|read|plan|think|describe)|only (?:look|tell|show|explain|answer|list|read|plan|think|describe)"
    r"|again)\b"
    r"|\b(?:this|that|these|those) (?:file|one|part|bit|function|test|line|folder|class|section)s?\b"
    r"|\b(?:any(?:thing)?|something|nothing|it|them|that|this|these|those)(?=[\s]*(?:[,.;:!\u2013\u2014]"
    r"|$| - ))"
    r"|^(?:please )?do(?:n't| not) \w+(?: (?:any|the|your|my|more|new)){0,2}(?: (?:code|files?|changes?"
    r"|tests?|suite|"
    r"build|server|app|script|command|linter|project|source))?(?=[,.;:!\u2013\u2014]|$| - )"
    r"|^(?:please )?stop (?:doing|running|working|trying|editing|changing|building|searching|reading|looking|"
    r"waiting|going|thinking|asking)\b"
)
"""Sentences about the current work only, or about something that only this session knows."""
_CORRECTED = re.compile(
    r"(?i)^(?:no[,.!]|nope\b|wrong[,.:!]|actually[, ]|not (?:that|like that|there)\b|instead[, ]|"
    r"that(?:'s| is) (?:wrong|not)|i (?:said|meant)|you should(?:n't| not| have))"
)
_HOW_IT_IS = re.compile(r"(?i)\b(?:use|is|are|lives?|belongs?|runs?|go|goes|should|must|need|instead|not)\b")
_POINTING = re.compile(
    r"(?i)^[\s,.!:]*(?:but )?(?:let's|let me|lets|can you|could you|(?:please )?(?:run|look|check|show"
    r"|try|go|do) |"
    r"(?:it|that|this|they|these|those|there|what)\b)"
)
"""Continuations of a correction that ask for the next step, or refer to an earlier sentence."""
_CONVENTION = re.compile(
    r"(?i)\b(?:we (?:always|never|prefer|use)|in this (?:repo|project|codebase)|our (?:code|tests?|style))\b"
)
_REMEMBER = re.compile(r"(?i)^(?:please )?remember(?: that|:| to)?\s+")


def by_person(sentence: str) -> Found | None:
    """Return the memory in a person's *sentence*, or None."""
    plain = _straight(sentence)
    if _STANDING.search(plain) or _ORDERED.search(plain):
        return _ruled(sentence, plain)
    correction = _CORRECTED.search(plain)
    if correction and _telling(plain[correction.end() :], plain):
        return "preference", sentence, 0.75
    if _decided(plain):
        return "decision", sentence, 0.8
    return ("blocker", sentence, 0.7) if _blocked(plain) else None


def by_agent(sentence: str) -> Found | None:
    """Return the memory in an agent's *sentence*, or None.

    The confidence is lower than for a person, and reported statements do not count.
    """
    plain = _straight(sentence)
    if _decided(plain) and not _STEP.search(plain) and not _REPORTED.search(plain):
        return "decision", sentence, 0.6
    return ("blocker", sentence, 0.5) if _blocked(plain) else None


def cleared(text: str) -> bool:
    """Return whether *text* says that nothing is blocked any more."""
    parts = _CLAUSE.split(_straight(text)) if _CLEARED.search(text) else ()
    return any(_CLEARED.search(part) and not _UNCLEARED.search(part) for part in parts)


def _straight(sentence: str) -> str:
    return sentence.replace("\u2019", "'")


def _ruled(sentence: str, plain: str) -> Found | None:
    if _NO_RULE.search(plain) or (_ORDERED.search(plain) and _OF_THE_MOMENT.search(plain)):
        return None
    told = _REMEMBER.sub("", sentence)
    kind = "fact" if told != sentence else "convention" if _CONVENTION.search(plain) else "preference"
    return (kind, told, 0.85) if len(told) >= SHORTEST else None


def _telling(rest: str, plain: str) -> bool:
    """Return whether a correction states a fact in words that can be understood later."""
    if _POINTING.search(rest) or _NO_RULE.search(plain) or _OF_THE_MOMENT.search(plain):
        return False
    return _HOW_IT_IS.search(rest) is not None or plain.casefold().startswith("you should")


def _decided(plain: str) -> bool:
    if _DECIDED.search(plain) is None:
        return False
    return _UNDECIDED.search(plain) is None and _POINTLESS.search(plain) is None


def _blocked(plain: str) -> bool:
    return _BLOCKED.search(plain) is not None and _PASSING.search(plain) is None
