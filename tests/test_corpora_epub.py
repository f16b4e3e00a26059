import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.corpora.epub import read
from gapforge.corpora.source import Piece, ReadSettings
from gapforge.errors import InputError
from gapforge.records import Document, Reject, Section

SETTINGS = ReadSettings()
CONTAINER = """<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
  <rootfiles><rootfile full-path="{package}" media-type="application/oebps-package+xml"/></rootfiles>
</container>"""
PACKAGE = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="{version}">
  <metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">{metadata}</metadata>
  <manifest>{items}</manifest>
  <spine>{spine}</spine>
  {guide}
</package>"""
METADATA = "<dc:title> The\n Ferry </dc:title><dc:creator>Anna Berg</dc:creator>"
XHTML = "http://www.w3.org/1999/xhtml"
OPS = "http://www.idpf.org/2007/ops"
DOCTYPE = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">'


def page(body, doctype=""):
    return (
        f'<?xml version="1.0" encoding="utf-8"?>{doctype}<html xmlns="{XHTML}" xmlns:epub="{OPS}">'
        f"<head><title>not text</title></head><body>{body}</body></html>"
    )


@pytest.fixture
def make_epub(tmp_path):
    def make(
        pages,
        *,
        metadata=METADATA,
        spine=None,
        properties=None,
        guide="",
        folder="OEBPS/",
        name="ferry.epub",
        extra=None,
    ):
        items = "".join(
            f'<item id="i{n}" href="{href}" media-type="application/xhtml+xml" {(properties or {}).get(href, "")}/>'
            for n, href in enumerate(pages)
        )
        items += '<item id="css" href="a.css" media-type="text/css"/>'
        package = PACKAGE.format(
            version="3.0",
            metadata=metadata,
            items=items,
            spine=spine or "".join(f'<itemref idref="i{n}"/>' for n in range(len(pages))),
            guide=guide,
        )
        path = tmp_path / name
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("mimetype", "application/epub+zip")
            archive.writestr("META-INF/container.xml", CONTAINER.format(package=f"{folder}content.opf"))
            archive.writestr(f"{folder}content.opf", package)
            for href, content in pages.items():
                archive.writestr(folder + href.replace("%20", " "), content)
            for entry, content in (extra or {}).items():
                archive.writestr(entry, content)
        return Piece(str(path), name)

    return make


@pytest.fixture
def read_body(make_epub):
    def call(body, doctype=""):
        (result,) = read(make_epub({"a.xhtml": page(body, doctype)}), SETTINGS)
        return result

    return call


def test_a_book_in_the_order_of_its_spine(make_epub):
    pages = {
        "text/two%20b.xhtml": page("<h2>Two</h2><p>She slept.</p><p>He  did\nnot.</p>"),
        "one.xhtml": page("<p>A word first.</p><h1>Part <i>One</i></h1><h2>One</h2><p>Marta rowed.</p>"),
        "nav.xhtml": page("<nav epub:type='toc'><ol><li>One</li></ol></nav>"),
        "note.xhtml": page("<p>Not in the line of reading.</p>"),
    }
    spine = '<itemref idref="i2"/><itemref idref="i1"/><itemref idref="i0"/><itemref idref="i3" linear="no"/>'
    (book,) = read(make_epub(pages, spine=spine, name="ferry.epub"), SETTINGS)
    text = "A word first.\n\nMarta rowed.\n\nShe slept.\n\nHe did not."
    assert book == Document(
        "epub-ferry",
        "The Ferry",
        "Anna Berg",
        "",
        text,
        [
            Section("", 0, 0, 13),
            Section("Part One", 1, 13, 13),
            Section("One", 2, 15, 27),
            Section("Two", 2, 29, len(text)),
        ],
    )


def test_a_package_at_the_root(make_epub):
    (book,) = read(make_epub({"a.xhtml": page("<p>Marta rowed.</p>")}, folder=""), SETTINGS)
    assert book.text == "Marta rowed."


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>One.</p>Two.<div>Three.<p>Four.</p>Five.</div>", "One.|Two.|Three.|Four.|Five."),
        ("<blockquote>One.</blockquote><ul><li>Two.</li><li><p>Three.</p></li></ul>", "One.|Two.|Three."),
        ("<p>One<br/>two,<br/> three.</p>", "One two, three."),
        ("<p>One <b>bold</b>, <i>two</i><!-- three -->.</p>", "One bold, two."),
        ("<p>One.<a epub:type='noteref' href='#n1'>1</a> Two.</p>", "One. Two."),
        ("<p>One.<sup><a href='#n1'>1</a></sup> Two.<a href='#n2'><sup>2</sup></a></p>", "One. Two."),
        ("<p>The 4<sup>th</sup>, <a href='x'>linked</a>.</p>", "The 4th, linked."),
        ("<p>One <span epub:type='pagebreak' title='12'>12</span>two.</p>", "One two."),
        ("<p>One<span role='doc-pagebreak'>12</span>s.</p>", "Ones."),
        ("<p><span class='x pagenum'>[Pg 3]</span>One.</p>", "One."),
        ("<p>One.</p><aside epub:type='footnote'><p>A note.</p></aside><p>Two.</p>", "One.|Two."),
        ("<p>One.</p><table><tr><td>cell</td></tr></table>tail<figure><p>x</p></figure>", "One.|tail"),
        ("<script>var a;</script><style>p {}</style><p>One.</p><svg><text>x</text></svg>", "One."),
        ("<section epub:type='toc'><p>Contents</p></section><p>One.</p>", "One."),
        ("<section class='pg-boilerplate pgheader'><p>Licence</p></section><p>One.</p>", "One."),
        ("<p>One.</p><p>* * *</p><p>&#160;</p><hr/><p>Two.</p>", "One.|Two."),
        ("<p>A&nbsp;dash&mdash;or &ldquo;two&rdquo; &amp; &lt;three&gt; &eacute;</p>", "A dash—or “two” & <three> é"),
        ("<p>don&#146;t &#8217; co&shy;operate &#x200b;now</p>", "don’t ’ cooperate now"),
        ("<p>before &foo; after &foo-bar; or &_x·y; it</p>", "before &foo; after &foo-bar; or &_x·y; it"),
        ("<p>&foo;</p><h2>&foo;</h2><p>a<i>&b·;</i>c &LT; &nvlt; &apos;</p>", "&foo;|a&b·;c < <⃒ '"),
        ("<p>a <sup>&b·;<a href='#n'>1</a></sup> c</p>", "a &b·;1 c"),
        ("<p><![CDATA[<!ENTITY a 'b'> <!DOCTYPE x [ ]]>is XML.</p>", "<!ENTITY a 'b'> <!DOCTYPE x [ is XML."),
        ("<p><![CDATA[&nbsp; &amp; &foo;]]> are references.</p>", "&nbsp; &amp; &foo; are references."),
        ("<!-- <!ENTITY a 'b'> <!DOCTYPE x [ --><p>One.</p>", "One."),
        ("<p hidden='hidden'>secret</p><p>One.</p>", "One."),
        ("<pre>One\n  two.</pre>", "One two."),
    ],
)  # fmt: skip
def test_paragraphs(read_body, body, expected):
    assert read_body(body, DOCTYPE).text.split("\n\n") == expected.split("|")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>One & two.<p>Three<br>four.", "One & two.|Three four."),
        ("<p>One &nosuch; two.</p>", "One &nosuch; two."),
        ("<P>One.</P><IMG src=x><H1>Late</h1><p epub:type=noteref>x</p><p>Two</b>.</p>", "One.|Two."),
        ("<p>“Zoë” &mdash; <i>x</p>", "“Zoë” — x"),
        ("<p>One <b>&foo-bar; <!ENTITY a 'b'> two.</p>", "One &foo-bar; two."),
    ],
)
def test_pages_that_are_not_well_formed(read_body, body, expected):
    assert read_body(body).text.split("\n\n") == expected.split("|")


@pytest.mark.parametrize(
    ("metadata", "title", "author", "url"),
    [
        ("", "ferry", "", ""),
        ("<dc:title>The&nbsp;Ferry &mdash; a&shy; &amp; b</dc:title>", "The Ferry — a & b", "", ""),
        ("<dc:title>A &foo; b</dc:title><dc:creator>B&eacute;a &foo;</dc:creator>", "A &foo; b", "Béa &foo;", ""),
        ("<dc:title>T</dc:title><dc:title>Sub</dc:title>", "T", "", ""),
        ("<dc:creator>A</dc:creator><dc:creator>B</dc:creator>", "ferry", "A, B", ""),
        ('<dc:creator opf:role="ill">Painter</dc:creator><dc:creator opf:role="aut">A</dc:creator>', "ferry", "A", ""),
        (
            '<dc:creator id="c1">A</dc:creator><dc:creator id="c2">B</dc:creator>'
            '<meta refines="#c1" property="role">trl</meta><meta refines="#c2" property="role">aut</meta>',
            "ferry", "B", "",
        ),
        ("<dc:identifier>urn:isbn:1</dc:identifier><dc:identifier>https://x.org/1</dc:identifier>", "ferry", "", "https://x.org/1"),
    ],
)  # fmt: skip
def test_metadata(make_epub, metadata, title, author, url):
    (book,) = read(make_epub({"a.xhtml": page("<p>Marta rowed.</p>")}, metadata=metadata), SETTINGS)
    assert (book.title, book.author, book.url) == (title, author, url)


def test_tables_of_contents_are_left_out(make_epub):
    pages = {name: page(f"<p>{name}</p>") for name in ("nav.xhtml", "toc.xhtml", "one.xhtml")}
    guide = '<guide><reference type="toc" href="toc.xhtml#top"/></guide>'
    (book,) = read(make_epub(pages, properties={"nav.xhtml": 'properties="nav"'}, guide=guide), SETTINGS)
    assert book.text == "one.xhtml"


@pytest.mark.parametrize(
    "content",
    [
        page("<p>Zoë “rowed”.</p>").encode("utf-16"),
        page("<p>Zoë “rowed”.</p>").replace("utf-8", "windows-1252").encode("cp1252"),
        b"\xef\xbb\xbf" + page("<p>Zoë “rowed”.</p>").encode(),
    ],
)
def test_encodings(make_epub, content):
    (book,) = read(make_epub({"a.xhtml": content}), SETTINGS)
    assert book.text == "Zoë “rowed”."


def test_no_text(make_epub):
    for pages in ({"a.xhtml": page("<h1>One</h1><table><tr><td>x</td></tr></table>")}, {"a.xhtml": ""}, {}):
        expected = Reject("epub-ferry", "empty", "ferry.epub: no text is left without tables, figures and headings")
        assert list(read(make_epub(pages), SETTINGS)) == [expected]


BOMB = '<!DOCTYPE html [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
SECRET = '<!DOCTYPE html [<!ENTITY s SYSTEM "file:///etc/passwd">]>'


DECLARING = [
    BOMB,
    SECRET,
    "<!DOCTYPE html\n[<!ATTLIST p a CDATA 'x'>]>",
    " <!-- > --> <?x [?><!doctype html [<!ENTITY a 'b'>]>",
    "<!DOCTYPE html SYSTEM \"a>b\" [<!ENTITY a 'b'>]>",
    f"<!DOCTYPE html PUBLIC '>' \"{'x' * 2000}\" [<!ENTITY a 'b'>]>",
]


@pytest.mark.parametrize("doctype", DECLARING)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_declarations_are_refused(make_epub, doctype, encoding):
    piece = make_epub({"a.xhtml": page("<p>&b;&s;</p>", doctype).replace("utf-8", encoding).encode(encoding)})
    with pytest.raises(InputError, match=r"ferry\.epub: entry OEBPS/a\.xhtml: wanted a document without declarations"):
        list(read(piece, SETTINGS))


def encryption(algorithm):
    method = f'<EncryptionMethod xmlns="http://www.w3.org/2001/04/xmlenc#" Algorithm="{algorithm}"/>'
    return {"META-INF/encryption.xml": f"<encryption><EncryptedData>{method}</EncryptedData></encryption>"}


def test_encryption(make_epub):
    pages = {"a.xhtml": page("<p>Marta rowed.</p>")}
    (book,) = read(make_epub(pages, extra=encryption("http://www.idpf.org/2008/embedding")), SETTINGS)
    assert book.text == "Marta rowed."
    with pytest.raises(
        InputError, match=r"ferry\.epub: wanted a readable book, found one encrypted by http://x/aes; us"
    ):
        list(read(make_epub(pages, extra=encryption("http://x/aes")), SETTINGS))


def zipped(path, **entries):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return Piece(str(path), path.name)


def test_not_an_epub(tmp_path, make_epub):
    with pytest.raises(
        InputError, match=r"a\.epub: wanted an EPUB, found an archive without META-INF/container\.xml; g"
    ):
        list(read(zipped(tmp_path / "a.epub", a="x"), SETTINGS))
    with pytest.raises(InputError, match=r"a\.epub: entry META-INF/container\.xml: wanted a rootfile, found none; get"):
        list(read(zipped(tmp_path / "a.epub", **{"META-INF/container.xml": "<container/>"}), SETTINGS))
    with pytest.raises(InputError, match=r"entry META-INF/container\.xml: wanted XML, found .*; get the file again"):
        list(read(zipped(tmp_path / "a.epub", **{"META-INF/container.xml": "<container>"}), SETTINGS))
    gone = CONTAINER.format(package="gone.opf")
    with pytest.raises(
        InputError, match=r"a\.epub: wanted an entry gone\.opf, found none of that name; the archive is"
    ):
        list(read(zipped(tmp_path / "a.epub", **{"META-INF/container.xml": gone}), SETTINGS))
    with pytest.raises(
        InputError, match=r"content\.opf: wanted an item 'i9' that the spine names, found none; get the"
    ):
        list(read(make_epub({"a.xhtml": page("")}, spine='<itemref idref="i9"/>'), SETTINGS))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (page("<p>Zo\0</p>"), r"entry OEBPS/a\.xhtml: character \d+: wanted text, found NUL"),
        (
            page("<p>x</p>").encode() + b"\xff",
            r"entry OEBPS/a\.xhtml: byte \d+: wanted utf-8, found ff; repair the book",
        ),
        (
            page("x").replace("utf-8", "punycode"),
            r"a\.xhtml: wanted a known encoding, found 'punycode' declared; repair",
        ),
        (page("x").replace("utf-8", "klingon"), r"a\.xhtml: wanted a known encoding, found 'klingon' declared; repair"),
        (
            page("<div>" * 3000 + "x" + "</div>" * 3000),
            r"a\.xhtml: wanted XHTML, found Excessive depth.*; repair or remove",
        ),
    ],
)
def test_bad_pages(make_epub, content, message):
    with pytest.raises(InputError, match=message):
        list(read(make_epub({"a.xhtml": content}), SETTINGS))


MARKUP = [
    "<p>", "</p>", "<h2>", "</h2>", "<div>", "</div>", "<br/>", "<table>", "</table>", "&", "x", "y.", "&nbsp;", "<!--",
    "-->", "<a",
]  # fmt: skip


@given(st.lists(st.sampled_from(MARKUP), max_size=25))
def test_any_markup_gives_sections_that_tile_the_text(tmp_path_factory, parts):
    name = tmp_path_factory.mktemp("epubs") / "a.epub"
    package = PACKAGE.format(
        version="2.0", metadata="", guide="", spine='<itemref idref="a"/>',
        items='<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>',
    )  # fmt: skip
    entries = {
        "META-INF/container.xml": CONTAINER.format(package="c.opf"),
        "c.opf": package,
        "a.xhtml": page(" ".join(parts)),
    }
    (book,) = read(zipped(name, **entries), SETTINGS)
    if isinstance(book, Document):
        pieces = [book.text[section.start : section.end] for section in book.sections]
        assert "\n\n".join(filter(None, pieces)) == book.text
        assert all(paragraph and "\n" not in paragraph for paragraph in book.text.split("\n\n"))
    else:
        assert book.reason == "empty"


@given(st.binary(max_size=120))
def test_any_page_gives_a_record_or_input_error(tmp_path_factory, data):
    name = tmp_path_factory.mktemp("epubs") / "a.epub"
    package = PACKAGE.format(
        version="2.0", metadata="", guide="", spine='<itemref idref="a"/>',
        items='<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>',
    )  # fmt: skip
    piece = zipped(
        name, **{"META-INF/container.xml": CONTAINER.format(package="c.opf"), "c.opf": package, "a.xhtml": data}
    )
    try:
        (result,) = read(piece, SETTINGS)
        assert isinstance(result, Document | Reject)
    except InputError as error:
        assert str(error).startswith(str(name)) and "\n" not in str(error)


@pytest.mark.parametrize(
    ("href", "name"),
    [
        ("http://[", "OEBPS/http:/["),
        ("//[x", "//[x"),
        ("a%0Ab", r"OEBPS/a\nb"),
    ],
)
def test_a_page_at_an_odd_address_is_missing(make_epub, href, name):
    book = make_epub({"a.xhtml": page("<p>Ann.</p>")}, guide=f'<reference type="toc" href="{href}"/>')
    assert [document.text for document in read(book, SETTINGS)] == ["Ann."]
    with pytest.raises(InputError) as caught:
        list(read(make_epub({href: page("<p>Ann.</p>")}, name="odd.epub"), SETTINGS))
    message = str(caught.value)
    assert message.endswith(f": wanted an entry {name}, found none of that name; the archive is incomplete"), message


def test_sections_of_characters_that_do_not_end(make_epub):
    # Where each looked for its end, this takes minutes.
    book = make_epub({"a.xhtml": "<p>Ann.</p>" + "<![CDATA[" * 200_000})
    assert [document.text for document in read(book, SETTINGS)] == ["Ann."]
