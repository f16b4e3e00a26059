"""Which sentences people rate for fluency and subjectivity, and what follows from their ratings (Pant and Dadu 2022).

The paper's judges rated 34 original and 34 transferred sentences from 1 to 5 on both scales (3.2.4, Table 6). Here both
halves are drawn from the sentences whose transfer was kept, so that the form alone tells them apart, and no sentence
is drawn in both forms: whoever has seen the one would rate the other by it.
"""

import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import ConfigError, InputError
from pipeline.lots import lot
from pipeline.records import SubjectiveSentence

Form = Literal["original", "transferred"]
Scale = Literal["fluency", "subjectivity"]
FORMS: tuple[Form, ...] = get_args(Form)
SCALES: tuple[Scale, ...] = get_args(Scale)

SIZE = 68  # 3.2.4
# Table 6.
PAPER: Mapping[Scale, Mapping[Form, float]] = {
    "fluency": {"original": 4.578, "transferred": 4.343},
    "subjectivity": {"original": 1.657, "transferred": 2.872},
}
RESAMPLES = 10_000
CONFIDENCE = 0.95
DIGITS = 10  # of a bound; those after depend on the processor

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RatedSentence:
    """A sentence of a sheet; its id tells nothing, the rest is for the key."""

    id: str
    form: Form
    instance_id: str
    number: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Rating:
    """What one rater says of one sentence; None where the cell was left empty."""

    id: str
    fluency: int | None
    subjectivity: int | None
    remark: str = ""

    def on(self, scale: Scale) -> int | None:
        return self.fluency if scale == "fluency" else self.subjectivity


@dataclass(frozen=True, slots=True)
class Half:
    """The sentences of one form that anybody rated; `mean` is over sentences, of the mean over raters."""

    sentences: int
    ratings: int
    mean: float | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A column of Table 6; None where a figure is undefined.

    `difference` is transferred - original, with its 95 % interval by resampling the sentences of each form; `alpha` is
    Krippendorff's, for the interval scale.
    """

    scale: Scale
    original: Half
    transferred: Half
    difference: float | None
    low: float | None
    high: float | None
    alpha: float | None


def check_draw(size: int, seed: int) -> None:
    """Refuse numbers that no draw can have, before there is any work."""
    if size < 2 or size % 2:
        raise ConfigError(f"size must be even and 2 or more, for two equal halves, found {size}")
    if seed < 0:
        raise ConfigError(f"seed must be 0 or more, found {seed}")


def draw(sentences: Iterable[SubjectiveSentence], size: int, seed: int) -> list[RatedSentence]:
    """Half transferred and half original sentences in random order, whatever the order of the records.

    InputError where too few different ones were kept, or a record is there twice.
    """
    check_draw(size, seed)
    kept = kept_sentences(sentences)
    turns = sorted(kept, key=lambda name: lot(seed, "rated", name))
    chosen = list(islice(different(turns, kept), size))
    if len(chosen) < size:
        most = len(chosen) // 2 * 2
        remedy = f"lower --size to {most} or take a larger set" if most else "take a larger set"
        raise InputError(f"cannot draw {size} different sentences from {len(chosen)} that were kept; {remedy}")
    transferred = set(chosen[: size // 2])
    mixed = sorted(chosen, key=lambda name: lot(seed, "order of the sheet", name))
    width = max(2, len(str(size)))
    return [
        rated(f"r{n:0{width}}", "transferred" if name in transferred else "original", kept[name])
        for n, name in enumerate(mixed, 1)
    ]


def kept_sentences(sentences: Iterable[SubjectiveSentence]) -> dict[str, SubjectiveSentence]:
    """The sentences whose transfer was kept, by an id of their own."""
    kept: dict[str, SubjectiveSentence] = {}
    seen: set[str] = set()
    for it in sentences:
        name = f"{it.instance_id}/{it.number}"
        if name in seen:
            raise InputError(f"two records of sentence {it.number} of {it.instance_id!r}; remove one of them")
        seen.add(name)
        if it.kept and it.proposal is not None:
            kept[name] = it
    return kept


def different(names: Iterable[str], kept: Mapping[str, SubjectiveSentence]) -> Iterator[str]:
    """The names in order, without those whose text was there before: contexts of one page share sentences."""
    seen: set[str] = set()
    for name in names:
        forms = {folded(kept[name].sentence), folded(kept[name].proposal or "")}
        if not forms & seen:
            seen |= forms
            yield name


def rated(id: str, form: Form, it: SubjectiveSentence) -> RatedSentence:
    text = it.sentence if form == "original" else it.proposal or ""
    return RatedSentence(id, form, it.instance_id, it.number, text)


def folded(text: str) -> str:
    """A text whose white space is single blanks: spreadsheets and editors change it, and no rater sees it."""
    return " ".join(text.split())


def table(sentences: Sequence[RatedSentence], sheets: Sequence[Sequence[Rating]], seed: int) -> list[Comparison]:
    """Table 6, a comparison for each scale, of the sheets of one rater each."""
    return [compare(scale, sentences, sheets, seed) for scale in SCALES]


def compare(
    scale: Scale, sentences: Sequence[RatedSentence], sheets: Sequence[Sequence[Rating]], seed: int
) -> Comparison:
    given: dict[str, list[int]] = {it.id: [] for it in sentences}
    for sheet in sheets:
        for rating in sheet:
            if (value := rating.on(scale)) is not None:
                given[rating.id].append(value)
    by_form = {form: [given[it.id] for it in sentences if it.form == form and given[it.id]] for form in FORMS}
    original, transferred = (half_of(by_form[form]) for form in FORMS)
    low, high = difference_interval(means_of(by_form["original"]), means_of(by_form["transferred"]), seed)
    return Comparison(
        scale=scale,
        original=original,
        transferred=transferred,
        difference=None if original.mean is None or transferred.mean is None else transferred.mean - original.mean,
        low=low,
        high=high,
        alpha=interval_alpha(given.values()),
    )


def half_of(values: Sequence[Sequence[int]]) -> Half:
    mean = statistics.fmean(means_of(values)) if values else None
    return Half(sentences=len(values), ratings=sum(map(len, values)), mean=mean)


def means_of(values: Iterable[Sequence[int]]) -> list[float]:
    return [statistics.fmean(each) for each in values]


def difference_interval(
    original: Sequence[float], transferred: Sequence[float], seed: int
) -> tuple[float | None, float | None]:
    """The middle 95 % of the differences of resampled means; None where a form has a single sentence or none."""
    if min(len(original), len(transferred)) < 2:
        return None, None
    generator = np.random.default_rng(seed)
    before, after = resampled_means(original, generator), resampled_means(transferred, generator)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(after - before, (tail, 1 - tail))
    return round(float(low), DIGITS), round(float(high), DIGITS)


def resampled_means(values: Sequence[float], generator: np.random.Generator) -> Floats:
    """Means of as many values, drawn with replacement; equal values are drawn as one, so their order is nothing."""
    kinds, counts = np.unique(np.asarray(values, np.float64), return_counts=True)
    drawn = generator.multinomial(len(values), counts / len(values), RESAMPLES)
    means: Floats = drawn @ kinds / len(values)
    return means


def interval_alpha(items: Iterable[Sequence[int]]) -> float | None:
    """Krippendorff's alpha with squared differences, of the ratings of each item; None where nothing can differ.

    An item with a single rating, which nothing agrees with, is left out.
    """
    pairable = [values for values in items if len(values) > 1]
    everything = [value for values in pairable for value in values]
    expected = squares(everything)
    if not expected:
        return None
    observed = sum(squares(values) / (len(values) - 1) for values in pairable)
    return 1 - observed * (len(everything) - 1) / expected


def squares(values: Sequence[int]) -> int:
    """The squared difference of every ordered pair of values, summed."""
    return 2 * (len(values) * sum(value * value for value in values) - sum(values) ** 2)


def describe(found: Comparison) -> list[str]:
    """A comparison as lines of a table beside the paper's figures."""
    paper = PAPER[found.scale]
    lines = [f"{found.scale:<12}       mean   paper  sentences  ratings"]
    for form, half in zip(FORMS, (found.original, found.transferred), strict=True):
        counts = f"{half.sentences:>9,}  {half.ratings:>7,}"
        lines.append(f"{form:<12}  {shown(half.mean):>9}  {paper[form]:>6.3f}  {counts}")
    apart = paper["transferred"] - paper["original"]
    sure = "undefined" if found.low is None else f"{shown(found.low, '+')} to {shown(found.high, '+')}"
    lines.append(f"{'difference':<12}  {shown(found.difference, '+'):>9}  {apart:>+6.3f}  95 % interval {sure}")
    return [*lines, f"{'alpha':<12}  {shown(found.alpha):>9}"]


def shown(figure: float | None, sign: Literal["", "+"] = "") -> str:
    return "undefined" if figure is None else f"{figure:{sign}.3f}"
