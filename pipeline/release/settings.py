"""The `[release]` section: what a release says of itself, and under which terms it may be used."""

import datetime
import re
from dataclasses import dataclass, field

VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
UNKNOWN = "unknown"
# What a corpus's text is under where the config does not say, by the format it is read from.
TEXT_LICENSES = {"wikipedia": "cc-by-sa-4.0", "gutenberg": "public domain in the USA"}


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
        if self.homepage and not self.homepage.startswith(("https://", "http://")):
            raise ValueError(f"homepage must begin with https:// or http://, found {self.homepage!r}")
        if self.date:
            try:
                datetime.date.fromisoformat(self.date)
            except ValueError:
                raise ValueError(f'date must be a day such as "2026-01-31", found {self.date!r}') from None
        lines = [("title", self.title), ("description", self.description), ("license", self.license)]
        lines += [("authors", it) for it in self.authors] + [
            ("text_licenses", it) for it in self.text_licenses.values()
        ]
        for name, value in lines:
            if len(value.splitlines()) > 1:
                each = " each" if name in ("authors", "text_licenses") else ""
                raise ValueError(f"{name} must be one line{each}, found {value!r}")
