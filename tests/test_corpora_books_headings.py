import pytest

from gapforge.corpora.books import Block, Heading, Paragraph, divide, is_heading

PROSE = "Marta rowed the ferry across the river every morning, and in the evening she rowed it back."


@pytest.mark.parametrize(
    "line",
    [
        "CHAPTER I", "CHAPTER I.", "  CHAPTER XLVII.  ", "CHAPTER I. The Ferry", "CHAPTER I.--THE FERRY", "Chapter 12",
        "Chapter 12: The Ferry", "Chapter the Last", "CHAPTER TWENTY-ONE", "BOOK THE SECOND", "Book the Second",
        "PART TWO", "Part One", "VOL. II.", "Volume III", "I.", "II", "XIV", "_CHAPTER I_", "*CHAPTER I*", "PROLOGUE",
        "Preface", "EPILOGUE.", "STAVE ONE", "Letter 4", "ACT I", "I. The Ferry at Dusk", "IV. THE MILLER",
        "INTRODUCTION TO THE SECOND EDITION", "CHAPTER THIRTEENTH",
    ],
)  # fmt: skip
def test_headings(line):
    assert is_heading(line)


@pytest.mark.parametrize(
    "line",
    [
        "", "Part two of the plan was simple.", "Chapter and verse, he had it all.", "chapter 12", "part one",
        "I went home.", "I. Smith", "C. D. Berg", "D. H. Berg", "V. K. Olsen", "Mix", "MILD", "I am", "IIIIIIII",
        "Book Club, the bazaars.", "Preface to what came later, she thought.", "Letters", "Actually", "Act natural!",
        "Part I was dull, and she slept.", "The Ferry", "THE FERRY", "He said: II",
    ],
)  # fmt: skip
def test_prose(line):
    assert not is_heading(line)


def blocks(*paragraphs):
    return [Block(tuple(paragraph.split("\n"))) for paragraph in paragraphs]


def outline(*paragraphs):
    return [part.title if isinstance(part, Heading) else "." for part in divide(blocks(*paragraphs))]


@pytest.mark.parametrize(
    ("paragraphs", "expected"),
    [
        (["CHAPTER I", PROSE, "CHAPTER II", PROSE], ["CHAPTER I", ".", "CHAPTER II", "."]),
        (["CHAPTER I", "THE FERRY", PROSE], ["CHAPTER I. THE FERRY", "."]),
        (["CHAPTER I.", "THE FERRY.", PROSE], ["CHAPTER I. THE FERRY.", "."]),
        (["CHAPTER I", "The Ferry at Dusk", PROSE], ["CHAPTER I. The Ferry at Dusk", "."]),
        (["CHAPTER I", "“He went with the Ferry”", PROSE], ["CHAPTER I. “He went with the Ferry”", "."]),
        (["CHAPTER I. The Ferry", "THE RIVER ROSE.", PROSE], ["CHAPTER I. The Ferry", ".", "."]),
        (["CHAPTER I.\nTHE FERRY AND\nTHE MILLER", PROSE], ["CHAPTER I. THE FERRY AND THE MILLER", "."]),
        # what may be speech or a sentence stays in the text
        (["CHAPTER I", '"Good Heavens!"', PROSE], ["CHAPTER I", ".", "."]),
        (["CHAPTER I", "Sunday Morning.", PROSE], ["CHAPTER I", ".", "."]),
        (["CHAPTER I", "It rained.", PROSE], ["CHAPTER I", ".", "."]),
        (["PART I", "CHAPTER I", PROSE], ["PART I", "CHAPTER I", "."]),
        (["II.", "II.", PROSE], ["II.", "."]),
        ([PROSE, "THE FERRY", PROSE], [".", ".", "."]),
        ([PROSE, "CHAPTER II"], [".", "CHAPTER II"]),
        ([PROSE, "THE END."], ["."]),
        (["THE END", PROSE], [".", "."]),
        # tables of contents
        (["CONTENTS", "CHAPTER I", "CHAPTER II", "CHAPTER I", PROSE, "CHAPTER II", PROSE],
         ["CHAPTER I", ".", "CHAPTER II", "."]),
        (["Contents", "I. The Ferry  3\nII. The Mill  14", "CHAPTER I", PROSE], ["CHAPTER I", "."]),
        (["CONTENTS\nI. The Ferry\nII. The Mill", "CHAPTER I", PROSE], ["CHAPTER I", "."]),
        (["TABLE OF CONTENTS", "The Ferry", "The Mill", "The Flood .... 9", PROSE], ["."]),
        (["LIST OF ILLUSTRATIONS", "The mill at dusk", "CHAPTER I", PROSE], ["CHAPTER I", "."]),
        (["CONTENTS OF VOL. II.", "I. The Ferry", "II. The Mill", "CHAPTER I", PROSE], ["CHAPTER I", "."]),
        (["PART I", *(f"CHAPTER {n}" for n in ("I", "II", "III", "IV")), "PART I", "CHAPTER I", PROSE],
         ["PART I", "CHAPTER I", "."]),
        (["CONTENTS", "I was born in Lindby.", PROSE], [".", "."]),
        (["CONTENTS", "Who was there?", PROSE], [".", "."]),
    ],
)  # fmt: skip
def test_divide(paragraphs, expected):
    assert outline(*paragraphs) == expected


def test_a_wrapped_heading_without_capitals_is_prose():
    text = "Part two of the plan\nwas simple"
    assert list(divide(blocks(text))) == [Paragraph("Part two of the plan was simple")]


def test_levels():
    assert list(divide(blocks("PART I", PROSE))) == [Heading("PART I", 1), Paragraph(PROSE)]
