"""The `[release]` section: what a release says of itself, and under which terms it may be used."""

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
PAGE = re.compile(r"https?://[^\s/]+\.[^\s/]+(/\S*)?")
UNKNOWN = "unknown"
# What a corpus's text is under where the config does not say, by the format it is read from.
TEXT_LICENSES = {"wikipedia": "CC-BY-SA-4.0", "gutenberg": "public domain in the USA", "winobias": "GPL-3.0-or-later"}
WINOBIAS = "winobias"  # whose sentences are of no corpus, and have a licence as texts do: the embedded ones are ours


@dataclass(frozen=True, slots=True)
class ReleaseSettings:
    """Names, version and licences of a release.

    `license` is that of the labels and of all that was added; `text_licenses` those of the texts, by corpus, since
    they come from others. `date` is given and never today's: the same inputs must give the same bytes. `errata` names
    a file of known errors, relative to the config.
    """

    name: str = ""
    title: str = ""
    version: str = "0.1.0"
    date: str = ""
    description: str = ""
    authors: list[str] = field(default_factory=list)
    homepage: str = ""
    license: str = UNKNOWN
    text_licenses: dict[str, str] = field(default_factory=dict)
    errata: str = ""

    def __post_init__(self) -> None:
        if not VERSION.fullmatch(self.version):
            raise ValueError(f'version must be three numbers such as "1.0.0", found {self.version!r}')
        if self.name and not NAME.fullmatch(self.name):
            raise ValueError(f"name must be letters, digits, '.', '_' and '-', found {self.name!r}")
        if self.homepage and not PAGE.fullmatch(self.homepage):
            raise ValueError(f"homepage must be an address such as https://example.org, found {self.homepage!r}")
        if self.date and not is_day(self.date):
            raise ValueError(f'date must be a day such as "2026-01-31", found {self.date!r}')
        for name, value in self.lines():
            if not value.isprintable():
                raise ValueError(f"{name} must be one line of plain text, found {value!r}")
        for name, value in self.lines():
            if name in ("license", "authors", "text_licenses") and not value.strip():
                raise ValueError(f"{name} must not be empty; leave it out where it is not known")

    def lines(self) -> Iterator[tuple[str, str]]:
        yield from (("title", self.title), ("description", self.description), ("license", self.license))
        yield from (("authors", it) for it in self.authors)
        yield from (("text_licenses", it) for it in self.text_licenses.values())


def is_day(text: str) -> bool:
    """Whether a date is written in the one way that citation files take; Python reads several."""
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def name_from(config: str) -> str:
    """The name of a release after its config, of which a file system allows more than a hub does."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", config).strip("-._") or "release"
