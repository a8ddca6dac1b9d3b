"""Recall of memories for the project, branch and issue of a session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from math import log1p

from hookline.core.ranking import decayed_confidence, find_telling_words
from hookline.core.records import Memory, split_identifiers, split_words
from hookline.core.store import Attempt, Store
from hookline.memory.synonyms import CHOICES, FORM_CHARS, SYNONYMS, find_base, find_choice
from hookline.system.git_facts import find_branch, find_origin, parse_issue

MAX_CANDIDATES = 100
"""Memories with a word of a prompt of which the relevant ones are selected."""
MIN_SCORE = 2.6
"""Score of a relevant memory; a word that few memories contain scores 4 to 5."""
MIN_SHARE = 0.7
"""Score of a relevant memory, relative to the best one."""
COLLECTION_SIZE = 200.0
"""Number of memories that the rarity of a word is relative to."""
LENGTH_WEIGHT, CONFIDENCE_POWER = 0.04, 0.25
"""Effect of the number of words of a memory, and of the confidence in it, on its score."""
COMMON_WORDS = frozenset(
    """add make write create show put get run fix change update new call find build handle start set go look
    give tell see try work let help move turn take come keep thing something proper properly correct again
    also well good next first last long much people customer user today yes ahead time page file
    code""".split()
)
"""Words of most prompts, which say little about their subject."""
COMMON_WEIGHT = 0.2
_SYNONYM_GROUPS = {
    name: [word for word in SYNONYMS if SYNONYMS[word] == name] for name in dict.fromkeys(SYNONYMS.values())
}


def make_recall(
    store: Store, root: str, at: float, attempt: Attempt
) -> Callable[[str, int], Sequence[Memory]]:
    """Return a function of a text and a limit; without a text it recalls the best of all memories."""
    project, current = find_origin(root), find_branch(root)
    issue = parse_issue(current)
    none: Sequence[Memory] = ()

    def recall(text: str, limit: int) -> Sequence[Memory]:
        query, most = (add_synonyms(text), MAX_CANDIDATES) if text else ("", limit)
        found = attempt(
            lambda: store.recall(query, project=project, branch=current, issue=issue, at=at, limit=most),
            default=none,
        )
        return select_relevant(text, found, at)[:limit] if text else found

    return recall


def add_synonyms(text: str) -> str:
    """Return the telling words of *text*, each with the words of the same meaning."""
    words = find_telling_words(text)
    return " ".join(dict.fromkeys((*words, *(other for word in words for other in _find_synonyms(word)))))


def add_alternatives(text: str) -> str:
    """Return the telling words and synonyms of *text*, and the alternatives of its choices."""
    choices = {find_choice(word) for word in find_telling_words(text)} - {""}
    return " ".join((add_synonyms(text), *(word for word, name in CHOICES.items() if name in choices)))


def _find_synonyms(word: str) -> Sequence[str]:
    return _SYNONYM_GROUPS.get(find_base(word), ())


def select_relevant(text: str, memories: Sequence[Memory], at: float) -> list[Memory]:
    """Return the *memories* that are about the subject of *text*, best first.

    Rare words count most. *memories* are all those that contain any word of the text, or the best of them.
    """
    weights = {_find_key(word): _weigh(word) for word in reversed(find_telling_words(text))}
    words = {memory.id: _find_keys(memory) for memory in memories}
    frequency = Counter(word for memory in memories for word in words[memory.id] & weights.keys())
    weights = {
        word: weight * log1p(COLLECTION_SIZE / (1 + frequency[word])) for word, weight in weights.items()
    }
    scored = [(_score(memory, words[memory.id], weights, at), memory) for memory in memories]
    best = max((score for score, _ in scored), default=0.0)
    relevant = [row for row in scored if row[0] >= max(MIN_SCORE, MIN_SHARE * best)]
    relevant.sort(key=lambda row: (row[0], row[1].at), reverse=True)
    return [memory for _, memory in relevant]


def _score(memory: Memory, words: Collection[str], weights: dict[str, float], at: float) -> float:
    matched = sum(weight for word, weight in weights.items() if word in words)
    trust = pow(decayed_confidence(memory, at), CONFIDENCE_POWER)
    return float(matched * trust / (1 + LENGTH_WEIGHT * len(words)))


def _find_keys(memory: Memory) -> set[str]:
    text = " ".join((*memory.tags, memory.text, split_identifiers(memory.text)))
    return {_find_key(word) for word in split_words(text)}


def _find_key(word: str) -> str:
    return find_base(word)[:FORM_CHARS] if word.isalpha() else word


def _weigh(word: str) -> float:
    return COMMON_WEIGHT if word in COMMON_WORDS or find_base(word) in COMMON_WORDS else 1.0
