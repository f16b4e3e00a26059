"""Rows and runs made by hand, for the tests of the report."""

import re

from gapforge.engine.identity import CodeIdentity, Identity
from gapforge.engine.parts import Manifest
from gapforge.evaluation.comparison import score_systems
from gapforge.evaluation.files import Predictions
from gapforge.evaluation.gold import ANSWERS, items_of_released
from gapforge.evaluation.subjective import with_changes
from gapforge.evaluation.winobias import Answers, score_answers
from gapforge.groups import GENDERS
from gapforge.records import OTHER, AcceptedEdit, Person, Span, Weight, fields_of
from gapforge.release.run_report import Run
from gapforge.released import ReleasedExample, ReleasedInstance, ReleasedSubjective
from gapforge.winobias.forms import as_published
from gapforge.winobias.templates import Occupation, Scene, expand

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


def make_variant(row, old="", new=""):
    """The subjective variant of an example, with other words for some of it."""
    place = row.text.index(old)
    edits = [AcceptedEdit(place, place + len(old), new, new.strip(), "adverb", 0, 0.2, 0.7, 0.1, 0.9, None)] * bool(new)
    shared = {name: value for name, value in fields_of(row).items() if name != "weight"}
    text = row.text.replace(old, new, 1) if new else row.text

    def moved(at):
        return at + (len(new) - len(old)) * bool(new and place + len(old) <= at)

    offsets = {name: moved(shared[name]) for name in ("pronoun_offset", "a_offset", "b_offset")}
    told = {"text": text, "original_text": row.text, "converted": bool(edits), "edits": edits}
    return ReleasedSubjective(**shared | offsets | told)


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
    identity = Identity(stage, {}, {}, {}, CodeIdentity({}, {}, {}), {"model": model} if model else {})
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
    return score_systems([items_of_released(row) for row in rows], kind, said_by(answers), weights, 100, 0, kind)


def said_by(answers):
    return {name: Predictions({id: ANSWERS[label] for id, label in its.items()}) for name, its in answers.items()}


def measure_change(rows, variants, answers, variant_answers):
    """The figures on the subjective variant, with the change since GAP."""
    result = measure(variants, "gap-subjective", variant_answers)
    items = [[items_of_released(row) for row in its] for its in (rows, variants)]
    return with_changes(result, *items, said_by(answers), said_by(variant_answers), 100, 0)


# As `gapforge.subjectivity.variants` tells of a run, with figures of nobody's.
SUMMARY = {
    "sentences": {
        "development": {"sentences": 4, "within_gleu": 2, "within_perplexity": 3, "objective": 4, "final": 1},
        "test": {"sentences": 1200, "within_gleu": 400, "within_perplexity": 700, "objective": 1000, "final": 300},
        "all": {"sentences": 1204, "within_gleu": 402, "within_perplexity": 703, "objective": 1004, "final": 301},
    },
    "contexts": {
        "development": {"contexts": 2, "converted": 1},
        "test": {"contexts": 3, "converted": 2},
        "all": {"contexts": 5, "converted": 3},
    },
    "offsets": {
        "development": {"contexts": 2, "pronoun": 2, "a": 2, "b": 1, "all": 1},
        "test": {"contexts": 3, "pronoun": 3, "a": 3, "b": 3, "all": 3},
        "all": {"contexts": 5, "pronoun": 5, "a": 5, "b": 4, "all": 4},
    },
    "refused": {"gleu": 700, "not fluent": 203},
    "kinds": {"adverb": 200, "adjective": 101},
    "phrases": {"different": 40, "most_common": [["sadly", 75], ["famous", 60]], "largest_share": 0.25},
    "subjectivity": {"before": 0.21, "after": 0.64, "raised": 0.985},
}


SCENES = [Scene("type1", 0, "{A} saw {B} as {he} looked.", "{A} saw {B}: {he} was late.")]
WINOBIAS = list(expand(SCENES, [Occupation("cook", 38), Occupation("nurse", 90)]))


def measure_links():
    """Figures of `first`, which is always right, and of `second`, which goes by the stereotype."""
    right = {it.id: (True, False) for it in WINOBIAS}
    biased = {it.id: (it.condition == "pro", it.condition == "anti") for it in WINOBIAS}
    answers = {"first": Answers(right, {}, {}), "second": Answers(biased, {}, {})}
    return score_answers([as_published(it) for it in WINOBIAS], answers, 100, 0)


def make_run(**changes):
    """A small run with all there can be in a report; `first` is always right, `second` says A.

    Where GAP's first test is made subjective, `second` names nobody.
    """
    gap = {
        "development": [make_example("e-1"), make_example("e-2", "Al met Bo. He left.", "He", "Al", "Bo", "B")],
        "test": [
            make_example("e-3", weight=1.5),
            make_example("e-4", "Al met Bo. He left.", "He", "Al", "Bo", "B", page_entity=False, weight=1.0),
            make_example("e-5", label="neither", weight=0.0),
        ],
    }
    subjective = {
        "development": [make_variant(gap["development"][0], "left", "sadly left"), make_variant(gap["development"][1])],
        "test": [
            make_variant(gap["test"][0], "noon", "the awful hour of noon"),
            make_variant(gap["test"][1], "met", "finally met"),
            make_variant(gap["test"][2]),
        ],
    }
    counter_gap = [*make_quadruple("q-1"), *make_quadruple("q-2", label="B"), *make_quadruple("q-3", label="neither")]
    tests = {"gap": gap["test"], "counter-gap": counter_gap, "gap-subjective": subjective["test"]}
    answers = {
        kind: {"first": {row.id: row.label for row in rows}, "second": {row.id: "A" for row in rows}}
        for kind, rows in tests.items()
    }
    answers["gap-subjective"]["second"]["e-3"] = "neither"
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
        "subjective": subjective,
        "weights": weights,
        "summary": SUMMARY,
        "settings": [("transfer", "rules", ""), ("GLEU, above", "0.8", "paper")],
        "results": {
            "gap": measure(gap["test"], "gap", answers["gap"]),
            "counter-gap": measure(counter_gap, "counter-gap", answers["counter-gap"]),
            "gap-subjective": measure_change(
                gap["test"], subjective["test"], answers["gap"], answers["gap-subjective"]
            ),
            "winobias": measure_links(),
        },
        "answers": answers,
        "resolvers": ["first", "second"],
        "labelled_by": {"gap": "annotators", "counter-gap": "author", "gap-subjective": "annotators"},
        "notes": ["Made by hand."],
        "winobias": WINOBIAS,
    }
    return Run(**values | changes)
