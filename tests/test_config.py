from dataclasses import dataclass, field
from typing import Literal

import pytest

from gapforge.config import check_sections, load_settings, read_config
from gapforge.errors import ConfigError


@dataclass(frozen=True)
class Inner:
    path: str = ""
    size: int = 1


@dataclass(frozen=True)
class Outer:
    per_gender: int = 1000
    share: float = 0.5
    strict: bool = False
    mode: Literal["fast", "right"] = "right"
    names: list[str] = field(default_factory=list)
    inner: Inner = Inner()
    many: list[Inner] = field(default_factory=list)


@pytest.fixture
def load(tmp_path):
    def call(text: str, section: str = "stage") -> Outer:
        read_config.cache_clear()
        path = tmp_path / "c.toml"
        path.write_text(text, "utf-8")
        return load_settings(str(path), section, Outer)

    return call


def test_what_is_left_out_keeps_its_default(load):
    assert load("") == Outer()
    found = load('[stage]\nshare = 1\nnames = ["NA"]\ninner = { size = 2 }\nmany = [{ path = "a" }]')
    assert found == Outer(share=1.0, names=["NA"], inner=Inner(size=2), many=[Inner("a")])


def test_dots_lead_inwards(load):
    assert load("[a.b]\nper_gender = 7", "a.b").per_gender == 7


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("per_gendre = 3", "[stage] has no setting 'per_gendre'; did you mean 'per_gender'?"),
        ("zzz = 3", "[stage] has no setting 'zzz'; choose from per_gender, share, strict, mode, names, inner, many"),
        ('per_gender = "3"', "[stage] per_gender must be a whole number, found '3'"),
        ("per_gender = true", "[stage] per_gender must be a whole number, found True"),
        ("per_gender = 1.5", "[stage] per_gender must be a whole number, found 1.5"),
        ('share = "x"', "[stage] share must be a number, found 'x'"),
        ("strict = 1", "[stage] strict must be true or false, found 1"),
        ('mode = "rigth"', "[stage] mode is 'rigth'; did you mean 'right'?"),
        ('names = "x"', "[stage] names must be a list, found 'x'"),
        ("names = [1]", "[stage] names item 1 must be a string, found 1"),
        ("inner = 3", "[stage] inner must be a table, found 3"),
        ("inner = { sise = 3 }", "[stage] inner has no setting 'sise'; did you mean 'size'?"),
        ('many = [{}, { pth = "" }]', "[stage] many item 2 has no setting 'pth'; did you mean 'path'?"),
    ],
)
def test_a_wrong_setting_is_named(load, text, message):
    with pytest.raises(ConfigError) as error:
        load("[stage]\n" + text)
    assert str(error.value).split("c.toml: ")[1] == message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[stage\n", r"c\.toml: not TOML: .*line 1"),
        (b"a = '\xff'", r"c\.toml: byte 5: not UTF-8; save the file as UTF-8"),
        (b"stage = 3", r"c\.toml: \[stage\] must be a table"),
    ],
)
def test_a_wrong_file_is_named(tmp_path, data, message):
    (tmp_path / "c.toml").write_bytes(data)
    with pytest.raises(ConfigError, match=message):
        load_settings(str(tmp_path / "c.toml"), "stage", Outer)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.toml: cannot be read: No such file or directory; name an existing"):
        load_settings(str(tmp_path / "none.toml"), "stage", Outer)


def test_an_unknown_section_is_named(tmp_path):
    (tmp_path / "c.toml").write_text("[corpra.x]\n")
    with pytest.raises(ConfigError, match=r"no stage reads \[corpra\]; did you mean 'corpora'\?"):
        check_sections(str(tmp_path / "c.toml"), ["corpora", "fetch"])


def test_an_edit_belongs_to_the_next_run(load, tmp_path):
    assert load("[stage]\nper_gender = 1").per_gender == 1
    (tmp_path / "c.toml").write_text("[stage]\nper_gender = 2")
    assert load_settings(str(tmp_path / "c.toml"), "stage", Outer).per_gender == 1
