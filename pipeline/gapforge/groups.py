"""The pronouns that instances are about (GAP 3.1): he, him, his, she, her, hers."""

import re

from gapforge.records import Gender, Span

# "Her Majesty" names somebody; so does no other pronoun here. Reflexives are other words (GAP 3.1).
PRONOUN = re.compile(
    r"(?<![^\W_])(?<![^\W_][-'’])(?<![/)])(?:he|him|his|she|her|hers)(?![^\W_])(?!-[^\W_])(?!/)"
    r"(?!\s+(?=(?-i:[A-Z]))(?:majesty|highness|excellency|holiness|honou?r|grace|lordship|ladyship|worship|eminence)\b)",
    re.IGNORECASE,
)
GENDERS: dict[str, Gender] = {
    "he": "masculine",
    "him": "masculine",
    "his": "masculine",
    "she": "feminine",
    "her": "feminine",
    "hers": "feminine",
}


def find_pronouns(text: str, sentence: Span) -> list[tuple[Span, Gender]]:
    found = PRONOUN.finditer(text, sentence.start, sentence.end)
    return [(Span(*match.span()), GENDERS[match[0].lower()]) for match in found]
