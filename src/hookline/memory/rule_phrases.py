"""Simplify the wording of a rule: one token for each way to reject something, and one word for each name."""

from __future__ import annotations

from hookline.lazy import re

REJECT = "~"
"""Token that rejects the words after it, up to the end of the clause."""
CONTRAST = "-"
"""Token that rejects the words after it, up to a word such as `for` or the words that both have in common."""
REJECT_ALL = "~~"
"""Token that rejects all words of its clause."""

_REJECTING = (
    r"stop(?:ped|s)?|quit|drop(?:ped|s)?(?! below| under| max)|g[ai]ven? up|ditch(?:ed|es)?|"
    r"avoid(?:ing)?|skip(?:ping)?|refrain from|abandon(?:ed)?|retired?|disabled?|turn off|forbid|"
    r"ban(?:ned)?|without|unless|nobody|no one|no more|done with|forget(?: about)?|scratch|scrap|kill|"
    r"lose|refuse|exclude|omit|eliminate|prevent|prohibit|phas(?:e|ed|ing) out|sunset|deprecate[ds]?|"
    r"discontinue[ds]?|cease[ds]?|hands off|keep off|(?:stay|keep|shy) away from|steer clear of|"
    r"say no to|rule out|do away with|did away with|free of|neither|nor|none of|nothing|unneeded|ignore|"
    r"disregard|cancel|revoke|lift|withdraw|waive|suspend|bans? on|prohibition of|(?:go )?easy on|"
    r"sparing with|cut down on"
)
"""Words that reject the words after them."""
_REJECTED = (
    r"off|out|gone|dead|disabled|deprecated|forbidden|banned|prohibited|unnecessary|not allowed|history|"
    r"off[- ]limits|off the table|a no-go|taboo|unwanted|unwelcome|discouraged|frowned upon|obsolete|"
    r"passé|pointless|over|no more|optional|up to you|your call|nice to have|lifted|revoked|cancell?ed|"
    r"suspended|waived|withdrawn|void|dropped|removed|retired|scrapped|abolished|stopped|legacy|"
    r"a mistake"
)
"""Words that reject the subject of their clause."""
_MOVE = r"\b(?:switch|mov|migrat|chang|convert|transition|port|go|went)(?:e|ed|ing|es)?\b"
_JOINED = (
    r"(?<=\bargo) (?=cd\b)|(?<=\bmerge) (?=commits?\b)|(?<=\blocal) (?=time\b)|(?<=\bdebian) (?=slim\b)|"
    r"(?<=\bdocker) (?=compose\b)|(?<=\benv) (?=files\b)|"
    r"(?:(?<=\bgithub)|(?<=\bgitlab)|(?<=\bazure)) (?=(?:actions|ci|pipelines|issues)\b)"
)
"""Spaces inside the names of tools."""
_PHRASES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        # Short forms and reasons.
        (r"n['’]t\b", " not"),
        (r"\b(do|does|is|are|was|were|ca|wo|should|would|could|must|need|has|have|did|ai)nt\b", r"\1 not"),
        (r"\bcannot\b", "can not"),
        (r"['’](?:re|s|ll|ve|d|m)\b", ""),
        (r"['’‘“”\"`]", ""),
        (r"\b(?:because|since|so that|so we|so you|as it|as they|in order to|otherwise)\b[^,;]*", " "),
        (r", like [^,;]*|,? ?\b(?:e\.g\.|such as|for (?:example|instance)) [^,;]*", " "),
        (r"\b(?:from now on|going forward|as of (?:now|today)|any ?more|any longer)\b", " "),
        (r"\b(?:starting )?from (?:this|the|next|today|tomorrow)(?: next)?(?: \w+)? on(?:wards?)?\b", " "),
        # "never X without Y" is "Y before X".
        (
            r"\b(?:do not|not to|must not|never|no|nothing) ([^,;]+?) (?:until|without|unless) ([^,;]+)",
            r"\2 before \1",
        ),
        # Limits.
        (r"\b(?:no|not|never) (?:more|longer|larger|bigger|greater|wider) than\b|\bup to\b", "max"),
        (r"\b(?:no|not|never) (?:less|fewer|lower|smaller) than\b|\bat least\b", "min"),
        (r"\b(?:fewer|less|shorter|smaller) than\b|\bat most\b", "max"),
        (r"\b(?:below|under) (?=\d)", "max "),
        (r"\b(?:above|over) (?=\d)", "min "),
        (r"\bprior to\b", "before"),
        # Names.
        (r"\bin (?:full )?detail\b", "detailed"),
        (r"\b(upper|screaming)[ _-]snake[ _-]?case\b", "upper-snakecase"),
        (r"\b(snake|camel|kebab|pascal)[ _-]case\b", r"\1case"),
        (r"\b(pull|merge) requests?\b", "pr"),
        (r"\bbullet points?\b", "bullet"),
        (r"\b(front|back)[ -]end\b", r"\1end"),
        (r"\bend[ -]to[ -]end\b", "e2e"),
        (r"\be-mail", "email"),
        (r"\bspecs\b", "tests"),
        (_JOINED, "-"),
        (r"(\d)\s*%", r"\1 percent"),
        (r"\b(\d+)(s|ms|px|mb|gb|kb|min|h)\b", r"\1 \2"),
        (r"\ba (?=(?:second|minute|hour|day|week|month|year)\b)", "1 "),
        (r"\b(\d+|two|three|four|eight)-(?=[a-z])", r"\1 "),
        # Changes of a choice.
        (_MOVE + r"(.*?)\bfrom (.+?) (?:over )?to (.+)", r"\1 ~ \2 , \3"),
        (_MOVE + r"(.*?)\bout of (.+?) (?:in)?to (.+)", r"\1 ~ \2 , \3"),
        (_MOVE + r"(.*?)\bto (.+?) from (.+)", r"\1 \2 ~ \3"),
        (r"\b(?:mov|migrat|switch|get|got|com)\w* (?:away from|off|rid of)\b", " ~ "),
        (r"\b(?:switch|mov|migrat|chang|convert)ed\b(?=.* to )", " "),
        (r"\b(?:is|are|was|were|has been|have been|gets?) replaced (?:by|with)\b", " ~~ , "),
        (r"\breplac(?:es?|ed|ing) (.+?) (?:with|by) (.+)", r"~ \1 , \2"),
        (r"\b(?:replac|supersed)(?:es?|ed|ing)\b", " ~ "),
        (r"\bswap(?:ped)? (.+?) (?:for|with) (.+)", r"~ \1 , \2"),
        (r"(\S+)\s*(?:->|=>|→)\s*(\S+)", r"~ \1 , \2"),
        (r"\b(?:leav\w*|left|keep|kept) (.+?) out of\b", r"~ \1 , "),
        (r"\b(?:leav\w*|left|keep|kept) out\b", " ~ "),
        (r"\bturn(?:ed)? (.+?) off\b", r"~ \1"),
        (rf"\b(?:is|are|be|stays?|remains?) (?:{_REJECTED})\b", " ~~ "),
        (r"\b(?:can|may|should|must) (?:go|die)\s*(?=[,;]|$)", " ~~ "),
        (r"\b(?:instead of|rather than|in place of|as opposed to|in lieu of|and not|but not)\b", " - "),
        (r"\s(?:beats|trumps|wins over|>)\s", " - "),
        (r"\bprefer(?:red)? (?!to\b)(.+?) to (.+)", r"\1 - \2"),
        (r"\b(prefer|favou?r|choose|chose|pick|picked|take)\b(.*?) over\b", r"\1\2 - "),
        (r"^((?:\S+ ){1,3})over\b", r"\1 - "),
        (rf"\b(?:{_REJECTING})\b", " ~ "),
        (r"\b(?:no|not) (?:need|necessary|required)\b(?: to| for)?", " ~ "),
    )
)
"""Patterns of wording, and plainer words for them; order matters."""


def simplify_phrases(text: str) -> str:
    """Return a lower-case rule in plainer words, with a token for each rejection."""
    for pattern, replacement in _PHRASES:
        text = pattern.sub(replacement, text)
    return text
