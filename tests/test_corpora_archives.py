import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapforge.corpora.archives import Limits, open_archive
from gapforge.errors import InputError

STORY = b"The ferry left at noon."


def make_zip(path, *entries, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return str(path)


def read_all(path, limits=None):
    with open_archive(path, limits) as archive:
        return {name: archive.read(name) for name in archive.names()}


def test_reads_every_file_in_the_order_of_the_archive(tmp_path):
    path = make_zip(tmp_path / "a.zip", ("b/", b""), ("b/two.txt", b"two"), ("a.txt", STORY))
    assert list(read_all(path).items()) == [("b/two.txt", b"two"), ("a.txt", STORY)]


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("../up.txt", r"a step upwards \(\.\.\)"),
        ("a/../../up.txt", r"a step upwards \(\.\.\)"),
        ("/etc/passwd", "an absolute path"),
        ("C:/a.txt", "a drive letter"),
        ("c:a.txt", "a drive letter"),
        ("a\\b.txt", "a backslash"),
    ],
)
def test_names_that_climb_out(tmp_path, name, fault):
    path = make_zip(tmp_path / "a.zip", ("fine.txt", STORY), (name, b"x"))
    with pytest.raises(InputError, match=f"wanted a name below the archive's own folder, found {fault}; do not use"):
        read_all(path)


def test_a_dotted_name_is_no_step_upwards(tmp_path):
    assert read_all(make_zip(tmp_path / "a.zip", ("a..b/c...txt", STORY))) == {"a..b/c...txt": STORY}


def test_symbolic_link(tmp_path):
    link = zipfile.ZipInfo("link.txt")
    link.create_system = 3
    link.external_attr = 0o120777 << 16
    path = make_zip(tmp_path / "a.zip", (link, b"/etc/passwd"))
    with pytest.raises(InputError, match=r"a\.zip: entry link\.txt: wanted a file, found a symbolic link; make the"):
        read_all(path)


def test_duplicate_name(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = make_zip(tmp_path / "a.zip", ("a.txt", b"one"), ("a.txt", b"two"))
    with pytest.raises(InputError, match=r"entry a\.txt: wanted each name once, found it twice; remove one"):
        read_all(path)


def test_encrypted_entry(tmp_path):
    path = tmp_path / "a.zip"
    make_zip(path, ("a.txt", STORY))
    data = bytearray(path.read_bytes())
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"entry a\.txt: wanted readable data, found an encrypted entry; decrypt"):
        read_all(str(path))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "wanted a zip archive, found an empty file; get the file again"),
        (b"Once upon a time.", r"wanted a zip archive, found something else \(File is not a zip file\); get the file"),
        (b"PK\x03\x04 and then nothing", "wanted a zip archive, found a truncated or damaged one"),
    ],
)
def test_not_a_zip(tmp_path, data, message):
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(InputError, match=rf"a\.zip: {message}"):
        read_all(str(tmp_path / "a.zip"))


def test_truncated(tmp_path):
    path = tmp_path / "a.zip"
    make_zip(path, ("a.txt", STORY * 100))
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(InputError, match="found a truncated or damaged one"):
        read_all(str(path))


def test_wrong_checksum(tmp_path):
    path = tmp_path / "a.zip"
    make_zip(path, ("a.txt", STORY), method=zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"noon", b"moon"))
    with pytest.raises(InputError, match=r"entry a\.txt: wanted readable zip data, found damage \(Bad CRC-32 for file"):
        read_all(str(path))


def test_bomb_is_stopped_by_its_ratio(tmp_path):
    path = make_zip(tmp_path / "a.zip", ("a.txt", bytes(3 << 20)))
    with pytest.raises(InputError, match=r"entry a\.txt: wanted text, found more than 200 bytes for each compressed"):
        read_all(path)


def test_small_repetitive_text_is_no_bomb(tmp_path):
    assert len(read_all(make_zip(tmp_path / "a.zip", ("a.txt", bytes(1 << 20))))["a.txt"]) == 1 << 20


def test_caps_on_a_member_and_on_the_archive(tmp_path):
    path = make_zip(tmp_path / "a.zip", ("a.txt", STORY), ("b.txt", STORY))
    size = len(STORY)
    assert len(read_all(path, Limits(member=size, archive=2 * size))) == 2
    with pytest.raises(InputError, match=rf"entry a\.txt: wanted at most {size - 1} bytes, found more; remove it"):
        read_all(path, Limits(member=size - 1))
    with pytest.raises(InputError, match=rf"entry b\.txt: wanted at most {2 * size - 1} bytes in the whole archive"):
        read_all(path, Limits(archive=2 * size - 1))


def test_a_header_that_understates_the_size_is_not_believed(tmp_path):
    path = tmp_path / "a.zip"
    make_zip(path, ("a.txt", bytes(3 << 20)))
    data = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", data, data.index(signature) + offset, 10)
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"entry a\.txt: wanted (readable zip data|text), found"):
        read_all(str(path))


@given(st.binary(min_size=1, max_size=60), st.integers(0, 200), st.booleans())
def test_damage_raises_input_error_alone(tmp_path_factory, noise, position, whole):
    path = tmp_path_factory.mktemp("zips") / "a.zip"
    make_zip(path, ("a.txt", STORY), ("b/c.txt", STORY * 5))
    data = path.read_bytes()
    path.write_bytes(noise if whole else data[:position] + noise + data[position + len(noise) :])
    try:
        assert isinstance(read_all(str(path)), dict)
    except InputError as error:
        assert str(error).startswith(str(path)) and "\n" not in str(error)
