"""Decide whether a verb means shipping, by its object: `merge the branch`, not `merge the two lists`."""

from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile

from hookline.hooks._simplify_gate import words as v

Words = Sequence[str]
_ENDS = v.CONDITIONS | v.QUESTIONS | frozenset({"and", "then", "that", "or", "so"})
_CLOSE = 5
"""Number of words after a verb in which its object is looked for."""


def means_shipping(verb: str, rest: Words) -> bool:
    """Return whether *verb* followed by *rest* means shipping."""
    own = list(takewhile(lambda word: word not in _ENDS, rest))
    if verb in v.VERBS or verb.partition("/")[0] in v.VERBS:
        return _shipped(verb.partition("/")[0], own)
    return _opened(verb, own) or _done(verb, own) or _gone_on_with(verb, own) or _got(verb, own)


def _shipped(verb: str, own: Words) -> bool:
    if _noun(own):
        return False
    special = _SPECIAL.get(verb)
    if special is not None:
        return special(own)
    return not set(own[:_CLOSE]) & v.CODE_OBJECTS.get(verb, frozenset())


def _noun(own: Words) -> bool:
    """Return whether the verb is used as a noun: `deploy target`, `release 2.0 is broken`."""
    if not own or own[0] in v.PRONOUNS & {"it", "them", "everything"}:
        return False
    if own[0] in v.COMPOUNDS or own[0] in v.FINITE:
        return True
    return own[0] not in v.LOOSE and bool(set(own[1:]) & v.FINITE)


def _merge(own: Words) -> bool:
    if not own:
        return True
    if _into(own, frozenset({"one", "single", "a", "an"})) or own[0] in ("main", "master", "upstream"):
        return False
    if _into(own, v.TRUNKS) or own[0] in v.LOOSE or own[0] in v.MERGED:
        return True
    if own[0] in v.PRONOUNS and (len(own) == 1 or own[1] in v.LOOSE or own[1] in v.TRUNKS):
        return True
    named = own[0].lstrip("#").isdigit() or ("/" in own[0] and "." not in own[0])
    return named or (own[0] in v.POINTING and bool(set(own[1:_CLOSE]) & v.MERGED))


def _into(own: Words, where: frozenset[str]) -> bool:
    for word, *after in zip(own, own[1:], (*own[2:], ""), strict=False):
        if word in ("into", "to", "in", "onto") and (
            after[0] in where or (after[0] == "the" and after[1] in where)
        ):
            return True
    return False


def _pr(own: Words) -> bool:
    """Recognise the verb in `PR this` and the command `gh pr create`, but not the noun in `PR 12`."""
    if not own or own[0] in ("create", "merge"):
        return True
    return own[0] in v.PRONOUNS | v.POINTING | {"please", "now", "against", "upstream", "to", "asap"}


_SPECIAL: Mapping[str, Callable[[Words], bool]] = {"merge": _merge, "squash-merge": _merge, "pr": _pr}


def _object(own: Words, extra: frozenset[str] = frozenset()) -> Words:
    """Return the object of a verb, without articles and particles."""
    skipped = v.SMALL | extra
    return own[sum(1 for _ in takewhile(lambda word: word in skipped, own)) :]


def _opened(verb: str, own: Words) -> bool:
    """Recognise `open a PR` and `create a pull request`, but not `open PR 12` or `create a PR template`."""
    if verb not in v.OPENING:
        return False
    wanted = _object(own, frozenset({"small", "separate", "follow-up", "quick", "single", "clean"}))
    if wanted[:2] in (["pull", "request"], ["merge", "request"], ["pull", "requests"]):
        after = wanted[2:]
    elif wanted[:1] and wanted[0] in v.REQUESTS:
        after = wanted[1:]
    else:
        return False
    return not after or after[0] in v.LOOSE or after[0] in v.PRONOUNS | {"titled", "called", "named", "about"}


def _done(verb: str, own: Words) -> bool:
    """Recognise `cut a release` and `trigger the deploy job`, but not `create a release branch`."""
    wanted = _object(own) if verb in v.DOING else []
    if not wanted or wanted[0] not in v.NOUNS or _object(own[:1]) == own[:1] != wanted[:1]:
        return False
    after = wanted[1:]
    if after and after[0] in v.RUNNABLE:
        return verb in v.RUNNING and not set(after[1:]) & v.FINITE
    return not after or after[0] in v.LOOSE | {"of"} or after[0].lstrip("v")[:1].isdigit()


def _gone_on_with(verb: str, own: Words) -> bool:
    """Recognise `start deploying` and `go ahead with the release`."""
    if verb not in v.ONGOING:
        return False
    wanted = _object(own, frozenset({"ahead", "on"}))
    if wanted[:1] and wanted[0] in v.GERUNDS:
        return not (len(wanted) > 1 and wanted[1] in v.COMPOUNDS | {"address", "label", "form"})
    ahead = "with" in own[:2] and bool(wanted) and wanted[0] in v.NOUNS
    return ahead and not (len(wanted) > 1 and wanted[1] in v.COMPOUNDS)


def _got(verb: str, own: Words) -> bool:
    """Recognise `get this merged`."""
    return verb in ("get", "have") and bool(set(own[1:_CLOSE]) & v.DONE) and own[0] in v.PRONOUNS | v.POINTING
