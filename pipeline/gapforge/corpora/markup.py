"""Elements, tables and tags of wikitext: what is taken out as a whole, and what leaves its contents.

Everything here runs in linear time on any input, balanced or not: a search that failed once is not repeated, a
pattern never gives back what it took, nesting is counted on a stack. What is taken out leaves a mark, so that the
punctuation around it can be tidied later without touching the author's own.

Links of wikitext: the words a reader sees in their place.
"""

import re
from functools import cache
from html.entities import html5

# Left where something was removed: from within a line, something that stands by itself, or something that no reader
# sees, as a comment. Control characters are not allowed in XML, and keep ASCII strings narrow (which makes them fast).
INLINE = "\x00"
BLOCK = "\x01"
UNSEEN = "\x02"
MARKS = INLINE + BLOCK + UNSEEN

# Where unclosed markup is taken to end. A page must not lose its rest to one missing bracket; a paragraph is the
# least that authors forget to close things in.
_STOP = re.compile(r"\n[ \t]*\n|\n=")

# Elements whose contents are no prose. <pre> is program text and drawings.
_OPAQUE = (
    "math|chem|ce|score|timeline|syntaxhighlight|source|gallery|imagemap|hiero|graph|mapframe|maplink|pre|references|"
    "includeonly|inputbox|categorytree|templatedata|templatestyles|indicator|section|phonos|charinsert|"
    "rss|dynamicpagelist|style|script|noscript|audio|video"
)
_OPENING = re.compile(rf"<(?:!--|(nowiki|{_OPAQUE})\b[^<>]*>)", re.IGNORECASE)

# Self-closing; closed before the next one opens; a stray end; and unclosed, which ends at a blank line or heading.
_REFERENCE = re.compile(
    r"<ref\b[^<>]*?(?:/>|>[^<]*+(?:<(?!ref\b|/ref\s*+>)[^<]*+)*+</ref\s*+>)"
    r"|</ref\s*+>"
    r"|<ref\b[^\n<]*+(?:(?!\n[ \t]*+\n|\n=|</?ref\b)[\n<][^\n<]*+)*+",
    re.IGNORECASE,
)

# The characters of markup, and what stands for them while the contents of <nowiki> pass through the cleaner.
_PLAIN = "[]{}|'<>&=*#:;_\n -"
_HIDDEN = "".join(chr(code) for code in range(3, 32) if chr(code) not in "\t\n\r")
_HIDE = str.maketrans(_PLAIN, _HIDDEN[: len(_PLAIN)])
_SHOW = str.maketrans(_HIDDEN[: len(_PLAIN)], _PLAIN)
_OWN_HIDDEN = dict.fromkeys(map(ord, _HIDDEN))

_ENTITY = re.compile(r"&(?:#(?:([0-9]{1,7})|[xX]([0-9a-fA-F]{1,6}))|([A-Za-z][A-Za-z0-9]{1,31}));")
_LARGEST_CODE = 0x10FFFF

_TABLE_TAG = re.compile(r"(</?table\b[^<>]*>)", re.IGNORECASE)
# What may stand before the table mark at the beginning of a line.
_INDENT = " \t:*#" + MARKS

# The mark after the break tells a space that followed a tag from one that begins a line of program text.
BREAK = "\n\n" + BLOCK
# Tags and what becomes of them; the words between them stay. Items of HTML lists become items of wikitext lists,
# which are left out.
_INLINE_TAGS = (
    "abbr b bdi bdo big cite code data del dfn em font i ins kbd mark q rb rp rt rtc ruby s samp small span strike "
    "strong sub sup time tt u var wbr noinclude onlyinclude nowiki a img translate tvar languages "
    "link meta includeonly ref references math"
)
_BLOCK_TAGS = (
    "blockquote poem p div center h1 h2 h3 h4 h5 h6 hr dl ol ul table tr td th caption thead tbody tfoot "
    "section article gallery pre"
)
_TAGS = {
    **dict.fromkeys(_INLINE_TAGS.split(), ""),
    **dict.fromkeys(_BLOCK_TAGS.split(), BREAK),
    **dict.fromkeys(["li", "dd", "dt"], "\n*"),
    "br": " ",
}
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)(?=[\s/>])[^<>]*>", re.IGNORECASE)
# A tag that lost its end: its name and attributes. One letter after "<" is more often a comparison.
_HALF_TAG = re.compile(
    rf"</?(?:{'|'.join(sorted((tag for tag in _TAGS if len(tag) > 1), reverse=True))})\b"
    r"(?:\s*+[\w-]+\s*=\s*(?:\"[^\"<>\n]*+\"?|[^\s<>\"]+))*+",
    re.IGNORECASE,
)
_MAGIC_WORD = re.compile(r"__[A-Z]+__")


@cache
def _closing(name: str) -> re.Pattern[str]:
    """What closes an element, or a comment where there is no name; a page has few of the many kinds."""
    return re.compile(rf"</{name}\s*+>", re.IGNORECASE) if name else re.compile("-->")


def hide_marks(text: str) -> str:
    """The text without characters that the cleaner uses for itself, and with plain line ends."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    for mark in MARKS:
        text = text.replace(mark, "")
    return text


def show_nowiki(text: str) -> str:
    """The text with the contents of `<nowiki>` as they were."""
    return text.translate(_SHOW)


def strip_elements(text: str) -> tuple[str, bool]:
    """The text without comments, references and opaque elements, and whether it holds hidden `<nowiki>` text.

    Whichever opens first wins, as in MediaWiki: a comment inside <nowiki> is text, <nowiki> inside a comment is none.
    """
    if "<" not in text:
        return text, False
    pieces: list[str] = []
    unclosed: set[str] = set()
    position = 0
    hidden = False
    while match := _OPENING.search(text, position):
        pieces.append(text[position : match.start()])
        name = (match[1] or "").lower()
        position = match.end()
        if match[0].endswith("/>"):
            pieces.append(UNSEEN if name == "nowiki" else INLINE)
            continue
        # Where an element is not closed after one position, it is not after any later one: search but once.
        end = None if name in unclosed else _closing(name).search(text, position)
        if name == "nowiki":
            if end:
                if not hidden:
                    hidden = True
                    if any(character in text for character in _HIDDEN):
                        return strip_elements(text.translate(_OWN_HIDDEN))
                pieces.append(decode_entities(text[position : end.start()]).translate(_HIDE))
        else:
            pieces.append(INLINE if name else UNSEEN)
            if not end:
                unclosed.add(name)
                end = _STOP.search(text, position)
                position = end.start() if end else len(text)
                continue
        if end:
            position = end.end()
        else:
            unclosed.add(name)
    pieces.append(text[position:])
    return _REFERENCE.sub(INLINE, "".join(pieces)), hidden


def strip_tables(text: str) -> str:
    """The text without tables, however nested; one that is not closed ends at a blank line."""
    if "{|" in text:
        frames: list[list[str]] = [[]]
        for line in text.split("\n"):
            start = line.lstrip(_INDENT)
            if start.startswith("{|"):
                frames.append([])
            elif start.startswith("|}") and len(frames) > 1:
                frames.pop()
                frames[-1] += ["", BLOCK + start[2:]]
            else:
                frames[-1].append(line)
        kept = frames[0]
        for frame in frames[1:]:
            blank = next((number for number, line in enumerate(frame) if not line.strip()), len(frame))
            kept += ["", *frame[blank:]]
        text = "\n".join(kept)
    if "<table" in text or "<TABLE" in text:
        text = _strip_html_tables(text)
    return text


def _strip_html_tables(text: str) -> str:
    frames: list[list[str]] = [[]]
    for number, piece in enumerate(_TABLE_TAG.split(text)):
        if number % 2 == 0:
            frames[-1].append(piece)
        elif piece[1] != "/":
            frames.append([])
        elif len(frames) > 1:
            frames.pop()
            frames[-1].append(f"\n{BLOCK}\n")
    kept = frames[0]
    for frame in frames[1:]:
        kept.append(after_blank_line("".join(frame)))
    return "".join(kept)


def after_blank_line(text: str) -> str:
    """What is left of a text that begins inside unclosed markup: all from its first blank line on."""
    stop = _STOP.search(text)
    return BLOCK + text[stop.start() :] if stop else BLOCK


def strip_tags(text: str) -> str:
    """The text without HTML tags and magic words; tags that are not known are text, as in MediaWiki."""
    if "__" in text:
        text = _MAGIC_WORD.sub(BLOCK, text)
    if "<" in text:
        text = _TAG.sub(_tag, text)
        if "<" in text:
            text = _HALF_TAG.sub("", text)
    return text


def _tag(match: re.Match[str]) -> str:
    replacement = _TAGS.get(match[2].lower())
    if replacement is None:
        return match[0]
    return "" if replacement == "\n*" and match[1] else replacement


def decode_entities(text: str) -> str:
    """The text with character references decoded once; without a semicolon they are text, as in MediaWiki."""
    return _ENTITY.sub(_entity, text)


def _entity(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    if name:
        return html5.get(name + ";", match[0])
    code = int(decimal) if decimal else int(hexadecimal, 16)
    return chr(code) if 0 < code <= _LARGEST_CODE else ""


# A caption may hold links and single brackets, not another picture; it ends at a blank line at the latest.
# Nothing is given back, and an opening bracket inside that does not close ends the attempt: linear on any input.
_CAPTION = r"[^\[\]\n]*+(?:\n(?![ \t]*+\n)[^\[\]\n]*+)*+"
_FILE = re.compile(
    rf"\[\[[ ]*(?:file|image|media|video)[ ]*:{_CAPTION}"
    rf"(?:(?:\[\[{_CAPTION}\]\]|\[(?!\[){_CAPTION}\](?!\])){_CAPTION})*+\]\]",
    re.IGNORECASE,
)
_HALF_FILE = re.compile(r"\[\[[ ]*(?:file|image|media|video)[ ]*:[^\n]*+", re.IGNORECASE)

# Namespaces whose links put something elsewhere on the page; with a colon before them they are links like others.
_ELSEWHERE = frozenset({"category", "file", "image", "media", "video"})
# Prefixes of other wikis, shown in the margin. Names of languages and not a pattern: "re:Zero" is a title.
_LANGUAGE_CODES = """
    aa ab ace ady af ak als alt am ami an ang anp ar arc ary arz as ast atj av avk awa ay az azb ba ban bar bbc bcl
    be be-tarask be-x-old bew bg bh bi bjn blk bm bn bo bpy br bs bug bxr ca cbk-zam cdo ce ceb ch cho chr chy ckb co cr
    crh cs csb cu cv cy da dag de dga din diq dsb dtp dty dv dz ee el eml en eo es et eu ext fa fat ff fi fiu-vro fj fo
    fon fr frp frr fur fy ga gag gan gcr gd gl glk gn gom gor got gpe gsw gu guc gur guw gv ha hak haw he hi hif ho hr
    hsb ht hu hy hyw hz ia id ie ig ii ik ilo inh io is it iu ja jam jbo jv ka kaa kab kbd kbp kcg kg ki kj kk kl km kn
    ko koi kr krc ks ksh ku kv kw ky la lad lb lbe lez lfn lg li lij lld lmo ln lo lrc lt ltg lv lzh mad mai map-bms mdf
    mg mh mhr mi min mk ml mn mni mnw mo mr mrj ms mt mus mwl my myv mzn na nah nan nap nb nds nds-nl ne new ng nia nl
    nn no nov nqo nrm nso nv ny oc olo om or os pa pag pam pap pcd pcm pdc pfl pi pih pl pms pnb pnt ps pt pwn qu rm rmy
    rn ro roa-rup roa-tara ru rue rw sa sah sat sc scn sco sd se sg sh shi shn shy si simple sk skr sl sm smn sn so sq
    sr srn ss st stq su sv sw szl szy ta tay tcy te tet tg th ti tk tl tly tn to tpi tr trv ts tt tum tw ty tyv udm ug
    uk ur uz ve vec vep vi vls vo wa war wo wuu xal xh xmf yi yo yue za zea zh zh-classical zh-cn zh-min-nan zh-tw
    zh-yue zu
"""
_LANGUAGES = frozenset(_LANGUAGE_CODES.split())
_AFTER_TITLE = re.compile(r"\s*(?:\([^()]*\)|,.*)\s*$")

_SCHEME = r"(?:(?:https?|ftps?|irc|ircs|news|git|svn|telnet|gopher|nntp|worldwind):)?//|mailto:|tel:|urn:"
_EXTERNAL = re.compile(rf"\[(?:{_SCHEME})[^\s\[\]<>\"]*+[ \t]*+([^\[\]\n]*+)\]", re.IGNORECASE)
_HALF_EXTERNAL = re.compile(rf"\[(?:{_SCHEME})[^\s\[\]<>\"]*+[ \t]*+", re.IGNORECASE)


def strip_files(text: str) -> str:
    """The text without pictures and their captions; one that is not closed ends with its line."""
    if "[[" in text and ":" in text:
        text = _FILE.sub(BLOCK, text)
        text = _HALF_FILE.sub(BLOCK, text)
    return text


def show_links(text: str) -> str:
    """The text with each link replaced by its words, letters after it glued on; categories and the like by nothing."""
    if "[[" in text:
        first, *rest = text.split("[[")
        shown = [first]
        for part in rest:
            target, closed, after = part.partition("]]")
            if not closed:
                # Links do not nest: these brackets belong to none. One bracket too few still ends the link.
                target, single, after = part.partition("]")
                if not single or "\n" in target:
                    shown.append(_after_pipe(part))
                    continue
            if ":" in target:
                shown.append(_special(target))
            elif target[-1:] == "|":
                shown.append(_pipe_trick(target))
            else:
                shown.append(target[target.rfind("|") + 1 :])
            shown.append(after)
        text = "".join(shown)
    if "]]" in text:
        text = text.replace("]]", "")
    return text


def _after_pipe(text: str) -> str:
    """The words of a link that does not end: its target is the part of the line before the pipe, if it has one."""
    line, _, _ = text.partition("\n")
    pipe = line.find("|")
    return text[pipe + 1 :]


def _special(target: str) -> str:
    """The words of a link whose target has a colon."""
    if target.startswith(":"):
        target = target[1:]
    else:
        prefix = target.partition(":")[0].strip()
        if prefix in _LANGUAGES or prefix.lower() in _ELSEWHERE:
            return BLOCK
    if target.endswith("|"):
        return _pipe_trick(target)
    return target[target.rfind("|") + 1 :]


def _pipe_trick(target: str) -> str:
    """What MediaWiki makes of `[[Help:Title (remark)|]]`: "Title"."""
    title = target.rstrip("|")
    title = title[title.rfind("|") + 1 :].rpartition(":")[2]
    # No title is longer than this, and the pattern is not made for more.
    return _AFTER_TITLE.sub("", title) if len(title) < 256 else title


def show_external_links(text: str) -> str:
    """The text with each bracketed address replaced by its label; without one a reader sees a mere number."""
    text = _EXTERNAL.sub(lambda match: match[1] or INLINE, text)
    return _HALF_EXTERNAL.sub("", text)
