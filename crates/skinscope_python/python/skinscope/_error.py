"""What goes wrong, and what is worth knowing."""

from __future__ import annotations

import operator
from typing import Any


class Error(Exception):
    """Whatever cannot be done: a bad file, an option that does not exist, weights that no file can hold. The message is the program's, and
    what was to be changed is as it was.
    """

    exit_code: int
    """The exit code that the program would end with: 1 a file is bad, 2 wrong usage."""

    def __init__(self, message: str, exit_code: int = 2) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def number(value: Any, what: str) -> int:
    """Returns the number of something in the file: a whole one from 0 that fits into 32 bits."""
    try:
        found = operator.index(value)
    except TypeError:
        found = -1
    if isinstance(value, bool) or not 0 <= found < 1 << 32:
        raise Error(f"there is no {what} {value!r}")
    return found


def counted(count: int, one: str, many: str) -> str:
    """Returns a number with the word for so many."""
    return f"{count} {one if count == 1 else many}"


class Notice(UserWarning):
    """A warning of the program: something was done, and something about it is worth knowing."""
