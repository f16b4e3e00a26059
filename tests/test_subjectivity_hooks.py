"""Hooks by name: built-in ones, those of a user's module, and every fault of theirs in words."""

import dataclasses
from pathlib import Path

import pytest

from gapforge.errors import ConfigError
from gapforge.records import Span, SubjectiveEdit
from gapforge.subjectivity.checks import check_hook
from gapforge.subjectivity.decisions import decide
from gapforge.subjectivity.hooks import (
    HOOKS,
    ROLES,
    SubjectivitySettings,
    Threshold,
    ask,
    faults,
    find_hook,
    hook_targets,
    passes,
    proposals_for,
    scores,
    takes,
    threshold_of,
    thresholds_of,
)
from gapforge.subjectivity.proposals import Passage, score_passages

PLUGINS = """
from gapforge.records import Span, SubjectiveEdit
from gapforge.subjectivity.hooks import passes

@passes(0.25, "calibrated on ten sentences")
def capitals(sentences, *, most: int = 100, spacy_model="none"):
    return [min(most, sum(letter.isupper() for letter in it)) / 100 for it in sentences]

@passes(-1, "paper")
def length(sentences):
    return [-len(it) for it in sentences]

def silent(sentences):
    return [0 for _ in sentences]

def loud(sentences, protected, seed, attempts, *, mark="!"):
    return [
        [[SubjectiveEdit(Span(len(it) - 1, len(it)), mark * n, mark * n, "loud")] for n in range(1, 6)]
        for it in sentences
    ]

def length_only(sources, targets):
    return [["length"] if len(one) != len(other) else [] for one, other in zip(sources, targets)]

@passes(0.9, "chosen")
def same_end(sources, targets):
    return [1.0 if one[-1] == other[-1] else 0.5 for one, other in zip(sources, targets)]

def edits(sentences, protected, seed, attempts, *, start=0, end=0, new="x "):
    return [[[SubjectiveEdit(Span(int(start), int(end)), new, "x", "own")]] for _ in sentences]

def twice(sentences, protected, seed, attempts):
    return [[[SubjectiveEdit(Span(4, 6), "x", "x", "own"), SubjectiveEdit(Span(0, 5), "y", "y", "own")]]
            for _ in sentences]

def nothing_new(sentences, protected, seed, attempts):
    return [[[], []] for _ in sentences]

def too_few(sentences, *more):
    return []

def too_many(sentences, *more):
    return [0.5] * (len(sentences) + 1)

def fails(sentences, *more):
    raise KeyError("weights")

def gives(sentences, *more, what="none"):
    answers = {"none": None, "text": "names", "nan": float("nan"), "inf": float("inf"), "flat": [None],
               "numbers": [1], "texts": [["x"]]}
    return [answers[what] for _ in sentences]

def single(sentences, *more):
    return 7

NUMBER = 3
"""
ANN = "Ann Lee left Paris."


@pytest.fixture
def plugins(tmp_path, monkeypatch):
    name = f"hooks_{tmp_path.name}".replace("-", "_")
    (tmp_path / f"{name}.py").write_text(PLUGINS, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return name


def score(passages, **settings):
    """Every record of the passages, without the model: nothing but the given hooks and light ones."""
    return list(score_passages(passages, SubjectivitySettings(**settings), {}))


# ---- found by name


@pytest.mark.parametrize(("role", "name"), [(role, name) for role in ROLES for name in HOOKS[role]])
def test_every_built_in_one_is_there(role, name):
    assert callable(find_hook(role, name))


@pytest.mark.parametrize(
    ("role", "name", "message"),
    [
        ("detector", "lexcon", "unknown plug-in 'lexcon', and no 'package.module:function'; did you mean 'lexicon'?"),
        ("transfer", "rule", "unknown plug-in 'rule', and no 'package.module:function'; did you mean 'rules'?"),
        (
            "fluency",
            "gpt",
            "unknown plug-in 'gpt', and no 'package.module:function'; choose from causal, grammar",
        ),
        ("content", "invariant", "unknown plug-in 'invariant', and no 'package.module:function'; "
                                 "did you mean 'invariants'?"),
        ("similarity", "grammar", "unknown plug-in 'grammar', and no 'package.module:function'; choose from embedding"),
        (
            "detector",
            "no_such_package:f",
            "cannot load 'no_such_package:f': no module 'no_such_package' is installed, and none is in HERE; "
            "install the package, or put the module into one of these folders",
        ),
        (
            "detector",
            "gapforge.subjectivity.hooks:ROLES",
            "cannot use 'gapforge.subjectivity.hooks:ROLES': it is a tuple, not a function",
        ),
    ],
)  # fmt: skip
def test_names_that_are_not_there(role, name, message):
    with pytest.raises(ConfigError) as caught:
        find_hook(role, name)
    assert str(caught.value).replace(str(Path.cwd()), "HERE") == f"[subjectivity] {role}: {message}"


def test_where_hooks_are_defined(plugins):
    settings = SubjectivitySettings(detector=f"{plugins}:capitals")
    assert hook_targets(settings)[:2] == [f"{plugins}:capitals", "gapforge.subjectivity.transfer:rules"]


# ---- thresholds


@pytest.mark.parametrize("source", ["paper", "chosen", "calibrated on WNC", "calibrated on x: 90 % pass"])
def test_sources_of_thresholds(source):
    assert Threshold(0.5, source).source == source


@pytest.mark.parametrize("source", ["", "Paper", "guess", "calibrated", "calibrated on", "calibrated on ", "the paper"])
def test_sources_that_are_none(source):
    with pytest.raises(ValueError) as caught:
        Threshold(0.5, source)
    assert str(caught.value) == f'source must be "paper", "chosen" or "calibrated on …", found {source!r}'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_values_that_are_none(value):
    with pytest.raises(ValueError) as caught:
        Threshold(value)
    assert str(caught.value) == f"value must be a finite number, found {value}"


def test_a_hook_names_its_threshold_and_a_config_another(plugins):
    own = Threshold(0.25, "calibrated on ten sentences")
    assert threshold_of("detector", f"{plugins}:capitals", None) == own
    assert threshold_of("detector", f"{plugins}:capitals", Threshold(0.7)) == Threshold(0.7, "chosen")
    assert threshold_of("detector", f"{plugins}:silent", Threshold(0.0)) == Threshold(0.0, "chosen")


@pytest.mark.parametrize(
    ("role", "setting"), [("detector", "objective"), ("fluency", "fluent"), ("similarity", "similar")]
)
def test_a_hook_without_a_threshold(plugins, role, setting):
    with pytest.raises(ConfigError) as caught:
        threshold_of(role, f"{plugins}:silent", None)
    assert str(caught.value) == (
        f"[subjectivity] {role} '{plugins}:silent' names no threshold of its own; "
        f"set {setting} = {{ value = …, source = … }}, or --threshold {setting}=…"
    )


def test_passes_refuses_an_unknown_source():
    with pytest.raises(ValueError, match="found 'somewhere'"):
        passes(1, "somewhere")(len)


# ---- options


def test_options(plugins):
    name = f"{plugins}:capitals"
    assert ask("detector", name, {"most": "2"}, ["ABC", "a"]) == [0.02, 0.0]
    assert takes("detector", name, "most") and takes("detector", name, "spacy_model")
    assert not takes("detector", name, "sentences")
    with pytest.raises(ConfigError) as caught:
        check_hook("detector", name, {"least": 1})
    assert str(caught.value) == f"{name}: unknown option 'least'; it takes most, spacy_model"
    with pytest.raises(ConfigError) as caught:
        ask("detector", name, {"most": "many"}, ["A"])
    assert str(caught.value) == f"{name}: option most is 'many'; wanted a whole number"


# ---- own hooks are used


def test_all_five_of_a_users_own(plugins):
    names = {
        role: f"{plugins}:{function}"
        for role, function in (
            ("detector", "capitals"),
            ("transfer", "loud"),
            ("fluency", "length"),
            ("content", "length_only"),
            ("similarity", "same_end"),
        )
    }
    settings = SubjectivitySettings(**names, options={"transfer.mark": "?"}, attempts=2, largest_share=Threshold(1.0))
    found = list(score_passages([Passage("1", ANN, (Span(0, 7),))], settings, {"spacy_model": "other"}))
    assert [it.proposal for it in found] == ["Ann Lee left Paris?", "Ann Lee left Paris??"]
    assert [it.subjectivity for it in found] == [0.03, 0.03]
    assert [it.proposal_subjectivity for it in found] == [0.03, 0.03]
    assert [(it.log_perplexity, it.proposal_log_perplexity) for it in found] == [(-19, -19), (-19, -20)]
    assert [it.broken for it in found] == [[], ["length"]]
    assert [it.cosine for it in found] == [0.5, 0.5]
    # 10 n-grams are without the mark, of 14 and 18
    assert [it.gleu for it in found] == [round(10 / 14, 6), round(10 / 18, 6)]
    thresholds = thresholds_of(settings)
    assert (thresholds.objective, thresholds.fluent, thresholds.similar) == (
        Threshold(0.25, "calibrated on ten sentences"),
        Threshold(-1, "paper"),
        Threshold(0.9, "chosen"),
    )
    (decided,) = decide(found, thresholds, 0)
    assert decided.reasons == ["not fluent", "too different", "not similar"]
    lenient = dataclasses.replace(
        settings, fluent=Threshold(0.0), gleu_above=Threshold(0.6), similar=Threshold(0.5), attempts=1
    )
    (decided,) = decide(found[:1], thresholds_of(lenient), 0)
    assert (decided.kept, decided.proposal) == (True, "Ann Lee left Paris?")


def test_only_so_many_proposals_are_looked_at(plugins):
    assert [len(its) for its in proposals_for(f"{plugins}:loud", {}, ["A.", "B."], [[], []], 0, 3)] == [3, 3]


def test_a_proposal_without_edits_is_none(plugins):
    assert proposals_for(f"{plugins}:nothing_new", {}, ["A."], [[]], 0, 3) == [[]]
    (record,) = score([Passage("1", ANN, ())], transfer=f"{plugins}:nothing_new")
    assert (record.proposal, record.gleu, record.edits) == (None, None, [])


def test_numbers_are_rounded(plugins):
    assert scores("fluency", f"{plugins}:length", {}, ["a", "ab"]) == [-1, -2]


# ---- faults


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("too_few", "0 answers for 2 sentences; a {} gives one for each"),
        ("too_many", "3 answers for 2 sentences; a {} gives one for each"),
        ("fails", "KeyError: 'weights'; fix the {}"),
        ("single", "TypeError: 'int' object is not iterable; fix the {}"),
    ],
)
def test_hooks_that_fail(plugins, role, function, message):
    with pytest.raises(ConfigError) as caught:
        ask(role, f"{plugins}:{function}", {}, ["A.", "B."], ["A.", "B."])
    assert str(caught.value) == f"{plugins}:{function}: {message.format(role)}"


@pytest.mark.parametrize(
    ("role", "what", "message"),
    [
        ("detector", "none", "gives None; a detector gives a finite number for each sentence"),
        ("detector", "text", "gives 'names'; a detector gives a finite number for each sentence"),
        ("fluency", "nan", "gives nan; a fluency gives a finite number for each sentence"),
        ("similarity", "inf", "gives inf; a similarity gives a finite number for each sentence"),
        ("content", "none", "gives None; a content gives a list of str for each sentence"),
        ("content", "text", "gives 'names'; a content gives a list of str for each sentence"),
        ("content", "numbers", "gives [1]; a content gives a list of str for each sentence"),
        ("transfer", "none", "gives None; a transfer gives a list of lists of SubjectiveEdit"),
        ("transfer", "text", "gives 'names'; a transfer gives a list of lists of SubjectiveEdit"),
        ("transfer", "flat", "gives [None]; a transfer gives a list of lists of SubjectiveEdit"),
        ("transfer", "texts", "gives [['x']]; a transfer gives a list of lists of SubjectiveEdit"),
    ],
)
def test_answers_of_the_wrong_kind(plugins, role, what, message):
    name, options = f"{plugins}:gives", {"what": what}
    with pytest.raises(ConfigError) as caught:
        if role == "transfer":
            proposals_for(name, options, [ANN], [[]], 0, 4)
        elif role == "content":
            faults(name, options, [ANN], [ANN])
        else:
            scores(role, name, options, [ANN])
    assert str(caught.value) == f"{name}: {message}"


@pytest.mark.parametrize(
    ("start", "end", "new", "message"),
    [
        (0, 3, "Bob", "'Ann Lee' is protected and became 'Bob Lee'"),
        (0, 7, "Ann LEE", "'Ann Lee' is protected and became 'Ann LEE'"),
        (4, 4, "X ", "'Ann Lee' is protected and became 'Ann X Lee'"),
        (0, 9, "", "an edit reaches over the edge of the span 0 to 7"),
        (6, 8, "", "an edit reaches over the edge of the span 0 to 7"),
        (19, 40, "", "an edit is outside the text"),
        (5, 4, "", "an edit is outside the text"),
    ],
)
def test_edits_that_cannot_be(plugins, start, end, new, message):
    options = {"transfer.start": str(start), "transfer.end": str(end), "transfer.new": new}
    with pytest.raises(ConfigError) as caught:
        score([Passage("1", ANN, (Span(0, 7),))], transfer=f"{plugins}:edits", options=options)
    assert str(caught.value) == f"{plugins}:edits: 'Ann Lee left Paris.': {message}; fix the transfer"


def test_edits_that_overlap(plugins):
    with pytest.raises(ConfigError) as caught:
        score([Passage("1", ANN, ())], transfer=f"{plugins}:twice")
    assert str(caught.value) == (
        f"{plugins}:twice: 'Ann Lee left Paris.': edits overlap or are out of order; fix the transfer"
    )


@pytest.mark.parametrize(("new", "kept"), [("s", True), ("S", True), ("T", False)])
def test_a_pronoun_may_change_its_case_only(plugins, new, kept):
    options = {"transfer.start": "0", "transfer.end": "1", "transfer.new": new}
    asked = {"transfer": f"{plugins}:edits", "options": options}
    if kept:
        (record,) = score([Passage("1", "She left.", (Span(0, 3),))], **asked)
        assert record.proposal == f"{new}he left."
        assert record.edits == [SubjectiveEdit(Span(0, 1), new, "x", "own")]
    else:
        with pytest.raises(ConfigError, match=r"'She' is protected and became 'The'; fix the transfer$"):
            score([Passage("1", "She left.", (Span(0, 3),))], **asked)
