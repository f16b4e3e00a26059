import pytest

from gapforge.evaluation.resolutions import located_answers, models_asked
from gapforge.evaluation.settings import EvaluationSettings


@pytest.fixture
def settings(tmp_path):
    (tmp_path / "enc").mkdir()
    (tmp_path / "enc" / "config.json").write_text("{}")
    options = ["encoder encoder=enc", "encoder layer=2", "attention encoder=hub/name"]
    return EvaluationSettings(resolvers=["encoder", "attention"], options=options)


def test_a_model_that_lies_beside_the_config_is_found_there(settings, tmp_path):
    ours = located_answers(settings, tmp_path)
    assert ours.options == [f"encoder encoder={tmp_path / 'enc'}", "encoder layer=2", "attention encoder=hub/name"]


def test_the_state_of_the_model_that_is_loaded_counts(settings, tmp_path, monkeypatch):
    """Also where one of the same name lies in the working folder."""
    (tmp_path / "elsewhere" / "enc").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "elsewhere")

    def states():
        ours = located_answers(settings, tmp_path)
        return models_asked(ours.resolvers, {name: ours.options_for(name) for name in ours.resolvers})

    before = states()
    (tmp_path / "elsewhere" / "enc" / "config.json").write_text("[]")
    assert states() == before
    (tmp_path / "enc" / "config.json").write_text("[]")
    assert states()["encoder encoder"] != before["encoder encoder"]
    assert states()["attention encoder"] == before["attention encoder"] == "hub/name"
