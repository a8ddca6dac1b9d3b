"""Classify the sentences of an agent."""

from __future__ import annotations

from typing import Literal

from hookline.language.segment import split_sentences
from hookline.lazy import re

Kind = Literal["failed", "next", "decision", "finished", ""]
_FAILED = (
    r"(?i)\b(?:(?:funktioniert|geht|klappt|hilft|reicht) (?:so |hier )?nicht|nehme ich zurück|verworfen"
    r"|(?:mache|drehe) ich rückgängig|(?:does|do|did|will|wo|would|is|has|had)(?:n't|n’t| not) (?:work|help"
    r"|fix|change|solve|bring|gain|expose|support|usable|scale|possible|an option|enough|viable|apply"
    r"|feasible)|(?:fails|failed)(?:,|:| as well| too| because| again| since)|not it\b|(?:is|was)n't it\b"
    r"|(?:makes?|made) (?:it|things|that) worse|breaks\b|dead end|is dead|no luck|(?:give|giving"
    r"|gave) (?:that|it|this)? ?up|(?:take|took|taking) (?:that|it) back|rul(?:e[sd]?|ing) (?:it |that )?out"
    r"|too (?:slow|much|fragile|big|risky|expensive)\b|deadlocks?\b|not worth it|not the (?:cause|reason"
    r"|problem)|no good|can(?:'t|not) be (?:used|done)|is no (?:option|use|guarantee)|unusable|abandon\w*"
    r"|not acceptable|taugt|(?:ca|wo|is)n't (?:going to )?(?:work|help|be used)|(?:cannot|not going to"
    r"|will not) work|change[sd]? nothing|not usable|incompatible|(?:was|were|is) a no\b|no (?:effect"
    r"|improvement|gain|difference|help)|red herring|wrong (?:track|idea|approach|way)|(?:even|got|is|are|was"
    r"|gets) (?:even )?(?:slower|worse)|(?<!\d )(?:is|are) out[,.;]|so back to|(?:rolled|rolling|backed"
    r"|backing) (?:it |that |this )?(?:back|out)\b|reverted|undid|same (?:error|failure|problem|result|crash)"
    r"|go(?:ing)? back to|not (?:a )?(?:good|viable|feasible|supported)|scrap(?:ped|ping)|never fires"
    r"|hits? (?:a|the) limit|out of the question|drop(?:ped|ping) (?:that|this|the idea))|^(?:revert|undo"
    r"|dropp|replac|back)ing (?:it|that|this|the|out)\b|\bI(?:'m| am)? (?:revert|drop|undo)(?:p?ing|ed)?\b"
)
_FINISHED = (
    r"(?i)\ball(?: of it)?(?: is|'s)? (?:done|finished|complete)\b|\bnothing (?:is |else )?(?:left|remains"
    r"|open|to do)\b|\bno (?:open|remaining) (?:points|items|work|tasks)\b"
    r"|\b(?:everything(?: (?!else)\w+){0,4}|the (?:\w+ )?(?:task|work|issue|migration|port"
    r"|upgrade)) is (?:now )?(?:done|finished|complete|implemented|on main|merged|in place|deployed"
    r"|released)\b|^that completes\b|\bis (?:fixed|merged|implemented|finished),? and (?:released|merged"
    r"|deployed|pushed)\b|^done\b(?! with| for)|^(?:fertig|erledigt)\b|\balles (?:ist )?(?:erledigt|fertig)\b"
    r"|^(?:fixed|finished|merged|released|shipped)(?: and \w+)?(?: as\b|[^\w\s]|$)"
)
_NEXT = (
    r"(?i)^(?:als nächstes|nächste\w* schritte?|danach|noch offen|offen|next|then|now|first|after that"
    r"|afterwards|remaining|still|to ?do|left|open|tomorrow|missing|what(?:'s| is|) (?:left|missing|remains"
    r"|open))\b(?! to be)|^(?:up next|trying|turning|looking|going|switching|moving|continuing)\b"
    r"|\b(?:the )?next (?:step|thing|up|one)?\s?(?:is|will be)\b|\bnext,? (?:i|we)(?:'ll| will| need)|\b(?:is"
    r"|are) (?:left|missing|still open)(?: to do)?\b|\b(?:i|we) still (?:have|need) to\b|\bremains to be\b"
    r"|\bstill (?:to do|missing|open|fails?|need)\b|^(?:i'll|i will|i'd|let me|i(?: a|')m going to"
    r"|we need to)\b|^(?:should|shall|may) i\b|^(?:to finish|it remains|waiting for|from here|once)\b"
    r"|^do you want\b|^which (?:one|way|option)\b|\bcontinue with\b|\bto be done\b"
)
_AGENT: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("failed", re.compile(_FAILED)),
    ("finished", re.compile(_FINISHED)),
    ("next", re.compile(_NEXT)),
    (
        "decision",
        re.compile(r"(?i)^decision\b|\bwe(?: have)? (?:decided|agreed)\b|\b(?:decided|agreed) to\b"),
    ),
)
"""Sentences of an agent; the first pattern that matches counts."""
_RESULT = re.compile(
    r"(?i)\b(?:\d+ of \d+|passed|green|works|is back|are back|faster|compiles|fixed|done|committed|merged"
    r"|deployed|pushed|ready|complete|no (?:more )?(?:errors|failures|warnings)|opened|läuft|grün|behoben"
    r"|fertig|released|closed|deleted|clean|(?:tests?|checks?|specs?|suite|build|ci|all|both|everything"
    r"|\d+)\b[^.;]{0,30}\bpass(?:es)?)\b"
)

_COURTESY = re.compile(
    r"(?i)^(?:let me know|you're welcome|you are welcome|anything else|have a (?:good|nice|great)|happy to"
    r"|glad|feel free|is there anything|my pleasure|great[,!.]|perfect[,!.]|sounds good|thanks?\b|no problem"
    r"|i hope|enjoy)"
)

_DOUBT = re.compile(
    r"(?i)\b(?:but|except|however|unfortunately|though|although|apart from|only|not|cannot|untouched|pending"
    r"|waits?|waiting|fail(?:s|ed|ing|ures?)?|red|crash\w*|errors?|broken|slower|worse|skipped|parts?|half"
    r"|phase|steps?|first|after|could|can be|done with)\b|n't\b"
)
"""Words that restrict a result."""
_NO_DOUBT = re.compile(
    r"(?i)\b(?:no|nothing|0|zero|without)(?: more| longer| open)? \w+|\b(?:not|n't) [^.;]* any ?more\b"
)


def classify(sentence: str) -> Kind:
    """Return what a sentence of an agent is about."""
    return next((kind for kind, pattern in _AGENT if pattern.search(sentence)), "")


def find_statements(text: str) -> list[str]:
    """Return the sentences of a text, without courtesies."""
    return [sentence for sentence in split_sentences(text) if not _COURTESY.search(sentence)]


def is_result(text: str) -> bool:
    """Return whether a text of an agent reports a result, and neither a problem, a plan nor a question."""
    sentences = find_statements(text)
    kinds = set(map(classify, sentences))
    has_result = "finished" in kinds or any(map(_RESULT.search, sentences))
    return has_result and not kinds & {"failed", "next"} and not any("?" in one for one in sentences)


def restricts(sentence: str) -> bool:
    """Return whether a sentence asks, or tells that a result is not complete."""
    return "?" in sentence or _DOUBT.search(_NO_DOUBT.sub("", sentence)) is not None
