"""Random order that depends on a seed and an id alone: neither on the order of records nor on the other records."""

import hashlib


def draw_key(seed: int, purpose: str, id: str) -> tuple[bytes, str]:
    """An id's turn; another for each purpose, lest what came first in one draw come first in the next."""
    return hashlib.blake2b(f"{seed}/{purpose}/{id}".encode(), digest_size=8).digest(), id
