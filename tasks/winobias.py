"""Scenes and occupations to the sentences of WinoBias."""

from pathlib import Path

from pipeline.config import load_settings
from pipeline.records import WinoBiasSentence
from pipeline.winobias.stages import WinoBiasSettings, embedded_identity, own_files, write_sentences
from tasks.base import Stage


class WinoBias(Stage):
    """Sentences of two occupations and a pronoun, with the pronoun that stereotypes suggest and with the other one."""

    record = WinoBiasSentence
    section = "winobias"
    settings_type = WinoBiasSettings

    def inputs(self) -> dict[str, str]:
        return own_files(self.settings, Path(self.config).parent, self.checksums)

    def model(self) -> str:
        return embedded_identity(self.settings)

    def write(self, folder: Path) -> None:
        write_sentences(self.settings, Path(self.config).parent, folder)


def wants_winobias(config: str) -> bool:
    return load_settings(config, "winobias", WinoBiasSettings).include
