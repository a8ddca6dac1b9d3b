"""Classify the prompts of a person and the sentences of an agent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

Kind = Literal["task", "choice", "reply", "failed", "next", "decision", "finished", ""]
_PRAISE = re.compile(
    r"(?i)^(?:(?:great|nice|good(?! question)|thanks?(?: you)?|thx|merci|danke|perfect|awesome|wow|cool"
    r"|excellent|super"
    r"|lovely|brilliant|lgtm|looks? (?:good|great)|well done|love it|prima|klasse|passt|gut"
    r"|toll)(?: (?:job|work|find|catch|stuff"
    r"|one))?\b[\s.,!:;-]*)+"
)
_STATUS = re.compile(
    r"(?i)^(?:\W*(?:ok(?:ay)?|alright|right|that|it|this|all|they|is|'s|are|was|works?|in|live|green"
    r"|quiet|merged|deployed"
    r"|released|fixed|shipped|approved|verified|confirmed|tested|reviewed|done|thanks?|ship|push|merge"
    r"|part \d|now|too"
    r"|great|good|nice|everywhere|on main)\b){1,6}[.!,:]+\s+(?=\S+(?: \S+){3})"
)
"""A short report of a person that the last work is finished, before the next request."""
_CONSENT = re.compile(
    r"(?i)^(?:(?:ok(?:ay)?|yes|yep|yeah|sure|right|fine|agreed|alright|got it|understood)\b[\s.,!:;-]*)+"
)
_WORK = (
    "add|fix|implement|write|rewrite|profile|backfill|tackle|create|update|refactor|migrate|remove"
    "|rename|investigate|find out"
    "|look (?:at|into)|make|build"
    "|set up|port|convert|upgrade|deploy|release|document|review|test|check|prepare|move|change|replace"
    "|clean|optimi[sz]e"
    "|debug|reproduce|rework|extend|introduce|support|split|extract|expose|roll out|turn on|cut|reduce"
    "|speed up|translate"
    "|design|configure|enable|disable|get|mark|generate|benchmark|audit|backport|publish|merge|bump|wire"
    "|handle|baue?|füge|schreibe?|behebe?|erstelle?|ändere|entferne?|prüfe?|ersetze?|migriere?|show"
)
_REPLY = re.compile(
    r"(?i)^(?:please |just )?(?:continue|go (?:on|ahead)|proceed|do (?:it|that)|keep going|carry on"
    r"|resume|pause"
    r"|wait|hold on|let me|i'll|i will|stop here|(?:commit|push|merge|ship)(?: it| this"
    r"| that)?(?: then)?)\b"
    r"(?! with (?!it|that|this))(?:[ ,.]+(?!but\b|then\b|now\b|and\b)\S+){0,8}\W*$"
    r"|\b(?:we're|we are|that's|that is) (?:done|all|it)\b|^\W*$|^\S+(?: \S+)?\W*$"
)
_TRANSITION = re.compile(
    r"(?i)^(?:and |so |but )?(?:now|next|jetzt|als nächstes|danach|außerdem|noch (?:was|etwas|eins)|also"
    r"|after (?:that|this)|one more|another|new (?:task"
    r"|request|topic|bug)"
    r"|separate\w*|meanwhile|different topic|second|part two|on to|moving on|back to|time for"
    r"|follow[- ]up|urgent|hotfix"
    r"|change of plans?|forget (?:that|it|this|the)|scrap (?:that|it)|btw|by the way|while \w+"
    r"|after this|leave (?:that|it) for later|drop everything"
    r"|since you|as a follow[- ]up|please also|let's (?:move|do|tackle|start|get)|start (?:on|with)"
    r"|pick up|(?:do )?(?:exactly )?the same (?:for|with|in|thing))\b[\s,:.]"
    r"|^(?:go on|continue|proceed|carry on) with (?!it|that|this)"
    r"|^(?:can|could|would|will) (?:you (?!explain|tell|show)|we (?:also|now|get|have|please)\b)"
    r"|^(?:then )?let's (?:get|do|make|add)\b"
    r"|^(?:i|we)(?:'d| also)? (?:like|need|want)\b"
    rf"|^(?:and )?then (?:{_WORK})\b|[.;,!] (?:and |so |but )?(?:then|after that|afterwards|now"
    rf"|next)[,:]? (?:please )?(?:{_WORK})\b"
)
_TICKET = re.compile(r"^\S*(?:\W+\S+){0,6}?\W*(?:#\d+|[A-Z]{2,}-\d+)\b")
_REPORT = re.compile(
    r"(?i)^(?:there(?:'s| is)|we (?:got|have|see)|(?:the )?(?:customers?|users?|qa|support|ops) \w+"
    r"|(?!it\b|that\b|this\b)\S+(?: \S+){0,5} (?:is broken|crashes|throws|returns|leaks|hangs|is slow))\b"
)
_REQUEST = re.compile(rf"(?i)^(?:please )?(?:{_WORK})\b(?! (?:it|this|that|them)\b)(?:\W+\S+){{7}}")
_WORK_SENTENCE = re.compile(rf"(?i)(?:^|[.!?:;] )(?:please )?(?:{_WORK})\b")
_CORRECTION = re.compile(
    r"(?i)^(?:nein|nicht|kein\w*|lieber|nimm|lass|bitte (?:nicht|kein\w*)|no|not|don't|do not|never"
    r"|actually|hmm|rather|instead|use|keep|try|prefer|only"
    r"|please (?:no|don't|use|keep)"
    r"|that's|it's|this is)\b"
)
CONSTRAINT = re.compile(
    r"(?i)\b(?:nein|nicht|kein\w*|lieber|nur|statt\w*|muss|soll\w*|ohne|bitte|nimm|no|not|never|must"
    r"|should|shall|instead|rather|only|use|keep|prefer|try|exclude|put"
    r"|go with|take|pick|option"
    r"|needs? to|ha(?:s|ve) to|leave|drop|without|let's|please|always|at (?:least|most)|as well|when"
    r"|unless|fine)\b|n't\b|^\(?[a-d1-9]\)?[,.] "
)
"""Words of a person who decides how the work is done."""
_FAILED = (
    r"(?i)\b(?:(?:funktioniert|geht|klappt|hilft|reicht) (?:so |hier )?nicht|nehme ich zurück|verworfen"
    r"|(?:mache|drehe) ich rückgängig|"
    r"(?:does|do|did|will|wo|would|is|has|had)(?:n't|n’t| not) (?:work|help|fix|change|solve"
    r"|scale|possible"
    r"|an option|enough|viable|apply|feasible)|(?:fails|failed)(?:,|:| as well| too| because| again"
    r"| since)|not it\b"
    r"|(?:makes?|made) (?:it|things|that) worse|breaks\b|dead end|no luck"
    r"|(?:give|giving|gave) (?:that|it|this)? ?up|(?:take|took|taking) (?:that|it) back|rul(?:e[sd]?"
    r"|ing) (?:it |that )?out"
    r"|too (?:slow|much|fragile|big|risky|expensive)\b|deadlocks?\b|not worth it|not the (?:cause|reason"
    r"|problem)"
    r"|no good|can(?:'t|not) be (?:used|done)|is no (?:option|use|guarantee)|unusable|abandon\w*"
    r"|incompatible"
    r"|(?:was|were|is) a no\b|no (?:effect|improvement|gain|difference|help)|red herring|wrong (?:track"
    r"|idea"
    r"|approach|way)"
    r"|(?:even|got|is|are|was|gets) (?:even )?(?:slower|worse)|(?:is|are) out,|so back to|(?:rolled"
    r"|rolling|backed|backing) (?:it |that |this )?(?:back|out)\b"
    r"|reverted|undid"
    r"|same (?:error|failure|problem|result|crash)|go(?:ing)? back to|not (?:a )?(?:good|viable|feasible"
    r"|supported)"
    r"|scrap(?:ped|ping)|never fires|hits? (?:a|the) limit|out of the question|drop(?:ped|ping) (?:that"
    r"|this|the idea))"
    r"|^(?:revert|undo|dropp|replac|back)ing (?:it|that|this|the|out)\b|\bI(?:'m| am)? (?:revert|drop"
    r"|undo)(?:p?ing|ed)?\b"
)
_FINISHED = (
    r"(?i)\ball(?: of it)?(?: is|'s)? (?:done|finished|complete)\b|\bnothing (?:is |else )?(?:left"
    r"|remains|open|to do)\b"
    r"|\bno (?:open|remaining) (?:points|items|work|tasks)\b|\b(?:everything|the (?:task|work"
    r"|issue)) is (?:now )?"
    r"(?:done|finished|complete|implemented|on main|merged|in place|deployed|released)\b"
    r"|^done\b(?! with)|^(?:fertig|erledigt)\b|\balles (?:ist )?(?:erledigt|fertig)\b"
    r"|^(?:fixed|finished|merged|released|shipped)(?: and \w+)?(?: as\b|\W|$)"
)
_NEXT = (
    r"(?i)^(?:als nächstes|nächste\w* schritte?|danach|noch offen|offen|next|then|now|first|after that"
    r"|afterwards|remaining|still|to ?do|left|open|tomorrow"
    r"|missing|what(?:'s| is|) "
    r"(?:left|missing|remains|open))\b(?! to be)|^(?:up next|trying|turning|looking|going|switching"
    r"|moving|continuing)\b"
    r"|\b(?:the )?next (?:step|thing|up|one)?\s?(?:is|will be)\b|\bnext,? (?:i|we)(?:'ll| will| need)"
    r"|\b(?:is|are) (?:left|missing|still open)(?: to do)?\b|\b(?:i|we) still (?:have|need) to\b"
    r"|\bremains to be\b"
    r"|\bstill (?:to do|missing|open|fails?|need)\b|^(?:i'll|i will|i'd|let me|i(?: a|')m going to"
    r"|we need to)\b"
    r"|^(?:should|shall|may) i\b|^(?:to finish|it remains|waiting for|from here|once)\b|^do you want\b"
    r"|^which (?:one|way|option)\b|\bcontinue with\b"
    r"|\bto be done\b"
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
    r"(?i)\b(?:\d+ of \d+|passe[sd]|green|works|is back|are back|faster|compiles|fixed|done|committed"
    r"|merged|deployed"
    r"|pushed|ready|complete|no (?:more )?(?:errors|failures|warnings)|opened|läuft|grün|behoben|fertig"
    r"|released|clean)\b"
)
_LONG_PROMPT = 15
"""Words of a prompt that is a task if the agent had just reported a result."""
_CLAUSE_END = re.compile(r"[.!]\s+")
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"'`(])|\n+|(?<=[.!?;])\s+(?=(?:next|then)\b[: ])")


def classify(text: str, by: Literal["person", "agent"], *, settled: bool = False) -> Kind:
    """Return what a prompt of a person, or a sentence of an agent, is for.

    A prompt is a task, a choice about how the work is done, or a mere reply. *settled*: the agent had
    just reported a result, so that a prompt is rather a new task than a choice.
    """
    if by == "agent":
        return next((kind for kind, pattern in _AGENT if pattern.search(text)), "")
    rest = _STATUS.sub("", _PRAISE.sub("", text.strip()))
    rest = _PRAISE.sub("", rest)
    praised, asked = rest != text.strip(), _CONSENT.sub("", rest)
    if _REPLY.search(asked):
        return "reply"
    if _TRANSITION.search(asked) or any(map(_TRANSITION.match, _CLAUSE_END.split(asked)[1:])):
        return "task"
    is_question = asked.endswith("?") and "instead" not in asked
    is_open = not _CORRECTION.match(asked) and not is_question and asked == rest
    if is_open and _is_request(asked, praised=praised, settled=settled):
        return "task"
    return "choice" if CONSTRAINT.search(asked) and not is_question else "reply"


def _is_request(text: str, *, praised: bool, settled: bool) -> bool:
    if settled or praised:
        is_long = settled and len(text.split()) >= _LONG_PROMPT
        return is_long or any(pattern.search(text) for pattern in (_WORK_SENTENCE, _TICKET, _REPORT))
    return any(pattern.match(text) for pattern in (_REQUEST, _TICKET, _REPORT))


def is_result(text: str) -> bool:
    """Return whether a text of an agent reports a result, and neither a problem, a plan nor a question."""
    kinds = {classify(sentence, "agent") for sentence in split_sentences(text)}
    return (
        not kinds & {"failed", "next"}
        and "?" not in text
        and ("finished" in kinds or bool(_RESULT.search(text)))
    )


def split_sentences(text: str) -> Iterator[str]:
    for sentence in _END.split(text):
        plain = sentence.strip().replace("**", "").lstrip("-*•# ").strip()
        if plain:
            yield plain
