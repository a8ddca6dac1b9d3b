"""Classify the prompts of a person and the sentences of an agent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

Kind = Literal["task", "choice", "reply", "failed", "next", "decision", "finished", ""]
_PRAISE = re.compile(
    r"(?i)^(?:(?:great|nice|good(?! question)|thanks?(?: you)?|thx|perfect|awesome|wow|cool|excellent"
    r"|super|lovely"
    r"|brilliant|lgtm|looks? (?:good|great)|well done|works?|love it)(?: (?:job|work|find|catch|stuff"
    r"|one))?\b[\s.,!:;-]*)+"
)
_CONSENT = re.compile(
    r"(?i)^(?:(?:ok(?:ay)?|yes|yep|yeah|sure|right|fine|agreed|alright|got it|understood)\b[\s.,!:;-]*)+"
)
_WORK = (
    "add|fix|implement|write|create|update|refactor|migrate|remove|rename|investigate|find out"
    "|look (?:at|into)|make|build"
    "|set up|port|convert|upgrade|deploy|release|document|review|test|check|prepare|move|change|replace"
    "|clean|optimi[sz]e"
    "|debug|reproduce|rework|extend|introduce|support|split|extract|expose|roll out|turn on|cut|reduce"
    "|speed up|translate"
    "|design|configure|enable|disable|get|mark|generate|benchmark|audit|backport|publish|merge|bump|wire"
    "|handle|show"
)
_REPLY = re.compile(
    r"(?i)^(?:please |just )?(?:continue|go (?:on|ahead)|proceed|do (?:it|that)|keep going|carry on"
    r"|resume|pause|wait|hold on"
    r"|let me|i'll|i will|stop here|commit(?: it| this)?|push(?: it)?|merge(?: it)?)\b(?:[ ,]\S+){0,8}\W*$"
    r"|\b(?:we're|we are|that's|that is) (?:done|all|it)\b|^\W*$"
)
_TRANSITION = re.compile(
    r"(?i)^(?:(?:and |ok |so )?(?:now|next|then|also|after that|another thing|new task|next up|one more"
    r"|separately|meanwhile)\b[\s,:]"
    r"|(?:go on|continue|proceed|start|carry on) with (?!it|that|this)|(?:can|could|would) you (?:also"
    r"|now|please|then)\b|while you)"
    rf"|[.;,!] (?:and |so )?(?:then|after that|afterwards|now|next)[,:]? (?:please )?(?:{_WORK})\b"
)
_REQUEST = re.compile(
    rf"(?i)^(?:please )?(?:{_WORK})\b(?! (?:it|this|that|them)\b)(?:\W+\S+){{4}}|^(?:can|could"
    rf"|would) you (?!explain)"
    r"|^(?:i|we) (?:need|want)|^let's|^there(?:'s| is) a"
)
_WORK_SENTENCE = re.compile(rf"(?i)(?:^|[.!?:;] )(?:please )?(?:{_WORK})\b")
_CORRECTION = re.compile(
    r"(?i)^(?:no|not|don't|do not|never|stop|actually|hmm|rather|instead|use|keep|try|prefer|only"
    r"|please (?:no|don't|use|keep)"
    r"|that's|it's|this is)\b"
)
CONSTRAINT = re.compile(
    r"(?i)\b(?:no|not|never|must|should|shall|instead|rather|only|use|keep|prefer|try|exclude|put"
    r"|go with|take|pick|option"
    r"|needs? to|ha(?:s|ve) to|leave|drop|without|let's|please|always|at (?:least|most)|as well|when"
    r"|unless|fine)\b|n't\b"
)
"""Words of a person who decides how the work is done."""
_AGENT: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "failed",
        re.compile(
            r"(?i)\b(?:(?:does|do|did|will|wo|would|is)(?:n't| not|n’t) (?:work|help|possible|an option"
            r"|enough|viable)"
            r"|(?:fails|failed) (?:as well|too|because|again)|not it\b|makes? (?:it|things|that) worse"
            r"|made (?:it|things) worse"
            r"|breaks (?:with|on|because)|dead end|no luck|(?:give|giving|gave) (?:that|it|this)?\s?up"
            r"|(?:take|took) (?:that|it) back"
            r"|(?:rule[sd]?|ruled) (?:it|that|this)? ?out|too (?:slow|much|fragile|big)\b|deadlocks?\b"
            r"|not worth it|not the cause"
            r"|no good|can't be used|cannot be used|is no (?:option|use)|unusable|abandon\w*|(?:was|were"
            r"|is) a no\b)"
            r"|^(?:revert|undo|drop|replac)ing (?:it|that|this|the)\b|\bI(?:'m| am)? (?:revert|drop"
            r"|undo)(?:ing|ed)?\b"
        ),
    ),
    (
        "finished",
        re.compile(
            r"(?i)\ball(?: of it)?(?: is|'s)? (?:done|finished|complete)\b|\bnothing (?:is "
            r"|else )?(?:left|remains|open|to do)\b"
            r"|\bno (?:open|remaining) (?:points|items|work|tasks)\b|\b(?:everything|the (?:task|work"
            r"|issue)) is (?:now )?"
            r"(?:done|finished|complete|implemented|on main|merged|in place)\b|^done\b(?! with)"
            r"|^(?:fixed|finished|merged|released|shipped)"
            r"(?: and \w+)?(?: as\b|\W|$)"
        ),
    ),
    (
        "next",
        re.compile(
            r"(?i)^(?:next|then|now|first|after that|afterwards|remaining|still|to ?do|left)\b(?! to be)"
            r"|^(?:trying|turning|looking|going"
            r"|switching|moving|continuing)\b|\bthe next step (?:is|will be)\b|\bnext,? (?:i|we)(?:'ll"
            r"| will| need)|\b(?:is|are) left to do"
            r"|\b(?:i|we) still (?:have|need) to\b|\bstill (?:to do|missing|open|fails?)\b"
            r"|\bremains to be\b"
            r"|^(?:i'll|i will|i'd|let me|i am going to|i'm going to|we need to|it remains to)\b"
        ),
    ),
    (
        "decision",
        re.compile(r"(?i)^decision\b|\bwe (?:have )?(?:decided|agreed)\b|\b(?:decided|agreed) to\b"),
    ),
)
"""Sentences of an agent; the first pattern that matches counts."""
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"'`(])|\n+|(?<=[.!?;])\s+(?=(?:next|then)\b[: ])")


def classify(text: str, by: Literal["person", "agent"]) -> Kind:
    """Return what a prompt of a person, or a sentence of an agent, is for.

    A prompt is a task, a choice about how the work is done, or a mere reply.
    """
    if by == "agent":
        return next((kind for kind, pattern in _AGENT if pattern.search(text)), "")
    rest = _CONSENT.sub("", _PRAISE.sub("", text.strip()))
    praised = _PRAISE.match(text.strip()) is not None
    if _REPLY.search(rest):
        return "reply"
    if _TRANSITION.search(rest) or (praised and _WORK_SENTENCE.search(rest) and not _CORRECTION.match(rest)):
        return "task"
    if _REQUEST.match(rest) and not _CORRECTION.match(rest):
        return "task"
    is_question = rest.endswith("?") and not _CORRECTION.match(rest) and "instead" not in rest
    return "choice" if CONSTRAINT.search(rest) and not is_question else "reply"


def split_sentences(text: str) -> Iterator[str]:
    for sentence in _END.split(text):
        plain = sentence.strip().replace("**", "").lstrip("-*•# ").strip()
        if plain:
            yield plain
