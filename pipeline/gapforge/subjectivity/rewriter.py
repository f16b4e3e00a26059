"""Transfer by any sequence-to-sequence model of the transformers library (GAP-Subjective 3.2.2).

The model writes a whole sentence. What differs is recovered word by word, so that offsets stay true and the names and
pronouns of an example are as they were: an edit that would touch one of them is left out, the others are kept.
"""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from gapforge.errors import ConfigError
from gapforge.nlp.neural import LONGEST, Pretrained, batches, load_pretrained, optional, padded, subtoken_ids
from gapforge.records import Span, SubjectiveEdit, overlap
from gapforge.subjectivity.content import WORD

BEAMS = 4
# A sentence with some words more is wanted: what has twice its subtokens and a few is another text.
FACTOR, MORE = 2, 10


def seq2seq(
    sentences: Sequence[str],
    protected: Sequence[Sequence[Span]],
    seed: int,
    attempts: int,
    *,
    model: str = "",
    prefix: str = "",
    beams: int = BEAMS,
    device: str = "cpu",
) -> list[list[list[SubjectiveEdit]]]:
    """Up to so many lists of edits for each sentence, the likeliest first; none for one that the model cannot hold.

    `prefix` is what the model wants before a sentence. A search with beams draws nothing, and needs no seed.
    """
    if not model:
        raise ConfigError(
            "no sequence-to-sequence model is named; give its folder, package or owner/name on the hub as model"
        )
    pretrained = load_pretrained(model, "seq2seq", device)
    rows = subtoken_ids(pretrained, [prefix + sentence for sentence in sentences], LONGEST)
    asked = [n for n, row in enumerate(rows) if sentences[n].strip() and len(row) <= pretrained.limit]
    found: list[list[list[SubjectiveEdit]]] = [[] for _ in rows]
    beams = max(beams, attempts)
    for batch in batches([len(rows[n]) for n in asked], lambda length: beams * length * length):
        numbers = [asked[n] for n in batch]
        written = generate(pretrained, [rows[n] for n in numbers], beams, attempts)
        for n, texts in zip(numbers, written, strict=True):
            found[n] = list(proposals(sentences[n], texts, protected[n]))
    return found


def generate(pretrained: Pretrained, rows: Sequence[list[int]], beams: int, attempts: int) -> Iterator[list[str]]:
    """The texts that the model writes for every row, likeliest first, without those that it did not end in time."""
    torch = optional("torch")
    inputs = padded(pretrained, rows)
    room = [FACTOR * len(row) + MORE for row in rows]
    with torch.inference_mode():
        output = pretrained.model.generate(
            **inputs,
            do_sample=False,
            num_beams=beams,
            num_return_sequences=attempts,
            max_new_tokens=max(room),
            min_length=0,
            early_stopping=True,
        ).tolist()
    tokenizer, ending = pretrained.tokenizer, pretrained.model.generation_config.eos_token_id
    ends = {tokenizer.eos_token_id, *(ending if isinstance(ending, list) else [ending])}
    for n, most in enumerate(room):
        ids = [row[1 : most + 1] for row in output[n * attempts : (n + 1) * attempts]]  # the first one only begins
        ended = [row for row in ids if not ends.isdisjoint(row)]
        yield tokenizer.batch_decode(ended, skip_special_tokens=True, clean_up_tokenization_spaces=False)


def proposals(sentence: str, texts: Sequence[str], protected: Sequence[Span]) -> Iterator[list[SubjectiveEdit]]:
    """The edits of every text that says something new where it may, each list once."""
    body = sentence.strip()
    before, _, after = sentence.partition(body)
    seen: list[list[SubjectiveEdit]] = []
    for text in texts:
        edits = [
            SubjectiveEdit(span, new, phrase_of(sentence[span.start : span.end], new), "rewrite")
            for span, new in differences(sentence, f"{before}{text.strip()}{after}", protected)
            if sentence[span.start : span.end].split() != new.split()  # blanks are no news
        ]
        if text.strip() and edits and edits not in seen:
            seen.append(edits)
            yield edits


def phrase_of(old: str, new: str) -> str:
    """What is said that was not: the words that are new in their place, without marks; empty for what is only cut."""
    there = {word.casefold() for word in WORD.findall(old)}
    return " ".join(word.lower() for word in WORD.findall(new) if word[0].isalnum() and word.casefold() not in there)


def differences(source: str, target: str, protected: Sequence[Span] = ()) -> list[tuple[Span, str]]:
    """What to put where in the source so that it becomes the target, in order and of whole words.

    What would touch a protected span is left out; what stands right before or behind one is not in the way.
    """
    left, right = list(WORD.finditer(source)), list(WORD.finditer(target))
    matcher = SequenceMatcher(None, [it[0] for it in left], [it[0] for it in right], autojunk=False)
    kept = [(a + n, b + n) for a, b, size in matcher.get_matching_blocks() for n in range(size)]
    ends = [(0, 0), *((left[a].end(), right[b].end()) for a, b in kept)]
    starts = [*((left[a].start(), right[b].start()) for a, b in kept), (len(source), len(target))]
    found = []
    for (a, b), (next_a, next_b) in zip(ends, starts, strict=True):
        span, new = trimmed(source, Span(a, next_a), target[b:next_b])
        if source[span.start : span.end] != new and not any(overlap(span, it) for it in protected):
            found.append((span, new))
    return found


def trimmed(source: str, span: Span, new: str) -> tuple[Span, str]:
    """The same edit without the blanks that both sides begin and end with."""
    start, end, first, last = span.start, span.end, 0, len(new)
    while start < end and first < last and source[start] == new[first] and new[first].isspace():
        start, first = start + 1, first + 1
    while start < end and first < last and source[end - 1] == new[last - 1] and new[last - 1].isspace():
        end, last = end - 1, last - 1
    return Span(start, end), new[first:last]
