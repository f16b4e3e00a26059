"""*a* and *an* before a word or a name that was exchanged: an earl becomes a countess."""

import re
from collections.abc import Sequence

from pipeline.edits import Edit
from pipeline.records import Span

ARTICLE = re.compile(r"(?<![^\W_])(an?)\s+[\"'“‘_*]*$", re.IGNORECASE)
# Written with a vowel and spoken with a consonant, and the other way round.
SPOKEN_CONSONANT = re.compile(r"(?:uni|eu|ew|one\b|use|usu|u\b|uk|ura|uti)", re.IGNORECASE)
SPOKEN_VOWEL = re.compile(r"(?:heir|honest|honou?r|hour)", re.IGNORECASE)
LONGEST = 12  # characters from an article to its word


def with_articles(text: str, edits: Sequence[Edit]) -> list[Edit]:
    """The edits, and those of the articles before them that no longer fit."""
    found: list[Edit] = []
    for edit in edits:
        before = ARTICLE.search(text, max(0, edit.span.start - LONGEST), edit.span.start)
        old = text[edit.span.start : edit.span.end]
        if before and begins_with_vowel(edit.new) != begins_with_vowel(old):
            span = Span(*before.span(1))
            article = "an" if begins_with_vowel(edit.new) else "a"
            if before[1].lower() != article and not (found and found[-1].span.end > span.start):
                found.append(Edit(span, article.upper() if before[1] == "AN" else before[1][0] + article[1:]))
        found.append(edit)
    return found


def begins_with_vowel(word: str) -> bool:
    if SPOKEN_VOWEL.match(word):
        return True
    return bool(word) and word[0].lower() in "aeiouáàâäéèêëíîïóôöúûü" and not SPOKEN_CONSONANT.match(word)
