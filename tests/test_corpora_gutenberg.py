import textwrap
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.corpora.gutenberg import describe, plain, read
from gapforge.corpora.source import Piece, ReadSettings
from gapforge.errors import InputError
from gapforge.records import Document, Reject, Section
from reference import published

SETTINGS = ReadSettings()

ROWED = (
    "Marta rowed the ferry across the river every morning, and in the evening she rowed it back, whatever the weather."
)
SLEPT = "The miller slept until noon. Nobody minded, because the mill had not turned since the great flood of May."
HEADER = """The Project Gutenberg eBook of The Ferry

This eBook is for the use of anyone anywhere.

Title: The Ferry at Lindby,
       or the Long Way Home

Author: Anna Berg
        Carl Dahl

Release date: May 1, 2001 [eBook #98765]
                Most recently updated: June 3, 2020

Language: English

Credits: Nobody in particular

"""
START = "*** START OF THE PROJECT GUTENBERG EBOOK THE FERRY ***"
END = "*** END OF THE PROJECT GUTENBERG EBOOK THE FERRY ***"


def fill(text):
    return textwrap.fill(text, 68)


BODY = f"{fill(ROWED)}\n\n{fill(SLEPT)}"
TEXT = f"{ROWED}\n\n{SLEPT}"


@pytest.fixture
def read_book(tmp_path):
    def call(data, name="story.txt", settings=SETTINGS):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        (result,) = read(Piece(str(path), name), settings)
        return result

    return call


def test_a_whole_book(read_book):
    book = read_book(
        f"\ufeff{HEADER}{START}\n\n\nProduced by A. Helper\n\nCHAPTER I\n\n{BODY}\n\n{END}\n\nLicence.\n".replace(
            "\n", "\r\n"
        )
    )
    assert book == Document(
        "gutenberg-98765",
        "The Ferry at Lindby, or the Long Way Home",
        "Anna Berg, Carl Dahl",
        "https://www.gutenberg.org/ebooks/98765",
        TEXT,
        [Section("CHAPTER I", 1, 0, len(TEXT))],
    )


SMALL_PRINT = "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*"


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (START, END),
        ("***START OF THIS PROJECT GUTENBERG EBOOK FERRY***", "***END OF THIS PROJECT GUTENBERG EBOOK FERRY***"),
        ("*** START OF THE PROJECT GUTENBERG EBOOK THE FERRY,\nOR THE LONG WAY HOME ***", END),
        ("***START OF THE PROJECT GUTENBERG EBOOK THE FERRY***", "End of the Project Gutenberg EBook of The Ferry"),
        ("***The start***\n" + SMALL_PRINT, "End of Project Gutenberg's The Ferry, by Anna Berg"),
        ("*END THE SMALL PRINT! FOR PUBLIC DOMAIN EBOOKS*Ver.10.04*END*", "End of The Project Gutenberg Etext of X"),
        ("***START**THE SMALL PRINT!**START***\nlegal\n" + SMALL_PRINT, "END OF PROJECT GUTENBERG'S X"),
        (START, f"{END}\n***START**THE SMALL PRINT!**START***\nlegal\n{SMALL_PRINT}\nmore"),
        (START, f"***START**THE SMALL PRINT!**START***\nlegal\n{SMALL_PRINT}\nmore"),
        ("*** START: FULL LICENSE ***\n" + START, END),
    ],
)  # fmt: skip
def test_boilerplate(read_book, start, end):
    assert read_book(f"{HEADER}{start}\n\n{BODY}\n\n{end}\n\nLicence of many words.\n").text == TEXT


def test_a_file_without_markers_is_taken_whole(read_book):
    assert read_book(BODY).text == TEXT
    assert read_book(f"{BODY}\n\n{END}\n\nLicence.").text == TEXT


@pytest.mark.parametrize(
    "front",
    [
        "Produced by A. Helper and the Online Distributed\nProofreading Team at https://www.pgdp.net",
        "E-text prepared by A. Helper",
        "This etext was prepared by A. Helper, somewhere@example.org",
        "Transcribed from the 1901 Lindby edition by A. Helper",
        "[Transcriber's Note: The spelling is the author's own.]",
        "Transcriber's Note:\n\nObvious errors of punctuation have been corrected.",
        "Produced by A. Helper\n\n(This file was produced from images made available.)\n\n* * * * *",
        "[Illustration]",
        "[Illustration: Marta\nat the oars]",
        "[Illustration: MARTA\n\n_At the oars_]",
    ],
)
def test_front_matter_of_the_file(read_book, front):
    assert read_book(f"{HEADER}{START}\n\n{front}\n\n{BODY}\n\n{END}\n").text == TEXT


@pytest.mark.parametrize(
    "prose",
    [
        "Producing nothing, the miller slept.",
        "[Illustration: never closed, so nothing may vanish",
        "Prepared for anything, Marta went on.",
        "Transcriber's Notebook was the name of the boat.",
    ],
)
def test_prose_that_looks_like_front_matter_stays(read_book, prose):
    book = read_book(f"{HEADER}{START}\n\n{fill(ROWED)}\n\n{prose}\n\n{fill(SLEPT)}\n\n{END}\n")
    assert book.text == f"{ROWED}\n\n{prose}\n\n{SLEPT}"


TITLE_PAGES = [
    "THE FERRY AT LINDBY,\nOR THE LONG WAY HOME",
    "The Ferry at Lindby",
    "_THE FERRY AT LINDBY._\n\nOR,\n\nThe Long Way Home\n\nby\n\nANNA BERG\nand CARL DAHL",
    "THE FERRY AT LINDBY\nby\nAnna Berg",
    "THE FERRY AT LINDBY\n\nBy Anna Berg and Carl Dahl",
    "ANNA BERG\n\nTHE FERRY AT LINDBY",
    "THE FERRY AT LINDBY\n\n[Illustration]\n\nTHE FERRY AT LINDBY\n\n* * *\n\nA Tale of the River\n\nBY\n\nAnna Berg",
    "The Ferry at Lindby, or the Long Way Home, by Anna Berg, Carl Dahl",
]


@pytest.mark.parametrize("front", TITLE_PAGES)
@pytest.mark.parametrize("heading", ["", "CHAPTER I\n\n"])
def test_a_title_page_is_no_prose(read_book, front, heading):
    book = read_book(f"{HEADER}{START}\n\nProduced by A. Helper\n\n{front}\n\n{heading}{BODY}\n\n{END}\n")
    assert book.text == TEXT
    assert [section.title for section in book.sections] == [heading.strip()]


@pytest.mark.parametrize(
    "front",
    [
        "The ferry at Lindby was old.",
        "By and by Anna Berg came home.",
        "The Ferry",
        "By\n\nthe river",
        "Or",
        "“Anna Berg rowed,” said the miller.",
        "A Tale of the River\n\nAnna Berg",
        "The Long Way Home\n\nA tale\n\nof the river\n\nby Anna Berg",
        "The Long Way Home\n\nMarta rowed.\n\nThe Ferry at Lindby",
        "To my mother",
    ],
)
def test_prose_at_the_place_of_a_title_page_stays(read_book, front):
    book = read_book(f"{HEADER}{START}\n\n{front}\n\n{BODY}\n\n{END}\n")
    kept = front.removeprefix("The Long Way Home\n\n")
    assert book.text == f"{kept}\n\n{TEXT}"


def test_a_title_within_the_book_stays(read_book):
    titles = ["CHAPTER I\n\nMarta rowed.\n\nThe Ferry at Lindby", "Marta rowed.\n\nAnna Berg"]
    for front in titles:
        book = read_book(f"{HEADER}{START}\n\n{front}\n\n{BODY}\n\n{END}\n")
        assert book.text == front.removeprefix("CHAPTER I\n\n") + f"\n\n{TEXT}"


@pytest.mark.parametrize(
    ("header", "front", "kept"),
    [
        ("Title: Emma\n       A Novel\nAuthor: Jane Austen", "EMMA\n\nA NOVEL\n\nBY\n\nJANE AUSTEN", ""),
        ("Title: Emma: A Novel\nAuthor: Austen, Jane", "EMMA\n\nA NOVEL\n\nBY\n\nJANE AUSTEN", ""),
        ("Title: Sink or Swim", "Swim!", "Swim!"),
        ("Author: Jane Austen", "by Jane Austen", "by Jane Austen"),
        ("Title: ***", "Emma", "Emma"),
        ("Title: Part Two", "PART TWO", ""),
        ("Title: A; a a; a a a", "a " * 500 + "b", "a " * 500 + "b"),
    ],
)
def test_title_pages_by_header(read_book, header, front, kept):
    book = read_book(f"{header}\n\n{START}\n\n{front}\n\n{BODY}\n\n{END}\n")
    assert book.text == (f"{kept}\n\n{TEXT}" if kept else TEXT)
    assert [section.title for section in book.sections] == (["PART TWO"] if "PART" in front else [""])


def test_a_title_page_alone_is_no_book(read_book):
    book = read_book(f"{HEADER}{START}\n\nTHE FERRY AT LINDBY\n\nby Anna Berg\n\n{END}\n")
    assert (book.id, book.reason) == ("gutenberg-98765", "empty")


def test_characters_are_folded(read_book):
    text = "Mar\u00adta\u00a0 rowed\u200b\t home.\u2028\u2029The\x07mill\fslept.\x85\x85\x0b* * *\n\n_So_ it was.\x1a"
    assert read_book(text).text == "Marta rowed home.\n\nThe mill slept.\n\nSo it was."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("_Never_ again, _she said_.", "Never again, she said."),
        ("“_Never_,” she _said_--_thrice_!", "“Never,” she said--thrice!"),
        ("a snake_case_name and a lone _ here", "a snake_case_name and a lone _ here"),
        ("__both__ and ____ a rule", "both and ____ a rule"),
        ("_opened and left", "_opened and left"),
        ("the [Pg 12] page, [Page xii]too", "the page, too"),
        ("_" * 50_000, "_" * 50_000),
    ],
)
def test_plain(text, expected):
    assert plain(text) == expected


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (["Title: The Ferry", "", "Author: Anna Berg"], ("The Ferry", "Anna Berg")),
        (["Title: The Ferry", "  at Lindby", "", "  no part of it"], ("The Ferry at Lindby", "")),
        (["The Project Gutenberg Etext of The Ferry, by Anna Berg"], ("The Ferry", "Anna Berg")),
        (["***The Project Gutenberg EBook of The Ferry***"], ("The Ferry", "")),
        (["Title:", "Author:"], ("", "")),
        ([], ("", "")),
    ],
)
def test_describe(header, expected):
    assert describe(header) == expected


@pytest.mark.parametrize(
    ("name", "mention", "id"),
    [
        ("x.txt", "[EBook #1342]", "gutenberg-1342"),
        ("x.txt", "[eBook #1342]", "gutenberg-1342"),
        ("x.txt", "[Etext #1342]", "gutenberg-1342"),
        ("7-0.txt", "[E-text #1342]", "gutenberg-1342"),
        ("pg77.txt", "", "gutenberg-77"),
        ("77-0.txt", "", "gutenberg-77"),
        ("77-8.txt", "", "gutenberg-77"),
        ("77.txt", "", "gutenberg-77"),
        ("pg77.txt.utf8.txt", "", "gutenberg-77"),
        ("7 days.txt", "", "gutenberg-7 days"),
        ("Berg_Ferry_1901.txt", "", "gutenberg-Berg_Ferry_1901"),
    ],
)
def test_ids(read_book, name, mention, id):
    book = read_book(f"Release Date: May, 2001  {mention}\n{START}\n{BODY}\n{END}\n", name)
    number = id.removeprefix("gutenberg-")
    assert book.id == id
    assert book.url == (f"https://www.gutenberg.org/ebooks/{number}" if number.isdigit() else "")


def test_the_encoding_of_old_files(read_book):
    text = "Title: Zoë\nCharacter set encoding: ISO-8859-1\n" + START + "\n“Zoë rowed,” he said.\n" + END
    assert read_book(text.encode("cp1252")).text == "“Zoë rowed,” he said."
    forced = read_book("Žofie rowed.".encode("cp1250"), settings=ReadSettings(encoding="cp1250"))
    assert forced.text == "Žofie rowed."


@pytest.mark.parametrize("text", ["", " \r\n", "\ufeff", f"{START}\n\n{END}", "CHAPTER I", "* * *"])
def test_empty(read_book, text):
    expected = Reject("gutenberg-story", "empty", "story.txt: no text is left without the boilerplate and headings")
    assert read_book(text) == expected


def test_binary_file(read_book):
    with pytest.raises(InputError, match=r"story\.txt: byte 5: wanted text, found NUL, as in binary files or UTF-16"):
        read_book(b"GIF89\0\0")
    with pytest.raises(InputError, match=r"story\.txt: character 2: wanted text, found NUL"):
        read_book("\ufeffab\0".encode("utf-16-le"))


def make_zip(path, entries):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return Piece(str(path), path.name)


def test_every_text_of_an_archive_is_a_book(tmp_path):
    entries = {
        "77-0.txt": BODY,
        "77-h/77-h.htm": "<p>",
        "deep/er/STORY.TXT": SLEPT,
        "cover.jpg": b"\xff\xd8",
        "77.txt": ROWED,
    }
    first, second, third = read(make_zip(tmp_path / "set.zip", entries), SETTINGS)
    assert (first.id, first.text, first.title) == ("gutenberg-77", TEXT, "77-0")
    assert (second.id, second.text, second.title) == ("gutenberg-set/deep/er/STORY", SLEPT, "STORY")
    assert third == Reject("gutenberg-77", "duplicate", "set.zip: set/77.txt is a book that the archive holds twice")


def test_the_only_book_of_an_archive_goes_by_its_name(tmp_path):
    (book,) = read(make_zip(tmp_path / "88-8.zip", {"ferry.txt": BODY, "readme.htm": "x"}), SETTINGS)
    assert (book.id, book.url) == ("gutenberg-88", "https://www.gutenberg.org/ebooks/88")


def test_an_archive_without_texts(tmp_path):
    with pytest.raises(
        InputError, match=r"a\.zip: wanted an archive of \.txt files, found none in it; remove the file"
    ):
        list(read(make_zip(tmp_path / "a.zip", {"a.htm": "x"}), SETTINGS))


def test_an_archive_that_climbs_out(tmp_path):
    with pytest.raises(InputError, match=r"a\.zip: entry \.\./a\.txt: wanted a name below the archive's own folder"):
        list(read(make_zip(tmp_path / "a.zip", {"../a.txt": BODY}), SETTINGS))


LINES = st.lists(
    st.sampled_from([
        "", " ", "CHAPTER I", "CONTENTS", "II.", "THE FERRY", "Marta rowed home.", '"Yes," she said,', "and slept",
        ROWED, fill(SLEPT), "* * *", "_so_", "[Illustration: x", "y]", START, END, SMALL_PRINT, "Title: X", "  more",
        "Produced by A", "THE END", "\u2028", "I.", "   indented", "a--", "--b", "[Pg 1]",
    ]),
    max_size=30,
)  # fmt: skip


@given(LINES, st.text(max_size=20), st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_sections_tile_the_text(tmp_path_factory, lines, noise, gap):
    path = tmp_path_factory.mktemp("books") / "a.txt"
    path.write_bytes(gap.join([*lines, noise.replace("\0", ""), *lines]).encode("utf-8", "replace"))
    (book,) = read(Piece(str(path), "a.txt"), SETTINGS)
    if isinstance(book, Reject):
        assert book.reason == "empty"
        return
    parts = [book.text[section.start : section.end] for section in book.sections]
    assert "\n\n".join(filter(None, parts)) == book.text
    assert all(section.title and section.level == 1 for section in book.sections[1:])
    for paragraph in book.text.split("\n\n"):
        assert paragraph and "\n" not in paragraph and paragraph == " ".join(paragraph.split())


@given(st.binary(max_size=200))
def test_any_bytes_give_a_record_or_input_error(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes") / "a.txt"
    path.write_bytes(data)
    try:
        (result,) = read(Piece(str(path), "a.txt"), SETTINGS)
        assert isinstance(result, Document | Reject)
    except InputError as error:
        assert str(error).startswith(str(path)) and "\n" not in str(error)


def letters(text):
    return sum(map(str.isalpha, text))


@pytest.mark.parametrize(
    ("name", "sections", "first"),
    [
        ("Anon_Clara_1864", 92, "BOOK I."),
        ("Blackmore_Lorna_1869", 77, "Preface"),
        ("Cbronte_Jane_1847", 40, "PREFACE"),
        ("Conrad_Rover_1923", 1, None),
        ("Doyle_Lost_1912", 17, 'CHAPTER I. "There Are Heroisms All Round Us"'),
        ("Forster_Angels_1905", 11, "Chapter 1"),
        ("Gaskell_Wives_1865", 61, "CHAPTER I. THE DAWN OF A GALA DAY."),
        ("Hardy_Madding_1874", 66, "CHAPTER I. DESCRIPTION OF FARMER OAK - AN INCIDENT"),
        ("Lawrence_Peacock_1911", 30, "PART I"),
        ("Lytton_What_1858", 177, "VOL. I. WHAT WILL HE DO WITH IT?"),
        ("Schreiner_Trooper_1897", 3, "I."),
        ("Trollope_Angel_1881", 68, "VOL. I."),
    ],
)
def test_novels(name, sections, first):
    path = published(f"novels/{name}.txt")
    (book,) = read(Piece(str(path), path.name), SETTINGS)
    assert len(book.sections) == sections
    assert next((section.title for section in book.sections if section.level), None) == first
    # All letters are kept as text or headings, but for tables of contents and "THE END".
    written = letters(path.read_text("utf-8-sig", errors="replace"))
    kept = letters(book.text) + sum(letters(section.title) for section in book.sections)
    assert 0 <= written - kept < 0.002 * written
    lengths = sorted(map(len, book.text.split("\n\n")))
    assert 80 < lengths[len(lengths) // 2] < 400 and lengths[-1] < 10_000


def test_a_number_that_is_none(read_book):
    assert read_book(HEADER.replace("98765", "9" * 5000) + f"{START}\n\n{BODY}").id == "gutenberg-story"
    assert read_book(BODY, "9" * 200 + ".txt").id == "gutenberg-" + "9" * 200


def test_a_title_as_long_as_a_book(read_book):
    # Where every word is held against every part of it, this takes minutes.
    title = "\n  ".join(f"x{n}: y{n}" for n in range(40_000))
    words = " ".join(f"y{n}" for n in range(40_000))
    document = read_book(f"Title: {title}\n\n{START}\n\n{words}\n\n{BODY}" + "\n" * 40_000)
    assert document.text == f"{words}\n\n{TEXT}"
