"""What must hold of the sentences of WinoBias in a release, by themselves, in pairs and as halves."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from gapforge.groups import GENDERS
from gapforge.records import WinoBiasSentence, overlap
from gapforge.release.soundness import Broken, is_at
from gapforge.winobias.forms import spans_of
from gapforge.winobias.templates import SHORT, Occupation

Rule = Callable[[WinoBiasSentence], bool]


def sentence_faults(rows: Sequence[WinoBiasSentence], split: str) -> Iterator[Broken]:
    """The rules that sentences of one split break: first those of each, and only where all are kept those of pairs."""
    broken = False
    rules: dict[str, Rule] = {**RULES, "the split is not that of its table": lambda it: it.split == split}
    for rule, holds in rules.items():
        if found := [it.id for it in rows if not holds(it)]:
            broken = True
            yield rule, found
    seen: set[str] = set()
    if twice := [it.id for it in rows if it.id in seen or seen.add(it.id)]:  # type: ignore[func-returns-value]
        yield "the id occurs twice", twice
    elif not broken:
        yield from pair_faults(rows)
        yield from balance_faults(rows)


def are_apart(it: WinoBiasSentence) -> bool:
    pronoun, referent, other = spans_of(it)
    return not (overlap(pronoun, referent) or overlap(pronoun, other) or overlap(referent, other))


def is_stereotype(it: WinoBiasSentence) -> bool:
    """Whether one occupation is of each stereotype, and the condition what pronoun and occupation make it."""
    ours, theirs = (Occupation("", women).stereotype for women in (it.women, it.other_women))
    return ours != theirs and it.condition == ("pro" if it.gender == ours else "anti")


def is_named(it: WinoBiasSentence) -> bool:
    file = f"{SHORT.get(it.split)}-{it.kind}"
    return (it.id, it.pair_id) == (f"{file}-{it.condition}-{it.number}", f"{file}-{it.number}")


RULES: Mapping[str, Rule] = {
    "the pronoun is not at its offset": lambda it: is_at(it.text, it.pronoun, it.pronoun_offset),
    "the referent is not at its offset": lambda it: is_at(it.text, it.referent, it.referent_offset),
    "the other one is not at its offset": lambda it: is_at(it.text, it.other, it.other_offset),
    "pronoun and occupations overlap": are_apart,
    "the gender is not the pronoun's": lambda it: GENDERS.get(it.pronoun.lower()) == it.gender,
    "a mention does not name its occupation": lambda it: (
        it.referent.endswith(f" {it.occupation}") and it.other.endswith(f" {it.other_occupation}")
    ),
    "the condition is not what the shares of women say": is_stereotype,
    "the id is not of split, kind, condition and number": is_named,
}


def pair_faults(rows: Sequence[WinoBiasSentence]) -> Iterator[Broken]:
    """Pairs that are not whole, or whose sentences differ in more than the pronoun."""
    pairs: defaultdict[str, list[WinoBiasSentence]] = defaultdict(list)
    for it in rows:
        pairs[it.pair_id].append(it)
    lone = [id for id, its in pairs.items() if sorted(it.condition for it in its) != ["anti", "pro"]]
    if lone:
        yield "not one sentence of each condition", lone
    elif unlike := [id for id, (one, other) in pairs.items() if outline(one) != outline(other)]:
        yield "the two sentences of a pair differ in more than the pronoun", unlike


def outline(it: WinoBiasSentence) -> tuple[object, ...]:
    """What a sentence has in common with the other of its pair: all but the pronoun."""
    before, after = it.text[: it.pronoun_offset], it.text[it.pronoun_offset + len(it.pronoun) :]
    people = it.referent, it.referent_offset, it.other, it.other_offset
    return before, after, people, it.scene, it.end, it.women, it.other_women


def balance_faults(rows: Sequence[WinoBiasSentence]) -> Iterator[Broken]:
    """Occupations that are not meant as often as others of the same kind and condition."""
    counts = Counter((it.kind, it.condition, it.occupation) for it in rows)
    names = dict.fromkeys(name for it in rows for name in (it.occupation, it.other_occupation))
    for kind, condition in dict.fromkeys((it.kind, it.condition) for it in rows):
        of = {name: counts[kind, condition, name] for name in names}
        usual = Counter(of.values()).most_common(1)[0][0]
        if uneven := [name for name, count in of.items() if count != usual]:
            yield f"{kind} {condition}: occupations are not meant as often as others", uneven


def shared_scenes(splits: Mapping[str, Sequence[WinoBiasSentence]]) -> list[str]:
    """Scenes that are in two splits, whichever of their ends."""
    first: dict[str, str] = {}
    rows = ((split, it) for split, its in splits.items() for it in its)
    return sorted({it.scene for split, it in rows if first.setdefault(it.scene, split) != split})
