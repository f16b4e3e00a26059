"""Kinds of task parameters."""

from pathlib import Path

import luigi

from gapforge.plugins import search_in


class ConfigFile(luigi.Parameter):
    """The TOML file that describes a run; a plug-in that it names may be in its folder."""

    def normalize(self, value: str) -> str:
        search_in(Path(value).parent)
        return value
