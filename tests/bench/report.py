"""What the benchmarks share: where the published data is, and a table whose bars are remembered."""

from pathlib import Path

REFERENCE = Path(__file__).parents[3] / "shared" / "reference"


class Report:
    """Lines of a table as they come; what misses its bar is remembered."""

    def __init__(self) -> None:
        self.missed: list[str] = []

    def line(self, name: str, value: str, note: str = "", bar: str = "", met: bool = True) -> None:
        print(f"{name:<36}{value:>10}   {note:<32}{bar}".rstrip(), flush=True)
        if not met:
            self.missed.append(name)

    def at_least(self, name: str, value: float, bar: float, note: str = "") -> None:
        self.line(name, f"{value:.3f}", note, f"at least {bar:g}", value >= bar)

    def at_most(self, name: str, value: float, bar: float, note: str = "") -> None:
        self.line(name, f"{value:.3f}", note, f"at most {bar:g}", value <= bar)
