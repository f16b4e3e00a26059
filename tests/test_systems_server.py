"""A real HTTP server on this machine speaks the protocol, and its failures."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from gapforge.errors import ConfigError, InputError
from gapforge.records import Instance, Span
from gapforge.systems.server import is_swapped, question, read_answer, server, wait_before

TEXT = "Ann Lee met Bea Roe when she was ill."
KEY = "sk-not-a-real-key"


def make_instance(id: str = "i-1", text: str = TEXT, name_a: str = "Ann Lee", name_b: str = "Bea Roe") -> Instance:
    def first(words: str) -> Span:
        return Span(text.index(words), text.index(words) + len(words))

    return Instance(id, text, first("she"), first(name_a), first(name_b))


def completion(content: object) -> tuple[int, str]:
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return 200, json.dumps({"id": "c-1", "object": "chat.completion", "model": "tiny", "choices": [choice]})


@contextmanager
def serving(reply) -> Iterator[tuple[str, list[Any]]]:
    """The address of a server that answers with `reply(body)`, a status and a text, and all that it was sent."""
    seen: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append((self.path, dict(self.headers), body))
            status, text, *headers = reply(body)
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)

        def log_message(self, *arguments: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *arguments: object) -> None:
            pass  # a client that did not wait

    http = Quiet(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_port}/v1", seen
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


def in_turn(*replies):
    left = iter(replies)
    return lambda body: next(left)


def line_of(body: Any, name: str) -> str:
    """The letter that a name has in a question."""
    (line,) = [it for it in body["messages"][1]["content"].splitlines() if it.endswith(f": {name}")]
    return line[0]


def test_asks_as_the_protocol_says(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving(lambda body: completion(line_of(body, "Bea Roe"))) as (url, seen):
        assert server([make_instance()], server=url + "/", server_model="tiny", seed=7) == ["B"]
    ((path, headers, body),) = seen
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert headers["Content-Type"] == "application/json"
    assert (body["model"], body["temperature"], body["seed"]) == ("tiny", 0, 7)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert "max_tokens" not in body


def test_no_key_no_header(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with serving(lambda body: completion("neither")) as (url, seen):
        assert server([make_instance()], server=url, server_model="tiny", tokens=5) == ["neither"]
    assert "Authorization" not in seen[0][1]
    assert seen[0][2]["max_tokens"] == 5


def test_key_under_another_name(monkeypatch):
    monkeypatch.setenv("MY_KEY", "mine")
    with serving(lambda body: completion("A")) as (url, seen):
        server([make_instance()], server=url, server_model="tiny", key_variable="MY_KEY")
    assert seen[0][1]["Authorization"] == "Bearer mine"


def test_question():
    assert question(make_instance(), ["Bea Roe", "Ann Lee"]) == (
        "Ann Lee met Bea Roe when [[she]] was ill.\n\n"
        "To whom does the pronoun in double square brackets, [[she]], refer in the text above?\n"
        "A: Bea Roe\nB: Ann Lee\nAnswer A, B or neither."
    )


def test_order_is_drawn_by_instance_and_undone():
    instances = [make_instance(f"i-{n}") for n in range(40)]
    assert 10 < sum(is_swapped(it, 0) for it in instances) < 30
    assert [is_swapped(it, 0) for it in instances] != [is_swapped(it, 1) for it in instances]
    with serving(lambda body: completion(line_of(body, "Bea Roe"))) as (url, _):
        assert server(instances, server=url, server_model="tiny") == ["B"] * 40
    with serving(lambda body: completion("A")) as (url, _):
        answers = server(instances, server=url, server_model="tiny")
    assert answers == ["B" if is_swapped(it, 0) else "A" for it in instances]


def test_results_keep_their_order_when_answers_do_not():
    def slow_first(body):
        time.sleep(0.2 if "zero" in body["messages"][1]["content"] else 0)
        return completion("neither" if "zero" in body["messages"][1]["content"] else line_of(body, "Ann Lee"))

    instances = [make_instance(f"i-{n}", f"{TEXT} {word}") for n, word in enumerate(("zero", "one", "two"))]
    with serving(slow_first) as (url, _):
        assert server(instances, server=url, server_model="tiny", parallel=3) == ["neither", "A", "A"]


def test_asks_side_by_side():
    together = threading.Barrier(4, timeout=20)

    def meet(body):
        together.wait()  # broken unless four requests are under way at once
        return completion("neither")

    with serving(meet) as (url, _):
        instances = [make_instance(f"i-{n}") for n in range(4)]
        assert server(instances, server=url, server_model="tiny", attempts=1) == ["neither"] * 4


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_asks_again(status):
    replies = in_turn((status, "busy"), (status, "busy", ("Retry-After", "0")), completion("neither"))
    with serving(replies) as (url, seen):
        assert server([make_instance()], server=url, server_model="tiny", pause=0) == ["neither"]
    assert len(seen) == 3


WAITS = [(2, 1.0, 0.0, 1.0), (3, 1.0, 0.0, 2.0), (5, 0.5, 0.0, 4.0), (2, 1.0, 7.0, 7.0), (2, 1.0, 9999.0, 60.0)]
WAITS += [(500, 1.0, 0.0, 60.0), (2, 0.0, 0.0, 0.0)]


@pytest.mark.parametrize(("attempt", "pause", "after", "seconds"), WAITS)
def test_waits(attempt, pause, after, seconds):
    assert wait_before(attempt, pause, after) == seconds


REFUSALS = [
    (400, '{"error": "no such option"}', '400 Bad Request: {"error": "no such option"}; fix the options', 1),
    (
        401,
        f"wrong key {KEY}",
        "401 Unauthorized: wrong key (key); set the key in the environment, under the name given as key_variable",
        1,
    ),
    (404, "gone", "404 Not Found: gone; fix the address, or choose a model that it has instead of 'tiny'", 1),
    (307, "", "307 Temporary Redirect: ; name the address that it leads to", 1),
    (500, "é" * 300, f"500 Internal Server Error: {'é' * 200}…; run again later, or with less in parallel", 3),
    (429, "busy\n\nnow", "429 Too Many Requests: busy now; run again later, or with less in parallel", 3),
]


@pytest.mark.parametrize(("status", "text", "message", "requests"), REFUSALS)
def test_refusals(monkeypatch, status, text, message, requests):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving(lambda body: (status, text)) as (url, seen):
        with pytest.raises(InputError) as caught:
            server([make_instance()], server=url, server_model="tiny", attempts=3, pause=0)
        assert str(caught.value) == f"{url}: the server answers {message}"
    assert len(seen) == requests
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["{broken", "", "[]", '{"choices": []}', '{"choices": [{"text": "A"}]}', "<html>", "[" * 5000, b"\xff\xfe"]
)
def test_what_is_no_completion(text):
    with serving(lambda body: (200, text)) as (url, _), pytest.raises(InputError) as caught:
        server([make_instance()], server=url, server_model="tiny")
    shown = text if isinstance(text, str) else "\ufffd\ufffd"
    shown = shown if len(shown) <= 200 else shown[:200] + "…"
    assert str(caught.value) == (
        f"{url}: the server's answer is no chat completion: {shown}; "
        "does the address end where /chat/completions begins?"
    )


@pytest.mark.parametrize("content", [None, "", "   ", 5, "\ud800"])
def test_no_answer_is_not_sure(content):
    with serving(lambda body: completion(content)) as (url, _):
        assert server([make_instance()], server=url, server_model="tiny") == ["not sure"]


def test_timeout():
    release = threading.Event()

    def hang(body):
        release.wait(20)
        return completion("A")

    with serving(hang) as (url, seen):
        with pytest.raises(InputError) as caught:
            server([make_instance()], server=url, server_model="tiny", timeout=0.2, attempts=2, pause=0)
        release.set()
    assert str(caught.value) == f"{url}: timed out after 2 attempts; is the server running?"
    assert len(seen) == 2


def test_nobody_there():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(InputError, match=r"Connection refused after 1 attempts; is the server running\?$"):
            server([make_instance()], server=url, server_model="tiny", attempts=1)


def test_a_failure_ends_the_rest():
    with serving(lambda body: (400, "no")) as (url, seen):
        with pytest.raises(InputError):
            server([make_instance(f"i-{n}") for n in range(200)], server=url, server_model="tiny", parallel=2)
        assert len(seen) < 100


def test_unicode_there_and_back():
    text = "😀 Zoë Ödön met Bea\nRoe when she was ill {text} “…”."
    instance = make_instance("ü", text, "Zoë Ödön", "Bea\nRoe")
    with serving(lambda body: completion("Zoë Ödön")) as (url, seen):
        assert server([instance], server=url, server_model="tiny") == ["A"]
    sent = seen[0][2]["messages"][1]["content"]
    assert sent.startswith("😀 Zoë Ödön met Bea\nRoe when [[she]] was ill {text} “…”.\n")
    assert ": Bea Roe\n" in sent


def test_no_instances():
    assert server([], server="http://127.0.0.1:9/v1", server_model="tiny") == []


ANSWERS = [
    ("A", "A"),
    ("b", "B"),
    (" B. ", "B"),
    ("**B**", "B"),
    ("(a)", "A"),
    ("Neither", "neither"),
    ("neither of the two", "neither"),
    ("The answer is B.", "B"),
    ("The answer is **A**, because B was not ill.", "A"),
    ("Answer: neither", "neither"),
    ("answer: a", "A"),
    ('{"answer": "B"}', "B"),
    ('```json\n{"answer": "neither"}\n```', "neither"),
    ("B: Bea Roe", "B"),
    ("A. She visited B because of it.", "A"),
    ("<think>It may be A. Or B?</think>\n\nB", "B"),
    ("It may be A.</think>B", "B"),
    ("<think>It must be A", "not sure"),
    ("Ann Lee", "A"),
    ("Bea Roe.", "B"),
    ("She is the one who was ill: Bea Roe, as the text says.", "B"),
    ("Ann Lee or Bea Roe", "not sure"),
    ("A or B", "not sure"),
    ("", "not sure"),
    ("I cannot tell.", "not sure"),
    ("Abba", "not sure"),
    ("A's", "not sure"),
    ("B is a better choice than the other", "B"),
]


@pytest.mark.parametrize(("text", "label"), ANSWERS)
def test_reads_answers(text, label):
    assert read_answer(text, ["Ann Lee", "Bea Roe"]) == label


WRONG = [
    (
        {"server": "ftp://example.org/v1"},
        "server is 'ftp://example.org/v1'; wanted an address like http://127.0.0.1:8080/v1 or https://…",
    ),
    (
        {"server": "file:///etc/passwd"},
        "server is 'file:///etc/passwd'; wanted an address like http://127.0.0.1:8080/v1 or https://…",
    ),
    (
        {"server": "http://host:port/v1"},
        "server is 'http://host:port/v1'; wanted an address like http://127.0.0.1:8080/v1 or https://…",
    ),
    (
        {"server": "http://a b/v1"},
        "server is 'http://a b/v1'; wanted an address like http://127.0.0.1:8080/v1 or https://…",
    ),
    (
        {"server": "http://me:secret@example.org/v1"},
        "a server's address may hold no password or query; the key is read from the environment",
    ),
    ({"server_model": ""}, "no model of the server is named; give its name as server_model"),
    ({"parallel": 0}, "a server needs parallel and attempts of at least 1, and a timeout and a pause in seconds"),
    (
        {"timeout": float("nan")},
        "a server needs parallel and attempts of at least 1, and a timeout and a pause in seconds",
    ),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_wrong_options(options, message):
    with pytest.raises(ConfigError) as caught:
        server([make_instance()], **{"server_model": "tiny", **options})
    assert str(caught.value) == message


def test_a_key_that_no_header_can_carry(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "two\nlines")
    with pytest.raises(ConfigError) as caught:
        server([make_instance()], server_model="tiny")
    assert str(caught.value) == "the key in OPENAI_API_KEY holds characters that a header cannot carry; set it again"


def test_no_part_of_the_key_is_shown(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for status in (200, 403):
        with serving(lambda body, status=status: (status, "x" * 190 + KEY)) as (url, _):
            with pytest.raises(InputError) as caught:
                server([make_instance()], server=url, server_model="tiny")
            assert "x" * 190 + "(key)" in str(caught.value)
