"""What no module may do, beyond what ruff's rules of security refuse in `make check`, and where a cluster listens.

Rules are functions from source text to findings, so that each is shown to find what it is for.
"""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted(path for folder in ("pipeline", "tasks") for path in (ROOT / folder).rglob("*.py"))
PAGES = sorted(it for it in (ROOT / "resources").rglob("*") if it.suffix in (".html", ".j2", ".js", ".css"))

# Reading what these wrote can run code; or they start a shell or another program, or run text.
NEVER = (
    "pickle",
    "_pickle",
    "cloudpickle",
    "dill",
    "joblib",
    "marshal",
    "shelve",
    "subprocess",
    "pty",
    "code",
    "codeop",
)
# What reaches the network, and who may import it: each at an address that a config or a command names.
NETWORK = (
    "socket",
    "socketserver",
    "ssl",
    "asyncio",
    "http.client",
    "http.server",
    "urllib.request",
    "xmlrpc",
    "ftplib",
)
NETWORK += ("requests", "urllib3", "httpx", "aiohttp", "tornado", "fsspec", "smart_open", "datasets", "huggingface_hub")
NETWORK += ("distributed", "multiprocessing.connection")
REACHING = {
    # dask://HOST:PORT of --engine, else loopback; a host's name; --exchange
    "pipeline/gapforge/engine/cluster.py": ["asyncio", "distributed", "fsspec", "socket", "tornado"],
    "pipeline/gapforge/corpora/fetch.py": ["http.client", "urllib.request"],  # the url of an input
    "pipeline/gapforge/corpora/hub.py": ["datasets", "huggingface_hub"],  # [corpora.…] hub
    "pipeline/gapforge/systems/server.py": ["http.client"],  # the server of the resolver "server"
    "pipeline/gapforge/storage/files.py": ["socket"],  # the host's name alone
    "pipeline/gapforge/engine/processes.py": ["multiprocessing.connection"],  # waits for pipes to its own children
    "pipeline/gapforge/release/publish.py": ["huggingface_hub"],  # gapforge publish
}
# Rules of ruff that are lifted, and why that is sound here.
LIFTED = {
    "pipeline/gapforge/corpora/fetch.py": ["S310"],  # settings admit http and https only
    "pipeline/gapforge/report/page.py": ["S704"] * 3,  # drawings of matplotlib, which escapes text; files of ours
    "pipeline/gapforge/release/card.py": ["S701"],  # Markdown, which escapes in ways of its own
    "pipeline/gapforge/release/run_report.py": ["S704"],  # JSON without a character that HTML knows
}


def names_in(tree: ast.AST) -> dict[str, str]:
    """What each imported name stands for: np is numpy, and load may be numpy.load."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for it in node.names:
                found[it.asname or it.name.partition(".")[0]] = it.name if it.asname else it.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom):
            found |= {it.asname or it.name: f"{node.module}.{it.name}" for it in node.names}
    return found


@cache
def parsed(source: str) -> ast.Module:
    return ast.parse(source)


@cache
def imports_in(source: str) -> list[ast.Import | ast.ImportFrom]:
    return [node for node in ast.walk(parsed(source)) if isinstance(node, ast.Import | ast.ImportFrom)]


@cache
def calls_in(source: str) -> list[tuple[str, ast.Call]]:
    """Every call with the full name of what is called; of a method of something made here, its own name after a dot."""
    tree = parsed(source)
    names = names_in(tree)

    def full(node: ast.expr) -> str:
        if isinstance(node, ast.Name):
            return names.get(node.id, node.id)
        return f"{full(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else ""

    return [(full(node.func), node) for node in ast.walk(tree) if isinstance(node, ast.Call)]


def options_of(call: ast.Call) -> dict[str | None, object]:
    """The keywords of a call that are literals; others have no value that can be known."""
    return {it.arg: it.value.value if isinstance(it.value, ast.Constant) else ... for it in call.keywords}


def imported(source: str, wanted: tuple[str, ...]) -> list[str]:
    """The modules of these that are imported, anywhere in the module."""
    found = set()
    for node in imports_in(source):
        modules = []
        if isinstance(node, ast.Import):
            modules = [it.name for it in node.names]
        elif node.module:
            modules = [node.module]
            modules += [f"{node.module}.{it.name}" for it in node.names if f"{node.module}.{it.name}" in wanted]
        found |= {it for it in wanted if any(module == it or module.startswith(f"{it}.") for module in modules)}
    return sorted(found)


def unsafe_imports(source: str) -> list[str]:
    return imported(source, NEVER)


def unsafe_calls(source: str) -> list[str]:
    """Calls that run text, load objects, or make a template that does not escape."""
    found = []
    for name, call in calls_in(source):
        options = options_of(call)
        if name in ("eval", "exec", "compile", "__import__", "jinja2.Template"):
            found.append(name)
        if name in ("numpy.load", "numpy.lib.format.read_array") and options.get("allow_pickle", False) is not False:
            found.append(f"{name} with allow_pickle")
        if name == "torch.load" and options.get("weights_only") is not True:
            found.append("torch.load without weights_only")
        if options.get("trust_remote_code", False) is not False:
            found.append("trust_remote_code")
        # select_autoescape goes by the last ending, and our templates end in .j2.
        if name == "jinja2.Environment" and options.get("autoescape", False) not in (True, False):
            found.append("jinja2.Environment with another autoescape than True")
    return found


MAKES_PARSER = re.compile(r"lxml\.etree\.(XMLParser|XMLPullParser|HTMLParser|HTMLPullParser|iterparse)")
PARSES = ("parse", "fromstring", "XML", "HTML", "fromstringlist", "parseid", "XMLID", "XMLDTDID")
OTHER_XML = (
    "lxml.html.",
    "lxml.objectify.",
    "lxml.etree.XSLT",
    "xml.etree.",
    "xml.dom.",
    "xml.parsers.",
    "xml.sax.parse",
)
UNSAFE_XML = {"resolve_entities": True, "load_dtd": True, "dtd_validation": True, "no_network": False, "xinclude": True}


def unsafe_xml(source: str) -> list[str]:
    """Parsers of lxml that might load what a document names, and parsing by lxml's default parser."""
    found = []
    for name, call in calls_in(source):
        options = options_of(call)
        if MAKES_PARSER.fullmatch(name):
            found += [
                f"{name} with {it}={value}" for it, value in UNSAFE_XML.items() if options.get(it) in (value, ...)
            ]
            # Entities are resolved within a document unless told otherwise, and those of a bomb need a DTD.
            wanted = {"no_network": True} | ({} if "HTML" in name else {"load_dtd": False})
            found += [f"{name} without {it}={value}" for it, value in wanted.items() if it not in options]
        elif name in [f"lxml.etree.{it}" for it in PARSES] and len(call.args) + ("parser" in options) < 2:
            found.append(f"{name} by the default parser")
        elif name.startswith(OTHER_XML) or name.endswith(".xinclude"):
            found.append(name)
    return found


EVERYWHERE = re.compile(r"(|0\.0\.0\.0|::|\[::\]|\*)(:\d+)?")
BINDS = re.compile(r"bind|listen|serve", re.IGNORECASE)


def open_servers(source: str) -> list[str]:
    """Addresses on all interfaces in what may bind to them."""
    found = []
    for name, call in calls_in(source):
        options = options_of(call)
        told = {it: options.get(it) for it in ("host", "ip", "interface", "address", "dashboard_address")}
        if BINDS.search(name) and call.args and isinstance(call.args[0], ast.Tuple) and call.args[0].elts:
            told["address"] = getattr(call.args[0].elts[0], "value", None)
        open_ones = {it: value for it, value in told.items() if isinstance(value, str) and EVERYWHERE.fullmatch(value)}
        found += [f"{name} with {it}={value!r}" for it, value in open_ones.items()]
        if name.endswith("LocalCluster") and not {"host", "dashboard_address"} <= options.keys():
            found.append(f"{name} without host and dashboard_address")
    return found


# A template or script that makes markup of text, or an attribute that is a script.
MARKUP = re.compile(
    r"\|\s*safe\b|\bMarkup\b|autoescape|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\bsrcdoc\b"
    r"|createContextualFragment|DOMParser|\beval\(|new Function|javascript:|\bon[a-z]+\s*=\s*[\"']|setTimeout\(\s*[\"']"
)


def unsafe_markup(source: str) -> list[str]:
    return MARKUP.findall(source)


def lifted(source: str) -> list[str]:
    """The rules of security that a comment switches off; a comment without a rule switches off all."""
    codes = re.findall(r"#\s*(?:ruff:\s*)?noqa(?::\s*([A-Z0-9, ]+))?", source)
    found = [code for text in codes for code in re.findall(r"[A-Z]+\d+", text) or ["all"]]
    return sorted(code for code in found if re.fullmatch(r"S\d+|all", code))


RULES: list[tuple[Callable[[str], list[str]], str, list[str]]] = [
    (unsafe_imports, "import pickle", ["pickle"]),
    (unsafe_imports, "def f():\n    from cloudpickle import loads", ["cloudpickle"]),
    (unsafe_imports, "import os, subprocess as run", ["subprocess"]),
    (unsafe_imports, "from joblib.externals import loky", ["joblib"]),
    (unsafe_imports, "import picklejar\nfrom pipeline import shelve", []),
    (unsafe_calls, "eval('1')", ["eval"]),
    (unsafe_calls, "compile('1', '', 'exec')", ["compile"]),
    (unsafe_calls, "import re\nre.compile('1')", []),
    (unsafe_calls, "__import__('pickle')", ["__import__"]),
    (unsafe_calls, "import jinja2\njinja2.Template('x')", ["jinja2.Template"]),
    (unsafe_calls, "from jinja2 import Template as T\nT('x')", ["jinja2.Template"]),
    (
        unsafe_calls,
        "import jinja2\njinja2.Environment(autoescape=jinja2.select_autoescape())",
        ["jinja2.Environment with another autoescape than True"],
    ),
    (unsafe_calls, "import jinja2\njinja2.Environment(autoescape=True)", []),
    (unsafe_calls, "import numpy as np\nnp.load(p, allow_pickle=True)", ["numpy.load with allow_pickle"]),
    (unsafe_calls, "from numpy import load\nload(p, allow_pickle=given)", ["numpy.load with allow_pickle"]),
    (unsafe_calls, "import numpy as np\nnp.load(p)", []),
    (unsafe_calls, "import torch\ntorch.load(p)", ["torch.load without weights_only"]),
    (unsafe_calls, "import torch\ntorch.load(p, weights_only=True)", []),
    (unsafe_calls, "AutoModel.from_pretrained(p, trust_remote_code=True)", ["trust_remote_code"]),
    (unsafe_calls, "AutoModel.from_pretrained(p, trust_remote_code=False)", []),
    (unsafe_xml, "from lxml import etree\netree.fromstring(x)", ["lxml.etree.fromstring by the default parser"]),
    (unsafe_xml, "import lxml.etree as e\ne.parse(x)", ["lxml.etree.parse by the default parser"]),
    (unsafe_xml, "from lxml import etree\netree.parse(x, parser)", []),
    (
        unsafe_xml,
        "from lxml import etree\netree.XMLParser()",
        [f"lxml.etree.XMLParser without {it}" for it in ("no_network=True", "load_dtd=False")],
    ),
    (
        unsafe_xml,
        "from lxml.etree import iterparse\niterparse(x, no_network=False, load_dtd=False, resolve_entities=False)",
        ["lxml.etree.iterparse with no_network=False"],
    ),
    (
        unsafe_xml,
        "from lxml import etree\netree.XMLParser(no_network=True, load_dtd=told, resolve_entities=True)",
        [f"lxml.etree.XMLParser with {it}=True" for it in ("resolve_entities", "load_dtd")],
    ),
    (unsafe_xml, "from lxml import etree\netree.HTMLParser(no_network=True)", []),
    (unsafe_xml, "from lxml import html\nhtml.fromstring(x)", ["lxml.html.fromstring"]),
    (unsafe_xml, "import xml.etree.ElementTree as e\ne.parse(x)", ["xml.etree.ElementTree.parse"]),
    (unsafe_xml, "tree.xinclude()", ["tree.xinclude"]),
    (open_servers, "s.bind(('', 80))", ["s.bind with address=''"]),
    (open_servers, "HTTPServer(('0.0.0.0', 80), h)", ["HTTPServer with address='0.0.0.0'"]),
    (open_servers, "HTTPServer(('127.0.0.1', 80), h)", []),
    (open_servers, "Scheduler(host='')", ["Scheduler with host=''"]),
    (open_servers, "Scheduler(dashboard_address=':8787')", ["Scheduler with dashboard_address=':8787'"]),
    (open_servers, "Scheduler(dashboard_address='0.0.0.0:0')", ["Scheduler with dashboard_address='0.0.0.0:0'"]),
    (open_servers, "Scheduler(dashboard_address='127.0.0.1:0', host='localhost')", []),
    (open_servers, "LocalCluster(n_workers=1)", ["LocalCluster without host and dashboard_address"]),
    (unsafe_markup, "{{ text | safe }}", ["| safe"]),
    (unsafe_markup, "{{ text|safe}}", ["|safe"]),
    (unsafe_markup, "{% autoescape false %}", ["autoescape"]),
    (unsafe_markup, "box.innerHTML = text;", ["innerHTML"]),
    (unsafe_markup, '<a href="javascript:run()">', ["javascript:"]),
    (unsafe_markup, '<img onerror = "run()">', ['onerror = "']),
    (unsafe_markup, "{{ words | safest }} <p data-on='x'>", []),
    (lifted, "x = 1  # noqa: S310 (why)", ["S310"]),
    (lifted, "x = 1  # noqa: E501, S704", ["S704"]),
    (lifted, "# ruff: noqa", ["all"]),
    (lifted, "x = 1  # noqa: SIM905", []),
]


@pytest.mark.parametrize(("rule", "source", "expected"), RULES)
def test_each_rule_finds_what_it_is_for(rule, source, expected):
    assert rule(source) == expected


def by_module(rule: Callable[[str], list[str]], paths: list[Path] = MODULES) -> dict[str, list[str]]:
    """What a rule finds, by file, files without a finding left out."""
    found = {path.relative_to(ROOT).as_posix(): rule(path.read_text("utf-8")) for path in paths}
    return {name: findings for name, findings in found.items() if findings}


@pytest.mark.parametrize("rule", [unsafe_imports, unsafe_calls, unsafe_xml, open_servers])
def test_no_module_does_what_is_unsafe(rule):
    assert by_module(rule) == {}


def test_no_page_makes_markup_of_text():
    assert len(PAGES) > 5
    assert by_module(unsafe_markup, PAGES) == {}


def test_the_network_is_reached_from_known_places_alone():
    assert by_module(lambda source: imported(source, NETWORK)) == REACHING


def test_rules_of_security_are_lifted_in_known_places_alone():
    assert by_module(lifted) == LIFTED


# In a process of its own, so that every process below it is one of the cluster's.
LISTENING = """
import json, sys, psutil
from gapforge.engine.cluster import connected
from gapforge.engine import Engine

if __name__ == "__main__":
    client = connected(Engine("dask", 1))
    client.wait_for_workers(1)
    family = [psutil.Process(), *psutil.Process().children(recursive=True)]
    sockets = [it for process in family for it in process.net_connections("inet") if it.status == psutil.CONN_LISTEN]
    print(json.dumps([len(family), sorted({it.laddr.ip for it in sockets}), len(sockets)]))
"""


def test_a_cluster_of_our_own_listens_on_loopback_alone(tmp_path):
    script = tmp_path / "listening.py"
    script.write_text(LISTENING, "utf-8")
    told = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert told.returncode == 0, told.stderr
    processes, addresses, sockets = json.loads(told.stdout)
    assert addresses == ["127.0.0.1"]
    assert processes >= 2 and sockets >= 4  # scheduler and dashboard here, a worker and its keeper below
