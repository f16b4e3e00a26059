"""The subjective variant as stages, on the embedded sample: what they hold, and what makes which of them stale."""

import hashlib
from collections import Counter
from pathlib import Path

import pytest

from gapforge.edits import Edit, Rewriting
from gapforge.engine.parts import read_manifest, read_notes, read_parts
from gapforge.errors import ConfigError
from gapforge.records import (
    GrammarCount,
    LabelledExample,
    Span,
    SubjectiveExample,
    SubjectiveProposal,
    SubjectiveSentence,
)
from gapforge.storage.files import json_line
from gapforge_tasks.runs import build, plan

CONFIG = Path("config/sample.toml")
OUTPUT = Path("output/sample")
STAGES = {
    "Grammar": GrammarCount,
    "SubjectiveProposals": SubjectiveProposal,
    "SubjectiveSentences": SubjectiveSentence,
    "GapSubjective": SubjectiveExample,
}
# What the embedded sample gives: the number of records, and the first digits of their sha256.
GOLDEN = {
    "Grammar": (6304, "3236a20a1f07d9df"),
    "SubjectiveProposals": (516, "b5ac92ce91bee8fa"),
    "SubjectiveSentences": (225, "288800b910dc2dff"),
    "GapSubjective": (68, "5f5828d4851c73d9"),
}
OURS = set(STAGES)
DECIDED = {"SubjectiveSentences", "GapSubjective"}


@pytest.fixture
def configure(sample_copy, next_run):
    """Add a section to the config, and go on as the next run."""
    text = CONFIG.read_text("utf-8")

    def write(more):
        CONFIG.write_text(f"{text}\n{more}\n", "utf-8")
        next_run()

    return write


def stale_of_ours():
    return {stage.name for stage in plan(CONFIG) if stage.why_stale()} & OURS


def records(name):
    return list(read_parts(OUTPUT / name, STAGES[name]))


def test_the_sample_s_subjective_stages_are_pinned(sample_copy):
    found = {}
    for stage in plan(CONFIG):
        if stage.name in STAGES:
            lines = [json_line(it) for it in records(stage.name)]
            found[stage.name] = (len(lines), hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16])
    assert found == GOLDEN


def test_the_variant_keeps_size_order_labels_names_and_pronouns(sample_copy):
    labelled = list(read_parts(OUTPUT / "GapLabelled", LabelledExample))
    variants = records("GapSubjective")
    assert [it.id for it in variants] == [it.id for it in labelled]
    for before, after in zip(labelled, variants, strict=True):
        assert (before.label, before.split, before.gender) == (after.label, after.split, after.gender)
        assert after.original_text == before.text
        for name in ("name_a", "name_b", "pronoun"):
            old, new = getattr(before, name), getattr(after, name)
            words = before.text[old.start : old.end], after.text[new.start : new.end]
            assert words[0].lower() == words[1].lower() if name == "pronoun" else words[0] == words[1]
        rewriting = Rewriting(before.text, [Edit(Span(it.start, it.end), it.new) for it in after.edits])
        assert rewriting.text == after.text
        assert after.converted == (after.text != before.text) == bool(after.edits)


def test_a_good_part_of_the_sample_is_converted(sample_copy):
    variants, sentences = records("GapSubjective"), records("SubjectiveSentences")
    assert sum(it.converted for it in variants) / len(variants) >= 0.5
    assert sum(it.kept for it in sentences) / len(sentences) >= 0.25


def test_every_sentence_has_one_decision_and_every_refusal_a_reason(sample_copy):
    sentences = records("SubjectiveSentences")
    assert max(Counter((it.instance_id, it.number) for it in sentences).values()) == 1
    proposals = {(it.instance_id, it.number) for it in records("SubjectiveProposals")}
    assert {(it.instance_id, it.number) for it in sentences} == proposals
    assert all(it.kept != bool(it.reasons) for it in sentences)


def test_notes_tell_the_tables(sample_copy):
    notes = read_notes(OUTPUT / "GapSubjective")
    assert [note.partition(":")[0] for note in notes[:4]] == ["development", "validation", "test", "all"]
    assert notes[4] == "offsets found: 100.00 %"


@pytest.mark.parametrize(
    ("more", "stale"),
    [
        ("", set()),
        ("objective = { value = 0.4 }", DECIDED),
        ('fluent = { value = 0.12, source = "chosen" }', DECIDED),
        ('gleu_above = { value = 0.9, source = "chosen" }', DECIDED),
        ("largest_share = { value = 0.5 }", DECIDED),
        ("attempts = 2", OURS - {"Grammar"}),
        ("seed = 1", OURS - {"Grammar"}),
        ("shards = 3", OURS - {"Grammar"}),
        ("sentences = 10", OURS),
        ('options = { "fluency.counts" = "" }', OURS - {"Grammar"}),
    ],
)
def test_a_setting_makes_stale_what_it_decides(configure, more, stale):
    configure(f"[subjectivity]\n{more}")
    assert stale_of_ours() == stale


def test_another_threshold_is_decided_without_scoring_anew(configure):
    before = read_manifest(OUTPUT / "SubjectiveProposals")
    configure("[subjectivity]\nobjective = { value = 0.0 }")
    build([stage for stage in plan(CONFIG) if stage.name in OURS])
    assert read_manifest(OUTPUT / "SubjectiveProposals") == before
    assert not any(it.converted for it in records("GapSubjective"))
    assert all("already subjective" in it.reasons for it in records("SubjectiveSentences"))


@pytest.mark.process
def test_the_number_of_shards_changes_no_decision(configure):
    before = records("SubjectiveSentences")
    configure("[subjectivity]\nshards = 3")
    build([stage for stage in plan(CONFIG) if stage.name in OURS])
    assert records("SubjectiveSentences") == before


def test_a_fluency_that_counts_nothing_needs_no_grammar(configure, monkeypatch, tmp_path):
    (tmp_path / "fluent.py").write_text(
        "from gapforge.subjectivity.hooks import passes\n\n\n"
        '@passes(1.0, "chosen")\ndef flat(sentences):\n    return [1.0 for _ in sentences]\n',
        "utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    configure('[subjectivity]\nfluency = "fluent:flat"')
    assert "Grammar" not in {stage.name for stage in plan(CONFIG)}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            'detector = "lexicons"',
            "[subjectivity] detector: unknown plug-in 'lexicons', and no 'package.module:function'; "
            "did you mean 'lexicon'?",
        ),
        (
            'fluency = "json:dumps"',
            "[subjectivity] fluency 'json:dumps' names no threshold of its own; "
            "set fluent = { value = …, source = … }, or --threshold fluent=…",
        ),
        ('options = { "detector.size" = "3" }', "lexicon: unknown option 'size'; it takes none"),
        (
            'options = { "similarity.model" = "x" }',
            "[subjectivity] option 'similarity.model' is of no hook that is named; leave it out",
        ),
        ("objective = 0.6", "[subjectivity] objective must be a table, found 0.6"),
        (
            'objective = { value = 0.6, source = "guessed" }',
            '[subjectivity] objective source must be "paper", "chosen" or "calibrated on …", found \'guessed\'',
        ),
        ("attempts = 0", "[subjectivity] attempts must be 1 or more, found 0"),
    ],
)
def test_a_bad_setting_is_found_before_the_work(configure, more, message):
    configure(f"[subjectivity]\n{more}")
    with pytest.raises(ConfigError) as caught:
        plan(CONFIG)
    assert str(caught.value) == f"config/sample.toml: {message}"
