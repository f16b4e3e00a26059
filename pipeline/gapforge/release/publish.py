"""Upload of a release to the Hugging Face Hub: verified before, in one commit, under a tag that is never moved.

The commit holds exactly the files of the release, and takes away what an earlier one had beyond them. Whatever stops
it halfway, the same command can be given again: files that are there already are not sent twice, and the tag, which
is what users load by, comes last.
"""

import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gapforge.errors import ConfigError, InputError, listed
from gapforge.release.diff import numbers_in
from gapforge.release.layout import SUMS, Contents, read_contents

if TYPE_CHECKING:
    from huggingface_hub import CommitInfo, HfApi
    from huggingface_hub.errors import HfHubHTTPError
    from huggingface_hub.hf_api import RepoFile

BRANCH = "main"
DATASET = "dataset"
HUBS_OWN = {".gitattributes"}  # which files the hub stores apart; it makes this one itself
LONGEST_ANSWER = 200  # characters of what a server says
NOTHING_SENT = "nothing was uploaded"

REMEDIES = {
    400: "fix what it names",
    401: "log in with `hf auth login`, or set HF_TOKEN to a token that is valid",
    403: "use a token that may write to {owner}",
    404: "fix --repo, or use a token that may see it",
    409: "somebody else may be publishing; look at the repo and run again",
    412: "somebody else changed the repo in the meantime; look at it and run again",
    413: "it takes no commit of that size",
    429: "run again later",
}


@dataclass(frozen=True, slots=True)
class UploadFile:
    path: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Upload:
    """What goes where; `private` counts only where the repo does not exist yet."""

    repo: str
    revision: str
    version: str
    tag: str
    private: bool
    files: list[UploadFile]

    @property
    def bytes(self) -> int:
        return sum(it.bytes for it in self.files)


@dataclass(frozen=True, slots=True)
class Uploaded:
    """The address of the commit, the files that it took away, and what the hub remarked."""

    commit: str
    deleted: list[str]
    notes: list[str]


def publish(folder: Path, repo: str, private: bool = True, dry_run: bool = True) -> tuple[Upload, Uploaded | None]:
    """Verify a release and upload it; a dry run asks neither network nor token, and gives only what would go.

    ConfigError where the repo's name or the token will not do, InputError for a release with findings, a version that
    is published already, and whatever the hub answers.
    """
    check_repo(repo)
    token = "" if dry_run else find_token()
    check_findings(folder)
    release = read_contents(folder)
    upload = plan_upload(release, repo, private)
    return upload, None if dry_run else send(release, upload, token)


def check_repo(repo: str) -> None:
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    try:
        validate_repo_id(repo)
    except HFValidationError as error:
        raise ConfigError(f"--repo {repo!r}: {' '.join(str(error).split())} Wanted OWNER/NAME") from None
    if "/" not in repo:
        raise ConfigError(f"--repo {repo!r}: no owner; wanted OWNER/NAME")


def find_token() -> str:
    """The token that huggingface_hub finds: that of HF_TOKEN, or of a login."""
    from huggingface_hub import get_token

    with asking("the Hugging Face Hub", "", NOTHING_SENT):
        token = get_token()
    if not token:
        raise ConfigError("no token for the Hugging Face Hub; log in with `hf auth login`, or set HF_TOKEN")
    if not (token.isascii() and token.isprintable() and " " not in token):
        raise ConfigError(
            "the token for the Hugging Face Hub holds characters that a header cannot carry; set it again"
        )
    return token


def check_findings(folder: Path) -> None:
    from gapforge.release.verify import verify

    if findings := verify(folder):
        problems = listed([f"{it.file}: {it.problem}" for it in findings], 5)
        raise InputError(f"{folder}: {NOTHING_SENT}, for the release does not hold: {problems}; build it again")


def plan_upload(release: Contents, repo: str, private: bool) -> Upload:
    """The files that the release lists, and the list."""
    if numbers_in(release.version) is None:
        raise InputError(
            f"{release.folder}: version {release.version!r}; wanted three numbers such as 1.2.0, for a tag; "
            "set [release] version and build it again"
        )
    files = [UploadFile(path, (release.folder / path).stat().st_size) for path in sorted([*release.sums, SUMS])]
    return Upload(repo, BRANCH, release.version, f"v{release.version}", private, files)


def send(release: Contents, upload: Upload, token: str) -> Uploaded:
    from huggingface_hub import HfApi
    from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]
    from huggingface_hub.utils import logging as hub_logging

    # What it logs, each retry among it, it also raises in the end, and one line is enough.
    hub_logging.set_verbosity(logging.CRITICAL)
    api = HfApi(token=token, library_name="gapforge")
    with warnings.catch_warnings(record=True) as remarks:
        warnings.simplefilter("always")
        if not sys.stderr.isatty():
            disable_progress_bars()
        with asking(upload.repo, token, NOTHING_SENT):
            api.create_repo(upload.repo, repo_type=DATASET, private=upload.private, exist_ok=True)
            head = head_without_tag(api, upload)
            there = files_at(api, upload, head) if head else {}
        surplus = sorted(there.keys() - {it.path for it in upload.files} - HUBS_OWN)
        with asking(upload.repo, token, f"{upload.tag} was not made"):
            commit = commit_files(api, release, upload, surplus, head)
            check_arrived(release, upload, files_at(api, upload, commit.oid))
            message = f"Release {upload.version}"
            api.create_tag(upload.repo, tag=upload.tag, tag_message=message, revision=commit.oid, repo_type=DATASET)
    notes = [" ".join(str(it.message).split()) for it in remarks if it.category is UserWarning]
    return Uploaded(commit.commit_url, surplus, notes)


def head_without_tag(api: "HfApi", upload: Upload) -> str:
    """The commit that the branch stands at, empty where there is none yet; InputError where the tag exists."""
    refs = api.list_repo_refs(upload.repo, repo_type=DATASET)
    if upload.tag in [it.name for it in refs.tags]:
        raise InputError(
            f"{upload.repo}: {upload.tag} is published already, and {NOTHING_SENT}; raise [release] version and build "
            "the release again (`gapforge diff` suggests a version)"
        )
    return next((it.target_commit for it in refs.branches if it.name == upload.revision), "")


def files_at(api: "HfApi", upload: Upload, commit: str) -> "dict[str, RepoFile]":
    from huggingface_hub.hf_api import RepoFile

    tree = api.list_repo_tree(upload.repo, recursive=True, revision=commit, repo_type=DATASET)
    return {it.path: it for it in tree if isinstance(it, RepoFile)}


def commit_files(api: "HfApi", release: Contents, upload: Upload, surplus: list[str], head: str) -> "CommitInfo":
    """One commit with every file; the hub refuses it where the branch has moved since its files were listed."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    added = [CommitOperationAdd(it.path, release.folder / it.path) for it in upload.files]
    deleted = [CommitOperationDelete(path, is_folder=False) for path in surplus]
    return api.create_commit(
        upload.repo,
        [*added, *deleted],
        commit_message=f"Release {upload.version}",
        repo_type=DATASET,
        revision=upload.revision,
        parent_commit=head or None,
    )


def check_arrived(release: Contents, upload: Upload, there: "dict[str, RepoFile]") -> None:
    """Refuse to tag anything but the release: a hub leaves out, without a word, what a .gitignore there names."""

    def is_there(it: UploadFile) -> bool:
        found = there.get(it.path)
        if found is None or found.size != it.bytes:
            return False
        return found.lfs is None or found.lfs.sha256 == release.sums.get(it.path)

    sent = {it.path for it in upload.files}
    wrong = [it.path for it in upload.files if not is_there(it)] + sorted(there.keys() - sent - HUBS_OWN)
    if wrong:
        raise InputError(
            f"{upload.repo}: the commit does not hold what was sent, and {upload.tag} was not made: {listed(wrong)}; "
            "look whether a .gitignore there names them, and run again"
        )


@contextmanager
def asking(place: str, token: str, state: str) -> Iterator[None]:
    """Whatever goes wrong with the hub becomes one line without the token; `state` is how things stand then."""
    try:
        yield
    except (InputError, ConfigError):
        raise
    except Exception as error:  # The library raises what each of its backends raises; the cause may quote the token.
        raise InputError(explain(error, place, token, state)) from None


def explain(error: BaseException, place: str, token: str, state: str) -> str:
    from huggingface_hub.errors import OfflineModeIsEnabled

    found = shortened(str(error), token) or type(error).__name__
    if found.startswith("Invalid metadata in README.md"):
        return f"{place}: the hub refuses the card: {found}; {state}; fix [release] and build the release again"
    if answer := answer_in(error):
        status, phrase = answer.response.status_code, answer.response.reason_phrase
        said = shortened(answer.server_message or "", token)
        remedy = REMEDIES.get(status, "run again later" if status >= 500 else "look at the repo and run again")
        remedy = remedy.format(owner=place.partition("/")[0])
        return f"{place}: the hub answers {status} {phrase}{': ' if said else ''}{said}; {state}; {remedy}"
    if isinstance(error, OfflineModeIsEnabled):
        return f"{place}: HF_HUB_OFFLINE is set; {state}; unset it"
    return f"{place}: the hub cannot be used ({found}); {state}; check the connection and HF_ENDPOINT, and run again"


def answer_in(error: BaseException | None) -> "HfHubHTTPError | None":
    """What the hub answered; an error of a file's upload has it as its cause."""
    from huggingface_hub.errors import HfHubHTTPError

    while error and not isinstance(error, HfHubHTTPError):
        error = error.__cause__
    return error if isinstance(error, HfHubHTTPError) else None


def shortened(text: str, token: str) -> str:
    """On one line, the token taken out before any of it could be cut in two."""
    text = " ".join(text.split())
    text = text.replace(token, "(token)") if token else text
    return text if len(text) <= LONGEST_ANSWER else text[: LONGEST_ANSWER - 1] + "…"
