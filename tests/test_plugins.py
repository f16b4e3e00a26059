import json

import pytest

from pipeline.errors import ConfigError
from pipeline.plugins import load_plugin

BUILTIN = {"dumps": "json:dumps"}


@pytest.mark.parametrize("name", ["dumps", "json:dumps"])
def test_plugin_is_found(name):
    assert load_plugin(name, BUILTIN) is json.dumps


def test_unknown_plugin_lists_choices():
    with pytest.raises(ConfigError, match="unknown plug-in 'dump'; did you mean 'dumps'\\?, or write 'package"):
        load_plugin("dump", BUILTIN)


def test_missing_dependency_is_not_hidden():
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        load_plugin("no_such_package:f", BUILTIN)
