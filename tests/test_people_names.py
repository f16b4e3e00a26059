"""Runs of capitals and the names in them, from the text alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.nlp.sentences import split_sentences
from gapforge.people.names import find_runs, first_part, is_given, is_never, read_name, word_gender
from gapforge.records import Span


def runs_of(text):
    return find_runs(text, Span(0, len(text)))


def spans_of(text):
    """What the runs of a sentence cover, as it stands in the text."""
    return [text[run.span.start : run.span.end] for run in runs_of(text)]


def names_of(text):
    """The spans of the names in a sentence."""
    names = [name for run in runs_of(text) if (name := read_name(run))]
    return [text[name.span.start : name.span.end] for name in names]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dora Voss met Max.", ["Dora Voss", "Max"]),
        ("Dora, Max, and Ida sat.", ["Dora", "Max", "Ida"]),
        ("Then Dora sat.", ["Then Dora"]),
        ("Dora's cat and Max’s dog sat.", ["Dora", "Max"]),
        ("DORA'S cat sat.", ["DORA"]),
        ("James' hat and the Vosses’ house.", ["James", "Vosses"]),
        ("Dora's Max left.", ["Dora", "Max"]),
        ("Mary-Anne Voss-Pell left.", ["Mary-Anne Voss-Pell"]),
        ("Dora-Voss's cat sat.", ["Dora-Voss"]),
        ("Dora–Max and Dora--Max sat.", ["Dora", "Max", "Dora", "Max"]),
        ("Liam O'Hara met Tim O’Dowd.", ["Liam O'Hara", "Tim O’Dowd"]),
        ("O'Hara's wife sat.", ["O'Hara"]),
        ("Tess d'Urberville met Max l’Estrange.", ["Tess d'Urberville", "Max l’Estrange"]),
        ("Jean-Luc D’Arcy left.", ["Jean-Luc D’Arcy"]),
        ("Vincent van der Berg met Ana de la Torre.", ["Vincent van der Berg", "Ana de la Torre"]),
        ("Ludwig von Ott met Omar ibn Said.", ["Ludwig von Ott", "Omar ibn Said"]),
        ("Ana López y Ruiz met Ana De La Torre.", ["Ana López y Ruiz", "Ana De La Torre"]),
        ("we saw the Duke of York.", ["Duke of York"]),
        ("we saw Ann of York.", ["Ann", "York"]),
        ("we saw Mr Ott and Mrs. Pell.", ["Mr Ott", "Mrs. Pell"]),
        ("we saw Rev. Dr. Ott.", ["Rev. Dr. Ott"]),
        ("we saw J. R. Voss. He sat.", ["J. R. Voss", "He"]),
        ("we left Elm. Max stayed.", ["Elm", "Max"]),
        ("Dora\nVoss met Mr.\r\nOtt.", ["Dora\nVoss", "Mr.\r\nOtt"]),
        ("Dora\u00a0Voss met Mr.  Ott.", ["Dora\u00a0Voss", "Mr.  Ott"]),
        ("Dora    Voss sat.", ["Dora", "Voss"]),
        ("Élodie Þórsson met Þóra and Ørsted.", ["Élodie Þórsson", "Þóra", "Ørsted"]),
        ("Žofie Čapková met Ægir.", ["Žofie Čapková", "Ægir"]),
        ("Нина Орлова met Ίων.", ["Нина Орлова", "Ίων"]),
        ("J*rg Ott met Andr* Pell.", ["J*rg Ott", "Andr", "Pell"]),
        ("_Dora_ met *Max*.", ["Dora", "Max"]),
        ("She'd met Dora, and I’ll go.", ["She", "Dora", "I"]),
        ("an iPhone, a McAdam, MacLeod and DiCaprio", ["McAdam", "MacLeod", "DiCaprio"]),
        ("Agent K9 sat.", ["Agent K9"]),
        ("nothing here 42 — 😀", []),
        ("", []),
    ],
)
def test_find_runs(text, expected):
    assert spans_of(text) == expected


@pytest.mark.parametrize("text", ["J.R. Voss sat.", "She met C.S.L. Voss there.", "It was J.-P. Voss."])
def test_initials_without_spaces_belong_to_the_name(text):
    assert names_of(text) == [text[text.index(".") - 1 : text.index("Voss") + 4]]


@pytest.mark.parametrize(
    ("text", "titles", "words", "span"),
    [
        ("When Miss Pell left", ("Miss",), ("Pell",), "Miss Pell"),
        ("However Max left", (), ("Max",), "Max"),
        ("The Right Hon. Sir John Ott sat", ("Right", "Hon", "Sir"), ("John", "Ott"), "Right Hon. Sir John Ott"),
        ("Rev. Dr. Ott sat", ("Rev", "Dr"), ("Ott",), "Rev. Dr. Ott"),
        (
            "Detective Chief Inspector Ott",
            ("Detective", "Chief", "Inspector"),
            ("Ott",),
            "Detective Chief Inspector Ott",
        ),
        ("Major General Ott", ("Major", "General"), ("Ott",), "Major General Ott"),
        ("Lt. Col. Ott sat", ("Lt", "Col"), ("Ott",), "Lt. Col. Ott"),
        ("Mr. Justice Ott", ("Mr", "Justice"), ("Ott",), "Mr. Justice Ott"),
        ("Captain Good sat", ("Captain",), ("Good",), "Captain Good"),
        ("Mrs. Darling sat", ("Mrs",), ("Darling",), "Mrs. Darling"),
        ("Mr. Deacon sat", ("Mr",), ("Deacon",), "Mr. Deacon"),
        ("Mrs. Mother sat", ("Mrs",), ("Mother",), "Mrs. Mother"),
        ("Miss De Bourgh sat", ("Miss",), ("Bourgh",), "Miss De Bourgh"),
        ("De La Torre sat", (), ("Torre",), "De La Torre"),
        ("Poor Van Allen sat", (), ("Allen",), "Van Allen"),
        ("The Duke of York sat", ("Duke",), ("York",), "Duke of York"),
        ("Bishop of Ely", ("Bishop",), ("Ely",), "Bishop of Ely"),
        ("New York Mayor Michael Stroud spoke", ("Mayor",), ("Michael", "Stroud"), "Michael Stroud"),
        ("Officer Pam Greer sat", ("Officer",), ("Pam", "Greer"), "Pam Greer"),
        ("Captain Pam Greer sat", ("Captain",), ("Pam", "Greer"), "Captain Pam Greer"),
        ("Dr. Zork Greer sat", ("Dr",), ("Zork", "Greer"), "Dr. Zork Greer"),
        ("Louis XIV. sat", (), ("Louis", "Xiv"), "Louis XIV."),
        ("Thomas J. sat", (), ("Thomas", "J"), "Thomas J."),
        ("Thomas J.", (), ("Thomas", "J"), "Thomas J"),
        ("Sharks Captain Ben Ross spoke", ("Captain",), ("Ben", "Ross"), "Captain Ben Ross"),
        ("M. Dupont sat", ("M",), ("Dupont",), "M. Dupont"),
        ("M. de Renal sat", ("M",), ("Renal",), "M. de Renal"),
        ("Florence M. Fagan sat", (), ("Florence", "M", "Fagan"), "Florence M. Fagan"),
        ("St. John Voss sat", (), ("St", "John", "Voss"), "St. John Voss"),
        ("Ms. D. Voss sat", ("Ms",), ("D", "Voss"), "Ms. D. Voss"),
        ("DORA VOSS", (), ("Dora", "Voss"), "DORA VOSS"),
        ("MR. OTT", ("Mr",), ("Ott",), "MR. OTT"),
        ("Aunt Dora's cat", ("Aunt",), ("Dora",), "Aunt Dora"),
        ("Don't Max", (), ("Max",), "Max"),
        ("Half-asleep Max", (), ("Max",), "Max"),
        ("Dora But Max", (), ("Dora",), "Dora"),
        ("Mrs Ott Mr Pell", ("Mrs",), ("Ott",), "Mrs Ott"),
        ("Dora Van", (), ("Dora",), "Dora"),
    ],
)
def test_read_name(text, titles, words, span):
    (run,) = runs_of(text)
    name = read_name(run)
    assert (name.titles, name.words, text[name.span.start : name.span.end]) == (titles, words, span)
    assert name.form == " ".join(titles + words)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "She'd",
            "She’d",
            "Don't",
            "Shan’t",
            "I",
            "The",
            "However",
            "Monday",
            "Christmas",
            "English",
            "Madam",
            "Yo-ho-ho",
        ),
        *("Miss", "Mr.", "Mademoiselle", "XIV", "Queen Mother", "Captain General", "De La", "VII", "In-laws"),
        *("New York", "San Max", "No", "OK", "TV"),
    ],
)
def test_no_name(text):
    (run,) = runs_of(text)
    assert read_name(run) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MR. VOSS AND MRS. PELL SAT", ["MR. VOSS"]),
        ("MAX AND DORA SAT", ["MAX"]),
        ("NEW YORK", []),
        ("VAN ALLEN", ["VAN ALLEN"]),
        ("MR. DEACON", ["MR. DEACON"]),
    ],
)
def test_capitals_throughout_are_read_as_small_words_are(text, expected):
    assert names_of(text) == expected


@pytest.mark.parametrize(
    ("text", "titles", "words"),
    [("Mr. May", ("Mr",), ("May",)), ("Aunt May", ("Aunt",), ("May",)), ("Mrs. Will", ("Mrs",), ("Will",))],
)
def test_titles_before_names_that_are_words_of_grammar(text, titles, words):
    (run,) = runs_of(text)
    name = read_name(run)
    assert (name.titles, name.words) == (titles, words)


@pytest.mark.parametrize("text", ["Will Dora come?", "May Dora come?", "Tell Dora of it.", "Save Dora!"])
def test_a_question_or_an_order_is_no_first_name(text):
    assert names_of(text) == ["Dora"]


@pytest.mark.parametrize(
    ("skip", "expected"),
    [(0, "Michael Stroud"), (2, "Michael Stroud"), (3, "Michael Stroud"), (4, "Stroud")],
)
def test_read_name_after_words(skip, expected):
    text = "New York Mayor Michael Stroud spoke"
    name = read_name(runs_of(text)[0], skip)
    assert text[name.span.start : name.span.end] == expected


@pytest.mark.parametrize(
    ("text", "gender"),
    [
        ("Mr. Ott", "masculine"),
        ("Mrs. Ott", "feminine"),
        ("Dr. Ott", None),
        ("Captain Ott", "masculine"),
        ("Rev. Dr. Ott", "masculine"),
        ("Dr. Lady Ott", "feminine"),
        ("Dora Ott", None),
    ],
)
def test_title_gender(text, gender):
    assert read_name(runs_of(text)[0]).title_gender == gender


def flags_of(text, word):
    """The flags that are up on the run that ends in a word."""
    run = next(it for it in runs_of(text) if it.words[-1].text == word)
    flags = ("initial", "after_article", "in_place", "after_to", "cued", "acting", "paired", "aside")
    return {flag for flag in flags if getattr(run, flag)}


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("Dora sang.", "Dora", {"initial", "acting", "cued"}),
        ("“Dora sang.", "Dora", {"initial", "acting", "cued"}),
        ("_Dora_ sat", "Dora", {"initial"}),
        ("He left; Dora there", "Dora", {"initial"}),
        ("“Yes: Dora there", "Dora", {"initial"}),
        ("she saw Dora there", "Dora", set()),
        ("she saw the Clarion there", "Clarion", {"after_article"}),
        ("she lived in Stroud then", "Stroud", {"in_place"}),
        ("she lived in\nStroud then", "Stroud", {"in_place"}),
        ("she went to Stroud then", "Stroud", {"after_to"}),
        ("she heard that Stroud then", "Stroud", {"acting"}),
        ("it was done by Stroud then", "Stroud", {"acting"}),
        ("according to Stroud then", "Stroud", {"acting", "after_to"}),
        ("“No,” said Stroud then", "Stroud", {"cued"}),
        ("she married Stroud then", "Stroud", {"cued"}),
        ("there Stroud had burned", "Stroud", {"acting"}),
        ("there Stroud wandered", "Stroud", {"acting"}),
        ("there Stroud, who sat", "Stroud", {"cued"}),
        ("there Stroud, with whom she sat", "Stroud", {"cued"}),
        ("there Stroud himself sat", "Stroud", {"cued"}),
        ("there Stroud and his cat", "Stroud", {"cued"}),
        ("there Stroud's wife sat", "Stroud", {"cued", "acting"}),
        ("there Stroud’s old father sat", "Stroud", {"cued", "acting"}),
        ("there Stroud was born", "Stroud", {"cued", "acting"}),
        ("there Stroud had never asked", "Stroud", {"cued", "acting"}),
        ("there Stroud's house", "Stroud", {"acting"}),
        ("there Dora and Stroud then", "Stroud", {"paired"}),
        ("there Dora & Stroud then", "Stroud", {"paired"}),
        ("there Dora, and Stroud then", "Stroud", set()),
        ("there Dora (Ida Stroud) then", "Stroud", {"initial", "aside"}),
        ("there Dora (with Ida Stroud) then", "Stroud", {"aside"}),
        ("there Dora (sick) and Stroud then", "Stroud", set()),
        ("there she played Stroud then", "Stroud", {"aside"}),
        ("there Ida as Stroud then", "Stroud", {"aside"}),
    ],
)
def test_flags(text, word, expected):
    assert flags_of(text, word) == expected


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("she lived\nin Stroud then", "Stroud", {"in_place"}),
        ("she read\nthe Clarion then", "Clarion", {"after_article"}),
        ("she read (the Clarion) then", "Clarion", {"after_article", "aside"}),
        ("she sat, “the Clarion then", "Clarion", {"after_article"}),
        ("it was so according\nto Stroud then", "Stroud", {"acting", "after_to"}),
    ],
)
def test_flags_by_the_word_before_whatever_stands_before_that(text, word, expected):
    assert flags_of(text, word) == expected


def test_a_possessive_before_another_name_is_no_act():
    # "X's manager Dora Pell": X may be a firm.
    assert flags_of("there Vortex's manager Dora Pell then", "Vortex") == set()
    assert flags_of("there Vortex's manager then", "Vortex") == {"acting"}


@pytest.mark.parametrize(
    ("text", "word"), [("The Clarion had burned.", "Clarion"), ("In The Clarion it stood.", "Clarion")]
)
def test_a_capital_article_is_an_article(text, word):
    (run,) = (it for it in runs_of(text) if it.words[-1].text == word)
    assert read_name(run).after_article


@pytest.mark.parametrize(
    ("word", "never"),
    [
        *[(word, True) for word in ("The", "THE", "Mr", "Captain", "De", "Don't", "Can’t", "XIV", "VI", "Half-asleep")],
        *[(word, False) for word in ("Dora", "Stroud", "Will", "May", "Grace", "Vi", "De-Luca", "O'Hara", "Van-Allen")],
    ],
)
def test_is_never(word, never):
    assert is_never(word) is never


@pytest.mark.parametrize(
    ("word", "gender", "given"),
    [
        ("Dora", "feminine", True),
        ("DORA", "feminine", True),
        ("Mary-Anne", "feminine", True),
        ("Max-Otto", "masculine", True),
        ("Max-like", None, False),
        ("Stroud", None, False),
        ("Pat", None, True),
        ("Mother", None, False),
    ],
)
def test_word_gender_and_is_given(word, gender, given):
    assert (word_gender(word), is_given(word)) == (gender, given)


@pytest.mark.parametrize(
    ("word", "first"), [("Mary-Anne", "Mary"), ("Red-haired", "Red-haired"), ("Dora", "Dora"), ("", "")]
)
def test_first_part(word, first):
    assert first_part(word) == first


PIECES = st.sampled_from(
    [
        *(
            "Dora",
            "Voss",
            "MAX",
            "Élodie",
            "O'Hara",
            "Mary-Anne",
            "Mr",
            "Mrs.",
            "M.",
            "J.",
            "The",
            "Duke",
            "New",
            "York",
            "De",
            "La",
        ),
        *(
            "of ",
            "van ",
            "d'",
            "she",
            "sat",
            "and",
            "'s",
            "’s",
            "'d",
            "n't",
            "n’t",
            "-",
            "*",
            "_",
            ".",
            ",",
            "(",
            ")",
            "“",
            "VII",
        ),
        *(" ", "  ", "\n", "\r\n", "    "),
    ]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=25).map("".join))


@given(TEXTS, st.data())
def test_words_are_where_they_say(text, data):
    start = data.draw(st.integers(0, len(text)))
    sentence = Span(start, data.draw(st.integers(start, len(text))))
    last = sentence.start
    for run in find_runs(text, sentence):
        for word in run.words:
            assert text[word.start : word.end].removesuffix(".") == word.text
            assert last <= word.start < word.end <= sentence.end
            last = word.end


@given(TEXTS)
def test_a_name_is_a_part_of_its_run(text):
    for sentence in split_sentences(text):
        for run in find_runs(text, sentence):
            starts, ends = {word.start for word in run.words}, {word.end for word in run.words}
            for skip in range(len(run.words)):
                name = read_name(run, skip)
                if name:
                    assert name.words
                    assert name.span.start in starts
                    assert name.span.end in ends
                    assert run.words[skip].start <= name.span.start < name.span.end <= run.span.end


@pytest.mark.parametrize(
    ("text", "span", "words"),
    [
        ('there Walter "Wally" Stroud sat', 'Walter "Wally" Stroud', ("Walter", "Wally", "Stroud")),
        ("there Walter (Wally) Stroud sat", "Walter (Wally) Stroud", ("Walter", "Wally", "Stroud")),
        ("there A. A. Stroud sat", "A. A. Stroud", ("A", "A", "Stroud")),
        ("there I. M. Pell sat", "I. M. Pell", ("I", "M", "Pell")),
        ("there Max Voss Jr. sat", "Max Voss Jr", ("Max", "Voss")),
        ("there Zoe\u0308 Stroud sat", "Zoe\u0308 Stroud", ("Zoe\u0308", "Stroud")),
        ("there Van Allen sat", "Van Allen", ("Allen",)),
    ],
)
def test_names_with_more_than_words(text, span, words):
    (name,) = (it for run in runs_of(text) if (it := read_name(run)))
    assert (text[name.span.start : name.span.end], name.words) == (span, words)


@pytest.mark.parametrize("text", ["there William of Stroud sat", "there the film Stroud ran", "the ship Stroud sank"])
def test_places_of_people_and_works_are_things(text):
    assert "thing" in {
        flag for run in runs_of(text) for flag in ("thing",) if run.words[-1].text == "Stroud" and run.thing
    }


def test_a_run_has_an_end():
    assert [len(run.words) for run in runs_of("Dora " * 30)] == [12, 12, 6]
