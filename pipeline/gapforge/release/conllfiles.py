"""Released rows as CoNLL-2012: a document a row, with whom the row's label speaks of as its entities.

Of a GAP row that is the true name and the pronoun, of Counter-GAP every mention of the four people as well. All other
mentions in the text stay unmarked: these files serve to measure the links that a system finds, and not to train one.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from gapforge.evaluation.gold import released_spans
from gapforge.nlp.reading import readable, tokenizer
from gapforge.nlp.sentences import split_sentences
from gapforge.records import Span, overlap
from gapforge.released import ReleasedInstance, ReleasedRow
from gapforge.storage.conll import coreference_cells, mention_of
from gapforge.storage.files import atomic_file

# The columns between the word and the last, none of which is known here (Pradhan et al. 2012, Table 1).
UNKNOWN = ("-", "-", "-", "-", "-", "-", "*")


def write_conll(path: Path, rows: Iterable[ReleasedRow], name: str) -> None:
    """Write a document for each row, called by its id; `name` is that of the set. The file appears when all is written.

    The first column has the set alone: with the id in every line, the files would be twice as large.
    """
    with atomic_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        for row in rows:
            file.writelines(document_lines(row, name))


def document_lines(row: ReleasedRow, name: str) -> Iterator[str]:
    entities = entities_of(row)
    edges = {edge for spans in entities for span in spans for edge in (span.start, span.end)}
    sentences = [tokens_in(row.text, sentence, edges) for sentence in split_sentences(row.text)]
    tokens = [token for sentence in sentences for token in sentence]
    mentions = {n: tuple(mention_of(span, tokens) for span in spans) for n, spans in enumerate(entities)}
    cells = iter(coreference_cells(mentions, len(tokens)))
    yield f"#begin document ({row.id}); part 000\n"
    for sentence in sentences:
        for number, token in enumerate(sentence):
            word = row.text[token.start : token.end]
            yield "\t".join((name, "0", str(number), word, *UNKNOWN, next(cells))) + "\n"
        yield "\n"
    yield "#end document\n"


def entities_of(row: ReleasedRow) -> list[list[Span]]:
    """The mentions of each entity in text order; somebody mentioned once is no entity, as in OntoNotes."""
    pronoun, a, b = released_spans(row)
    true = a if row.a_coref else b if row.b_coref else None
    if not isinstance(row, ReleasedInstance):
        return [sorted((true, pronoun), key=start_of)] if true else []
    found = []
    for person in row.people:
        named = true and any(overlap(true, mention) for mention in person.mentions)
        spans = [*person.mentions, pronoun] if named else person.mentions
        if len(spans) > 1:
            found.append(sorted(spans, key=start_of))
    return found


def start_of(span: Span) -> int:
    return span.start


def tokens_in(text: str, sentence: Span, edges: set[int]) -> list[Span]:
    """The tokens of a sentence, cut where a mention begins or ends within one."""
    found: list[Span] = []
    for token in tokenizer()(readable(text[sentence.start : sentence.end])):
        if token.is_space:
            continue
        start = sentence.start + token.idx
        cuts = [start, *sorted(edge for edge in edges if start < edge < start + len(token)), start + len(token)]
        found.extend(Span(left, right) for left, right in pairwise(cuts))
    return found
