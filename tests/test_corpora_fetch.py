"""Downloads from a real server on this machine that can break off, refuse ranges, and count what it sent."""

import fcntl
import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from gapforge.corpora.fetch import FetchSettings, fetch
from gapforge.errors import InputError, LockedError
from gapforge.storage.files import Checksums

DATA = bytes(range(256)) * 2000
SHA256 = hashlib.sha256(DATA).hexdigest()
FAST = FetchSettings(bytes_per_second=10**9, pause=0.0, attempts=3, timeout=10.0)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked = []  # the Range header of every request
        self.break_at = 0  # bytes to send before breaking off, once
        self.ranges = True
        self.status = 0


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        wanted = self.headers.get("Range")
        server.asked.append(wanted)
        if server.status:
            self.send_error(server.status)
            return
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and server.ranges else 0
        if start >= len(DATA):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(DATA) - start))
        self.end_headers()
        end, server.break_at = server.break_at or len(DATA), 0
        self.wfile.write(DATA[start:end])

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server():
    with Server() as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def url(server):
    return f"http://127.0.0.1:{server.server_port}/dump.xml.bz2"


def test_a_file_is_fetched_once(server, tmp_path):
    target = tmp_path / "down" / "dump.xml.bz2"
    for _ in range(2):
        fetch(url(server), SHA256, target, FAST, Checksums(tmp_path / "memory"))
    assert target.read_bytes() == DATA
    assert server.asked == [None]
    assert sorted(path.name for path in target.parent.iterdir()) == [".lock", "dump.xml.bz2"]


def test_a_file_that_is_no_longer_the_pinned_one_is_fetched_again(server, tmp_path):
    for _ in range(2):
        fetch(url(server), SHA256, tmp_path / "f", FAST, Checksums(tmp_path / "memory"))
        assert (tmp_path / "f").read_bytes() == DATA
        (tmp_path / "f").write_bytes(DATA[:-1])
    assert len(server.asked) == 2


def test_two_runs_do_not_fetch_into_one_file(server, tmp_path):
    with (tmp_path / ".lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(LockedError, match="is being built by another process"):
            fetch(url(server), SHA256, tmp_path / "f", FAST, Checksums(tmp_path / "memory"))


def test_a_broken_download_goes_on_where_it_was(server, tmp_path):
    server.break_at = 300_000
    fetch(url(server), SHA256, tmp_path / "f", FAST, Checksums(tmp_path / "memory"))
    assert (tmp_path / "f").read_bytes() == DATA
    assert server.asked == [None, "bytes=300000-"]


def test_a_server_without_ranges_sends_all_again(server, tmp_path):
    server.break_at, server.ranges = 1000, False
    fetch(url(server), SHA256, tmp_path / "f", FAST, Checksums(tmp_path / "memory"))
    assert (tmp_path / "f").read_bytes() == DATA


def test_what_a_killed_run_left_is_used(server, tmp_path):
    (tmp_path / ".f.partial").write_bytes(DATA[:1234])
    fetch(url(server), SHA256, tmp_path / "f", FAST, Checksums(tmp_path / "memory"))
    assert server.asked == ["bytes=1234-"]
    (tmp_path / ".g.partial").write_bytes(DATA)
    fetch(url(server), SHA256, tmp_path / "g", FAST, Checksums(tmp_path / "memory"))
    assert (tmp_path / "f").read_bytes() == (tmp_path / "g").read_bytes() == DATA


def test_wrong_contents_are_not_kept(server, tmp_path):
    with pytest.raises(InputError, match=f"sha256 is {SHA256}, but the config pins {'0' * 64}; fix the url, or pin"):
        fetch(url(server), "0" * 64, tmp_path / "f", FAST, Checksums(tmp_path / "memory"))
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def test_a_refusal_is_final(server, tmp_path):
    server.status = 404
    with pytest.raises(InputError, match=r"dump\.xml\.bz2: the server answers 404 Not Found; fix the url"):
        fetch(url(server), SHA256, tmp_path / "f", FAST, Checksums(tmp_path / "memory"))
    assert len(server.asked) == 1


def test_a_server_in_trouble_is_asked_again(server, tmp_path):
    server.status = 503
    with pytest.raises(InputError, match="the server answers 503"):
        fetch(url(server), SHA256, tmp_path / "f", FAST, Checksums(tmp_path / "memory"))
    assert len(server.asked) == 3


def test_no_server_is_an_error_in_one_line(tmp_path):
    with Server() as gone:
        address = url(gone)
    with pytest.raises(InputError, match=r"Connection refused.* after 3 attempts; run again to go on from byte 0"):
        fetch(address, SHA256, tmp_path / "f", FAST, Checksums(tmp_path / "memory"))


@pytest.mark.parametrize("changes", [{"bytes_per_second": 0}, {"attempts": 0}, {"pause": -1.0}, {"timeout": 0.0}])
def test_settings_that_cannot_work_are_refused(changes):
    with pytest.raises(ValueError, match="needs bytes_per_second and attempts of at least 1, a pause of at least 0"):
        FetchSettings(**changes)


def test_the_rate_is_kept(server, tmp_path, monkeypatch):
    slept = []
    monkeypatch.setattr("gapforge.corpora.fetch.time.sleep", slept.append)
    slow = FetchSettings(bytes_per_second=100_000, pause=7.0)
    fetch(url(server), SHA256, tmp_path / "f", slow, Checksums(tmp_path / "memory"))
    assert slept[0] == 7.0
    assert max(slept[1:]) > 4.0  # 512,000 bytes are five seconds' worth, and no time has passed.
