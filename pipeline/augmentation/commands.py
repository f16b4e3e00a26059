"""What `gapforge augment` and `name-pairs` do with files, without a config."""

from pathlib import Path
from typing import Any

from pipeline.augmentation.documents import METHODS, Counterpart, Method, write_augmented
from pipeline.augmentation.matching import SIDES, name_table, partners, total_cost
from pipeline.config import hint
from pipeline.errors import ConfigError
from pipeline.files import check_source, check_target, write_text


def check_method(method: str) -> Method:
    for known in METHODS:
        if method == known:
            return known
    raise ConfigError(f"unknown method {method!r}{hint(method, METHODS)}")


def augment_file(source: Path, output: Path, method: str, anonymise_originals: bool, model: str) -> dict[str, Any]:
    """Write the documents of a file and their counterparts; the counts come back."""
    if source.resolve() == output.resolve():
        raise ConfigError(f"{source}: is both input and output; write to another file")
    check_source(source)
    check_target(output)
    counterpart = counterpart_for(check_method(method), anonymise_originals, model)
    counts = write_augmented(source, output, counterpart, anonymise_originals)
    return {"method": method, **counts, "output": str(output)}


def counterpart_for(method: Method, anonymise_originals: bool, model: str) -> Counterpart:
    if anonymise_originals and method != "a-cda":
        raise ConfigError(f"only a-cda puts placeholders in the places of names, and this is {method}; leave it out")
    return Counterpart(method, partners(name_table()) if method == "n-cda" else {}, model)


def write_name_pairs(output: Path) -> dict[str, Any]:
    """Write the names that n-CDA exchanges as a table; how many pairs there are of each kind, and their costs."""
    check_target(output)
    pairs = name_table()
    lines = (f"{it.masculine}\t{it.feminine}\t{it.kind}\t{it.cost:.6f}\n" for it in pairs)
    write_text(output, "masculine\tfeminine\tkind\tcost\n" + "".join(lines))
    counts = {kind: sum(it.kind == kind for it in pairs) for kind in SIDES}
    kinds = {kind: {"pairs": counts[kind], "cost": round(total_cost(pairs, kind), 6)} for kind in SIDES}
    return {"pairs": len(pairs), "kinds": kinds, "output": str(output)}
