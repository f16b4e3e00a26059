"""Which proposals are kept: a table of thresholds, and what holds of any set of them."""

import dataclasses
import math
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.records import Span, SubjectiveEdit, SubjectiveProposal, fields_of
from gapforge.subjectivity.decisions import decide, judge
from gapforge.subjectivity.hooks import Threshold, Thresholds

THRESHOLDS = Thresholds(
    *(Threshold(0.5), Threshold(0.1), Threshold(0.9), Threshold(0.8, "paper"), Threshold(1.0, "paper")),
    Threshold(1.0),
)


def make_proposal(id="1", number=0, attempt=0, phrase="sadly", **changes):
    """One that passes every threshold."""
    fields = {
        "span": Span(0, 9),
        "sentence": "Ann left.",
        "proposal": f"Ann {phrase} left.",
        "edits": [SubjectiveEdit(Span(4, 4), f"{phrase} ", phrase, "manner")],
        "subjectivity": 0.3,
        "proposal_subjectivity": 0.6,
        "log_perplexity": 3.0,
        "proposal_log_perplexity": 3.05,
        "gleu": 0.9,
        "cosine": None,
        "broken": [],
    }
    return SubjectiveProposal(instance_id=id, number=number, attempt=attempt, **(fields | changes))


NOTHING = {
    "proposal": None,
    "edits": [],
    "proposal_subjectivity": None,
    "proposal_log_perplexity": None,
    "gleu": None,
}


@pytest.mark.parametrize(
    ("changes", "reasons"),
    [
        ({}, []),
        ({"subjectivity": 0.5}, []),  # equal passes
        ({"subjectivity": 0.500001}, ["already subjective"]),
        ({"log_perplexity": 0.0, "proposal_log_perplexity": 0.1}, []),
        ({"log_perplexity": 0.0, "proposal_log_perplexity": 0.100001}, ["not fluent"]),
        ({"proposal_log_perplexity": 1.0}, []),  # better than it was
        ({"gleu": 0.8}, ["too different"]),  # the band is open
        ({"gleu": 0.800001}, []),
        ({"gleu": 0.999999}, []),
        ({"gleu": 1.0}, ["unchanged"]),
        ({"gleu": 0.0}, ["too different"]),
        ({"cosine": 0.9}, []),
        ({"cosine": 0.899999}, ["not similar"]),
        ({"broken": ["names", "numbers"]}, ["changed names", "changed numbers"]),
        (NOTHING, ["no proposal"]),
        (NOTHING | {"subjectivity": 0.9}, ["already subjective", "no proposal"]),
        (
            {"subjectivity": 1.0, "proposal_log_perplexity": 4.0, "gleu": 0.2, "cosine": 0.1, "broken": ["negation"]},
            ["already subjective", "not fluent", "too different", "not similar", "changed negation"],
        ),
    ],
)
def test_reasons(changes, reasons):
    proposal = make_proposal(**changes)
    assert judge(proposal, THRESHOLDS).reasons == reasons
    (decided,) = decide([proposal], THRESHOLDS, 0)
    assert (decided.kept, decided.reasons) == (not reasons, reasons)
    assert {name: getattr(decided, name) for name in fields_of(proposal)} == fields_of(proposal)


@pytest.mark.parametrize(
    ("changes", "within"),
    [
        ({}, (True, True, True)),
        ({"subjectivity": 0.9}, (False, True, True)),
        ({"proposal_log_perplexity": 4.0}, (True, False, True)),
        ({"gleu": 1.0}, (True, True, False)),
        ({"broken": ["names"], "cosine": 0.1}, (True, True, True)),  # these have a threshold of their own
        (NOTHING, (True, None, None)),
        (NOTHING | {"subjectivity": 0.9}, (False, None, None)),
    ],
)
def test_what_a_sentence_is_within(changes, within):
    (decided,) = decide([make_proposal(**changes)], THRESHOLDS, 0)
    assert (decided.objective, decided.fluent, decided.preserved) == within


def test_without_a_threshold_similarity_decides_nothing():
    lenient = dataclasses.replace(THRESHOLDS, similar=None)
    assert judge(make_proposal(cosine=0.0), lenient).reasons == []


@pytest.mark.parametrize(
    ("attempts", "number", "kept"),
    [
        ([{}, {}], 0, True),  # the first that passes
        ([{"gleu": 0.1}, {}], 1, True),
        ([{"gleu": 0.1}, {"broken": ["names"]}], 0, False),  # none: the first is shown
    ],
)
def test_the_attempts_of_a_sentence(attempts, number, kept):
    (decided,) = decide([make_proposal(attempt=n, **it) for n, it in enumerate(attempts)], THRESHOLDS, 0)
    assert (decided.attempt, decided.kept) == (number, kept)


def with_share(share):
    return dataclasses.replace(THRESHOLDS, largest_share=Threshold(share))


def test_a_phrase_that_is_used_up():
    """Of ten with one phrase, one stays where each may have a tenth; those with another to fall back on take it."""
    alike = [make_proposal(str(n)) for n in range(10)]
    decided = list(decide(alike, with_share(0.1), 0))
    assert sum(it.kept for it in decided) == 1
    assert {tuple(it.reasons) for it in decided if not it.kept} == {("phrase too frequent",)}
    both = [
        make_proposal(str(n), attempt=k, phrase=phrase)
        for n in range(10)
        for k, phrase in enumerate(("sadly", f"word{n}"))
    ]
    decided = list(decide(both, with_share(0.1), 0))
    assert [it.kept for it in decided] == [True] * 10
    assert Counter(it.edits[0].phrase for it in decided)["sadly"] == 1


def test_phrases_that_do_not_pass_use_nothing_up():
    refused = [make_proposal(str(n), gleu=0.1) for n in range(9)]
    decided = list(decide([*refused, make_proposal("9")], with_share(0.5), 0))
    assert [it.kept for it in decided] == [False] * 9 + [True]


def test_the_seed_decides_who_comes_first():
    alike = [make_proposal(str(n)) for n in range(10)]
    kept = {next(it.instance_id for it in decide(alike, with_share(0.1), seed) if it.kept) for seed in range(20)}
    assert len(kept) > 3


# ---- for all sets

SCORES = st.sampled_from([0.0, 0.2, 0.5, 0.7, 0.85, 0.95, 1.0])
PROPOSALS = st.fixed_dictionaries(
    {
        "phrase": st.sampled_from(["sadly", "oddly", "happily", "a", "b", "c"]),
        "gleu": SCORES,
        "proposal_log_perplexity": st.sampled_from([2.0, 3.0, 3.2]),
        "broken": st.sampled_from([[], ["names"]]),
    }
)
SETS = st.lists(st.tuples(SCORES, st.lists(PROPOSALS, max_size=3)), max_size=40)


def built(drawn):
    """The proposals of each sentence, in groups."""
    return [
        [make_proposal(f"i{n // 2}", n % 2, k, subjectivity=score, **it) for k, it in enumerate(attempts)]
        or [make_proposal(f"i{n // 2}", n % 2, subjectivity=score, **NOTHING)]
        for n, (score, attempts) in enumerate(drawn)
    ]


def flat(groups):
    return [it for group in groups for it in group]


@given(SETS, st.floats(0.01, 1), st.integers(0, 3))
def test_no_phrase_has_more_than_its_share(drawn, share, seed):
    decided = [it for it in decide(flat(built(drawn)), with_share(share), seed) if it.kept]
    used = Counter(it.edits[0].phrase for it in decided)
    assert max(used.values(), default=0) <= max(1, math.floor(share * len(decided)))


@given(SETS, st.floats(0.01, 1), st.randoms(use_true_random=False))
def test_the_order_of_sentences_does_not_matter(drawn, share, chance):
    groups = built(drawn)
    shuffled = list(groups)
    chance.shuffle(shuffled)
    found = [list(decide(flat(it), with_share(share), 0)) for it in (groups, shuffled)]
    by_sentence = [{(it.instance_id, it.number): it for it in records} for records in found]
    assert by_sentence[0] == by_sentence[1]


@given(SETS, st.floats(0.01, 1))
def test_every_sentence_has_one_record_in_order(drawn, share):
    groups = built(drawn)
    decided = list(decide(flat(groups), with_share(share), 0))
    assert [(it.instance_id, it.number) for it in decided] == [(it[0].instance_id, it[0].number) for it in groups]
    assert all(it.kept == (not it.reasons) for it in decided)
    for group, it in zip(groups, decided, strict=True):
        assert SubjectiveProposal(**{name: getattr(it, name) for name in fields_of(group[0])}) in group
        assert not it.kept or judge(group[it.attempt], with_share(share)).reasons == []


@given(SETS)
def test_where_shares_do_not_bind_all_that_pass_are_kept(drawn):
    groups = built(drawn)
    decided = decide(flat(groups), with_share(1.0), 0)
    for group, it in zip(groups, decided, strict=True):
        passing = [n for n, proposal in enumerate(group) if not judge(proposal, with_share(1.0)).reasons]
        assert it.kept == bool(passing)
        assert not passing or it.attempt == passing[0]


def test_a_large_set_is_within_its_share():
    chance = random.Random(0)
    phrases = [f"word{min(int(chance.expovariate(0.1)), 60)}" for _ in range(3_000)]
    groups = [[make_proposal(str(n), attempt=k, phrase=phrases[3 * n + k]) for k in range(3)] for n in range(1_000)]
    decided = [it for it in decide(flat(groups), with_share(0.03), 0) if it.kept]
    used = Counter(it.edits[0].phrase for it in decided)
    assert max(used.values()) <= 0.03 * len(decided)
    assert len(decided) > 600


def test_edits_that_only_cut_are_no_phrase():
    proposals = [make_proposal(str(n), phrase="") for n in range(100)]
    assert all(it.kept for it in decide(proposals, with_share(0.03), 0))
