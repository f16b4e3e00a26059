"""A small release made by hand, for the tests of that room: three GAP splits with their subjective variants, a
quadruple of each gender, sentences of WinoBias, weights.
"""

import dataclasses
from pathlib import Path

from gapforge.counterfactuals.variants import PLACES
from gapforge.engine.identity import CodeIdentity, Identity
from gapforge.engine.parts import Manifest
from gapforge.records import (
    AcceptedEdit,
    LabelledExample,
    LabelledInstance,
    Person,
    Span,
    SubjectiveExample,
    Weight,
    WinoBiasSentence,
    fields_of,
)
from gapforge.release.errata import write_errata
from gapforge.release.layout import CITATION, ERRATA, PROVENANCE, write_sums, write_tables
from gapforge.release.provenance import Made, provenance_of
from gapforge.release.rows import tables_of, write_exports
from gapforge.release.settings import ReleaseSettings
from gapforge.release.write import citation_file, completed, render_descriptions, write_json, write_text
from gapforge.winobias.templates import Occupation, Scene, expand

VERSIONS = {"python": "3.11.4", "gapforge": "0.1.0", "pyarrow": "1.2"}
SETTINGS = ReleaseSettings(name="tiny", title="Tiny", version="1.2.3", license="cc-by-4.0")


def span_in(text: str, words: str, start: int = 0) -> Span:
    at = text.index(words, start)
    return Span(at, at + len(words))


def example(n: int, split: str, gender: str = "feminine", label: str = "A", **changes) -> LabelledExample:
    """A GAP example of its own document, with a line break and a quotation mark in its text."""
    a, b, pronoun = ("Ann Lee", "Mary Bell", "she") if gender == "feminine" else ("Tom Lee", "John Bell", "he")
    text = f'Letter {n} was "lost".\n\n{a} wrote to {b} when {pronoun} heard.'
    found = LabelledExample(
        id=f"wiki-{n}",
        corpus="wiki",
        document_id=f"page-{n}",
        url=f"https://example.org/{n}",
        start=10 * n,
        text=text,
        pattern="FINALPRO",
        gender=gender,
        pronoun=span_in(text, pronoun, text.index("when")),
        name_a=span_in(text, a),
        name_b=span_in(text, b),
        page_entity=n % 2 == 0,
        reading=0,
        label=label,
        agreement=1.0,
        standard="gold",
        split=split,
    )
    return dataclasses.replace(found, **changes)


NAMES = {"feminine": ("Ann", "Mary"), "masculine": ("Tom", "John")}
WORDS = {"feminine": ("she", "her"), "masculine": ("he", "his")}


def quadruple(n: int, gender: str = "feminine", label: str = "B") -> list[LabelledInstance]:
    other = {"feminine": "masculine", "masculine": "feminine"}[gender]
    names = dict(zip(("C1", "C2", "O1", "O2"), (*NAMES[gender], *NAMES[other]), strict=True))
    found = []
    for variant, places in PLACES.items():
        own = gender if variant in ("original", "control") else other
        said = {role: names[places[role]] for role in names}
        pronoun, possessive = WORDS[own]
        text = (
            f"Story {n}. {said['O1']} and {said['O2']} slept. {said['C1']} told {said['C2']} that {pronoun} lost "
            f"{possessive} “ring”."
        )
        people = [
            Person(
                role,
                said[role],
                own if role[0] == "C" else {"feminine": "masculine", "masculine": "feminine"}[own],
                [span_in(text, said[role])],
            )
            for role in names
        ]
        found.append(
            LabelledInstance(
                id=f"book-{n}" + ("" if variant == "original" else f"-{variant}"),
                corpus="books",
                document_id=f"book-{n}",
                url="",
                start=0,
                text=text,
                pattern="FINALPRO",
                gender=own,
                pronoun=span_in(text, f" {pronoun} ", text.index("that")),
                name_a=people[0].mentions[0],
                name_b=people[1].mentions[0],
                page_entity=False,
                reading=0,
                people=people,
                quadruple_id=f"book-{n}",
                variant=variant,
                contradictions=[],
                label=label,
                agreement=1.0,
                standard="gold",
            )
        )
    return [
        dataclasses.replace(it, pronoun=Span(it.pronoun.start + 1, it.pronoun.end - 1)) for it in found
    ]  # without the blanks that told the pronoun from the rest of a word


def examples() -> list[LabelledExample]:
    return [
        example(1, "development"),
        example(2, "development", "masculine"),
        example(3, "validation", label="B"),
        example(4, "validation", "masculine", label="B"),
        example(5, "test"),
        example(6, "test", "masculine"),
        example(7, "test", label="neither"),
        example(8, "test", "masculine", label="neither"),
    ]


WEIGHTS = [
    Weight("wiki-5", "feminine", 2, 2, 1.0),
    Weight("wiki-6", "masculine", 2, 2, 1.0),
    Weight("wiki-7", "feminine", 2, None, 0.0),
    Weight("wiki-8", "masculine", 2, None, 0.0),
]


def edit(start: int, end: int, new: str, **changes) -> AcceptedEdit:
    found = AcceptedEdit(start, end, new, new.strip(), "adverb", 0, 0.25, 0.75, 0.5, 0.875, None)
    return dataclasses.replace(found, **changes)


def subjective(it: LabelledExample, *edits: AcceptedEdit) -> SubjectiveExample:
    """The variant of an example by edits that touch neither pronoun nor names; they are given from first to last."""
    text = it.text
    for each in reversed(edits):
        text = text[: each.start] + each.new + text[each.end :]

    def moved(span: Span) -> Span:
        by = sum(len(each.new) - (each.end - each.start) for each in edits if each.end <= span.start)
        return Span(span.start + by, span.end + by)

    spans = {name: moved(getattr(it, name)) for name in ("pronoun", "name_a", "name_b")}
    told = {"original_text": it.text, "converted": bool(edits), "edits": list(edits)}
    return SubjectiveExample(**fields_of(it) | spans | {"text": text} | told)


def variant(it: LabelledExample) -> SubjectiveExample:
    """Sadly lost and shocked, or, of every fourth example, as it was."""
    lost, heard = it.text.index('"lost'), it.text.index("heard")
    edits = [edit(lost, lost, "sadly "), edit(heard, heard + 5, "was shocked", kind="verb")]
    return subjective(it, *(edits if int(it.id.rpartition("-")[2]) % 4 else []))


def sentences() -> list[WinoBiasSentence]:
    """Two scenes, one of each split, and two occupations: eight sentences."""
    scenes = [
        Scene(
            "type1",
            n,
            f"{{A}} saw {{B}} on day {n} because {{he}} looked.",
            f"{{A}} saw {{B}} on day {n}: {{he}} was late.",
        )
        for n in range(2)
    ]
    return list(expand(scenes, [Occupation("cook", 38), Occupation("nurse", 90)]))


def tables(gap=None, instances=None, weights=None, variants=None, winobias=None):
    gap = examples() if gap is None else gap
    return tables_of(
        gap,
        [*quadruple(1), *quadruple(2, "masculine")] if instances is None else instances,
        [variant(it) for it in gap] if variants is None else variants,
        sentences() if winobias is None else winobias,
        WEIGHTS if weights is None else weights,
        "test",
    )


def made(name: str, settings: dict, inputs: dict | None = None, notes: tuple[str, ...] = (), **changes) -> Made:
    identity = Identity(name, settings, inputs or {}, {}, CodeIdentity({}, {}, {}), {})
    manifest = Manifest(identity, identity.fingerprint, 10, 8, {"page limit": 2}, 1.5, 1 << 20, VERSIONS, {})
    return Made(dataclasses.replace(manifest, **changes), list(notes))


STAGES = {
    "Documents-wiki": made("Documents-wiki", {"format": "wikipedia"}, {"/home/me/dump.xml": "aa" * 32}),
    "Judgements-gap": made("Judgements-gap", {"source": "author"}),
    "GapLabelled": made("GapLabelled", {}, notes=("8 judgements",)),
    "Judgements-counter-gap": made("Judgements-counter-gap", {"source": "file"}),
    "QuadruplesLabelled": made("QuadruplesLabelled", {}),
    "SubjectiveProposals": made(
        "SubjectiveProposals", {"hooks": {"transfer": {"rules": ""}}, "options": {"transfer.model": "x"}, "seed": 0}
    ),
    "SubjectiveSentences": made(
        "SubjectiveSentences", {"thresholds": {"gleu_above": {"value": 0.8, "source": "paper"}, "similar": None}}
    ),
    "GapSubjective": made("GapSubjective", {}, notes=("6 contexts converted",)),
    "WinoBias": made("WinoBias", {"include": True, "occupations": "", "scenes": ""}),
    "GapWeights": made("GapWeights", {"properties": {"number": "", "distance": ""}}),
}


def provenance(of, settings: ReleaseSettings = SETTINGS, stages=None):
    stages = STAGES if stages is None else stages
    return provenance_of(of, stages, completed(settings, "tiny", of, stages), VERSIONS, {})


def write_release(folder: Path, of=None, settings: ReleaseSettings = SETTINGS, errata=(), told=None) -> Path:
    """A whole release, but for the audit; `told` is what the provenance tells of in place of the tables."""
    of = tables() if of is None else of
    folder.mkdir(parents=True, exist_ok=True)
    record = provenance(told or of, settings)
    write_tables(of, folder)
    write_exports(of, folder)
    write_json(folder / PROVENANCE, record)
    write_errata(folder / ERRATA, errata)
    write_text(folder / CITATION, citation_file(record))
    for name, text in render_descriptions(folder, of, record).items():
        write_text(folder / name, text)
    write_sums(folder)
    return folder
