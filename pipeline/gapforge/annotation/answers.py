"""What an annotation tool hands back, and what of it counts.

Tools accept anything: Label Studio's server stores labels that its config does not have and spans beyond the text,
spreadsheets lose rows, browsers count in UTF-16 units. So every reader of this room yields plain `Answer`s, and one
function here holds each against its question. What is refused becomes a reject with a reason.
"""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from gapforge.annotation.questions import LABELS
from gapforge.people.lexicon import name_lexicon
from gapforge.records import Candidacy, Judgement, Label, Question, Reject, Span, Standard, overlap

NO_REMARK = {"", "no", "none", "nothing", "nope", "n/a", "na", "nil", "nothing does", "no contradiction", "ok"}
MOST_WORDS = 8  # of a name with its titles
FAR = 10**9  # no text is as long
LONGEST = 200  # characters of a quotation

# As people and other tools write them.
SPELLINGS: dict[str, Label] = {label.casefold(): label for label in LABELS} | {"name a": "A", "name b": "B"}


@dataclass(frozen=True, slots=True)
class Highlight:
    """A stretch that an annotator marked, in the tool's own offsets; `text` is what stood there, None if untold."""

    start: int
    end: int
    text: str | None
    in_code_points: bool = False  # known to be, whatever the text; else the text tells


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as a file holds it, unchecked.

    By one of GAP's five labels, or by highlighting names; `no_name` says that no name in the text is the right one.
    `shown` is the text as the tool held it, None where the file does not tell. `time` orders answers of one
    annotator to one question, as ISO 8601 in UTC; empty where unknown. `withdrawn` is why the tool itself does not
    count the answer; empty where it does. `place` is where it stands in its file, for messages.
    """

    place: str
    instance_id: str
    content_hash: str
    annotator: str
    shown: str | None = None
    label: str = ""
    no_name: bool = False
    highlights: tuple[Highlight, ...] = ()
    contradiction: str = ""
    time: str = ""
    withdrawn: Literal["", "cancelled", "assignment rejected"] = ""
    standard: Standard = "gold"


def judge(answer: Answer, questions: Mapping[str, Question]) -> Judgement | Reject:
    """The judgement that an answer is, under the annotator's own id, or why it is none."""

    def refuse(reason: str, detail: str = "") -> Reject:
        return Reject(answer.instance_id, reason, f"{answer.place}{': ' if detail else ''}{detail}")

    if answer.withdrawn:
        return refuse(answer.withdrawn)
    if not answer.instance_id:
        return refuse("no instance id")
    question = questions.get(answer.instance_id)
    if question is None:
        return refuse("unknown instance", "no question of this set; is it another project's?")
    if not answer.content_hash:
        return refuse("no content hash")
    if answer.content_hash != question.content_hash:
        return refuse("text differs", f"content hash {answer.content_hash}, wanted {question.content_hash}")
    if answer.shown is not None and answer.shown != question.text:
        return refuse("text differs", "the text was edited in the tool")
    if not answer.annotator:
        return refuse("no annotator")
    spans: list[Span] = []
    for highlight in answer.highlights:
        span = span_of(highlight, question.text)
        if span is None:
            place = f"{highlight.start} to {highlight.end}" if abs(highlight.end) < FAR else "its place"
            return refuse("bad span", f"{place} is not {shortened(highlight.text)}")
        if overlap(span, question.pronoun):
            return refuse("bad span", "the pronoun itself is highlighted")
        if not may_be_name(question.text[span.start : span.end]):
            return refuse("bad span", f"{shortened(question.text[span.start : span.end])} is no name")
        spans.append(span)
    marked = label_of_highlights(spans, answer.no_name, question)
    label = SPELLINGS.get(" ".join(answer.label.split()).casefold()) if answer.label else marked
    if label is None:
        return refuse("unknown label", f"{shortened(answer.label)}, wanted one of {', '.join(LABELS)}")
    if label == "":
        return refuse("no answer")
    if answer.no_name and (spans or label != "neither"):
        return refuse("contradictory answer", "a name, and that no name is the right one")
    if spans and label != marked:
        return refuse("contradictory answer", f"{answer.label!r} is chosen, and another name highlighted")
    return Judgement(
        instance_id=question.instance_id,
        content_hash=question.content_hash,
        annotator=answer.annotator,
        label=label,
        highlights=sorted(set(spans), key=dataclasses.astuple),
        contradiction=remark_of(answer.contradiction),
        standard=answer.standard,
        known=bool(question.answer),
    )


def label_of_highlights(spans: list[Span], no_name: bool, question: Question) -> Label | Literal[""]:
    """Which of the two candidate names was meant (Counter-GAP 2.3): any mention of a person stands for the person."""
    if not spans:
        return "neither" if no_name else ""
    touched = {role for span in spans for role in roles_of(span, question)}
    if {"A", "B"} <= touched:
        return "both"
    return "A" if "A" in touched else "B" if "B" in touched else "neither"


def roles_of(span: Span, question: Question) -> set[Candidacy]:
    """Whose name is highlighted: a known mention, or another form that shares a name with one person alone."""
    touched = {it.role for it in question.people if any(overlap(span, at) for at in it.mentions)}
    if touched:
        return touched
    names = names_in(question.text, span)
    akin = [it.role for it in question.people if any(names & names_in(question.text, at) for at in it.mentions)]
    return set(akin) if len(akin) == 1 else set()


def names_in(text: str, span: Span) -> set[str]:
    """The words of a name without titles: Mr. Stannard and Ada Stannard share one, Mr. Stannard and Mr. Lee none."""
    words = (word.strip(".,;:'’") for word in text[span.start : span.end].removesuffix("'s").removesuffix("’s").split())
    return {word for word in words if word[:1].isupper() and word not in name_lexicon().titles}


def may_be_name(words: str) -> bool:
    """Whether it can be a name, as the page for annotators asks as well: a few words, one with a capital letter."""
    return any(letter.isupper() for letter in words) and len(words.split()) <= MOST_WORDS


def remark_of(text: str) -> str:
    """What was written into the box on one line; that there is nothing to say is no remark."""
    words = " ".join(text.split())
    return "" if words.casefold().strip(" .!-–—/") in NO_REMARK else words


def shortened(words: str | None) -> str:
    """Words of somebody else, quoted in a message of bounded length."""
    shown = repr(words)
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"


def span_of(highlight: Highlight, text: str) -> Span | None:
    """The highlight in code points; a browser counts UTF-16 units, which differ after the first emoji.

    None where neither reading gives the text that was marked, or both do at two places. Where the tool does not
    tell what was marked, a character outside the basic plane leaves the unit open, and nothing is guessed.
    """
    start, end = highlight.start, highlight.end
    if not 0 <= start < end:
        return None
    units = in_code_points(text, start, end)
    points = Span(start, end) if end <= len(text) else None
    if highlight.text is None:
        return points if highlight.in_code_points or points == units else None
    readings = {span for span in (points, units) if span and text[span.start : span.end] == highlight.text}
    return readings.pop() if len(readings) == 1 else None


def in_code_points(text: str, start: int, end: int) -> Span | None:
    """Offsets in UTF-16 units as offsets in code points; None where they cut a character or leave the text."""
    encoded = text.encode("utf-16-le")
    if 2 * end > len(encoded):
        return None
    try:
        before = len(encoded[: 2 * start].decode("utf-16-le"))
        return Span(before, before + len(encoded[2 * start : 2 * end].decode("utf-16-le")))
    except UnicodeDecodeError:
        return None


def plain(cell: str) -> str:
    """A cell without the apostrophe that keeps a spreadsheet from taking it for a formula."""
    return cell[1:] if cell.startswith(("'=", "'+", "'-", "'@")) else cell


def text_of(value: object) -> str:
    """A value of JSON as text that can be written: half a surrogate pair, which JSON may hold, becomes a "?"."""
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value)
    return text.encode("utf-8", "replace").decode()


def time_of(value: object) -> str:
    """A time in ISO 8601 as one in UTC and of one width, so that times sort as text; empty where it is none."""
    try:
        time = datetime.fromisoformat(value if isinstance(value, str) else "")
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC).isoformat(timespec="microseconds")
    except (ValueError, OverflowError):
        return ""
