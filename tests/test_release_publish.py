"""A real HTTP server on this machine speaks what the client of the Hub asks for, and refuses it."""

import base64
import dataclasses
import hashlib
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from huggingface_hub import constants

import releases
from gapforge.errors import ConfigError, InputError
from gapforge.release.publish import publish, shortened

TOKEN = "hf_not_a_real_token"
REPO = "ann/tiny-gap"


def make_release(folder, version="1.2.0", splits=("development", "test")):
    """A release of GAP alone, with the note of a run beside it."""
    rows = [it for it in releases.examples() if it.split in splits]
    tables = releases.tables(gap=rows, instances=[], weights=[])
    releases.write_release(folder, tables, dataclasses.replace(releases.SETTINGS, version=version))
    (folder / "_manifest.json").write_text("{}", "utf-8")
    return folder


def files_of(folder):
    """The release: every file but the note of the run."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != "_manifest.json"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def git_oid(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@dataclasses.dataclass
class Hub:
    """A hub of one repo: `commits` are its files by commit, in order; `refusals` are answers by step of the client."""

    url: str = ""
    commits: dict[str, dict[str, bytes]] = dataclasses.field(default_factory=dict)
    headers: list[dict[str, str]] = dataclasses.field(default_factory=list)
    sent: list[list[str]] = dataclasses.field(default_factory=list)
    tags: dict[str, str] = dataclasses.field(default_factory=dict)
    visibility: str = ""
    large: dict[str, bytes] = dataclasses.field(default_factory=dict)
    stored_apart: str = "none"
    ignored: str = "none"
    remark: str = ""
    refusals: dict[str, tuple[int, str]] = dataclasses.field(default_factory=dict)
    steps: list[str] = dataclasses.field(default_factory=list)

    @property
    def head(self) -> str:
        return list(self.commits)[-1]

    @property
    def files(self) -> dict[str, bytes]:
        return self.commits[self.head]

    def add_commit(self, files: dict[str, bytes]) -> None:
        self.commits[hashlib.sha1(str(len(self.commits)).encode()).hexdigest()] = files

    def answer(self, step: str, rest: str, body: bytes) -> tuple[int, Any]:
        self.steps.append(step)
        if step in self.refusals:
            return self.refusals[step]
        if not self.commits and step != "create":
            return 404, {"error": "Repository not found"}
        return getattr(self, f"on_{step}")(rest, body)

    def on_create(self, rest: str, body: bytes) -> tuple[int, Any]:
        asked = json.loads(body)
        assert (asked["type"], f"{asked['organization']}/{asked['name']}") == ("dataset", REPO)
        url = {"url": f"{self.url}/datasets/{REPO}"}
        if self.commits:
            return 409, url | {"error": "You already created this dataset repo"}
        self.visibility = asked["visibility"]
        self.add_commit({".gitattributes": b"*.parquet filter=lfs\n"})
        return 200, url

    def on_info(self, rest: str, body: bytes) -> tuple[int, Any]:
        return 200, {"id": REPO, "sha": self.head}

    on_revision = on_info

    def on_refs(self, rest: str, body: bytes) -> tuple[int, Any]:
        def refs(kind, named):
            return [{"name": it, "ref": f"refs/{kind}/{it}", "targetCommit": oid} for it, oid in named.items()]

        return 200, {"branches": refs("heads", {"main": self.head}), "converts": [], "tags": refs("tags", self.tags)}

    def on_tree(self, rest: str, body: bytes) -> tuple[int, Any]:
        files = self.commits[rest]
        folders = {str(Path(path).parent) for path in files} - {"."}
        found = [{"type": "directory", "path": path, "oid": "0" * 40} for path in sorted(folders)]
        for path, content in files.items():
            entry = {"type": "file", "path": path, "size": len(content), "oid": git_oid(content)}
            if path.endswith(self.stored_apart):
                entry["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}
            found.append(entry)
        return 200, found

    def on_card(self, rest: str, body: bytes) -> tuple[int, Any]:
        assert json.loads(body)["repoType"] == "dataset"
        return 200, {"warnings": [{"message": self.remark}] if self.remark else []}

    def on_preupload(self, rest: str, body: bytes) -> tuple[int, Any]:
        assert rest == "main"
        files = []
        for path in (it["path"] for it in json.loads(body)["files"]):
            mode = "lfs" if path.endswith(self.stored_apart) else "regular"
            there = self.files.get(path)
            oid = there and (hashlib.sha256(there).hexdigest() if mode == "lfs" else git_oid(there))
            ignored = path.endswith(self.ignored)
            files.append({"path": path, "uploadMode": mode, "shouldIgnore": ignored, "oid": oid or None})
        return 200, {"files": files}

    def on_batch(self, rest: str, body: bytes) -> tuple[int, Any]:
        wanted = [it["oid"] for it in json.loads(body)["objects"]]
        actions = [{"upload": {"href": f"{self.url}/large/{oid}"}} for oid in wanted]
        sizes = [it["size"] for it in json.loads(body)["objects"]]
        made = zip(wanted, sizes, actions, strict=True)
        return 200, {"transfer": "basic", "objects": [{"oid": o, "size": s, "actions": a} for o, s, a in made]}

    def on_large(self, rest: str, body: bytes) -> tuple[int, Any]:
        self.large[rest] = body
        return 200, {}

    def on_commit(self, rest: str, body: bytes) -> tuple[int, Any]:
        assert rest == "main"
        header, *operations = map(json.loads, body.splitlines())
        files = dict(self.files)
        for it in operations:
            value = it["value"]
            if it["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"], validate=True)
            elif it["key"] == "lfsFile":
                files[value["path"]] = self.large[value["oid"]]
            else:
                assert it["key"] == "deletedFile"
                del files[value["path"]]
        self.headers.append(header["value"])
        self.sent.append([it["value"]["path"] for it in operations])
        self.add_commit(files)
        return 200, {"commitUrl": f"{self.url}/datasets/{REPO}/commit/{self.head}", "commitOid": self.head}

    def on_tag(self, rest: str, body: bytes) -> tuple[int, Any]:
        name = json.loads(body)["tag"]
        assert name not in self.tags
        self.tags[name] = rest
        return 200, {}


def step_of(path: str) -> tuple[str, str]:
    """What the client does, and the end of the address."""
    path = unquote(urlsplit(path).path)
    for prefix, step in (("/api/repos/create", "create"), ("/api/validate-yaml", "card"), ("/large/", "large")):
        if path.startswith(prefix):
            return step, path.removeprefix(prefix)
    if path == f"/datasets/{REPO}.git/info/lfs/objects/batch":
        return "batch", ""
    if not path.startswith(f"/api/datasets/{REPO}"):
        return "", path  # The library asks every hub for some things that are no part of publishing.
    step, _, rest = path.removeprefix(f"/api/datasets/{REPO}").strip("/").partition("/")
    return step or "info", rest


@contextmanager
def running(hub: Hub) -> Iterator[None]:
    class Handler(BaseHTTPRequestHandler):
        def do_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            step, rest = step_of(self.path)
            if not step:
                status, content = 404, {"error": "Not found"}
            elif step != "large" and self.headers["Authorization"] != f"Bearer {TOKEN}":
                status, content = 401, {"error": "Invalid username or password."}
            else:
                status, content = hub.answer(step, rest, body)
            self.send_response(status)
            self.send_header("Content-Type", "text/html" if isinstance(content, str) else "application/json")
            self.end_headers()
            self.wfile.write((content if isinstance(content, str) else json.dumps(content)).encode())

        do_GET = do_POST = do_PUT = do_any  # noqa: N815

        def log_message(self, *arguments: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub.url = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


@pytest.fixture
def hub(monkeypatch, tmp_path) -> Iterator[Hub]:
    """A hub that a process finds by its environment, and this one by the library's constants."""
    hub = Hub()
    with running(hub):
        monkeypatch.setattr(constants, "ENDPOINT", hub.url)
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "home" / "token"))
        settings = {"HF_ENDPOINT": hub.url, "HF_TOKEN": TOKEN, "HF_HOME": str(tmp_path / "home")}
        settings |= {"HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "NO_PROXY": "127.0.0.1"}
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        for name in ("HUGGING_FACE_HUB_TOKEN", "HF_OIDC_RESOURCE", "HF_HUB_OFFLINE"):
            monkeypatch.delenv(name, raising=False)
        yield hub


def upload(folder, **options):
    return publish(folder, REPO, dry_run=False, **options)


def test_a_dry_run_asks_nobody(gapforge, hub, tmp_path, monkeypatch):
    monkeypatch.delenv("HF_TOKEN")
    folder = make_release(tmp_path / "release")
    result = gapforge("publish", folder, "--repo", REPO)
    assert (result.returncode, result.stderr) == (0, "")
    *files, where, how = result.stdout.splitlines()
    sizes = {path: len(content) for path, content in files_of(folder).items()}
    assert [line.split() for line in files] == [[f"{sizes[path]:,}", path] for path in sorted(sizes)]
    assert where == (
        f"{len(sizes)} files, {sum(sizes.values()):,} bytes, would go to {REPO}, branch main, tag v1.2.0; "
        "a new repo is private"
    )
    assert how == "nothing was uploaded; add --no-dry-run to upload"
    told = json.loads(gapforge("publish", folder, "--repo", REPO, "--public", "--json").stdout)
    assert (told["dry_run"], told["private"], told["commit"], told["tag"]) == (True, False, "", "v1.2.0")
    assert {it["path"]: it["bytes"] for it in told["files"]} == sizes
    assert hub.steps == []


@pytest.mark.process
def test_uploads_a_release_and_the_next(gapforge, gapforge_process, hub, tmp_path):
    first = make_release(tmp_path / "first")
    result = gapforge_process("publish", first, "--repo", REPO, "--no-dry-run")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.endswith(
        f"uploaded to {REPO}, branch main, tag v1.2.0: {hub.url}/datasets/{REPO}/commit/{hub.head}\n"
    )
    assert hub.files == files_of(first) | {".gitattributes": b"*.parquet filter=lfs\n"}
    assert sorted(hub.sent[0]) == sorted(files_of(first))
    assert (len(hub.commits), hub.visibility) == (2, "private")
    assert hub.headers[0]["summary"] == "Release 1.2.0"
    assert hub.headers[0]["parentCommit"] == next(iter(hub.commits))
    assert hub.tags == {"v1.2.0": hub.head}

    second = make_release(tmp_path / "second", "2.0.0", ["test"])
    result = gapforge("publish", second, "--repo", REPO, "--no-dry-run", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    told = json.loads(result.stdout)
    gone = [
        "conll/gap-development.conll",
        "conll/gap-subjective-development.conll",
        "gap/development-00000-of-00001.parquet",
        "gap_subjective/development-00000-of-00001.parquet",
        "tsv/gap-development.tsv",
        "tsv/gap-subjective-development.tsv",
    ]
    assert told["deleted"] == gone
    assert hub.files == files_of(second) | {".gitattributes": b"*.parquet filter=lfs\n"}
    assert set(gone) < set(hub.sent[1])
    assert "tsv/gap-test.tsv" not in hub.sent[1]  # is there already
    assert (len(hub.commits), list(hub.tags), hub.tags["v2.0.0"]) == (3, ["v1.2.0", "v2.0.0"], hub.head)


def test_a_version_is_published_once(gapforge, hub, tmp_path):
    folder = make_release(tmp_path / "release")
    hub.add_commit({"README.md": b"old"})
    hub.tags["v1.2.0"] = hub.head
    result = gapforge("publish", folder, "--repo", REPO, "--no-dry-run")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == (
        f"gapforge: {REPO}: v1.2.0 is published already, and nothing was uploaded; raise [release] version and build "
        "the release again (`gapforge diff` suggests a version)\n"
    )
    assert hub.steps == ["create", "refs"]
    assert hub.files == {"README.md": b"old"}


REFUSALS = [
    (
        "create",
        401,
        {"error": f"Invalid token {TOKEN}"},
        "401 Unauthorized: Invalid token (token); nothing was uploaded; log in with `hf auth login`, or set HF_TOKEN "
        "to a token that is valid",
    ),
    (
        "create",
        403,
        {"error": "You don't have the rights\nto create a dataset"},
        "403 Forbidden: You don't have the rights to create a dataset; nothing was uploaded; use a token that may "
        "write to ann",
    ),
    ("create", 500, {"error": "Oops"}, "500 Internal Server Error: Oops; nothing was uploaded; run again later"),
    ("create", 500, "<html>no</html>", "500 Internal Server Error; nothing was uploaded; run again later"),
    ("refs", 404, {}, "404 Not Found; nothing was uploaded; fix --repo, or use a token that may see it"),
    (
        "card",
        500,
        {"error": "x" * 190 + TOKEN},
        f"500 Internal Server Error: {'x' * 190}(token); v1.2.0 was not made; run again later",
    ),
    (
        "commit",
        403,
        {"error": "No write access"},
        "403 Forbidden: No write access; v1.2.0 was not made; use a token that may write to ann",
    ),
    (
        "commit",
        412,
        {"error": "A commit has happened since"},
        "412 Precondition Failed: A commit has happened since; v1.2.0 was not made; somebody else changed the repo in "
        "the meantime; look at it and run again",
    ),
    ("commit", 500, {"error": "Oops"}, "500 Internal Server Error: Oops; v1.2.0 was not made; run again later"),
    (
        "tag",
        409,
        {"error": "Tag already exists"},
        "409 Conflict: Tag already exists; v1.2.0 was not made; somebody else may be publishing; look at the repo and "
        "run again",
    ),
    ("tag", 405, {}, "405 Method Not Allowed; v1.2.0 was not made; look at the repo and run again"),
]


@pytest.mark.parametrize(("step", "status", "body", "message"), REFUSALS)
def test_what_the_hub_refuses(hub, tmp_path, step, status, body, message):
    hub.refusals[step] = status, body
    with pytest.raises(InputError) as caught:
        upload(make_release(tmp_path / "release"))
    assert str(caught.value) == f"{REPO}: the hub answers {message}"
    assert hub.tags == {}
    assert hub.steps[-1] in (step, "info")  # which is asked whether the repo exists already
    assert len(hub.commits) == (2 if step == "tag" else 1 if step != "create" else 0)


@pytest.mark.parametrize("status", [401, 403, 500])
def test_a_refusal_is_one_line_without_the_token(gapforge, hub, tmp_path, status):
    hub.refusals["create"] = status, {"error": f"no {TOKEN}\nno"}
    result = gapforge("publish", make_release(tmp_path / "release"), "--repo", REPO, "--no-dry-run")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith(f"gapforge: {REPO}: the hub answers {status} ")
    assert (result.stderr.count("\n"), TOKEN in result.stderr) == (1, False)


def test_a_card_that_the_hub_refuses(hub, tmp_path):
    hub.refusals["card"] = 400, {"errors": [{"message": '"license" must be one of [mit]'}]}
    with pytest.raises(InputError) as caught:
        upload(make_release(tmp_path / "release"))
    assert str(caught.value) == (
        f'{REPO}: the hub refuses the card: Invalid metadata in README.md. - "license" must be one of [mit]; '
        "v1.2.0 was not made; fix [release] and build the release again"
    )
    assert "preupload" not in hub.steps


def test_what_is_no_hub(hub, tmp_path):
    hub.refusals["refs"] = 200, "<html>hello</html>"
    with pytest.raises(InputError) as caught:
        upload(make_release(tmp_path / "release"))
    assert str(caught.value) == (
        f"{REPO}: the hub cannot be used (Expecting value: line 1 column 1 (char 0)); nothing was uploaded; "
        "check the connection and HF_ENDPOINT, and run again"
    )


def test_nobody_there(hub, tmp_path, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(InputError) as caught:
            upload(make_release(tmp_path / "release"))
    assert str(caught.value) == (
        f"{REPO}: the hub cannot be used ([Errno 111] Connection refused); nothing was uploaded; "
        "check the connection and HF_ENDPOINT, and run again"
    )


def test_offline(hub, tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(InputError) as caught:
        upload(make_release(tmp_path / "release"))
    assert str(caught.value) == f"{REPO}: HF_HUB_OFFLINE is set; nothing was uploaded; unset it"
    assert hub.steps == []


def test_a_tag_that_failed_is_made_by_the_same_command(hub, tmp_path):
    folder = make_release(tmp_path / "release")
    hub.refusals["tag"] = 500, {"error": "Oops"}
    with pytest.raises(InputError):
        upload(folder)
    assert (len(hub.commits), hub.tags) == (2, {})
    hub.refusals.clear()
    upload(folder)
    assert (len(hub.commits), hub.tags) == (2, {"v1.2.0": hub.head})


def test_what_a_gitignore_there_leaves_out_is_noticed(hub, tmp_path):
    folder = make_release(tmp_path / "release")
    hub.add_commit({".gitignore": b"*.json\n"})
    hub.ignored = ".json"
    with pytest.raises(InputError) as caught:
        upload(folder)
    assert str(caught.value) == (
        f"{REPO}: the commit does not hold what was sent, and v1.2.0 was not made: croissant.json, provenance.json; "
        "look whether a .gitignore there names them, and run again"
    )
    assert (hub.tags, ".gitignore" in hub.files) == ({}, False)
    hub.ignored = "none"
    assert upload(folder)[1].deleted == []
    assert hub.files == files_of(folder)
    assert hub.tags == {"v1.2.0": hub.head}


def test_large_files_go_apart(hub, tmp_path):
    hub.stored_apart = ".parquet"
    folder = make_release(tmp_path / "release")
    upload(folder, private=False)
    tables = {path: content for path, content in files_of(folder).items() if path.endswith(".parquet")}
    assert sorted(hub.large.values()) == sorted(tables.values())
    assert hub.files == files_of(folder) | {".gitattributes": b"*.parquet filter=lfs\n"}
    assert (hub.visibility, hub.tags) == ("public", {"v1.2.0": hub.head})


def test_a_large_file_that_the_hub_refuses(hub, tmp_path):
    hub.stored_apart, hub.refusals["large"] = ".parquet", (403, {"error": f"expired {TOKEN}"})
    with pytest.raises(InputError) as caught:
        upload(make_release(tmp_path / "release"))
    assert str(caught.value) == (
        f"{REPO}: the hub answers 403 Forbidden: expired (token); v1.2.0 was not made; "
        "use a token that may write to ann"
    )
    assert len(hub.commits) == 1


def test_a_remark_on_the_card_is_passed_on(hub, tmp_path):
    hub.remark = "empty or missing yaml metadata"
    _, uploaded = upload(make_release(tmp_path / "release"))
    assert uploaded.notes == [
        "Warnings while validating metadata in README.md: - empty or missing yaml metadata",
    ]


def test_a_release_with_findings_stays_here(hub, tmp_path):
    folder = make_release(tmp_path / "release")
    (folder / "tsv" / "gap-test.tsv").write_text("edited\n", "utf-8")
    for dry_run in (True, False):
        with pytest.raises(InputError) as caught:
            publish(folder, REPO, dry_run=dry_run)
        message = str(caught.value)
        assert message.startswith(f"{folder}: nothing was uploaded, for the release does not hold: tsv/gap-test.tsv: ")
        assert message.endswith("; build it again")
    assert hub.steps == []


@pytest.mark.parametrize(
    ("token", "message"),
    [
        ("", "no token for the Hugging Face Hub; log in with `hf auth login`, or set HF_TOKEN"),
        ("hf_zoë", "the token for the Hugging Face Hub holds characters that a header cannot carry; set it again"),
        ("hf_a b", "the token for the Hugging Face Hub holds characters that a header cannot carry; set it again"),
    ],
)
def test_tokens_that_will_not_do(gapforge, hub, tmp_path, monkeypatch, token, message):
    monkeypatch.setenv("HF_TOKEN", token)
    folder = make_release(tmp_path / "release")
    result = gapforge("publish", folder, "--repo", REPO, "--no-dry-run")
    assert (result.returncode, result.stdout, result.stderr) == (2, "", f"gapforge: {message}\n")
    assert hub.steps == []


REPOS = [
    ("tiny", "--repo 'tiny': no owner; wanted OWNER/NAME"),
    (
        "a/b/c",
        "--repo 'a/b/c': Repo id must be in the form 'repo_name' or 'namespace/repo_name': 'a/b/c'. Use `repo_type` "
        "argument if needed. Wanted OWNER/NAME",
    ),
    ("a/b--c", "--repo 'a/b--c': Cannot have -- or .. in repo_id: 'a/b--c'. Wanted OWNER/NAME"),
]


@pytest.mark.parametrize(("repo", "message"), REPOS)
def test_names_that_will_not_do(tmp_path, repo, message):
    with pytest.raises(ConfigError) as caught:
        publish(tmp_path, repo)
    assert str(caught.value) == message


def test_no_release(tmp_path):
    with pytest.raises(InputError) as caught:
        publish(tmp_path, REPO)
    assert str(caught.value) == f"{tmp_path}: holds no SHA256SUMS; name the folder of a release"


SHORTENED = [
    ("  two\nlines ", "two lines"),
    (f"a {TOKEN} b", "a (token) b"),
    ("x" * 195 + TOKEN, "x" * 195 + "(tok…"),
    ("y" * 200, "y" * 200),
    ("y" * 201, "y" * 199 + "…"),
]


@pytest.mark.parametrize(("text", "expected"), SHORTENED)
def test_shortened(text, expected):
    assert shortened(text, TOKEN) == expected
