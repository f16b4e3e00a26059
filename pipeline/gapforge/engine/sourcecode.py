"""What the source of one module says: a hash of its code, what it imports, and the embedded files it asks for.

The hash is of the text without comments, docstrings and blank lines. These are cut out by position, because dumps of
syntax trees, and tokens of f-strings, differ between the versions of Python.
"""

import ast
import hashlib
import io
import tokenize
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

from gapforge.errors import InputError, one_line

READER = Path(__file__)  # another version of this file may find other facts
IMPORTERS = ("import_module", "__import__", "optional")  # their first argument is the name of a module to import
LAYOUT = (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
DIGITS = 16  # of a hash

Position = tuple[int, int]  # line, from 1, and character, from 0
Span = tuple[Position, Position]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a fingerprint needs to know of one module."""

    hash: str
    imports: tuple[str, ...]
    resources: tuple[str, ...]


@lru_cache(maxsize=1)  # A module is asked for its hash, imports and resources, one after the other.
def parsed(source: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Importing the module shows them.
        return ast.parse(source)


def code_hash(source: str) -> str:
    """A hash that comments, docstrings and blank lines do not change; the same in all versions of Python."""
    return hashlib.sha256("\n".join(code_lines(source)).encode()).hexdigest()[:DIGITS]


def code_lines(source: str) -> list[str]:
    """The lines that hold code, without comments and docstrings."""
    lines = source.split("\n")
    cuts = list(docstrings(source))
    documented = {row: (start, end) for start, end in cuts for row in range(start[0], end[0] + 1)}
    kept: set[int] = set()
    for kind, start, end in tokens_of(source):
        if kind == tokenize.COMMENT:
            cuts.append((start, end))
        elif kind not in LAYOUT and not is_within(start, documented.get(start[0])):
            kept.update(range(start[0], end[0] + 1))
    for (first, left), (last, right) in sorted(cuts, reverse=True):
        before, after = lines[first - 1][:left], lines[last - 1][right:]
        if first != last:
            lines[last - 1] = after
            after = ""
        lines[first - 1] = before + after if after.strip() else before.rstrip()
    return [lines[row - 1] for row in sorted(kept)]


def is_within(position: Position, span: Span | None) -> bool:
    return span is not None and span[0] <= position < span[1]


def tokens_of(source: str) -> Iterator[tuple[int, Position, Position]]:
    """Kind and place of each token; an f-string is one string, though Python 3.12 and later look into it."""
    opened: list[Position] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        name = tokenize.tok_name[token.type]
        if name == "FSTRING_START":
            opened.append(token.start)
        elif name == "FSTRING_END":
            start = opened.pop()
            if not opened:
                yield tokenize.STRING, start, token.end
        elif not opened:
            yield token.type, token.start, token.end


def docstrings(source: str) -> Iterator[Span]:
    lines = source.split("\n")
    for node in ast.walk(parsed(source)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) or not node.body:
            continue
        match node.body[0]:
            case ast.Expr(value=ast.Constant(value=str()), end_lineno=int(last), end_col_offset=int(right)) as it:
                # Syntax trees count bytes, tokens count characters.
                left = len(lines[it.lineno - 1].encode()[: it.col_offset].decode())
                yield (it.lineno, left), (last, len(lines[last - 1].encode()[:right].decode()))


def running(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes, but for what only a type checker reads."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, ast.If) and last_name(node.test) == "TYPE_CHECKING":
            todo += node.orelse
        else:
            todo += ast.iter_child_nodes(node)


def last_name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def leading_strings(call: ast.Call) -> list[str]:
    """The arguments up to the first that is not a plain string."""
    values = (it.value if isinstance(it, ast.Constant) else None for it in call.args)
    return [it for it in takewhile(lambda value: isinstance(value, str), values) if isinstance(it, str)]


def imports_of(source: str, module: str, is_package: bool) -> frozenset[str]:
    """Full names of all that is imported, also inside functions.

    `from a import b` gives "a" and "a.b": whether b is a module, only the files of `a` can tell.
    """
    return frozenset(each_import(parsed(source), module.split("."), is_package))


def each_import(tree: ast.Module, parts: Sequence[str], is_package: bool) -> Iterator[str]:
    for node in running(tree):
        if isinstance(node, ast.Import):
            yield from (it.name for it in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = parts[: max(0, len(parts) - node.level + is_package)] if node.level else ()
            base = ".".join([*above, *filter(None, [node.module])])
            yield from filter(None, [base, *(f"{base}.{it.name}" for it in node.names if base and it.name != "*")])
        elif isinstance(node, ast.Call) and last_name(node.func) in IMPORTERS:
            yield from (name for name in leading_strings(node)[:1] if not name.startswith("."))


def resources_of(source: str) -> frozenset[str]:
    """Embedded files and folders that a module asks for with `resource("…", "…")`.

    If a part of the name is not a plain string, the folder before it counts; "" means all embedded files.
    """
    calls = (it for it in running(parsed(source)) if isinstance(it, ast.Call) and last_name(it.func) == "resource")
    return frozenset("/".join(leading_strings(it)) for it in calls)


def facts_of(source: str, module: str, is_package: bool) -> Facts:
    imports, resources = imports_of(source, module, is_package), resources_of(source)
    return Facts(code_hash(source), tuple(sorted(imports)), tuple(sorted(resources)))


def read_facts(path: Path, module: str) -> Facts:
    try:
        with tokenize.open(path) as file:
            return facts_of(file.read(), module, path.name == "__init__.py")
    except (SyntaxError, ValueError) as error:  # ValueError: null bytes, or bytes that are not text
        raise InputError(f"{path}: not Python: {one_line(error)}") from error
