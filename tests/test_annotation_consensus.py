"""What most said, which quadruples stay, and that four texts share one fate."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.annotation.consensus import (
    Ballot,
    ConsensusSettings,
    Verdict,
    collect,
    describe_quadruples,
    judge_gap,
    judge_quadruple,
    label_quadruples,
    verdict_on,
)
from gapforge.annotation.splits import Shares
from gapforge.config import load_settings
from gapforge.errors import ConfigError
from gapforge.records import OTHER, Candidate, Judgement, LabelledInstance, QuadrupleInstance, Reject, Span, fields_of

VARIANTS = ("original", "control", "swap-1", "swap-2")
LETTERS = {"A": "A", "B": "B", "n": "neither", "x": "both", "?": "not sure"}
TEXT = "Dora told Ida that she was late."
CANDIDATE = Candidate(
    id="c-0",
    corpus="tales",
    document_id="d-0",
    url="",
    start=0,
    text=TEXT,
    pattern="FINALPRO",
    gender="feminine",
    pronoun=Span(19, 22),
    name_a=Span(0, 4),
    name_b=Span(10, 13),
    page_entity=False,
    reading=0,
)


def ballot(votes, remarks=0, standard="gold"):
    """A letter a vote; no vote, no ballot."""
    if not votes:
        return None
    return Ballot(Counter(LETTERS[letter] for letter in votes), ["a bearded aunt"] * remarks, standard)


def quadruple(id="q-0", gender="feminine"):
    """The four texts of a quadruple, as alike as this room can tell."""
    base = QuadrupleInstance(**fields_of(CANDIDATE), people=[], quadruple_id=id, variant="original", contradictions=[])
    return [
        replace(base, id=id, gender=gender),
        replace(base, id=f"{id}-control", gender=gender, variant="control"),
        replace(base, id=f"{id}-swap-1", gender=OTHER[gender], variant="swap-1"),
        replace(base, id=f"{id}-swap-2", gender=OTHER[gender], variant="swap-2"),
    ]


def ballots_on(four, votes, remarks=(0, 0, 0, 0)):
    found = {it.id: ballot(said, n) for it, said, n in zip(four, votes, remarks, strict=True)}
    return {id: each for id, each in found.items() if each}


def judgement(instance_id, label, annotator="w-1", **changes):
    base = Judgement(instance_id, "", annotator, label, [], "", "gold", False)
    return replace(base, **changes)


@pytest.mark.parametrize(
    ("asked", "votes", "label", "reason", "agreement"),
    [
        (3, "", None, "no judgement", 0.0),
        (3, "A", None, "too few judgements", 1.0),
        (3, "AA", "A", "", 1.0),  # whatever the third would have been
        (3, "AB", None, "too few judgements", 0.5),
        (3, "AAA", "A", "", 1.0),
        (3, "BAB", "B", "", 2 / 3),
        (3, "ABn", None, "no consensus", 1 / 3),
        (3, "AABB", None, "no consensus", 0.5),
        (3, "AABn", None, "no consensus", 0.5),  # two of four are not most
        (3, "AAAB", "A", "", 0.75),
        (3, "AABBn", None, "no consensus", 0.4),
        (3, "BBBAA", "B", "", 0.6),
        (3, "nnn", "neither", "", 1.0),
        (3, "xxA", "both", "", 2 / 3),
        (3, "??", "not sure", "", 1.0),
        (1, "", None, "no judgement", 0.0),
        (1, "B", "B", "", 1.0),
        (1, "AB", None, "no consensus", 0.5),
        (1, "AAB", "A", "", 2 / 3),
        (5, "AA", None, "too few judgements", 1.0),
        (5, "AAA", "A", "", 1.0),
        (5, "AABB", None, "too few judgements", 0.5),
        (5, "AABBn", None, "no consensus", 0.4),
    ],
)
def test_most_of_those_asked_decide(asked, votes, label, reason, agreement):
    assert verdict_on(ballot(votes), asked) == Verdict(label, reason, agreement, "gold")


@pytest.mark.parametrize("votes", ["AAA", "ABn", "A"])
def test_a_silver_ballot_gives_a_silver_verdict(votes):
    assert verdict_on(ballot(votes, standard="silver"), 3).standard == "silver"


@given(st.text("ABn", min_size=1, max_size=7), st.sampled_from((1, 3, 5)))
def test_no_further_vote_of_those_asked_overturns_a_verdict(votes, asked):
    verdict = verdict_on(ballot(votes), asked)
    assert bool(verdict.label) != bool(verdict.reason)
    if verdict.reason:
        assert verdict.reason == ("too few judgements" if len(votes) < asked else "no consensus")
    else:
        missing = max(0, asked - len(votes))
        assert {verdict_on(ballot(votes + letter * missing), asked).label for letter in "ABn"} == {verdict.label}


@pytest.mark.parametrize(
    ("votes", "label", "reason", "agreement"),
    [
        ("AAB", "A", "", 2 / 3),
        ("BBB", "B", "", 1.0),
        ("nnA", "neither", "", 2 / 3),
        ("xxA", None, "label both", 2 / 3),
        ("???", None, "label not sure", 1.0),
        ("x?A", None, "no consensus", 1 / 3),
        ("x", None, "too few judgements", 1.0),
        ("", None, "no judgement", 0.0),
    ],
)
def test_gap_leaves_out_both_and_not_sure(votes, label, reason, agreement):
    ballots = {"c-0": ballot(votes)} if votes else {"c-1": ballot("AAA")}
    assert judge_gap(CANDIDATE, ballots, 3) == Verdict(label, reason, agreement, "gold")


def test_what_gap_leaves_out_stays_silver():
    ballots = {"c-0": ballot("xxx", standard="silver")}
    assert judge_gap(CANDIDATE, ballots, 3) == Verdict(None, "label both", 1.0, "silver")


ALIKE = ("AAA", "AAB", "AAn", "AA")


@pytest.mark.parametrize(
    ("votes", "remarks", "least", "label", "reason", "agreement"),
    [
        (ALIKE, (0, 0, 0, 0), 1, "A", "", (1 + 2 / 3 + 2 / 3 + 1) / 4),
        (("nnn",) * 4, (0, 0, 0, 0), 1, "neither", "", 1.0),
        # The first of the four without a label gives the reason, whatever else is wrong.
        (("AAA", "", "ABn", "BBB"), (3, 0, 3, 0), 1, None, "no judgement", (1 + 0 + 1 / 3 + 1) / 4),
        (("AAA", "ABn", "", "AAA"), (0, 0, 0, 0), 1, None, "no consensus", (1 + 1 / 3 + 0 + 1) / 4),
        (("AAA", "AAA", "AAA", "A"), (0, 0, 0, 1), 1, None, "too few judgements", 1.0),
        # Then common sense, though the answers differ too.
        (ALIKE, (0, 0, 0, 1), 1, None, "against common sense", (1 + 2 / 3 + 2 / 3 + 1) / 4),
        (("AAA", "BBB", "xxx", "???"), (0, 1, 0, 0), 1, None, "against common sense", 1.0),
        # As many remarks as are wanted, on one text.
        (ALIKE, (1, 1, 1, 1), 2, "A", "", (1 + 2 / 3 + 2 / 3 + 1) / 4),
        (ALIKE, (0, 0, 2, 0), 2, None, "against common sense", (1 + 2 / 3 + 2 / 3 + 1) / 4),
        (ALIKE, (2, 2, 2, 2), 3, "A", "", (1 + 2 / 3 + 2 / 3 + 1) / 4),
        # Then the same answer by position.
        (("AAA", "AAA", "AAA", "BBB"), (0, 0, 0, 0), 1, None, "different answers", 1.0),
        (("AAA", "nnn", "AAA", "AAA"), (0, 0, 0, 0), 1, None, "different answers", 1.0),
        (("xxx", "xxx", "xxx", "???"), (0, 0, 0, 0), 1, None, "different answers", 1.0),
        # Then what is not ambiguous, or unclear.
        (("xxx",) * 4, (0, 0, 0, 0), 1, None, "label both", 1.0),
        (("???",) * 4, (0, 0, 0, 0), 1, None, "label not sure", 1.0),
    ],
)
def test_one_verdict_on_four(votes, remarks, least, label, reason, agreement):
    four = quadruple()
    verdict = judge_quadruple(four, ballots_on(four, votes, remarks), ConsensusSettings(contradictions=least))
    assert verdict == Verdict(label, reason, pytest.approx(agreement), "gold")


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("votes", ["AAA", "ABn"])
def test_one_silver_text_makes_four(place, votes):
    four = quadruple()
    ballots = ballots_on(four, ["AAA", "AAA", "AAA", "AAA"])
    ballots[four[place].id] = ballot(votes, standard="silver")
    assert judge_quadruple(four, ballots, ConsensusSettings()).standard == "silver"


def test_ballots_are_collected():
    said = [
        judgement("i-1", "A"),
        judgement("i-2", "B", "w-1", contradiction="a bearded aunt"),
        judgement("i-1", "A", "w-2", contradiction="he is his own wife"),
        judgement("i-1", "neither", "w-3", contradiction="no"),
        judgement("i-2", "B", "w-2", standard="silver"),
        judgement("i-2", "B", "w-3"),
    ]
    assert collect(said) == {
        "i-1": Ballot(Counter({"A": 2, "neither": 1}), ["he is his own wife", "no"], "gold"),
        "i-2": Ballot(Counter({"B": 3}), ["a bearded aunt"], "silver"),
    }


def test_questions_of_known_answer_are_no_data():
    known = [
        judgement("k-1", "A", known=True),
        judgement("i-1", "B", known=True, standard="silver", contradiction="a bearded aunt"),
    ]
    assert collect(known) == {}
    assert collect([*known, judgement("i-1", "A")]) == {"i-1": Ballot(Counter({"A": 1}), [], "gold")}


def labelled(quadruples, ballots, **settings):
    """Ids that stay, in order, and the rejects."""
    found = list(label_quadruples([it for four in quadruples for it in four], ballots, ConsensusSettings(**settings)))
    return (
        [it for it in found if isinstance(it, LabelledInstance)],
        [it for it in found if isinstance(it, Reject)],
    )


def agreed(quadruples, votes="AAA"):
    return {id: each for four in quadruples for id, each in ballots_on(four, [votes] * 4).items()}


def test_quadruples_stay_or_go_as_four():
    women, men = quadruple("q-1"), quadruple("q-2", "masculine")
    torn, odd = quadruple("q-3"), quadruple("q-4", "masculine")
    ballots = (
        ballots_on(women, ALIKE)
        | ballots_on(men, ["BBB"] * 4)
        | ballots_on(torn, ["AAA", "BBB", "AAA", "AAA"])
        | ballots_on(odd, ["AAA"] * 4, (0, 0, 1, 0))
    )
    kept, rejects = labelled([women, torn, odd, men], ballots)
    assert [(it.id, it.label) for it in kept] == [
        ("q-1", "A"),
        ("q-1-control", "A"),
        ("q-1-swap-1", "A"),
        ("q-1-swap-2", "A"),
        ("q-2", "B"),
        ("q-2-control", "B"),
        ("q-2-swap-1", "B"),
        ("q-2-swap-2", "B"),
    ]
    # Each text's own share of votes, not the mean of the four.
    assert [it.agreement for it in kept[:4]] == [1.0, 2 / 3, 2 / 3, 1.0]
    assert [it.standard for it in kept] == ["gold"] * 8
    assert [(it.text, it.pronoun, it.quadruple_id, it.variant) for it in kept[:4]] == [
        (TEXT, Span(19, 22), "q-1", variant) for variant in VARIANTS
    ]
    assert rejects == [
        Reject("q-3", "different answers", "q-3"),
        Reject("q-3-control", "different answers", "q-3"),
        Reject("q-3-swap-1", "different answers", "q-3"),
        Reject("q-3-swap-2", "different answers", "q-3"),
        Reject("q-4", "against common sense", "q-4"),
        Reject("q-4-control", "against common sense", "q-4"),
        Reject("q-4-swap-1", "against common sense", "q-4"),
        Reject("q-4-swap-2", "against common sense", "q-4"),
    ]


def test_silver_spreads_to_all_four_and_no_farther():
    fours = [quadruple("q-1"), quadruple("q-2", "masculine")]
    ballots = agreed(fours)
    ballots["q-1-swap-2"].standard = "silver"
    kept, _ = labelled(fours, ballots)
    assert [it.standard for it in kept] == ["silver"] * 4 + ["gold"] * 4


MANY = [*(quadruple(f"f-{n}") for n in range(9)), *(quadruple(f"m-{n}", "masculine") for n in range(4))]


def originals(kept):
    return [it.quadruple_id for it in kept if it.variant == "original"]


def test_originals_are_balanced_by_gender():
    kept, rejects = labelled(MANY, agreed(MANY))
    assert [it.variant for it in kept] == list(VARIANTS) * 8
    assert Counter(it.gender for it in kept if it.variant == "original") == {"feminine": 4, "masculine": 4}
    assert originals(kept)[4:] == ["m-0", "m-1", "m-2", "m-3"]
    assert originals(kept)[:4] == sorted(originals(kept)[:4])
    assert {(it.reason, it.detail) for it in rejects} == {("gender balance", "only 4 originals are masculine")}
    assert len(rejects) == 5 * 4
    ids = {it.id for four in MANY for it in four}
    assert sorted(it.id for it in [*kept, *rejects]) == sorted(ids)


def test_one_gender_alone_leaves_nothing():
    fours = [quadruple("q-1", "masculine"), quadruple("q-2", "masculine")]
    kept, rejects = labelled(fours, agreed(fours))
    assert kept == []
    assert [it.id for it in rejects[::4]] == ["q-1", "q-2"]
    assert {(it.reason, it.detail) for it in rejects} == {("gender balance", "only 0 originals are feminine")}


@given(st.randoms(use_true_random=False))
def test_lots_depend_on_seed_and_id_alone(dice):
    ballots = agreed(MANY)
    chosen = set(originals(labelled(MANY, ballots, seed=3)[0]))
    kept, _ = labelled(dice.sample(MANY, len(MANY)), ballots, seed=3)
    assert set(originals(kept)) == chosen
    # Fewer of the other gender take away, and exchange nobody.
    fewer, _ = labelled(MANY[:-1], ballots, seed=3)
    assert set(originals(fewer)) < chosen
    assert len(fewer) == 6 * 4


def test_lots_follow_the_seed():
    draws = {frozenset(originals(labelled(MANY, agreed(MANY), seed=seed)[0])) for seed in range(10)}
    assert len(draws) > 5


@given(
    st.lists(st.tuples(st.sampled_from(tuple(OTHER)), st.sampled_from(["AAA", "BBB", "nn", "ABn", "xxx"])), max_size=12)
)
def test_nothing_is_lost_and_genders_are_equal(kinds):
    fours = [quadruple(f"q-{n}", gender) for n, (gender, _) in enumerate(kinds)]
    ballots = {}
    for four, (_, votes) in zip(fours, kinds, strict=True):
        ballots |= ballots_on(four, [votes] * 4)
    kept, rejects = labelled(fours, ballots)
    assert sorted(it.id for it in [*kept, *rejects]) == sorted(it.id for four in fours for it in four)
    good = Counter(gender for gender, votes in kinds if votes in ("AAA", "BBB", "nn"))
    fewest = min(good["feminine"], good["masculine"])
    genders = Counter(it.gender for it in kept if it.variant == "original")
    assert (genders["feminine"], genders["masculine"]) == (fewest, fewest)
    assert len(kept) == 8 * fewest


def test_four_that_are_not_four():
    whole, other = quadruple("q-1"), quadruple("q-2")
    wrong = {
        "three": whole[:3],
        "five": [*whole, whole[3]],
        "one twice": [*whole[:3], whole[0]],
        "not side by side": [*whole[:2], *other, *whole[2:]],
    }
    for instances in wrong.values():
        with pytest.raises(ValueError) as error:
            list(label_quadruples(instances, agreed([whole, other]), ConsensusSettings()))
        assert str(error.value) == "q-1: not the four variants of a quadruple"


def test_labelled_quadruples_in_words():
    fours = [quadruple("q-1"), quadruple("q-2", "masculine"), quadruple("q-3"), quadruple("q-4", "masculine")]
    ballots = agreed(fours[:2]) | agreed(fours[2:3], "BBB") | agreed(fours[3:], "nnn")
    kept, _ = labelled(fours, ballots)
    assert describe_quadruples(kept) == ["4 quadruples; originals: 2 feminine, 2 masculine, 2 A, 1 B, 1 neither"]
    assert describe_quadruples([]) == ["0 quadruples; originals: 0 feminine, 0 masculine, 0 A, 0 B, 0 neither"]
    assert describe_quadruples(kept * 1000)[0].startswith("4,000 quadruples; originals: 2,000 feminine, ")


def load(folder, text):
    path = folder / "c.toml"
    path.write_text(f"[consensus]\n{text}", "utf-8")
    return load_settings(str(path), "consensus", ConsensusSettings)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ConsensusSettings(3, 1, Shares(2000, 454, 2000), 0)),
        (
            "annotators = 5\ncontradictions = 2\nsplits = { validation = 0 }\nseed = 9",
            ConsensusSettings(5, 2, Shares(2000, 0, 2000), 9),
        ),
    ],
)
def test_settings_are_read(tmp_path, text, expected):
    assert load(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("annotators = 2", "annotators must be odd, so that most of them can agree, found 2"),
        ("annotators = 0", "annotators must be odd, so that most of them can agree, found 0"),
        ("annotators = -1", "annotators must be odd, so that most of them can agree, found -1"),
        ("contradictions = 0", "contradictions must be at least 1, found 0"),
        ("splits = { test = -1 }", "splits test must be at least 0, found -1"),
        ("anotators = 3", "has no setting 'anotators'; did you mean 'annotators'?"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path, text, message):
    with pytest.raises(ConfigError) as error:
        load(tmp_path, text)
    assert str(error.value) == f"{tmp_path}/c.toml: [consensus] {message}"
