"""Links of wikitext: the words a reader sees in their place."""

import re

from pipeline.corpora.markup import BLOCK, INLINE

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
