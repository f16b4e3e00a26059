"""Kept sentences back into their texts: the subjective variant of each example, with pronoun and names realigned.

The paper searches the new sentence for each name (3.2.5) and finds 97.6 to 98.7 % of them. Here every edit is known, so
that spans move with the text; a pronoun that opened its sentence loses its capital behind "Unfortunately,".
"""

from collections.abc import Iterable, Iterator, Sequence

from pipeline.edits import Edit, Rewriting
from pipeline.errors import InputError
from pipeline.records import AcceptedEdit, LabelledExample, Span, SubjectiveExample, SubjectiveSentence, fields_of


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
