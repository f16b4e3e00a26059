import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gapforge.corpora.wikitext import clean
from gapforge.records import Section

DEEP = 50_000


def text_of(wikitext):
    return clean(wikitext)[0]


INLINE = [
    # Links
    ("See [[Ann]].", "See Ann."),
    ("See [[Ann Lee|her]].", "See her."),
    ("[[bus]]es and [[cat|dog]]s", "buses and dogs"),
    ("[[Ann (singer)|]], [[Help:Style|]], [[Bonn, Germany|]]", "Ann, Style, Bonn"),
    ("[[:Category:Poets]] and [[:fr:Mot|mot]]", "Category:Poets and mot"),
    ("Text.[[Category:Poets|Lee]] [[fr:Mot]][[zh-min-nan:X]]", "Text."),
    ("[[Re:Zero]] and [[wikt:word|word]]", "Re:Zero and word"),
    ("[[#Life|below]] and [[#Life]]", "below and #Life"),
    ("A [http://x.org/a label here] and [https://x.org] end", "A label here and end"),
    ("[//x.org x] [mailto:a@b.c mail]", "x mail"),
    ("See http://x.org for more [sic] [...]", "See http://x.org for more [sic] [...]"),
    # Pictures, in any case, with links and brackets in the caption
    ("[[File:A.jpg|thumb|Her [[house]] in [[Bonn|town]]]]She left.", "She left."),
    ("[[image:A.jpg|a [http://x.org b] c [1] d]] She left.", "She left."),
    ("[[File:A.jpg|thumb|<center>Caption</center>\nof two lines]]\nShe left.", "She left."),
    # Bold and italics
    ("'''Ann''' wrote ''Hamlet'' '''''twice'''''.", "Ann wrote Hamlet twice."),
    ("''Hamlet'''s author", "Hamlet's author"),
    ("L'''amour'' est", "L'amour est"),
    ("L''''amour''' est", "L'amour est"),
    ("Ann's dogs' tails 'n' all", "Ann's dogs' tails 'n' all"),
    # MediaWiki takes the odd bold mark for an apostrophe and italics, here too.
    ("''unclosed and '''both", "unclosed and 'both"),
    # Comments, references and other elements
    ("One<!-- not\n\nthis --> two", "One two"),
    ('One.<ref>No {{cite|a=[[b]]}}</ref> Two<ref name="x" />.<ref name=y>Z</ref>', "One. Two."),
    ("One <ref>a</ref>, two <ref/> <ref/>. Three", "One, two. Three"),
    ("One<REF>a</REF> two</ref> three", "One two three"),
    ("No breaks{{clarify}}in it.<ref>a</ref>Then wo<!-- b -->rd", "No breaks in it. Then word"),
    ("If <math>x < y</math> holds", "If holds"),
    ("A<score>c d e</score> B<syntaxhighlight lang=c>int a;</syntaxhighlight> C<timeline>x</timeline>", "A B C"),
    ("Write <nowiki>[[this]] '' & {{that}} &amp;lt;</nowiki> so", "Write [[this]] '' & {{that}} &lt; so"),
    ("\x02a <nowiki>*b</nowiki>", "a *b"),
    ("<nowiki>* no</nowiki> list", "* no list"),
    ("A<nowiki/>B and <nowiki /> C", "AB and C"),
    ("<gallery>\nFile:A.jpg|one\n</gallery>Text", "Text"),
    ("One<br>two<br/>three", "One two three"),
    ('H<sub>2</sub>O, <span style="a">b</span>, <u>c</u>, <small>d</small>', "H2O, b, c, d"),
    ("If a < b and x<y then 3 <4 or <q@x.org>", "If a < b and x<y then 3 <4 or <q@x.org>"),
    ('One <div class="x" two', "One two"),
    ("__TOC__Text__NOINDEX__ my__name", "Text my__name"),
    # Entities, once
    ("A&nbsp;B &amp; C &lt;D&gt; &eacute;&#233;&#xE9;", "A B & C <D> ééé"),
    ("&amp;lt; &amp;nbsp; &unknown; AT&T &#0;&#xD800;&#1114112;", "&lt; &nbsp; &unknown; AT&T"),
    ("&#91;&#91;a&#93;&#93;", "[[a]]"),
    # Noise
    ("A\u00a0\u2009 B\u2028C\u2029D\x85E\tF", "A B C D E F"),
    ("so\u00adft ze\u200bro \ufeffbom \x07bell \x00nul \x01\x02\ufdd0", "soft zero bom bell nul"),
    ("A\r\nB\rC", "A B C"),
]


@pytest.mark.parametrize(("wikitext", "expected"), INLINE)
def test_inline_markup(wikitext, expected):
    assert text_of(wikitext) == expected


TEMPLATES = [
    ("About {{convert|5|km|mi}} north", "About 5 km north"),
    ("{{convert|1600|sqmi|km2|0|abbr=on}}", "1,600 sq mi"),
    ("{{convert|60|and(-)|80|kg}}, {{cvt|2|-|3|m}}, {{convert|6|ft|4|in|m}}", "60 and 80 kg, 2–3 m, 6 ft 4 in"),
    ("the {{lang|fr|mot}}, {{langx|de|Wort}}, {{lang-grc-gre|λόγος}}", "the mot, Wort, λόγος"),
    ("{{transl|ar|ALA|kitāb}} {{nihongo|'''Aikido'''|合気道|aikidō}}", "kitāb Aikido"),
    ("{{nowrap|a b}} {{Abbr|no.|number}} {{sic|teh|hide=y}} {{small|1=x=y}}", "a b no. teh x=y"),
    ('{{nowrap|<span class="a">b</span>}}', "b"),
    ("{{circa|1900}}, {{floruit|1900|1910}}, {{née|Lee}}", "c. 1900, fl. 1900–1910, née Lee"),
    ("1900{{ndash}}1910{{snd}}now{{'}}s a{{nbsp}}b {{'s}}", "1900–1910 – now's a b 's"),
    ("{{as of|2010}}, {{As of|2010|4|1|lc=y}}, {{as of|2010|alt=by 2010}}", "As of 2010, as of 1 April 2010, by 2010"),
    ("{{frac|1|2}} {{frac|2|1|2}} {{val|1500|u=kg}} {{chem|H|2|O}}", "1/2 2 1/2 1,500 kg H2O"),
    ("The {{USS|Hornet|CV-12}} and {{ship|HMS|Victory}}", "The USS Hornet and HMS Victory"),
    ("{{nowrap|see [[Ann Lee|her]] {{lang|fr|mot}}}} end", "see her mot end"),
    ("{{Template:Nowrap|a}} {{ nowrap |b}} {{formatnum:1234}}", "a b 1234"),
    ("Ann{{citation needed|date=May 2010}} left.{{sfn|Lee|2000}} She", "Ann left. She"),
    ("A {{unknown|b={{c|{{d}}}}|e}} f", "A f"),
    ("A {{{param|b}}} f {{math|{x}}} g", "A f {x g"),
    ("{{PAGENAME}} A {{#if:x|y}} b", "A b"),
    ("Before\n\n{{quote|She said: {{lang|fr|oui}}.|Ann}} After", "Before\n\nShe said: oui.\n\nAfter"),
    ("{{Infobox person\n| name = Ann\n| spouse = {{plainlist|\n* Bo\n}}\n}}\n'''Ann''' was", "Ann was"),
    # What removals leave behind
    ("'''Ann Lee''' ({{IPAc-en|a|n}}; born 1900) was", "Ann Lee (born 1900) was"),
    ("'''Ann''' ({{lang-fr|Anne}}, {{IPA|an}}) was", "Ann (Anne) was"),
    ("'''Ann''' ({{IPA|an}}) was", "Ann was"),
    ("'''Ann''' ({{IPA|an}} or {{IPA|aːn}}) was", "Ann was"),
    ("'''Ann''', {{IPA|an}}, was (1900; {{age}}) here", "Ann, was (1900) here"),
    ("The call f() and ( ; ) stay <ref/>", "The call f() and ( ; ) stay"),
]


@pytest.mark.parametrize(("wikitext", "expected"), TEMPLATES)
def test_templates(wikitext, expected):
    assert text_of(wikitext) == expected


BLOCKS = [
    ("One\ntwo\n\nThree\n\n\n\nFour", "One two\n\nThree\n\nFour"),
    ("One\n<!-- a comment -->\ntwo", "One two"),
    ("One\n{{clear}}\nTwo", "One\n\nTwo"),
    ("One:\n* a\n** b\n# c\n; d : e\n: f\n:* g\nTwo", "One:\n\nTwo"),
    ("One\n----\nTwo", "One\n\nTwo"),
    ("One\n code here\n  more code\nTwo", "One\n\nTwo"),
    ("One.\n " + "A slip of the space bar. " * 6, "One. " + ("A slip of the space bar. " * 6).strip()),
    ("{{clear}} One", "One"),
    ("One <blockquote>Two\nlines</blockquote> Three", "One\n\nTwo lines\n\nThree"),
    ("<poem>\nA rose\nis red\n</poem>", "A rose is red"),
    ("<ul><li>a</li>\n<li>b</li></ul>Text<p>More", "Text\n\nMore"),
    ("One\n{| class=x\n|-\n| a || b\n{|\n| c\n|}\n| d\n|}\nTwo", "One\n\nTwo"),
    ("One\n:{|\n! a !! b\n|-\n| {{c|d}}\n|} Two", "One\n\nTwo"),
    ("One<table><tr><td>a<table><td>b</table></table>Two", "One\n\nTwo"),
    ("| stray = row\n! stray\nText", "Text"),
]


@pytest.mark.parametrize(("wikitext", "expected"), BLOCKS)
def test_blocks(wikitext, expected):
    assert text_of(wikitext) == expected


UNBALANCED = [
    ("One {{a|b\n\nTwo", "One\n\nTwo"),
    ("One {{a|b\n== H ==\nTwo", "One\n\nTwo"),
    ("{{a|{{b|c}}\nd\n\nOne {{nowrap|e}}", "One e"),
    ("One }} two ]] three |} four {| five", "One two three four five"),
    ("One [[two", "One two"),
    ("One [[a|two] three", "One two three"),
    ("One [[a|two\n\nThree [[b]]", "One two\n\nThree b"),
    ("One [[a [[b|c]] d", "One a c d"),
    ("[[File:A.jpg|thumb|caption\nOne\n\nTwo", "One\n\nTwo"),
    ("One <ref>a\n\nTwo", "One\n\nTwo"),
    ("One <ref>a <ref>b</ref> Two", "One Two"),
    ('One<ref>a</ref name="b"> c</ref> two', "One two"),
    ("One <!-- a\n\nTwo", "One\n\nTwo"),
    ("One <math>a\n== H ==\nTwo", "One\n\nTwo"),
    ("One <nowiki>a [[b]]", "One a b"),
    ("One\n{|\n| a\n\nTwo", "One\n\nTwo"),
    ("One\n{|\n| a\n|}\n|}\n|}\nTwo", "One\n\nTwo"),
    ("One [http://x.org two", "One two"),
    ("</div></ref></table></nowiki>One", "One"),
]


@pytest.mark.parametrize(("wikitext", "expected"), UNBALANCED)
def test_unbalanced_markup_costs_a_paragraph_at_most(wikitext, expected):
    assert text_of(wikitext) == expected


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        ("{{" * DEEP + "\n\nEnd", "End"),
        ("{{a|" * DEEP + "}}" * DEEP + "End", "End"),
        ("{{nowrap|" * DEEP + "x" + "}}" * DEEP + " End", "End"),
        ("[[" * DEEP + "End", "End"),
        ("[[File:a|" * DEEP + "\nEnd", "End"),
        ("[[File:a|" * DEEP + "]]" * DEEP + "\n\nEnd", "End"),
        ("{|\n" * DEEP + "\nEnd", "End"),
        ("{|\n" * DEEP + "|}\n" * DEEP + "End", "End"),
        ("<table>" * DEEP + "</table>" * DEEP + "End", "End"),
        ("<ref>" * DEEP + "\n\nEnd", "End"),
        ("<ref name=" * DEEP + "\n\nEnd", "End"),
        ("<ref>" * DEEP + "</ref>" * DEEP + "End", "End"),
        ("<!--" * DEEP + "\n\nEnd", "End"),
        ("<nowiki>" * DEEP + "End", "End"),
        ("<math>" * DEEP + "\n\nEnd", "End"),
        ("'" * 1_000_000 + "End", "End"),
        ("<div " * DEEP + "End", "End"),
        ("[http://x " * DEEP + "End", "End"),
        ("(<ref/>" * DEEP + "End", "(" * DEEP + "End"),
        ("<ref/>" * DEEP + "(End", "(End"),
        ("<ref/>, " * DEEP + "End", "End"),
        ("{{convert|" + "1," * DEEP + "x|km}}End", "End"),
        ("=" * DEEP + "\nEnd", "End"),
        ("{{[[<ref>{|" * DEEP + "\n\nEnd", "End"),
        ("</div>[[" * 4 * DEEP + "End", "End"),
        ("{{lang|fr|[[a|b]] " * 2 * DEEP + "\n\nEnd", "End"),
        ("[[File:a|[b]" * 2 * DEEP + "\n\nEnd", "End"),
        ("<ref name=a>b<b>" * 2 * DEEP + "\n\nEnd", "End"),
        ("<!--" * 8 * DEEP + "\n\nEnd", "End"),
    ],
    ids=lambda value: value[:9] if len(value) > 100 else "",
)
def test_pathological_wikitext_is_cleaned(wikitext, expected):
    # Anything quadratic takes minutes here, anything recursive fails.
    assert text_of(wikitext) == expected


def test_sections_cover_their_text():
    wikitext = (
        "Lead one.\n\nLead two.\n== Life ==\n=== ''Early'' [[life|years]]<ref>a</ref> ===\nBorn.\n"
        "== Works ==<!-- c -->\n* list\n== End ==\nLast one.\n\nLast two."
    )
    text, sections = clean(wikitext)
    assert text == "Lead one.\n\nLead two.\n\nBorn.\n\nLast one.\n\nLast two."
    assert sections == [
        Section("", 0, 0, 20),
        Section("Life", 2, 20, 20),
        Section("Early years", 3, 22, 27),
        Section("Works", 2, 27, 27),
        Section("End", 2, 29, 49),
    ]
    assert [text[section.start : section.end] for section in sections] == [
        "Lead one.\n\nLead two.",
        "",
        "Born.",
        "",
        "Last one.\n\nLast two.",
    ]


@pytest.mark.parametrize(
    ("line", "title", "level"),
    [
        ("= A =", "A", 1),
        ("==A==  ", "A", 2),
        ("====== A ======", "A", 6),
        ("=== A ==", "= A", 2),
        ("== A = B ==", "A = B", 2),
        ("== A &amp; {{lang|fr|B}} ==", "A & B", 2),
    ],
)
def test_headings(line, title, level):
    text, sections = clean(f"One\n{line}\nTwo")
    assert text == "One\n\nTwo"
    assert sections[1] == Section(title, level, 5, 8)


@pytest.mark.parametrize("line", ["== A", "=A", "a == b =="])
def test_lines_that_are_no_headings(line):
    assert clean(f"One\n{line}\nTwo") == (f"One {line} Two", [Section("", 0, 0, 8 + len(line))])


def test_sections_of_no_prose_are_empty():
    text, sections = clean("Text.\n== References ==\n{{reflist}}\n== See also ==\n* [[A]]\n[[Category:B]]")
    assert text == "Text."
    assert [(section.title, section.start, section.end) for section in sections[1:]] == [
        ("References", 5, 5),
        ("See also", 5, 5),
    ]


# Arbitrary text rarely holds markup; these are its atoms.
SYMBOLS = (
    "{{ }} {{{ }}} [[ ]] [ ] {| |} | || |- ! = == === '' ''' ''''' < > <ref> </ref> <ref/> <!-- --> <nowiki> </nowiki> "
    "<math> </math> <table> </table> <br> <div </div> <li> * # : ; & &amp; &#10; &#0; &lt; __TOC__ ---- ( ) , . File: "
    "Category: fr: nowrap| convert| quote| lang|fr| http:// a b 1 \x00 \x01 \x02 \x1f \u2028 \u200b \ufeff é 😀 \ud800"
)
ATOMS = st.sampled_from([*SYMBOLS.split(" "), " ", "\n", "\n\n", "\r\n", "\t"])
WIKITEXT = st.one_of(st.text(), st.lists(ATOMS, max_size=60).map("".join))


@given(WIKITEXT)
@example("== ==\n==\x00==")
def test_any_text_is_cleaned_into_tiling_sections_of_one_line_paragraphs(wikitext):
    text, sections = clean(wikitext)
    assert (text, sections) == clean(wikitext)
    assert sections[0].title == ""
    assert sections[0].level == 0
    end = 0
    rebuilt = []
    for section in sections:
        assert end <= section.start <= section.end
        end = section.end
        body = text[section.start : section.end]
        assert (body == "") == (section.start == section.end)
        rebuilt += [body] if body else []
    assert "\n\n".join(rebuilt) == text
    for paragraph in text.split("\n\n") if text else []:
        assert paragraph
        assert paragraph == " ".join(paragraph.split())
        assert not re.search("[\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\ufeff\ud800-\udfff]", paragraph)
    text.encode()


@given(st.lists(st.sampled_from(["Ann", "met", "Bo's", "dog.", "She", "left,", "naïve", "(1900)", "–"]), min_size=1))
def test_plain_prose_stays_as_it_is(words):
    prose = " ".join(words)
    assert clean(prose) == (prose, [Section("", 0, 0, len(prose))])


# Entities, <nowiki> and characters without width between them make text of the characters of markup.
MARKUP = ATOMS.filter(lambda atom: "&" not in atom and "nowiki" not in atom and (atom.isprintable() or atom.isspace()))


@given(st.lists(MARKUP, max_size=60).map("".join))
def test_no_markup_is_left(wikitext):
    assert not re.search(r"\[\[|\]\]|\{\{|\}\}|\{\||\|\}|''|<!--|</?(?:ref|div|table|br|li)\b|\|\|", text_of(wikitext))


@given(st.lists(ATOMS, max_size=60).map("".join))
def test_unclosed_templates_links_and_tables_end_with_their_section(wikitext):
    inside = re.sub("<[^<>]*>?|-->|=", "", wikitext)
    assert text_of(inside + "\n== H ==\nEnd.").endswith("End.")
