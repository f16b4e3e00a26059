"""A round trip through a real Label Studio: project and tasks from our side, three annotators, and the export back.

The server stores what its API is given, right or wrong, so half of the answers here are wrong on purpose.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from gapforge.annotation.answers import judge
from gapforge.annotation.labelstudio import project_of, read_answers, task_of
from gapforge.annotation.questions import Mode, ask
from gapforge.records import Judgement, Question, Reject, Span
from gapforge.storage.tsv import Row, write_counter_gap

ROOT = Path(__file__).parents[1]
COMMAND = Path(os.environ.get("GAPFORGE_LABEL_STUDIO", ROOT / ".venv-labelstudio" / "bin" / "label-studio"))
ADMIN, PASSWORD = "admin@example.org", "a-password-for-tests"
START_SECONDS = 240

pytestmark = [
    pytest.mark.process,
    pytest.mark.labelstudio,
    pytest.mark.skipif(not COMMAND.exists(), reason=f"no {COMMAND}; `make test-labelstudio` installs Label Studio"),
]


def make_question(id: str, text: str, name_a: str, name_b: str) -> Question:
    def first(words: str) -> Span:
        return Span(text.index(words), text.index(words) + len(words))

    return ask(id, id, text, first("she"), (first(name_a), first(name_b)), [])


LABELLED = [
    make_question("plain", "Ann Lee met Bea Roe when she was ill.", "Ann Lee", "Bea Roe"),
    make_question("hostile", "😀 Ann <script>x</script> &amp; Bea\r\n\r\nspoke, then she left.", "Ann", "Bea"),
    make_question("edited", "Cora and Dora ran until she fell.", "Cora", "Dora"),
]
HIGHLIGHTED = [
    make_question("emoji", "😀👩‍🚀 Ann\nLee met Bea Roe.\n\nThen she saw Ann\nLee.", "Ann\nLee", "Bea Roe"),
    make_question("none", "Eva told Fay that she, the mayor, had won.", "Eva", "Fay"),
]
QUESTIONS = {question.instance_id: question for question in LABELLED + HIGHLIGHTED}


class Visitor:
    """Somebody with an account, who calls the API with a token of their own."""

    def __init__(self, client: httpx.Client, page: str, email: str) -> None:
        self.client = client
        self.client.get(page).raise_for_status()
        form = {"email": email, "password": PASSWORD, "csrfmiddlewaretoken": self.client.cookies["csrftoken"]}
        answer = self.client.post(page, data=form)
        assert answer.status_code == 302, answer.text
        # Since 1.20 the lasting token is traded for one of five minutes.
        headers = {"X-CSRFToken": self.client.cookies["csrftoken"]}
        lasting = self.client.post("/api/token/", json={}, headers=headers).raise_for_status().json()["token"]
        self.client.cookies.clear()
        access = self.call("POST", "/api/token/refresh/", {"refresh": lasting})["access"]
        self.client.headers["Authorization"] = f"Bearer {access}"
        self.name = f"label-studio:{self.call('GET', '/api/current-user/whoami')['id']}"

    def call(self, method: str, address: str, body: object = None) -> Any:
        answer = self.client.request(method, address, json=body)
        assert answer.is_success, f"{method} {address}: {answer.status_code} {answer.text[:500]}"
        return answer.json()

    def annotate(self, task: int, *result: dict[str, Any], **fields: Any) -> None:
        self.call("POST", f"/api/tasks/{task}/annotations", {"result": list(result), **fields})


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[str]:
    """The address of a Label Studio that listens on loopback and keeps its data in a folder of its own."""
    folder = tmp_path_factory.mktemp("label-studio")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    base = f"http://127.0.0.1:{port}"
    # HOST is Label Studio's own address, which some shells set to the name of the machine.
    environment = {name: value for name, value in os.environ.items() if name != "HOST"} | {
        "LABEL_STUDIO_BASE_DATA_DIR": str(folder),
        "COLLECT_ANALYTICS": "False",
        "LATEST_VERSION_CHECK": "False",
        "SENTRY_DSN": "",
        "FRONTEND_SENTRY_DSN": "",
    }
    arguments = ["start", "--internal-host", "127.0.0.1", "--port", str(port), "--no-browser"]
    account = ["--username", ADMIN, "--password", PASSWORD]
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [COMMAND, *arguments, *account], env=environment, stdout=output, stderr=output, start_new_session=True
        )
        try:
            await_health(base, process, log)
            yield base
        finally:
            for end in (signal.SIGTERM, signal.SIGKILL):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, end)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=20)
                    break


def await_health(base: str, process: subprocess.Popen[bytes], log: Path) -> None:
    limit = time.monotonic() + START_SECONDS
    while time.monotonic() < limit:
        assert process.poll() is None, f"Label Studio ended: {log.read_text('utf-8', 'replace')[-2000:]}"
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(f"{base}/health", trust_env=False, timeout=5).is_success:
                return
        time.sleep(0.5)
    raise AssertionError(f"Label Studio did not start within {START_SECONDS} s: {log.read_text('utf-8', 'replace')}")


@pytest.fixture(scope="module")
def visit(server) -> Iterator[Callable[[str, str], Visitor]]:
    """Log in or sign up at a page of the server, once each: nobody gets a second token."""
    with contextlib.ExitStack() as stack:

        def enter(page: str, email: str) -> Visitor:
            return Visitor(stack.enter_context(httpx.Client(base_url=server, trust_env=False, timeout=60)), page, email)

        yield enter


@pytest.fixture(scope="module")
def admin(visit) -> Visitor:
    return visit("/user/login/", ADMIN)


def make_project(admin: Visitor, mode: Mode, tasks: list[dict[str, Any]]) -> tuple[int, dict[str, int]]:
    """A project with its tasks; its id, and the server's own id of each task."""
    project = admin.call("POST", "/api/projects", project_of(f"gapforge {mode}", mode, 3, "<p>Read & choose.</p>"))
    admin.call("POST", f"/api/projects/{project['id']}/import", tasks)
    stored = admin.call("GET", f"/api/tasks?project={project['id']}&fields=all")["tasks"]
    assert [task["data"] for task in stored] == [task["data"] for task in tasks]
    return project["id"], {task["data"]["instance_id"]: task["id"] for task in stored}


def chosen(*labels: str) -> dict[str, Any]:
    return {"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": list(labels)}}


def remark(text: str) -> dict[str, Any]:
    return {"from_name": "contradiction", "to_name": "text", "type": "textarea", "value": {"text": [text]}}


def no_name() -> dict[str, Any]:
    return {"from_name": "no_name", "to_name": "text", "type": "choices", "value": {"choices": ["no name"]}}


def region(start: int, end: int, text: str) -> dict[str, Any]:
    """A highlight as the browser sends it; its paths are of no account."""
    paths = {"start": "/div[1]/text()[1]", "end": "/div[1]/text()[1]", "startOffset": start, "endOffset": end}
    value = {**paths, "globalOffsets": {"start": start, "end": end}, "text": text, "labels": ["Name"]}
    return {"from_name": "name", "to_name": "text", "type": "labels", "value": value}


def test_answers_come_back_from_a_real_server(admin, visit, tmp_path):
    invitation = admin.call("GET", "/api/invite")["invite_url"]
    eve, fred, gus = (visit(invitation, f"{name}@example.org") for name in ("eve", "fred", "gus"))

    tasks = [task_of(question, 0, "labels") for question in LABELLED]
    # A guess of some model, which is nobody's answer.
    tasks[0]["predictions"] = [{"model_version": "guess", "result": [chosen("both")]}]
    labelled, task = make_project(admin, "labels", tasks)
    eve.annotate(task["plain"], chosen("A"))
    fred.annotate(task["plain"], chosen("A"), remark("a remark,\nof two lines"))
    gus.annotate(task["plain"], chosen("B"))
    eve.annotate(task["hostile"], chosen("not sure"))
    fred.annotate(task["hostile"], chosen("B"), was_cancelled=True)
    gus.annotate(task["hostile"], chosen("C"))
    eve.annotate(task["edited"], chosen("A"))
    fred.annotate(task["edited"], chosen("A", "B"))
    gus.call("POST", f"/api/tasks/{task['edited']}/drafts", {"result": [chosen("B")]})

    highlighted, task = make_project(
        admin, "highlight", [task_of(question, 0, "highlight") for question in HIGHLIGHTED]
    )
    # Code points: the emoji is one, the astronaut three. The line break comes as a backslash and an n.
    eve.annotate(task["emoji"], region(5, 12, "Ann\\nLee"))
    fred.annotate(task["emoji"], region(17, 24, "Bea Roe"), region(40, 47, "Ann\\nLee"))
    gus.annotate(task["emoji"], region(5000, 5003, "Ann"))
    eve.annotate(task["none"], no_name())
    fred.annotate(task["none"], region(18, 21, "she"))
    gus.annotate(task["none"])

    judgements: list[Judgement] = []
    rejects: list[Reject] = []
    for project in (labelled, highlighted):
        exported = tmp_path / f"{project}.json"
        address = f"/api/projects/{project}/export?exportType=JSON&download_all_tasks=true"
        exported.write_bytes(admin.client.get(address).raise_for_status().content)
        for answer in read_answers(exported):
            verdict = judge(answer, QUESTIONS)
            (judgements if isinstance(verdict, Judgement) else rejects).append(verdict)

    labels: dict[str, dict[str, str]] = defaultdict(dict)
    for judgement in judgements:
        labels[judgement.instance_id][judgement.annotator] = judgement.label
    assert labels == {
        "plain": {eve.name: "A", fred.name: "A", gus.name: "B"},
        "hostile": {eve.name: "not sure"},
        "edited": {eve.name: "A"},
        "emoji": {eve.name: "A", fred.name: "both"},
        "none": {eve.name: "neither"},
    }
    assert Counter((reject.id, reject.reason) for reject in rejects) == {
        ("hostile", "cancelled"): 1,
        ("hostile", "unknown label"): 1,
        ("edited", "unknown label"): 1,
        ("emoji", "bad span"): 1,
        ("none", "bad span"): 1,
        ("none", "no answer"): 1,
    }
    marked = {
        it.annotator: [QUESTIONS["emoji"].text[at.start : at.end] for at in it.highlights]
        for it in judgements
        if it.instance_id == "emoji"
    }
    assert marked == {eve.name: ["Ann\nLee"], fred.name: ["Bea Roe", "Ann\nLee"]}
    assert [it.contradiction for it in judgements if it.contradiction] == ["a remark, of two lines"]


@pytest.mark.parametrize(
    ("field", "edit"),
    [
        ("text", lambda text: text.replace("ill", "well")),
        ("html", lambda html: html.replace("#ffe600", "#ffffff")),
    ],
    ids=["the text", "the mark of the pronoun"],
)
def test_a_task_edited_on_the_server_is_noticed(admin, tmp_path, field, edit):
    project, task = make_project(admin, "labels", [task_of(LABELLED[0], 0, "labels")])
    data = admin.call("GET", f"/api/tasks/{task['plain']}")["data"]
    admin.call("PATCH", f"/api/tasks/{task['plain']}", {"data": data | {field: edit(data[field])}})
    admin.annotate(task["plain"], chosen("A"))
    exported = tmp_path / "export.json"
    exported.write_bytes(admin.client.get(f"/api/projects/{project}/export?exportType=JSON").raise_for_status().content)
    (answer,) = read_answers(exported)
    verdict = judge(answer, QUESTIONS)
    assert isinstance(verdict, Reject)
    assert verdict.reason == "text differs"
    assert verdict.detail.endswith(": the text was edited in the tool")


ROWS = {
    "r1": "Ann Lee met Bea Roe when she was ill.",
    "r2": "Cora and Dora ran until she fell.",
    "r3": "Eva Moon, born Fay Hill, sang until she was ninety.",
    "r4": "Gwen wrote to Hope, and she answered.",
    "r5": "Ida and Jane asked the porter whether she had the key.",
    "r6": "😀 Kate thanked Lucy because she had been helped.",
}
NAMES = {
    "r1": ("Ann Lee", "Bea Roe"),
    "r2": ("Cora", "Dora"),
    "r3": ("Eva Moon", "Fay Hill"),
    "r4": ("Gwen", "Hope"),
    "r5": ("Ida", "Jane"),
    "r6": ("Kate", "Lucy"),
}
# Of fred's answer to r6 the tool itself says that it was skipped.
VOTES = {
    "eve": {"r1": "A", "r2": "A", "r3": "both", "r4": "B", "r5": "neither", "r6": "A"},
    "fred": {"r1": "A", "r2": "B", "r3": "both", "r4": "B", "r5": "neither", "r6": "cancelled"},
    "gus": {"r1": "B", "r2": "neither", "r3": "both", "r4": "B", "r5": "A", "r6": "A"},
    "hal": dict.fromkeys(ROWS, "not sure"),
}
CONSENSUS = {"r1": "A", "r2": "no consensus", "r3": "both", "r4": "B", "r5": "neither", "r6": "A"}
# On r1 to r5, which have three votes: a pair of votes agrees in (1/3 + 0 + 1 + 1 + 1/3) / 5 = 8/15 of cases. Of 15
# votes 4 are A, 5 B, 3 neither and 3 both: by chance (16 + 25 + 9 + 9) / 225 = 59/225. So (120 - 59) / (225 - 59).
KAPPA = 61 / 166


def write_rows(path: Path) -> None:
    rows = []
    for id, text in ROWS.items():
        (a, b), at = NAMES[id], text.index("she")
        rows.append(Row(id, text, "she", at, a, text.index(a), None, b, text.index(b), None, "a book"))
    write_counter_gap(path, rows)


def test_consensus_after_a_round_trip_by_the_commands(admin, visit, tmp_path, gapforge):
    """Export, four annotators of whom one fails the question of known answer, import: as worked out by hand."""
    write_rows(tmp_path / "rows.tsv")
    gapforge("annotate", "export", "rows.tsv", "-o", "asked")
    project = admin.call("POST", "/api/projects", json.loads((tmp_path / "asked" / "project.json").read_bytes()))
    admin.call(
        "POST",
        f"/api/projects/{project['id']}/import",
        json.loads((tmp_path / "asked" / "tasks-00000.json").read_bytes()),
    )
    stored = admin.call("GET", f"/api/tasks?project={project['id']}&fields=all")["tasks"]
    tasks = {task["data"]["instance_id"]: task["id"] for task in stored}
    known = {it["instance_id"]: it["answer"] for it in lines(tmp_path / "asked" / "questions.jsonl") if it["answer"]}
    assert tasks.keys() == ROWS.keys() | known.keys()
    assert len(known) == 1

    invitation = admin.call("GET", "/api/invite")["invite_url"]
    for name, votes in VOTES.items():
        annotator = visit(invitation, f"{name}.of.the.panel@example.org")
        for id, label in votes.items():
            fields = {"was_cancelled": True} if label == "cancelled" else {}
            annotator.annotate(tasks[id], *([] if fields else [chosen(label)]), **fields)
        for id, answer in known.items():
            annotator.annotate(tasks[id], chosen(answer if name != "hal" else "both"))
    address = f"/api/projects/{project['id']}/export?exportType=JSON&download_all_tasks=true"
    (tmp_path / "answers.json").write_bytes(admin.client.get(address).raise_for_status().content)

    options = [
        "--questions",
        "asked",
        "-o",
        "judged.jsonl",
        "--consensus",
        "consensus.jsonl",
        "--rejects",
        "left.jsonl",
    ]
    found = json.loads(gapforge("annotate", "import", "answers.json", *options, "--json"))
    assert {it["instance_id"]: it["label"] or it["reason"] for it in lines(tmp_path / "consensus.jsonl")} == CONSENSUS
    assert found["agreement"]["kappa"] == pytest.approx(KAPPA)
    assert found["consensus"] == {"A": 2, "B": 1, "both": 1, "neither": 1, "no consensus": 1}
    assert found["rejects"] == {"cancelled": 1, "known-answer failure": 7}
    assert [it["removed"] for it in found["annotators"]] == [False, False, False, True]
    assert found["judgements"] == len(lines(tmp_path / "judged.jsonl")) == 17 + 3
    assert "example.org" not in (tmp_path / "judged.jsonl").read_text("utf-8")
    assert len(lines(tmp_path / "left.jsonl")) == 8


@pytest.fixture
def gapforge(tmp_path) -> Callable[..., str]:
    program = Path(sys.executable).parent / "gapforge"

    def call(*arguments: str) -> str:
        done = subprocess.run([program, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
