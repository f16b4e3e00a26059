"""WinoBias in the forms in which it was published: numbered sentences with [brackets], and CoNLL-2012.

Files are named so that whoever reads the published ones (`published`) reads these: split, type and condition.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from gapforge.nlp.reading import tokenizer
from gapforge.records import Instance, Span, WinoBiasSentence
from gapforge.storage.conll import coreference_cells, mention_of
from gapforge.storage.files import atomic_file, write_text
from gapforge.winobias.published import Marks, Sentence
from gapforge.winobias.templates import SHORT

# Between the word and the last column; a speaker, since many readers of CoNLL ask for one.
UNKNOWN = ("-", "-", "-", "-", "-", "Speaker#1", "*")


def spans_of(it: WinoBiasSentence) -> tuple[Span, Span, Span]:
    """Where pronoun, referent and the other one stand."""
    places = (it.pronoun_offset, it.pronoun), (it.referent_offset, it.referent), (it.other_offset, it.other)
    pronoun, referent, other = (Span(start, start + len(words)) for start, words in places)
    return pronoun, referent, other


def instance_of(it: WinoBiasSentence) -> Instance:
    """What a resolver is asked about a sentence of our own: A is the occupation that comes first."""
    pronoun, referent, other = spans_of(it)
    first, second = sorted((referent, other), key=lambda span: span.start)
    return Instance(it.id, it.text, pronoun, first, second, "")


def as_published(it: WinoBiasSentence) -> Sentence:
    """The sentence as evaluation knows those that were published."""
    pronoun, referent, _ = spans_of(it)
    return Sentence(it.id, Marks(SHORT[it.split], it.kind, it.condition), it.number, it.text, referent, (pronoun,))


def file_name(it: WinoBiasSentence) -> str:
    """Of the file without its ending that a sentence is written to."""
    return f"winobias-{SHORT[it.split]}-{it.kind}-{it.condition}"


def by_file(sentences: Iterable[WinoBiasSentence]) -> dict[str, list[WinoBiasSentence]]:
    found: dict[str, list[WinoBiasSentence]] = {}
    for it in sentences:
        found.setdefault(file_name(it), []).append(it)
    return found


def write_forms(sentences: Iterable[WinoBiasSentence], texts: Path, columns: Path) -> None:
    """Write two files for each split, type and condition: bracketed text into one folder, CoNLL into the other."""
    for name, its in by_file(sentences).items():
        write_text(texts / f"{name}.txt", "".join(f"{it.number} {bracketed(it)}\n" for it in its))
        with atomic_file(columns / f"{name}.conll") as temporary:
            temporary.write_text("".join(line for it in its for line in document_lines(it)), "utf-8", newline="")


def bracketed(it: WinoBiasSentence) -> str:
    """The text with referent and pronoun in brackets, as in "[The cook] met the guard because [she] was hungry."."""
    pronoun, referent, _ = spans_of(it)
    text = it.text
    for span in sorted((pronoun, referent), key=lambda span: -span.start):
        text = f"{text[: span.start]}[{text[span.start : span.end]}]{text[span.end :]}"
    return text


def document_lines(it: WinoBiasSentence) -> Iterator[str]:
    # The genre comes first, as in OntoNotes: systems look it up. Published documents count from 0.
    name = f"nw/winobias/{SHORT[it.split]}/{it.kind}/{it.condition}/{it.number - 1}"
    tokens = tokenizer()(it.text)
    places = [Span(token.idx, token.idx + len(token)) for token in tokens]
    pronoun, referent, _ = spans_of(it)
    mentions = tuple(mention_of(span, places) for span in sorted((pronoun, referent), key=lambda span: span.start))
    yield f"#begin document ({name}); part 000\n"
    for token, cell in zip(tokens, coreference_cells({1: mentions}, len(tokens)), strict=True):
        yield "\t".join((name, "0", str(token.i), token.text, *UNKNOWN, cell)) + "\n"
    yield "\n#end document\n"
