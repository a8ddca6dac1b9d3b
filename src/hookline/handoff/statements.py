"""Classify the sentences of an agent."""

from __future__ import annotations

from typing import Literal

from hookline.core.ranking import remove_stop_words
from hookline.language.segment import split_sentences
from hookline.lazy import re

Kind = Literal["failed", "next", "decision", "finished", "bare", ""]
_FAILED = (
    r"(?i)\b(?:(?:funktioniert|geht|klappt|hilft|reicht) (?:so |hier )?nicht|nehme ich zurück|verworfen"
    r"|(?:mache|drehe) ich rückgängig|(?:does|do|did|will|wo|would|is|has|had)(?:n't|n’t| not) (?:work|help"
    r"|fix|change (?:anything|it|much|the)|solve|bring|gain|expose|support|usable|scale|possible|an option"
    r"|enough|viable|apply|feasible|pay off)|(?<!tests )(?<!test )(?<!build )(?<!job )(?<!still )(?<!check )"
    r"(?:fails|failed)(?:,|:| as well"
    r"| too| because| again| since)|not it\b|(?:is|was)n't it\b|(?:makes?|made) (?:it|things|that) worse"
    r"|breaks\b|dead end|is dead|no luck|(?:give|giving|gave) (?:that|it|this)? ?up|(?:take|took"
    r"|taking) (?:that|it) (?:back|out)|rul(?:e[sd]?|ing) (?:it |that )?out"
    r"|(?<!perhaps )(?<!maybe )too (?:slow|many|much|fragile|big"
    r"|risky|expensive)\b|deadlocks?\b|not worth it|not the (?:cause|reason|problem)|no good|can(?:'t"
    r"|not) be (?:used|done)|is no (?:option|use|guarantee)|unusable|(?:is|are|:) unsupported|(?:wo"
    r"|does)n't (?:install|compile|build|link|start|run|load)|(?<!build is )back at"
    r"|cannot (?:do|use) (?:that|this|it)"
    r"|(?:did|does) nothing|, reverting|chokes? on|abandon\w*|not acceptable|taugt|(?:ca|wo"
    r"|is)n't (?:going to )?(?:work|help|be used)|(?:cannot|not going to|will not) work|change[sd]? nothing"
    r"|not usable|incompatible|(?:was|were|is) a no\b|no (?:effect|improvement|gain|difference|help)"
    r"|red herring|wrong (?:track|idea|approach|way)|(?:even|got|is|are|was|gets) (?:even )?(?:slower|worse)"
    r"|(?<!\d )(?:is|are) out(?:[,.;]| because| since)|so back to|(?:rolled|rolling|backed|backing) (?:it "
    r"|that |this )?(?:back|out)\b|reverted(?! everything)|undid|same (?:error|failure|problem|result|crash)"
    r"|go(?:ing)? back to|not (?:a )?(?:good|viable|feasible|supported)|scrap(?:ped|ping)|never fires"
    r"|hits? (?:a|the) limit|out of the question|drop(?:ped|ping) (?:that|this|the idea))|^(?:revert|undo"
    r"|dropp|replac|back)ing (?:it|that|this|the|out)\b|\bI(?:'m| am)? (?:revert|drop|undo)(?:p?ing|ed)?\b"
)
_FINISHED = (
    r"(?i)\ball(?: of it)?(?: is|'s)? (?:done|finished|complete)\b|\bnothing (?:else )?(?:is |was )?(?:left"
    r"|remains|missing|open|to do)\b|\bno (?:open|remaining) (?:points|items|work|tasks)\b|^that completes\b"
    r"|\b(?:everything(?: you (?:asked|wanted)(?: for)?)?|the (?:whole |entire )?(?:task|work|issue|migration"
    r"|port|refactoring|rename|upgrade)) is (?:now )?(?:done|finished|complete|implemented|on main|merged"
    r"|in place|deployed|released)\b|\balles (?:ist )?(?:erledigt|fertig)\b|^the (?:incident|outage) is"
    r" (?:now )?(?:resolved|over)\b"
)
_BARE = (
    r"(?i)^(?:done|fixed|finished|merged|released|shipped|implemented|resolved|fertig|erledigt)"
    r"(?:(?:,| and|, and) \w+ed)*(?: (?:as|in|(?:in)?to main)\b|[^\w\s]|$)"
)
"""Sentences that begin with a result that has no object, so that it is about the whole request."""
_NEXT = (
    r"(?i)^(?:als nächstes|nächste\w* schritte?|danach|noch offen|offen|next|then|now|first|after that"
    r"|afterwards|remaining|still|to ?do|left|open|tomorrow|missing|what(?:'s| is|) (?:left|missing|remains"
    r"|open))\b(?! to be)|^(?:up next|trying|turning|looking|going|switching|moving|continuing|on to)\b"
    r"|\b(?:the )?next (?:step|thing|up|one)?\s?(?:is|will be)\b|\bnext,? (?:i|we)(?:'ll| will| need)|\b(?:is"
    r"|are) (?:left|missing|still open)(?: to do)?\b|\b(?:i|we) still (?:have|need) to\b|\bremains to be\b"
    r"|\bstill (?:to do|missing|open|fails?|need)\b|^(?:i'll|i will|i'd|let me|i(?: a|')m going to"
    r"|we need to)\b|^(?:should|shall|may) i\b|^(?:to finish|it remains|waiting for|from here|once)\b"
    r"|^do you want\b|^which (?:one|way|option)\b|\bcontinue with\b|\bto be done\b"
)
_AGENT: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("failed", re.compile(_FAILED)),
    ("finished", re.compile(_FINISHED)),
    ("bare", re.compile(_BARE)),
    ("next", re.compile(_NEXT)),
    ("decision", re.compile(r"(?i)^decision\b|\bwe(?: have)? (?:decided|agreed)\b|\b(?:decid|agre)ed to\b")),
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
    r"|i hope|(?:(?:good|ok(?:ay)?|fine)[,!.]? )?see you|enjoy|any ?time\b|good night|de rien|gern)"
)
_DOUBT = re.compile(
    r"(?i)\b(?:but|except|however|unfortunately|al?though|apart from|only|no|not|nothing|none|cannot|minus"
    r"|untouched|pending|wait\w*|block\w*|fail(?:s|ed|ing|ures?)?|red|crash(?:es|ing)?|broken|slower|worse|my"
    r"|parts?|half|phase|stages?|step|after|can|could|should|would|will|might|may|if|whether|unless|once \w+"
    r"|please|someone|your|you(?! (?:asked|wanted|requested))|(?:done|finished) (?:with|for)|for now|today"
    r"|tonight|tomorrow|later|(?:mon|tues|wednes|thurs|fri)days?|as far|most\w*|almost|nearly|some|several"
    r"|few|what i|others?|else|second|third|rest|(?:one|two|three|four|five|six) of|start(?:ed|ing)?"
    r"|beg[aiu]n|revert\w*|rolled|errors?|back (?:at|to)|stash\w*|locally(?! and)|seems?|probably|hopefully"
    r"|untested|unverified|behind|without|plan|drafts?|todos?|fixmes?|review\w*|approv\w*|skip(?:ped|ping)?"
    r"|flags?|stub\w*|mock\w*|placeholders?|temporar\w*|workarounds?|xfail\w*|disabl\w*|commented|manual\w*"
    r"|initial\w*|prototype\w*|skeleton|pull|scaffold\w*|follow-?ups?|prs?|first|staging(?! and)|proposal"
    r"|analysis|hard-?coded|milestone)\b|n't\b|\b(?!100 ?%)\d+ ?%"
)
"""Words that restrict a result, unless they are words of the request."""
_FAILURE = re.compile(r"fail(?!ure)|crash|red$|broken|slow")
NO_REST = re.compile(r"(?i)\bno(?: (?!and\b|but\b)[^\s,;]+){1,5} (?:is|are) (?:left|missing|open)(?=[.,;]|$)")
_NO_DOUBT = re.compile(
    r"(?i)\b(?:(?:no|0|zero|without)(?: (?:more|further|open|known|remaining|new))* (?:\w+ )?(?:changes?"
    r"|errors?|failures?|warnings?|issues?|problems?|regressions?|points|items|tasks|work|prs)|no longer \w+"
    r"|nothing (?:else|is|was|left|open|pending|remains|missing|to do)|not [^.;]* any ?more|no [45]\d\ds?)\b"
    r"|\d\.\d+ ?%(?! (?:of|done|complete))"
    r"|n't [^.;]* any ?more\b|\b(?:prs?|pull requests?)\b[^.;]*\b(?=merged\b)|\bmerged\b[^.;]*\bprs?\b"
)
_STATE = re.compile(
    rf"{_RESULT.pattern}|\b(?:\w{{2,}}ed|now|was|were|built|made|written|wrote|sent|set|put|ran|went|took|gone"
    r"|has|have|(?:keep|print|return|use|run|describe|document|handle|accept|support|cover|show|validate|read"
    r"|write|answer|send|build|start|list|log|store|load|contain|stay)s?|pass|jetzt|sind|ist|wurden?|erledigt"
    r"|live|committet|in place|on main|up to date|fine|happy|are in|is in|completes)\b"
)
"""Words that tell what was done, or how it is."""


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
    has_result = bool(kinds & {"finished", "bare"}) or any(map(_RESULT.search, sentences))
    return has_result and not kinds & {"failed", "next"} and not any("?" in one for one in sentences)


def is_settled(text: str, request: str = "") -> bool:
    """Return whether each sentence of a text tells a result or a state, and nothing restricts it.

    Unknown words count against it: a result that is not recognized costs less than a wrong one.
    """
    sentences = _replace_denials(text)
    is_plain = bool(sentences) and not has_doubt(text, request)
    return is_plain and all(_STATE.search(one) and "?" not in one for one in sentences)


def has_doubt(text: str, request: str = "") -> bool:
    """Return whether words that are not of the request restrict a result, or a sentence tells more work."""
    sentences = _replace_denials(text)
    asked = {word for word in remove_stop_words(request) if not _FAILURE.match(word)}
    doubts = {word.lower() for sentence in sentences for word in _DOUBT.findall(sentence)} - asked
    return bool(doubts or {"failed", "next"} & set(map(classify, sentences)))


def _replace_denials(text: str) -> list[str]:
    """Return the sentences of a text, with `done` for words such as `nothing is left`."""
    return [_NO_DOUBT.sub("done", NO_REST.sub("done", one)) for one in find_statements(text)]
