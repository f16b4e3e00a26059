"""A small release made by hand, for the tests of that room: three GAP splits, a quadruple of each gender, weights."""

import dataclasses
from pathlib import Path

from pipeline.counterfactuals.quadruples import PLACES
from pipeline.parts import Identity, Manifest
from pipeline.records import LabelledExample, LabelledInstance, Person, Span, Weight
from pipeline.release.errata import write_errata
from pipeline.release.layout import CITATION, ERRATA, PROVENANCE, write_sums, write_tables
from pipeline.release.provenance import Made, provenance_of
from pipeline.release.rows import tables_of, write_exports
from pipeline.release.settings import ReleaseSettings
from pipeline.release.writing import citation_file, completed, render_descriptions, write_json, write_text

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


def tables(gap=None, instances=None, weights=None):
    return tables_of(
        examples() if gap is None else gap,
        [*quadruple(1), *quadruple(2, "masculine")] if instances is None else instances,
        WEIGHTS if weights is None else weights,
        "test",
    )


def made(name: str, settings: dict, inputs: dict | None = None, notes: tuple[str, ...] = (), **changes) -> Made:
    identity = Identity(name, 1, settings, inputs or {}, {}, "")
    manifest = Manifest(identity, identity.fingerprint, 10, 8, {"page limit": 2}, 1.5, 1 << 20, VERSIONS, {})
    return Made(dataclasses.replace(manifest, **changes), list(notes))


STAGES = {
    "Documents-wiki": made("Documents-wiki", {"format": "wikipedia"}, {"/home/me/dump.xml": "aa" * 32}),
    "Judgements-gap": made("Judgements-gap", {"source": "author"}),
    "GapLabelled": made("GapLabelled", {}, notes=("8 judgements",)),
    "Judgements-counter-gap": made("Judgements-counter-gap", {"source": "file"}),
    "QuadruplesLabelled": made("QuadruplesLabelled", {}),
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
