"""Kept sentences back into their texts: the subjective variant of each example, with pronoun and names realigned.

The paper searches the new sentence for each name (3.2.5) and finds 97.6 to 98.7 % of them. Here every edit is known, so
that spans move with the text; a pronoun that opened its sentence loses its capital behind "Unfortunately,".

What became of the sentences and contexts of a run: Tables 2, 4 and 7 of GAP-Subjective, and what the edits are.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, get_args

from gapforge.edits import Edit, Rewriting
from gapforge.engine.stages import Table
from gapforge.errors import InputError
from gapforge.records import (
    AcceptedEdit,
    LabelledExample,
    Note,
    Span,
    Split,
    SubjectiveExample,
    SubjectiveSentence,
    fields_of,
)
from gapforge.subjectivity.hooks import SubjectivitySettings, Thresholds, thresholds_of


def subjective_examples(
    examples: Iterable[LabelledExample], sentences: Iterable[SubjectiveSentence]
) -> Iterator[SubjectiveExample]:
    """The variant of each example, in order; InputError where sentences are not those of the example's text."""
    kept = kept_by_instance(sentences)
    for example in examples:
        edits = edits_in(example.text, kept.get(example.id, []))
        rewriting = rewritten(example.text, edits)
        fields = fields_of(example) | {
            name: rewriting.move(getattr(example, name)) for name in ("pronoun", "name_a", "name_b")
        }
        fields["text"] = rewriting.text
        made = SubjectiveExample(**fields, original_text=example.text, converted=bool(edits), edits=edits)
        check(example, made)
        yield made


def kept_by_instance(sentences: Iterable[SubjectiveSentence]) -> dict[str, list[SubjectiveSentence]]:
    found: dict[str, list[SubjectiveSentence]] = {}
    for sentence in sentences:
        if sentence.kept:
            found.setdefault(sentence.instance_id, []).append(sentence)
    return found


def edits_in(text: str, kept: Sequence[SubjectiveSentence]) -> list[AcceptedEdit]:
    """The edits of a text, by offsets into it, with the scores of their sentences."""
    found = []
    for it in kept:
        if text[it.span.start : it.span.end] != it.sentence:
            raise InputError(f"{it.instance_id}: sentence {it.number} is not in the text; score the sentences again")
        assert it.proposal_subjectivity is not None and it.proposal_log_perplexity is not None and it.gleu is not None
        for edit in it.edits:
            found.append(
                AcceptedEdit(
                    start=it.span.start + edit.span.start,
                    end=it.span.start + edit.span.end,
                    new=edit.new,
                    phrase=edit.phrase,
                    kind=edit.kind,
                    sentence=it.number,
                    subjectivity_before=it.subjectivity,
                    subjectivity_after=it.proposal_subjectivity,
                    log_perplexity_change=round(it.proposal_log_perplexity - it.log_perplexity, 6),
                    gleu=it.gleu,
                    cosine=it.cosine,
                )
            )
    return sorted(found, key=lambda edit: (edit.start, edit.end))


def rewritten(text: str, edits: Sequence[AcceptedEdit]) -> Rewriting:
    return Rewriting(text, [Edit(Span(it.start, it.end), it.new) for it in edits])


def check(original: LabelledExample, made: SubjectiveExample) -> None:
    """ValueError where what a coreference label is about was not kept: a fault of ours, whatever the input."""
    for name in ("name_a", "name_b", "pronoun"):
        before, after = words_of(original, name), words_of(made, name)
        if not is_same(name, before, after):
            raise ValueError(f"{original.id}: {name} {before!r} became {after!r}")


def is_same(name: str, before: str, after: str) -> bool:
    """Names stay to the letter, and the pronoun but for the capital of a sentence's first word."""
    return before.lower() == after.lower() if name == "pronoun" else before == after


def is_found(variant: SubjectiveExample, name: str) -> bool:
    """Whether the words that stand at a span of the variant are those from which the edits moved it."""
    undone, shift = [], 0
    for it in variant.edits:
        start = it.start + shift
        undone.append(Edit(Span(start, start + len(it.new)), variant.original_text[it.start : it.end]))
        shift += len(it.new) - (it.end - it.start)
    try:
        before = Rewriting(variant.text, undone).move(getattr(variant, name))
    except ValueError:
        return False
    words = words_of(variant, name)
    return bool(words) and is_same(name, variant.original_text[before.start : before.end], words)


def words_of(example: LabelledExample, name: str) -> str:
    span: Span = getattr(example, name)
    return example.text[span.start : span.end]


ALL = "all"
MOST_COMMON = 10


def summarise(
    sentences: Iterable[SubjectiveSentence],
    variants: Iterable[SubjectiveExample],
    thresholds: Thresholds | None = None,
    lost: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Counts by split, the sum of all last.

    A file has no splits; of one `lost` names what is not where it says, once for each instance: "pronoun", "A" and "B"
    in any combination, such as "pronoun A".
    """
    held, examples = list(sentences), list(variants)
    split_of = {it.id: it.split for it in examples}
    splits = splits_of(examples) if lost is None else []
    by_split = {name: [it for it in held if split_of[it.instance_id] == name] for name in splits} | {ALL: held}
    parts = {name: [it for it in examples if it.split == name] for name in splits} | {ALL: examples}
    kept = [it for it in held if it.kept]
    phrases = Counter(phrase for it in kept for phrase in {edit.phrase for edit in it.edits if edit.phrase})
    total = sum(phrases.values())
    return {
        "sentences": {name: sentence_counts(its) for name, its in by_split.items()},
        "contexts": {
            name: {"contexts": len(its) + len(lost or ()), "converted": sum(it.converted for it in its)}
            for name, its in parts.items()
        },
        "offsets": {name: offset_counts(its, lost or ()) for name, its in parts.items()},
        "refused": dict(sorted(Counter(it.reasons[0] for it in held if it.reasons).items())),
        "kinds": dict(sorted(Counter(edit_kind(it) for it in kept).items())),
        "phrases": {
            "different": len(phrases),
            "most_common": [list(it) for it in sorted(phrases.items(), key=lambda it: (-it[1], it[0]))[:MOST_COMMON]],
            "largest_share": round(max(phrases.values(), default=0) / total, 6) if total else 0.0,
        },
        "thresholds": asdict(thresholds) if thresholds else {},
        "subjectivity": changes_of(kept),
    }


def splits_of(examples: Iterable[LabelledExample]) -> list[str]:
    there = {it.split for it in examples}
    return [name for name in get_args(Split) if name in there]


def sentence_counts(sentences: Sequence[SubjectiveSentence]) -> dict[str, int]:
    """A line of Table 2."""
    return {
        "sentences": len(sentences),
        "within_gleu": sum(bool(it.preserved) for it in sentences),
        "within_perplexity": sum(bool(it.fluent) for it in sentences),
        "objective": sum(it.objective for it in sentences),
        "final": sum(it.kept for it in sentences),
    }


def offset_counts(examples: Sequence[SubjectiveExample], lost: Sequence[str]) -> dict[str, int]:
    """A line of Table 7: in how many instances pronoun and names are what they were before the edits moved them."""
    names = {"pronoun": "pronoun", "a": "name_a", "b": "name_b"}
    found = {key: sum(is_found(it, name) for it in examples) for key, name in names.items()}
    whole = sum(all(is_found(it, name) for name in names.values()) for it in examples)
    missing = {
        key: sum(word in it.split() for it in lost) for key, word in (("pronoun", "pronoun"), ("a", "A"), ("b", "B"))
    }
    contexts = len(examples) + len(lost)
    return {
        "contexts": contexts,
        **{key: count + len(lost) - missing[key] for key, count in found.items()},
        "all": whole,
    }


def edit_kind(sentence: SubjectiveSentence) -> str:
    return sentence.edits[-1].kind


def changes_of(kept: Sequence[SubjectiveSentence]) -> dict[str, float | None]:
    """The detector's scores before and after, and how often it finds the new sentence more subjective."""
    pairs = [(it.subjectivity, it.proposal_subjectivity or 0.0) for it in kept]
    if not pairs:
        return {"before": None, "after": None, "raised": None}
    count = len(pairs)
    return {
        "before": round(sum(before for before, _ in pairs) / count, 6),
        "after": round(sum(after for _, after in pairs) / count, 6),
        "raised": round(sum(after > before for before, after in pairs) / count, 6),
    }


def tables_in(summary: Mapping[str, Any]) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Caption, header and rows of each table, ready to be shown."""
    header = ["split", "sentences", "within GLEU", "within perplexity", "objective", "final", "share"]
    rows = [
        [name, *(f"{count:,}" for count in its.values()), percent(its["final"], its["sentences"])]
        for name, its in summary["sentences"].items()
    ]
    yield "sentences by threshold (GAP-Subjective, Table 2)", header, rows
    contexts = [
        [name, f"{its['contexts']:,}", f"{its['converted']:,}", percent(its["converted"], its["contexts"])]
        for name, its in summary["contexts"].items()
    ]
    yield "converted contexts (Table 4)", ["split", "contexts", "converted", "share"], contexts
    offsets = [
        [name, f"{its['contexts']:,}", *(percent(its[key], its["contexts"]) for key in ("pronoun", "a", "b", "all"))]
        for name, its in summary["offsets"].items()
    ]
    yield "offsets found (Table 7)", ["split", "contexts", "pronoun", "A", "B", "all"], offsets


def percent(count: int, total: int) -> str:
    return f"{100 * count / total:.2f} %" if total else "undefined"


def describe(summary: Mapping[str, Any]) -> Iterator[str]:
    """The tables in words, a line each, for the notes of a run."""
    for name, its in summary["sentences"].items():
        contexts = summary["contexts"][name]
        yield (
            f"{name}: {its['final']:,} of {its['sentences']:,} sentences ({percent(its['final'], its['sentences'])}), "
            f"{contexts['converted']:,} of {contexts['contexts']:,} contexts "
            f"({percent(contexts['converted'], contexts['contexts'])}) made subjective"
        )
    offsets = list(summary["offsets"].values())[-1]
    yield f"offsets found: {percent(offsets['all'], offsets['contexts'])}"
    phrases = summary["phrases"]
    if phrases["different"]:
        share = f"{100 * phrases['largest_share']:.1f} %"
        yield f"{phrases['different']:,} different phrases; the commonest has {share} of all"


def gap_subjective(
    labelled: Table[LabelledExample], sentences: Table[SubjectiveSentence], settings: SubjectivitySettings
) -> Iterator[SubjectiveExample | Note]:
    """The stage GapSubjective: the subjective variant of every example, and what there is to say of all."""
    decided = list(sentences)
    made = list(subjective_examples(labelled, decided))
    yield from made
    yield from map(Note, describe(summarise(decided, made, thresholds_of(settings))))
