"""Fetch raw files that a config names by URL: once, resumably, not too fast, and only if they are the pinned ones.

This is the one place where raw files come from the network. No stage function imports it: whatever way a pinned file
took, it is the same file.
"""

import time
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from math import inf
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from gapforge.corpora.source import CorpusSettings
from gapforge.errors import InputError
from gapforge.progress import progress
from gapforge.storage.files import Checksums, run_lock, sha256_of, sync

AGENT = "gapforge (dataset builder; one connection, rate-limited)"
CHUNK = 1 << 16
ASK_LATER = (408, 425, 429)  # of the 400s, which else mean that the server understood and said no


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """The `[fetch]` section."""

    bytes_per_second: int = 5_000_000
    pause: float = 2.0  # seconds before every request, for the server's sake
    attempts: int = 5
    timeout: float = 60.0

    def __post_init__(self) -> None:
        sane = 0 <= self.pause < inf and 0 < self.timeout < inf  # nan is neither
        if self.bytes_per_second < 1 or self.attempts < 1 or not sane:
            raise ValueError("needs bytes_per_second and attempts of at least 1, a pause of at least 0 and a timeout")


def fetch_inputs(
    settings: CorpusSettings, written: CorpusSettings, fetching: FetchSettings, checksums: Checksums
) -> None:
    """Bring every URL of the config to its place."""
    for item, named in zip(settings.inputs, written.inputs, strict=True):
        if named.url:
            fetch(named.url, item.sha256, Path(item.path), fetching, checksums)


def fetch(url: str, sha256: str, target: Path, settings: FetchSettings, checksums: Checksums) -> None:
    """Bring `url` to `target` unless the pinned file is there; a partial download is kept and resumed."""
    with run_lock(target.parent):  # Several runs may want the same file.
        if target.exists():
            if checksums.of(target) == sha256:
                return
            target.unlink()  # It was whole once; somebody or something has changed it since.
        partial = target.parent / f".{target.name}.partial"
        resumed = partial.exists()
        for attempt in range(1, settings.attempts + 1):
            time.sleep(settings.pause * attempt)
            try:
                download(url, partial, settings)
                break
            except HTTPError as error:
                final = 400 <= error.code < 500 and error.code not in ASK_LATER
                if final or attempt == settings.attempts:
                    remedy = "fix the url" if final else "run again later"
                    raise InputError(f"{url}: the server answers {error.code} {error.reason}; {remedy}") from error
            except (URLError, HTTPException, OSError) as error:
                if attempt == settings.attempts:
                    raise InputError(
                        f"{url}: {error} after {attempt} attempts; run again to go on from byte {size_of(partial)}"
                    ) from error
        found = sha256_of(partial)
        if found != sha256:
            partial.unlink()
            if resumed:  # What an earlier run had begun may have been the wrong half: all of it once more.
                return fetch(url, sha256, target, settings, checksums)
            raise InputError(
                f"{url}: sha256 is {found}, but the config pins {sha256}; fix the url, or pin the new contents"
            )
        sync(partial)
        partial.replace(target)
        sync(target.parent)


def download(url: str, partial: Path, settings: FetchSettings) -> None:
    """One request for what is still missing; raises where the connection ends before the announced length."""
    have = size_of(partial)
    headers = {"User-Agent": AGENT} | ({"Range": f"bytes={have}-"} if have else {})
    try:
        answer: HTTPResponse = urlopen(Request(url, headers=headers), timeout=settings.timeout)  # noqa: S310 (settings admit http and https only)
    except HTTPError as error:
        if error.code == 416 and have:  # Nothing is left beyond what we have; the checksum decides.
            error.close()
            return
        raise
    with answer:
        if answer.status != 206:
            have = 0  # The server sends everything again.
        length = answer.headers.get("Content-Length")
        end = have + int(length) if length else 0
        started = time.monotonic()
        received = 0
        with partial.open("ab" if have else "wb") as file, progress(f"fetch {url}", end, "bytes", "bytes") as report:
            while block := answer.read(CHUNK):
                file.write(block)
                received += len(block)
                report(have + received, received)
                ahead = received / settings.bytes_per_second - (time.monotonic() - started)
                if ahead > 0:
                    time.sleep(ahead)
        if end and have + received < end:
            raise URLError(f"the connection ended at byte {have + received} of {end}")


def size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
