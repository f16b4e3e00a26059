"""A language model behind an OpenAI-compatible server, a local one or another, asked one question an instance.

The names stand in the question in an order that is drawn for each instance, since models prefer the first of two. The
key is read from the environment, sent in its header, and shown nowhere.
"""

import http.client
import json
import os
import re
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf
from urllib.parse import urlsplit

from gapforge.draws import draw_key
from gapforge.errors import ConfigError, InputError, one_line
from gapforge.records import Instance, Label, Span

SYSTEM = "You resolve pronouns. Answer with one word: A, B or neither."
QUESTION = """{text}

To whom does the pronoun in double square brackets, [[{pronoun}]], refer in the text above?
A: {first}
B: {second}
Answer A, B or neither."""
ASK_LATER = (408, 409, 425, 429)  # of the 400s, which else mean that the server understood and said no
LONGEST_PAUSE = 60.0  # seconds
EXCERPT = 200  # characters of a server's answer that an error shows
LOOPBACK = ("localhost", "127.0.0.1", "::1")
LARGEST = 10_000_000  # bytes of an answer

THOUGHT = re.compile(r"<(think|thinking|reasoning|thought)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
UNOPENED = re.compile(r"\A.*</(think|thinking|reasoning|thought)>", re.DOTALL | re.IGNORECASE)
# From what leaves no doubt to what may be an article or a remark: the first that finds one answer decides.
SIGNS = (
    re.compile(r"\A\W*(A|B|neither)\W*\Z", re.IGNORECASE),
    re.compile(r"\b(?:answer|option|choice)\W*(?:is|:)?\W*\b(A|B|neither)\b(?! \w)", re.IGNORECASE),
    re.compile(r"\A\W*(A|B|neither)(?=[.:,;)\]*\n])", re.IGNORECASE),
    re.compile(r"(?<![\w'’])(A|B|[Nn]either)(?![\w'’])"),
)
ANSWERS: dict[str, Label] = {"a": "A", "b": "B", "neither": "neither"}
OTHER: dict[Label, Label] = {"A": "B", "B": "A"}


@dataclass(frozen=True, slots=True)
class Server:
    """Where to ask, and how patiently; `key` is empty where none is wanted."""

    url: str
    model: str
    key: str
    seed: int
    attempts: int
    timeout: float
    pause: float
    tokens: int


def server(
    instances: Sequence[Instance],
    *,
    server: str = "http://127.0.0.1:8080/v1",
    server_model: str = "",
    key_variable: str = "OPENAI_API_KEY",
    seed: int = 0,
    parallel: int = 4,
    attempts: int = 5,
    timeout: float = 120.0,
    pause: float = 1.0,
    tokens: int = 0,
) -> list[Label]:
    """One answer an instance, in order; an answer that cannot be read is "not sure".

    `timeout` and `pause`, the wait before a second attempt, are in seconds. `tokens` bounds the length of an answer,
    where it is not 0: not every server knows that setting.
    """
    if not server_model:
        raise ConfigError("no model of the server is named; give its name as server_model")
    if parallel < 1 or attempts < 1 or tokens < 0 or not (0 < timeout < inf and 0 <= pause < inf):
        raise ConfigError("a server needs parallel and attempts of at least 1, and a timeout and a pause in seconds")
    check_url(server)
    key = os.environ.get(key_variable, "").strip() if key_variable else ""
    if not key.isascii() or not key.isprintable():
        raise ConfigError(f"the key in {key_variable} holds characters that a header cannot carry; set it again")
    if key and server.startswith("http:") and urlsplit(server).hostname not in LOOPBACK:
        raise ConfigError(
            f"{server}: the key in {key_variable} would go unencrypted; use https, or key_variable= for none"
        )
    place = Server(server.rstrip("/"), server_model, key, seed, attempts, timeout, pause, tokens)
    with ThreadPoolExecutor(min(parallel, max(1, len(instances)))) as pool:
        futures = [pool.submit(ask, instance, place) for instance in instances]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(cancel_futures=True)  # the rest would fail alike, and may cost
            raise


def check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1) and url.isascii()
    except ValueError:
        usable = False
    if not usable or " " in url:
        raise ConfigError(f"server is {url!r}; wanted an address like http://127.0.0.1:8080/v1 or https://…")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigError("a server's address may hold no password or query; the key is read from the environment")


def ask(instance: Instance, place: Server) -> Label:
    swapped = is_swapped(instance, place.seed)
    names = [said(instance.text, span) for span in (instance.name_a, instance.name_b)][:: -1 if swapped else 1]
    body = {
        "model": place.model,
        "messages": [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": question(instance, names)},
        ],
        "temperature": 0,
        "seed": place.seed,
    } | ({"max_tokens": place.tokens} if place.tokens else {})
    answer = read_answer(content_of(post(place, body), place), names)
    return OTHER.get(answer, answer) if swapped else answer


def is_swapped(instance: Instance, seed: int) -> bool:
    return draw_key(seed, "server", instance.id)[0][0] % 2 == 1


def question(instance: Instance, names: Sequence[str]) -> str:
    """The text with its pronoun marked, and the two names in the order in which they are A and B there."""
    start, end = instance.pronoun.start, instance.pronoun.end
    pronoun = instance.text[start:end]
    text = f"{instance.text[:start]}[[{pronoun}]]{instance.text[end:]}"
    return QUESTION.format(text=text, pronoun=pronoun, first=names[0], second=names[1])


def said(text: str, span: Span) -> str:
    return " ".join(text[span.start : span.end].split())


def read_answer(text: str, names: Sequence[str]) -> Label:
    """What a model answers, by a letter or one of the names; "not sure" where it says nothing or two things."""
    text = THOUGHT.sub(" ", UNOPENED.sub(" ", text)).strip()
    named = [name in text for name in names]
    if sum(named) == 1 and len(text) <= 2 * len(names[named.index(True)]):  # hardly more than the name
        return "A" if named[0] else "B"
    for sign in SIGNS:
        found = {letter.lower() for letter in sign.findall(text)}
        if len(found) == 1:
            return ANSWERS[found.pop()]
    return ("A" if named[0] else "B") if sum(named) == 1 else "not sure"


def content_of(answer: bytes, place: Server) -> str:
    """The text of the first choice; empty where the model gave none."""
    try:
        content = json.loads(answer)["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        raise InputError(
            f"{place.url}: the server's answer is no chat completion: {excerpt(answer, place.key)}; "
            "does the address end where /chat/completions begins?"
        ) from error
    return content if isinstance(content, str) else ""


def post(place: Server, body: object) -> bytes:
    """What the server answers, after a few attempts where it is busy or away."""
    for attempt in range(1, place.attempts + 1):
        after = 0.0
        try:
            status, reason, after, answer = request(place, json.dumps(body).encode())
        except (http.client.HTTPException, OSError) as error:  # TimeoutError among them
            if attempt == place.attempts:
                raise InputError(
                    f"{place.url}: {one_line(error)} after {attempt} attempts; is the server running?"
                ) from error
        else:
            if 200 <= status < 300:
                return answer
            final = status < 500 and status not in ASK_LATER
            if final or attempt == place.attempts:
                raise InputError(
                    f"{place.url}: the server answers {status} {reason}: {excerpt(answer, place.key)}; "
                    f"{remedy_for(status, place)}"
                )
        time.sleep(wait_before(attempt + 1, place.pause, after))
    raise AssertionError("the last attempt returns or raises")


def wait_before(attempt: int, pause: float, after: float) -> float:
    """Seconds until the next attempt: twice as many each time, or what the server asks for, within reason."""
    return min(LONGEST_PAUSE, max(after, pause * 2.0 ** min(attempt - 2, 60)))


def request(place: Server, body: bytes) -> tuple[int, str, float, bytes]:
    """Status, reason, seconds that the server asks to wait, and what it says; redirects are not followed."""
    parts = urlsplit(place.url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(str(parts.hostname), parts.port, timeout=place.timeout)
    headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "gapforge"}
    if place.key:
        headers["Authorization"] = f"Bearer {place.key}"
    try:
        connection.request("POST", f"{parts.path}/chat/completions", body, headers)
        answer = connection.getresponse()
        after = answer.headers.get("Retry-After", "")
        return answer.status, answer.reason, float(after) if after.isdecimal() else 0.0, answer.read(LARGEST)
    finally:
        connection.close()


def remedy_for(status: int, place: Server) -> str:
    if status in (401, 403):
        return "set the key in the environment, under the name given as key_variable"
    if status == 404:
        return f"fix the address, or choose a model that it has instead of {place.model!r}"
    if status < 400:
        return "name the address that it leads to"
    return (
        "fix the options" if status < 500 and status not in ASK_LATER else "run again later, or with less in parallel"
    )


def excerpt(answer: bytes, key: str) -> str:
    """The beginning of what a server says, without the key: some repeat it in their complaint."""
    text = " ".join(answer.decode("utf-8", "replace").split())
    text = text.replace(key, "(key)") if key else text
    return text if len(text) <= EXCERPT else text[:EXCERPT] + "…"
