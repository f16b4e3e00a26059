"""What tests of processes share: to wait for something that must come."""

import time
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")


def until(condition: Callable[[], Value], minutes: int = 1) -> Value:
    """The first value of the condition that is true; the limit is for a hang, no measure of speed."""
    for _ in range(minutes * 1200):
        if value := condition():
            return value
        time.sleep(0.05)
    raise AssertionError(f"waited {minutes} min in vain")
