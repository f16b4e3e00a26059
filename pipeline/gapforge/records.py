"""The records that pass between stages. Every table on disk holds one of these types."""

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text; `text[start:end]` of the owning record, in code points."""

    start: int
    end: int


def overlap(left: Span, right: Span) -> bool:
    return left.start < right.end and right.start < left.end


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, which is no part of the text, and where the text under it begins and ends in its document.

    The sections of a document follow each other without overlap; text before the first heading is a section with an
    empty title and level 0. Levels are the source's own: 2 for a Wikipedia `== heading ==`, 1 for a chapter.
    """

    title: str
    level: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Document:
    """One article or book as plain text; a blank line ("\\n\\n") parts paragraphs and sections.

    Readers that clean their source put each paragraph on one line; text files and JSONL keep their own characters
    throughout, so that offsets into the source stay true.
    """

    id: str
    title: str
    author: str
    url: str
    text: str
    sections: list[Section]


@dataclass(frozen=True, slots=True)
class Note:
    """What a person should know of a stage's output, in one line."""

    text: str


@dataclass(frozen=True, slots=True)
class Reject:
    """A record that a stage left out: which one, the reason it is counted under, and what a person needs to know."""

    id: str
    reason: str
    detail: str


Gender = Literal["feminine", "masculine"]
OTHER: dict[Gender, Gender] = {"feminine": "masculine", "masculine": "feminine"}
Pattern = Literal["FINALPRO", "MEDIALPRO", "INITIALPRO"]
Role = Literal["C1", "C2", "O1", "O2"]
Variant = Literal["original", "control", "swap-1", "swap-2"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An ambiguous pronoun with the two names that it may refer to, in its context.

    `start` is where the context begins in the text of its document; the spans are of the context. A comes before B in
    the text. `page_entity`: one of the two is whom the page is about. `reading`: 0 for the first way to read the
    pronoun's surroundings, 1 and more for those that take somebody of unknown gender for no rival, or another pattern.
    """

    id: str
    corpus: str
    document_id: str
    url: str
    start: int
    text: str
    pattern: Pattern
    gender: Gender
    pronoun: Span
    name_a: Span
    name_b: Span
    page_entity: bool
    reading: int


@dataclass(frozen=True, slots=True)
class Person:
    """One of the four people of a Counter-GAP context: the first form of the name met, and every mention in text order.

    C1 and C2 have the pronoun's gender, O1 and O2 the other, each in the order in which they are met from the
    pronoun's sentence backwards, left to right within a sentence.
    """

    role: Role
    name: str
    gender: Gender
    mentions: list[Span]


@dataclass(frozen=True, slots=True)
class CounterGapCandidate(Candidate):
    """A candidate among exactly two women and two men, C1, C2, O1, O2; A and B are the two of the pronoun's gender."""

    people: list[Person]


@dataclass(frozen=True, slots=True)
class Biography:
    """Somebody who lives or lived, by the title of the document that tells the life."""

    name: str
    document_id: str


@dataclass(frozen=True, slots=True)
class QuadrupleInstance(CounterGapCandidate):
    """One of the four texts of a quadruple; all four share `quadruple_id`, which is the id of the original.

    The spans are of this record's own text. The people stand in the roles of their places: whoever is named where C1
    was in the original is C1. `contradictions`: what a reader may find against common sense in one, for annotators.
    """

    quadruple_id: str
    variant: Variant
    contradictions: list[str]


@dataclass(frozen=True, slots=True)
class Instance:
    """What a resolver is asked: a text, its pronoun, and the two names of which it may choose one.

    The names are there to say the answer in; GAP 4.1 wants a system to find the mentions by itself. `url` is the page
    that the text comes from, empty where it is not known.
    """

    id: str
    text: str
    pronoun: Span
    name_a: Span
    name_b: Span
    url: str = ""


Label = Literal["A", "B", "neither", "both", "not sure"]  # GAP 3.2, Table 3
Split = Literal["development", "validation", "test"]
# Who stands behind a label: people or the author of the text (gold), or three resolvers that voted (silver).
Standard = Literal["gold", "silver"]

Candidacy = Literal["A", "B", "other"]  # one of the two candidates, or somebody else


@dataclass(frozen=True, slots=True)
class Named:
    """Somebody whom a question names, with every known mention in text order."""

    role: Candidacy
    mentions: list[Span]


@dataclass(frozen=True, slots=True)
class Question:
    """What an annotator is asked: whom the pronoun of a text refers to.

    `content_hash` stands for the text and its three spans: an answer counts only where it carries the same.
    Questions of one `group` are variants of one text, which nobody should see side by side. `answer` is empty, but
    in questions whose answer is known.
    """

    instance_id: str
    content_hash: str
    group: str
    text: str
    pronoun: Span
    name_a: Span
    name_b: Span
    people: list[Named]
    answer: Label | Literal[""]


@dataclass(frozen=True, slots=True)
class Judgement:
    """One annotator's answer to one question; `contradiction` is what in the text is against common sense, if any.

    `known`: the question was one of known answer, mixed in to test the annotator.
    """

    instance_id: str
    content_hash: str
    annotator: str
    label: Label
    highlights: list[Span]
    contradiction: str
    standard: Standard
    known: bool


@dataclass(frozen=True, slots=True)
class LabelledExample(Candidate):
    """A GAP example with the label that most annotators gave; `agreement` is their share."""

    label: Label
    agreement: float
    standard: Standard
    split: Split


@dataclass(frozen=True, slots=True)
class LabelledInstance(QuadrupleInstance):
    """One of the four texts of a quadruple that is answered alike in all four, by position."""

    label: Label
    agreement: float
    standard: Standard


@dataclass(frozen=True, slots=True)
class GrammarCount:
    """How often a word is of a class (a kind of "word"), or three classes follow each other ("sequence")."""

    kind: Literal["word", "sequence"]
    key: str
    count: int


@dataclass(frozen=True, slots=True)
class SubjectiveEdit:
    """What makes a sentence subjective: `new` for a stretch of it, by a rule of some `kind`; `phrase` is the news."""

    span: Span
    new: str
    phrase: str
    kind: str


@dataclass(frozen=True, slots=True)
class SubjectiveProposal:
    """A sentence of a labelled text with one proposal to make it subjective, and every score that decides on it.

    `span` is of the text, those of the edits of the sentence. `attempt` numbers the proposals of a sentence; one that
    has none has a single record, without their scores. `subjectivity` is the detector's score, `log_perplexity` in nats
    a token, `cosine` None unless it is asked for; `broken` are the invariants that the proposal does not keep.
    """

    instance_id: str
    number: int
    attempt: int
    span: Span
    sentence: str
    proposal: str | None
    edits: list[SubjectiveEdit]
    subjectivity: float
    proposal_subjectivity: float | None
    log_perplexity: float
    proposal_log_perplexity: float | None
    gleu: float | None
    cosine: float | None
    broken: list[str]


@dataclass(frozen=True, slots=True)
class SubjectiveSentence(SubjectiveProposal):
    """A sentence with the proposal that was kept, or the one that came nearest; why not, and what it is within."""

    objective: bool
    fluent: bool | None
    preserved: bool | None
    kept: bool
    reasons: list[str]


@dataclass(frozen=True, slots=True)
class AcceptedEdit:
    """An edit of a subjective example, by offsets into the original text, with the scores of its sentence."""

    start: int
    end: int
    new: str
    phrase: str
    kind: str
    sentence: int
    subjectivity_before: float
    subjectivity_after: float
    log_perplexity_change: float
    gleu: float
    cosine: float | None


@dataclass(frozen=True, slots=True)
class SubjectiveExample(LabelledExample):
    """The subjective variant of a labelled example: its text is the original one with the edits, if there are any."""

    original_text: str
    converted: bool
    edits: list[AcceptedEdit]


Kind = Literal["type1", "type2"]
Condition = Literal["pro", "anti"]


@dataclass(frozen=True, slots=True)
class WinoBiasSentence:
    """A sentence of two people by their occupations, and a pronoun that means one of them (Zhao et al. 2018).

    `condition` is "pro" where the pronoun is of the gender that most people of the referent's occupation have; `women`
    is their percentage. `end` says which of the two sentences of a `scene` this is. The other condition has the same
    sentence with the other pronoun: the two share `pair_id`, and `number`, which counts from 1 within a split, kind and
    condition. Offsets are in code points.
    """

    id: str
    text: str
    pronoun: str
    pronoun_offset: int
    referent: str
    referent_offset: int
    other: str
    other_offset: int
    gender: Gender
    kind: Kind
    condition: Condition
    split: Split
    number: int
    pair_id: str
    scene: str
    end: str
    occupation: str
    women: int
    other_occupation: str
    other_women: int


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a resolver says of an instance."""

    instance_id: str
    resolver: str
    label: Label


@dataclass(frozen=True, slots=True)
class Weight:
    """What a row of a test set counts, so that no listed property differs between the genders; 0 where it does not.

    `names` is how many personal names the text holds, `rank` where the true one stands among them, 1 being the nearest
    to the pronoun; None where none is true (Kocijan et al. 2021, 2.1).
    """

    instance_id: str
    gender: Gender
    names: int
    rank: int | None
    weight: float


@dataclass(frozen=True, slots=True)
class Score:
    """One figure of one system on one set, with its 95 % interval; None where it is undefined.

    `grouping` and `group` say of which instances, such as "pronoun" and "her"; both are empty for the whole set.
    """

    dataset: str
    system: str
    grouping: str
    group: str
    figure: str
    value: float | None
    low: float | None
    high: float | None


def fields_of(record: Any) -> dict[str, Any]:
    """The fields of a record by name, the records within it as they are."""
    return {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}
