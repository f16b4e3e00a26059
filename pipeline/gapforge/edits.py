"""Replacements in a text, and where spans of the old text are in the new one.

Every stage that rewrites text does it through these edits, so that offsets are moved in one
place and by one rule.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from gapforge.records import Span


@dataclass(frozen=True, slots=True)
class Edit:
    """What is put in the place of a stretch of text."""

    span: Span
    new: str


class Rewriting:
    """A text with edits applied; they are given in text order and may not overlap."""

    def __init__(self, text: str, edits: Sequence[Edit]) -> None:
        if any(left.span.end > right.span.start for left, right in pairwise(edits)):
            raise ValueError("edits overlap or are out of order")
        if any(not 0 <= edit.span.start <= edit.span.end <= len(text) for edit in edits):
            raise ValueError("an edit is outside the text")
        self.starts = [edit.span.start for edit in edits]
        self.ends = [edit.span.end for edit in edits]
        self.shifts = [0]  # how far text after so many edits moves
        pieces, at = [], 0
        for edit in edits:
            pieces += [text[at : edit.span.start], edit.new]
            at = edit.span.end
            self.shifts.append(self.shifts[-1] + len(edit.new) - (edit.span.end - edit.span.start))
        self.text = "".join([*pieces, text[at:]])

    def move(self, span: Span) -> Span:
        """Where a span is now; it may hold whole edits, and ValueError says that one reaches over its edge."""
        first, last = bisect_left(self.ends, span.start + 1), bisect_left(self.starts, span.end)
        if first < last and (self.starts[first] < span.start or self.ends[last - 1] > span.end):
            raise ValueError(f"an edit reaches over the edge of the span {span.start} to {span.end}")
        return Span(span.start + self.shifts[first], span.end + self.shifts[max(first, last)])
