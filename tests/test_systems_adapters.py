"""Coreference systems by their own interfaces, spoken here by small systems that know the clusters beforehand."""

import json
import sys
import textwrap
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from gapforge.errors import ConfigError
from gapforge.records import Instance, Label, Span
from gapforge.systems.adapters import fastcoref, load_fastcoref, load_maverick, maverick, spacy_coref

# Two sentences with three blanks between them, an emoji, and a line break: places where offsets go astray.
TEXT = "😀 Ann Lee, a nurse, met Bea Roe’s mother.   When\nshe was ill, Bea wept."
CLUSTERS: dict[Label, list[list[str]]] = {
    "A": [["Ann Lee , a nurse", "she"]],
    "B": [["mother", "nurse"], ["Bea Roe", "she", "Bea"]],
    "neither": [["Bea Roe ’s mother", "she"]],
}


def span_of(text: str, words: str) -> Span:
    return Span(text.index(words), text.index(words) + len(words))


def make_instance(label: Label) -> Instance:
    text = f"{TEXT} It says {label} here."
    return Instance(label, text, span_of(text, "she"), span_of(text, "Ann Lee"), span_of(text, "Bea Roe"))


INSTANCES = [make_instance(label) for label in CLUSTERS]


def known_clusters(folder: Path) -> Path:
    folder.mkdir()
    (folder / "clusters.json").write_text(json.dumps(CLUSTERS), "utf-8")
    return folder


def places(tokens: list[str], mention: str) -> tuple[int, int]:
    """Where the words of a mention stand among the tokens, the last of them included."""
    words = mention.split(" ")
    start = next(n for n in range(len(tokens)) if tokens[n : n + len(words)] == words)
    return start, start + len(words) - 1


# What fastcoref 2.1.6 shows of itself: keyword arguments, the names of the two systems, results with character offsets,
# and None for a mention that fell on a special token.
FASTCOREF = """
    import json, pathlib
    from test_systems_adapters import places

    class CorefResult:
        def __init__(self, text, clusters):
            self.text, self.clusters = text, clusters

        def get_clusters(self, as_strings=True):
            if as_strings:
                return [[self.text[slice(*it)] for it in cluster if it] for cluster in self.clusters]
            return self.clusters

    class CorefModel:
        def __init__(self, model_name_or_path, device=None, nlp="en_core_web_sm", enable_progress_bar=True):
            assert nlp != "en_core_web_sm", "would be downloaded"
            assert device == "cpu" and not enable_progress_bar
            self.nlp = nlp
            self.known = json.loads(pathlib.Path(model_name_or_path, "clusters.json").read_text("utf-8"))

        def predict(self, texts, is_split_into_words=False, max_tokens_in_batch=10000, output_file=None):
            assert isinstance(texts, list)
            return [self.one(text) for text in texts]

        def one(self, text):
            tokens = list(self.nlp(text))
            words = [token.text for token in tokens]
            found = [[None, None]]
            for cluster in self.known[text.split()[-2]]:
                spans = [places(words, it) for it in cluster]
                found.append([(tokens[i].idx, tokens[j].idx + len(tokens[j])) for i, j in spans])
            return CorefResult(text, found)

    class FCoref(CorefModel):
        pass

    class LingMessCoref(CorefModel):
        def one(self, text):
            return CorefResult(text, [])
"""

# What maverick-coref 1.0.7 shows of itself: a sample of sentences gives offsets of tokens, the last included, and no
# offsets of characters.
MAVERICK = """
    import json, pathlib
    from test_systems_adapters import places

    class Maverick:
        def __init__(self, hf_name_or_path="sapienzanlp/maverick-mes-ontonotes", device="cuda"):
            assert device == "cpu"
            self.known = json.loads(pathlib.Path(hf_name_or_path, "clusters.json").read_text("utf-8"))

        def predict(self, sample, singletons=False, add_gold_clusters=None, predefined_mentions=None, speakers=None):
            assert all(isinstance(it, list) and it for it in sample) and len(sample) > 1
            tokens = [word for sentence in sample for word in sentence]
            assert all(word.strip() for word in tokens)
            clusters = [[places(tokens, it) for it in cluster] for cluster in self.known[tokens[-3]]]
            return {
                "tokens": tokens,
                "clusters_token_offsets": clusters,
                "clusters_char_offsets": None,
                "clusters_token_text": [[" ".join(tokens[i : j + 1]) for i, j in it] for it in clusters],
                "clusters_char_text": None,
            }
"""


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Puts a package on the path, and takes it away again."""
    for loader in (load_fastcoref, load_maverick):
        loader.cache_clear()

    def put(name: str, source: str) -> None:
        (tmp_path / "packages").mkdir(exist_ok=True)
        (tmp_path / "packages" / f"{name}.py").write_text(textwrap.dedent(source), "utf-8")
        monkeypatch.syspath_prepend(tmp_path / "packages")
        monkeypatch.syspath_prepend(Path(__file__).parent)
        monkeypatch.delitem(sys.modules, name, raising=False)

    yield put
    for name in ("fastcoref", "maverick", "test_systems_adapters"):
        sys.modules.pop(name, None)


def test_fastcoref(stand_in, tmp_path):
    stand_in("fastcoref", FASTCOREF)
    weights = str(known_clusters(tmp_path / "weights"))
    assert fastcoref(INSTANCES, weights=weights) == list(CLUSTERS)
    assert fastcoref(INSTANCES, weights=weights, lingmess=True) == ["neither"] * 3
    assert fastcoref([], weights=weights) == []


def test_maverick(stand_in, tmp_path):
    stand_in("maverick", MAVERICK)
    weights = str(known_clusters(tmp_path / "weights"))
    assert maverick(INSTANCES, weights=weights) == list(CLUSTERS)
    assert maverick([], weights=weights) == []


@pytest.mark.parametrize(
    ("name", "resolver", "install"), [("fastcoref", fastcoref, "fastcoref"), ("maverick", maverick, "maverick-coref")]
)
def test_missing_package(stand_in, name, resolver, install):
    stand_in(name, "raise ModuleNotFoundError('No module named it')")
    with pytest.raises(ConfigError) as caught:
        resolver(INSTANCES)
    assert str(caught.value) == f"{name} cannot be imported (No module named it); pip install {install}"


def test_weights_that_cannot_be_loaded(stand_in, tmp_path):
    stand_in("maverick", MAVERICK)
    with pytest.raises(ConfigError) as caught:
        maverick(INSTANCES, weights="/nowhere")
    assert str(caught.value) == (
        "/nowhere: maverick cannot load it ([Errno 2] No such file or directory: '/nowhere/clusters.json'); "
        "install it, or name another one or a folder"
    )


def test_a_system_that_fails(stand_in, tmp_path):
    stand_in("fastcoref", FASTCOREF.replace("assert isinstance(texts, list)", "raise RuntimeError('out of memory')"))
    with pytest.raises(ConfigError) as caught:
        fastcoref(INSTANCES, weights=str(known_clusters(tmp_path / "weights")))
    assert str(caught.value) == "fastcoref: failed on these texts (out of memory); try another version of it"


@Language.factory("known_coref", default_config={"span_cluster_prefix": "coref_clusters"})
def make_known_coref(nlp: Language, name: str, span_cluster_prefix: str):
    """As experimental_coref does: one group of spans a cluster, numbered from 1."""

    def annotate(doc: Doc) -> Doc:
        words = [token.text for token in doc]
        for number, cluster in enumerate(CLUSTERS[words[-3]], 1):
            key = f"{span_cluster_prefix}_{number}"
            doc.spans[key] = []
            for mention in cluster:
                first, last = places(words, mention)
                doc.spans[key].append(doc[first : last + 1])
        return doc

    return annotate


def saved(folder: Path, prefix: str) -> str:
    nlp = spacy.blank("en")
    nlp.add_pipe("known_coref", config={"span_cluster_prefix": prefix})
    nlp.to_disk(folder)
    return str(folder)


@pytest.mark.parametrize("prefix", ["coref_clusters", "coref_head_clusters", "a.b"])
def test_spacy_coref(tmp_path, prefix):
    pipeline = saved(tmp_path / "model", prefix)
    assert spacy_coref(INSTANCES, pipeline=pipeline, prefix=prefix) == list(CLUSTERS)


def test_spacy_spans_of_another_prefix(tmp_path):
    pipeline = saved(tmp_path / "model", "coref_head_clusters")
    with pytest.raises(ConfigError) as caught:
        spacy_coref(INSTANCES, pipeline=pipeline)
    assert str(caught.value) == (
        f"{pipeline}: no spans coref_clusters_1, coref_clusters_2 …, "
        "found coref_head_clusters_1, coref_head_clusters_2; name their prefix"
    )


def test_spacy_without_clusters(tmp_path):
    spacy.blank("en").to_disk(tmp_path / "model")
    assert spacy_coref(INSTANCES, pipeline=str(tmp_path / "model")) == ["neither"] * 3


def test_spacy_pipeline_must_be_named():
    with pytest.raises(ConfigError) as caught:
        spacy_coref(INSTANCES)
    assert str(caught.value) == ("no spaCy pipeline with coreference is named; give its name or folder as pipeline")


def test_spacy_pipeline_that_is_not_there():
    with pytest.raises(ConfigError, match=r"^no_such_model: spaCy cannot load it \(\[E050\] .*\); install it, or name"):
        spacy_coref(INSTANCES, pipeline="no_such_model")
