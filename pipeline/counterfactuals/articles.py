"""*a* and *an* before a word or a name that was exchanged: an earl becomes a countess."""

import re
import unicodedata
from collections.abc import Sequence

from pipeline.edits import Edit
from pipeline.records import Span

# Within a sentence a capital A is a letter: "Section A Bob".
ARTICLE = re.compile(r"(?<![^\W_])((?<![^\W_] )An?|AN|an?)\s+[\"'“‘_*]*$")
# Written with a vowel and spoken with a consonant, and the other way round.
SPOKEN_CONSONANT = re.compile(r"(?:uni|eu|ew|one\b|use|usu|u\b|uk|ura|uri|uti|uly)", re.IGNORECASE)
SPOKEN_VOWEL = re.compile(r"(?:heir|honest|honou?r|hour)", re.IGNORECASE)
LONGEST = 12  # characters from an article to its word


def with_articles(text: str, edits: Sequence[Edit]) -> list[Edit]:
    """The edits, and those of the articles before them that no longer fit."""
    found: list[Edit] = []
    for edit in edits:
        before = ARTICLE.search(text, max(0, edit.span.start - LONGEST), edit.span.start)
        # Where nothing is replaced, the article was that of the next word.
        old = text[edit.span.start : edit.span.end] or text[edit.span.end : edit.span.end + LONGEST]
        if before and begins_with_vowel(edit.new) != begins_with_vowel(old):
            span = Span(*before.span(1))
            article = "an" if begins_with_vowel(edit.new) else "a"
            if before[1].lower() != article and not (found and found[-1].span.end > span.start):
                loud = before[1].isupper() and edit.new.isupper() and len(edit.new) > 1
                found.append(Edit(span, article.upper() if loud else before[1][0] + article[1:]))
        found.append(edit)
    return found


def begins_with_vowel(word: str) -> bool:
    if not word or SPOKEN_VOWEL.match(word):
        return bool(word)
    letter = unicodedata.normalize("NFD", word[0].lower())[0]
    return letter in "aeiouæøœ" and not SPOKEN_CONSONANT.match(word)
