"""Rows and runs made by hand, for the tests of the report."""

import re

from pipeline.evaluation.gold import ANSWERS, items_of_released
from pipeline.evaluation.predictions import Predictions
from pipeline.evaluation.systems import score_systems
from pipeline.extraction.pronouns import GENDERS
from pipeline.parts import Identity, Manifest
from pipeline.records import OTHER, Person, ReleasedExample, ReleasedInstance, Span, Weight
from pipeline.release.report import Run

TEXT = "Ann met Ida at noon. She left."


def columns(id, text, pronoun, a, b, label, pattern="FINALPRO", **changes):
    """The columns that all rows have; each of the words stands at its first place in the text."""
    a_coref, b_coref = ANSWERS[label]
    return {
        "id": id,
        "text": text,
        "pronoun": pronoun,
        "pronoun_offset": re.search(rf"\b{pronoun}\b", text).start(),
        "a": a,
        "a_offset": text.index(a),
        "a_coref": a_coref,
        "b": b,
        "b_offset": text.index(b),
        "b_coref": b_coref,
        "url": "https://example.org/d-1",
        "gender": GENDERS[pronoun.lower()],
        "pattern": pattern,
        "label": label,
        "agreement": 1.0,
        "standard": "gold",
        "corpus": "made",
        "document_id": "d-1",
        "document_offset": 0,
    } | changes


def make_example(
    id="e-1", text=TEXT, pronoun="She", a="Ann", b="Ida", label="A", page_entity=True, weight=None, **more
):
    return ReleasedExample(**columns(id, text, pronoun, a, b, label, **more), page_entity=page_entity, weight=weight)


SCENE = "{C1} told {C2} that {O1} was late. {O2} nodded, and {she} left. {C1} wept."
WHO = {
    "original": ("C1", "C2", "O1", "O2"),
    "control": ("C2", "C1", "O2", "O1"),
    "swap-1": ("O1", "O2", "C1", "C2"),
    "swap-2": ("O2", "O1", "C2", "C1"),
}


def make_quadruple(id="q-1", scene=SCENE, names=("Ann", "Ida Roy", "Bo", "Cy"), label="A", pattern="FINALPRO", **more):
    """The four texts of a scene with a feminine original."""
    of = dict(zip(("C1", "C2", "O1", "O2"), names, strict=True))
    rows = []
    for variant, places in WHO.items():
        cast = {role: of[place] for role, place in zip(of, places, strict=True)}
        gender = "masculine" if "swap" in variant else "feminine"
        pronoun = {"feminine": "she", "masculine": "he"}[gender]
        text, mentions = "", {role: [] for role in of}
        for plain, role in re.findall(r"([^{]*)(?:\{(\w+)\})?", scene):
            word = cast.get(role, pronoun if role else "")
            if role in of:
                mentions[role].append(Span(len(text + plain), len(text + plain + word)))
            text += plain + word
        people = [Person(role, cast[role], gender if role[0] == "C" else OTHER[gender], mentions[role]) for role in of]
        shared = columns(
            id if variant == "original" else f"{id}-{variant}", text, pronoun, cast["C1"], cast["C2"], label, pattern
        )
        rows.append(
            ReleasedInstance(**shared | more, quadruple_id=id, variant=variant, people=people, contradictions=[])
        )
    return rows


def make_manifest(stage="Documents", rows_in=10, rows=7, rejects=None, seconds=1.5, memory=250_000_000, model=""):
    identity = Identity(stage, 1, {}, {}, {}, model)
    return Manifest(
        identity=identity,
        fingerprint=identity.fingerprint,
        rows_in=rows_in,
        rows=rows,
        rejects={"too short": 3} if rejects is None else rejects,
        seconds=seconds,
        memory=memory,
        versions={},
        files={"part-00000.parquet": (2000, "0" * 64)},
    )


def make_weight(id="e-1", gender="feminine", names=3, rank=1, weight=1.0):
    return Weight(id, gender, names, rank, weight)


def measure(rows, kind, answers, weights=None):
    said = {name: Predictions({id: ANSWERS[label] for id, label in its.items()}) for name, its in answers.items()}
    return score_systems([items_of_released(row) for row in rows], kind, said, weights, 100, 0, kind)


def make_run(**changes):
    """A small run with all there can be in a report; `first` is always right, `second` says A."""
    gap = {
        "development": [make_example("e-1"), make_example("e-2", "Al met Bo. He left.", "He", "Al", "Bo", "B")],
        "test": [
            make_example("e-3", weight=1.5),
            make_example("e-4", "Al met Bo. He left.", "He", "Al", "Bo", "B", page_entity=False, weight=1.0),
            make_example("e-5", label="neither", weight=0.0),
        ],
    }
    counter_gap = [*make_quadruple("q-1"), *make_quadruple("q-2", label="B"), *make_quadruple("q-3", label="neither")]
    tests = {"gap": gap["test"], "counter-gap": counter_gap}
    answers = {
        kind: {"first": {row.id: row.label for row in rows}, "second": {row.id: "A" for row in rows}}
        for kind, rows in tests.items()
    }
    weights = [
        make_weight("e-3", "feminine", 2, 2, 1.5),
        make_weight("e-4", "masculine", 2, 1, 1.0),
        make_weight("e-5", "feminine", 2, None, 0.0),
    ]
    values = {
        "title": "gapforge made 0.1.0",
        "version": "0.1.0",
        "stages": {"Documents": make_manifest(), "Candidates": make_manifest("Candidates", 7, 12, {})},
        "gap": gap,
        "counter_gap": counter_gap,
        "weights": weights,
        "results": {kind: measure(rows, kind, answers[kind]) for kind, rows in tests.items()},
        "answers": answers,
        "resolvers": ["first", "second"],
        "labelled_by": {"gap": "annotators", "counter-gap": "author"},
        "notes": ["Made by hand."],
    }
    return Run(**values | changes)
