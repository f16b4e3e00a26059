"""Gold answers, read from any set that is evaluated, in one form."""

from dataclasses import dataclass
from typing import Literal

from pipeline.records import Gender, Instance, Variant


@dataclass(frozen=True, slots=True)
class Item:
    """One instance with its gold answer; `instance` is None where a file gives labels without a text.

    `quadruple` is the id of the original, and `variant` which of the four this is; both are empty outside Counter-GAP.
    """

    id: str
    pronoun: str
    gender: Gender
    a: bool
    b: bool
    instance: Instance | None = None
    quadruple: str = ""
    variant: Variant | Literal[""] = ""
