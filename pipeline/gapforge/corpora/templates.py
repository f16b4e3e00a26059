"""Templates of wikitext: the few that carry words of the sentence are read, all others are taken out.

A template's own wikitext is not at hand when pages are read one by one, and most templates are boxes, notices and
citations. But some stand for words, and a sentence without them is mutilated: "about {{convert|5|km}} north".
The tables below name those, by the wording of the English Wikipedia.
"""

import re
from collections.abc import Callable

from gapforge.corpora.markup import BLOCK, BREAK, after_blank_line, show_links, strip_files

# MediaWiki expands no deeper than this either; it keeps the work on nested templates linear.
_DEEPEST = 40

# Templates that stand for characters.
_CHARACTERS = {
    **dict.fromkeys(["ndash", "en dash", "–", "endash"], "–"),
    **dict.fromkeys(["snd", "snds", "spnd", "sndash", "spndash", "spaced ndash", "spaced en dash", "dash"], " – "),
    **dict.fromkeys(["mdash", "em dash", "—", "emdash"], "—"),
    **dict.fromkeys(["mdashb", "smd", "spaced mdash", "spaced em dash"], " — "),
    **dict.fromkeys(["nbsp", "space", "spaces", "thinsp", "thin space", "hair space", "hsp", "nnbsp"], " "),
    **dict.fromkeys(["'", "apostrophe"], "'"),
    **dict.fromkeys(["'s", "-'s"], "'s"),
    **dict.fromkeys(["' \"", "'\"", "'-\"", "'\" "], "'\""),
    **dict.fromkeys(["\" '", "\"'"], "\"'"),
    **dict.fromkeys(['-"', '"-'], '"'),
    **dict.fromkeys(["·", "dot", "middot", "•", "bullet"], " · "),
    **dict.fromkeys(["!", "pipe"], "|"),
    **dict.fromkeys(["okina", "'okina", "ʻokina"], "ʻ"),
    "=": "=",
    "hamza": "ʾ",
    "ayin": "ʿ",
    "shy": "",
    "wbr": "",
    "times": "×",
    "minus": "−",
}

# Templates that dress up their first argument.
_FIRST = (
    "nowrap|nobr|nobreak|j|small|smaller|big|bigger|larger|large|huge|sc|sc1|sc2|smallcaps|small-caps|smallcaps all|"
    "abbr|abbrv|abbreviation|tooltip|sic|typo|proper name|not a typo|notatypo|as written|vanchor|visible anchor|nobold|"
    "noitalic|normal|em|strong|center|midsize|unicode|polytonic|nastaliq|nq|grc|script/hebrew|script/arabic|script/greek|"
    "sup|sub|mvar|math|var|code|mono|kbd|samp|keypress|key|ill|interlanguage link|interlanguage link multi|flag|"
    "flagcountry|flagu|citation needed span|cn span|cnspan|clarify span|railgauge|track gauge|nihongo|nihongo3|"
    "nihongo foot|korean|underline|strike|overline|nts|dfn|gloss|format price|block indent|gaps|serif|highlight"
)
# Templates that name a language or a style before the words.
_LAST = (
    "lang|langx|wikt-lang|transl|transliteration|tlit|translit|rtl-lang|script|color|colored|font color|font|"
    "resize|fontsize|size|bidi|langr|colored text|color text"
)
# Templates that hold a quotation, which is a paragraph of its own.
_QUOTATIONS = "quote|quotation|blockquote|bquote|cquote|centered quote|quote text|poem quote|poemquote|poem"
# Ships: the prefix is the name of the template.
_SHIPS = "uss hms ss ms rms mv usns uscgc hmas hmcs hmnzs ins sms usat rfa css hnlms hdms hswms"
_MONEY = {
    **dict.fromkeys(["gbp", "pound sterling", "£"], "£"),
    **dict.fromkeys(["us$", "usd", "us dollar"], "US$"),
    **dict.fromkeys(["eur", "euro", "€"], "€"),
    **dict.fromkeys(["inr", "indian rupee", "indian rupees", "₹"], "₹"),
    **dict.fromkeys(["aud", "a$", "au$"], "A$"),
    **dict.fromkeys(["cad", "c$", "ca$"], "C$"),
    **dict.fromkeys(["jpy", "yen", "¥"], "¥"),
}
_NOTES = {"flat": "♭", "b": "♭", "sharp": "♯", "#": "♯", "natural": "♮"}
_MONTH_NAMES = "January February March April May June July August September October November December"
_MONTHS = _MONTH_NAMES.split()

# Codes of {{convert}} that are not written as they are called.
_UNITS = {
    "sqmi": "sq mi", "sqft": "sq ft", "sqin": "sq in", "sqyd": "sq yd", "sqkm": "km²", "km2": "km²", "m2": "m²",
    "cm2": "cm²", "mm2": "mm²", "mi2": "sq mi", "ft2": "sq ft", "km3": "km³", "m3": "m³", "cm3": "cm³", "ft3": "cu ft",
    "cuft": "cu ft", "cumi": "cu mi", "cuin": "cu in", "cuyd": "cu yd", "C": "°C", "F": "°F", "C-change": "°C",
    "F-change": "°F", "kph": "km/h", "ftin": "ft", "impgal": "imp gal", "USgal": "US gal", "gal": "gal", "oz": "oz",
    "usgal": "US gal", "ST": "short tons", "LT": "long tons", "t": "tonnes", "nmi": "nautical miles", "kn": "knots",
    "m3/s": "m³/s", "cuft/s": "cu ft/s", "e6m3": "million m³", "e6acre": "million acres", "e6sqmi": "million sq mi",
    "e6km2": "million km²", "e3km2": "thousand km²", "acre.ft": "acre-feet", "acre.foot": "acre-feet", "pc": "parsecs",
    "/sqmi": "per sq mi", "/km2": "per km²", "PD/sqmi": "per sq mi", "PD/km2": "per km²", "mi": "mi", "m/s": "m/s",
}  # fmt: skip
# What {{convert}} puts between the two numbers of a range.
_RANGES = {
    "-": "–", "–": "–", "to": " to ", "and": " and ", "or": " or ", "x": " × ", "by": " by ", "×": " × ", "*": " × ",
    "to(-)": " to ", "and(-)": " and ", "or(-)": " or ", "to about": " to about ", "+/-": " ± ", "±": " ± ",
    "&": " and ", "xx": " × ",
}  # fmt: skip

_NUMBER = re.compile(r"[-+−±]?[\d.,]*\d[\d.,]*(?:[/⁄+]\d+)*(?:e[-+]?\d+)?\Z", re.IGNORECASE)

# No number is longer, and the pattern is not made for more.
_NUMBER_LENGTH = 40

Arguments = list[str]
Options = dict[str, str]


def _first(given: Arguments, options: Options) -> str:
    return given[0] if given else options.get("text", "")


def _last(given: Arguments, options: Options) -> str:
    return given[-1] if len(given) > 1 else options.get("text", "")


def _join(given: Arguments, options: Options) -> str:
    return "".join(given)


def _quotation(given: Arguments, options: Options) -> str:
    words = options.get("text") or options.get("quote") or (given[0] if given else "")
    return f"{BREAK}{words}{BREAK}" if words else ""


def _is_number(text: str) -> bool:
    return len(text) <= _NUMBER_LENGTH and _NUMBER.match(text) is not None


def _grouped(number: str) -> str:
    return f"{int(number):,}" if number.isascii() and number.isdecimal() and 3 < len(number) < 30 else number


def _convert(given: Arguments, options: Options) -> str:
    """The quantity as it was measured; what it is in other units is no part of the sentence."""
    shown = ""
    fields = iter(given)
    for number in fields:
        if not _is_number(number):
            break
        shown += _grouped(number)
        unit = next(fields, "")
        if unit in _RANGES:
            shown += _RANGES[unit]
            continue
        shown += f" {_UNITS.get(unit, unit)}"
        # "6 ft 2 in" goes on with a number and a unit; a number alone is the precision.
        rest = list(fields)
        if len(rest) > 1 and _is_number(rest[0]) and not _is_number(rest[1]):
            shown += f" {rest[0]} {_UNITS.get(rest[1], rest[1])}"
        break
    return shown.strip()


def _fraction(given: Arguments, options: Options) -> str:
    whole = given[0] + " " if len(given) > 2 else ""
    return whole + "/".join(given[-2:]) if len(given) > 1 else "1/" + _first(given, options)


def _date(given: Arguments) -> str:
    year, month, day = (*given, "", "", "")[:3]
    if month.isascii() and month.isdecimal() and 1 <= int(month[:3]) <= 12:
        month = _MONTHS[int(month[:3]) - 1]
    return " ".join(part for part in (day, month, year) if part)


def _as_of(given: Arguments, options: Options) -> str:
    if "alt" in options:
        return options["alt"]
    since = "since" in options
    words = ("Since " if since else "As of ") + _date(given)
    return words[0].lower() + words[1:] if options.get("lc") or options.get("df") == "lc" else words


def _value(given: Arguments, options: Options) -> str:
    power = f"×10^{options['e']}" if options.get("e") else ""
    unit = options.get("u") or options.get("ul") or ""
    return f"{_grouped(_first(given, options))}{power} {unit}".strip()


def _after(words: str) -> Callable[[Arguments, Options], str]:
    """A template that puts words before its arguments, which are the ends of a range."""
    return lambda given, options: words + "–".join(part for part in given[:2] if part) if given else ""


def _ship(given: Arguments, options: Options) -> str:
    return " ".join(part for part in given[:2] if part)


def _ship_of(prefix: str) -> Callable[[Arguments, Options], str]:
    return lambda given, options: f"{prefix} {given[0]}" if given else ""


_TEMPLATES: dict[str, Callable[[Arguments, Options], str]] = {
    **dict.fromkeys(_FIRST.split("|"), _first),
    **dict.fromkeys(_LAST.split("|"), _last),
    **dict.fromkeys(_QUOTATIONS.split("|"), _quotation),
    **dict.fromkeys(["convert", "cvt", "conv"], _convert),
    **dict.fromkeys(["frac", "fraction", "sfrac"], _fraction),
    **dict.fromkeys(["as of", "asof"], _as_of),
    **dict.fromkeys(["chem", "chem2", "linktext"], _join),
    **dict.fromkeys(["circa", "c.", "ca", "ca.", "approx"], _after("c. ")),
    **dict.fromkeys(["floruit", "fl", "fl."], _after("fl. ")),
    **dict.fromkeys(["reign", "r."], _after("r. ")),
    **dict.fromkeys(["nee", "née"], _after("née ")),
    **dict.fromkeys(["ship", "ship2"], _ship),
    **{name: _after(sign) for name, sign in _MONEY.items()},
    **{prefix: _ship_of(prefix.upper()) for prefix in _SHIPS.split()},
    **dict.fromkeys(["val", "value"], _value),
    **dict.fromkeys(["start date", "end date", "start-date", "end-date", "date"], lambda given, options: _date(given)),
    **dict.fromkeys(["angbr", "angle bracket"], lambda given, options: f"⟨{_first(given, options)}⟩"),
    **dict.fromkeys(["e", "esp"], lambda given, options: f"×10^{_first(given, options)}"),
    "sortname": lambda given, options: " ".join(given[:2]),
    "music": lambda given, options: _NOTES.get(_first(given, options).lower(), ""),
}


def show_templates(text: str) -> str:
    """The text with templates replaced by their words, or by a mark; one that is not closed ends at a blank line.

    An unclosed template inside another takes the other's end, so that it is the outer one that ends at a blank line.
    """
    if "{{" not in text and "}}" not in text:
        return text
    frames: list[list[str]] = []
    pieces: list[str] = []
    for number, part in enumerate(text.split("{{")):
        if number:
            frames.append(pieces)
            pieces = []
        if "}}" not in part:
            pieces.append(part)
            continue
        first, *rest = part.split("}}")
        pieces.append(first)
        for after in rest:
            if frames:
                shown = _show(pieces) if len(frames) <= _DEEPEST else BLOCK
                pieces = frames.pop()
                pieces.append(shown)
            # The third brace of a parameter {{{1}}}, or of {{math|{x}}}.
            pieces.append(after[1:] if after.startswith("}") else after)
    if not frames:
        return "".join(pieces)
    outer, *unclosed = frames
    outer.extend(after_blank_line("".join(frame)) for frame in [*unclosed, pieces])
    return "".join(outer)


def _show(pieces: list[str]) -> str:
    """The words of one template; `pieces` is what stands between its braces, with inner templates already shown."""
    head = pieces[0]
    bar = head.find("|")
    colon = head.find(":", 0, bar if bar >= 0 else len(head))
    if colon > 0:
        # Parser functions: {{formatnum:1234}}; {{Template:Foo}} is plain {{Foo}}.
        if head[:colon].strip().lower() != "template":
            content = "".join(pieces)
            return content.partition(":")[2].partition("|")[0] if head[:colon].lower() == "formatnum" else BLOCK
        head, bar = head[colon + 1 :], bar - colon - 1 if bar >= 0 else -1
        pieces[0] = head
    name = (head[:bar] if bar >= 0 else head).strip().replace("_", " ").lower()
    if name in _CHARACTERS:
        return _CHARACTERS[name]
    show = _TEMPLATES.get(name)
    if show is None:
        # {{lang-fr|mot}} and its hundreds of sisters; {{ipa-fr|..}} is left out.
        if not name.startswith("lang-"):
            return BLOCK
        show = _first
    given, options = _arguments("".join(pieces))
    return show(given, options) or BLOCK


def _arguments(content: str) -> tuple[Arguments, Options]:
    """The arguments of a template in order, and the named ones."""
    if "[[" in content:
        # The bar inside a link parts no arguments.
        content = show_links(strip_files(content))
    given: Arguments = []
    options: Options = {}
    for field in content.split("|")[1:]:
        key, equals, value = field.partition("=")
        # Attributes of an HTML tag have an equals sign as well.
        if not equals or "<" in key:
            given.append(field.strip())
        elif key.strip() in {"1", "2", "3"}:
            given.append(value.strip())
        else:
            options[key.strip().lower()] = value.strip()
    return given, options
