import json

import pytest
from gapforge.errors import ConfigError
from gapforge.plugins import load_plugin, target_of

BUILTIN = {"dumps": "json:dumps"}


@pytest.mark.parametrize("name", ["dumps", "json:dumps"])
def test_plugin_is_found(name):
    assert load_plugin(name, BUILTIN) is json.dumps


def test_unknown_plugin_lists_choices():
    with pytest.raises(
        ConfigError, match=r"unknown plug-in 'dump', and no 'package.module:function'; did you mean 'dumps'\?"
    ):
        load_plugin("dump", BUILTIN)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "no_such_package:f",
            "cannot load 'no_such_package:f': No module named 'no_such_package'; install",
        ),
        ("json:nothing", "cannot load 'json:nothing': .*nothing.*; install the package, or mend it"),
        ("string:digits", "cannot use 'string:digits': it is a str, not a function"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_named(name, message):
    with pytest.raises(ConfigError, match=message):
        load_plugin(name, BUILTIN)


def test_where_a_plugin_is_defined():
    assert target_of("dumps", BUILTIN) == "json:dumps"
    assert target_of("own_reader:read", BUILTIN) == "own_reader:read"
