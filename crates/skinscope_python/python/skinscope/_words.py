"""Makes the words of a command line of keywords."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from . import _native
from ._error import Error


class Option(NamedTuple):
    """An option of a command."""

    name: str
    """The keyword, such as ``hold_out``. One that is a word of Python has an underscore after it: ``from_``, ``with_``."""
    kind: str
    """``flag``: ``True`` or absent. ``value``: one value. ``list``: a list of values, or one."""
    values: tuple[str, ...]
    """The words that it takes; empty where it takes any value of its form."""
    help: str
    """What it does, as the command line says it."""


_RESERVED = {"from", "with"}
_TABLES: dict[str, dict[str, tuple[str, Option]]] = {}


def _table(command: str) -> dict[str, tuple[str, Option]]:
    """Returns the options of a command, by keyword, each with its word on the command line."""
    found = _TABLES.get(command)
    if found is None:
        rows = _native.options(command)
        if rows is None:
            raise Error(f"there is no command {command!r}")
        found = {}
        for name, long, kind, values, help in rows:
            name = name + "_" if name in _RESERVED else name
            found[name] = (long, Option(name, kind, tuple(values), help))
        _TABLES[command] = found
    return found


def options(command: str) -> dict[str, Option]:
    """Returns the options of a command (``"fix"``, ``"check"``, ``"bake-weights"``, ...; ``"deform"`` for those of :meth:`Model.pose` and
    :meth:`Model.deform`), by the keywords that the functions here take.
    """
    return {name: option for name, (_, option) in _table(command).items()}


def _content_of(value: Any) -> _native.Content | None:
    """Returns what a model among the values of options has now."""
    content = getattr(value, "_content", value)
    return content if isinstance(content, _native.Content) else None


def held(value: Any) -> Any:
    """Returns the value of an option as it is now, whatever is done with the object later."""
    content = _content_of(value)
    if content is not None:
        return content
    if isinstance(value, Mapping):
        return {name: held(part) for name, part in value.items()}
    if isinstance(value, (list, set, frozenset)):
        return [held(part) for part in value]
    if isinstance(value, tuple) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return tuple(held(part) for part in value)
    return value


def _paths(value: Any) -> Iterator[str]:
    """Returns the texts among values, each of which may name a file."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (str, os.PathLike)):
        yield os.path.normpath(os.fspath(value))
    elif isinstance(value, (list, tuple, set, frozenset)):
        for part in value:
            yield from _paths(part)


class Given:
    """The open models that a command line names. A file that ``values``, those of its options, name is never taken for one of them: a model that
    was edited differs from its file.
    """

    def __init__(self, *values: Any) -> None:
        self.all: list[tuple[str, _native.Content]] = []
        self._files = set(_paths(values))

    def word(self, content: _native.Content) -> str:
        """Returns the word by which the command line names a model."""
        wanted = os.fspath(content.file) if content.file is not None else content.name
        is_its_file = content.file is not None and content.is_as_read
        (stem, ending), word, number = os.path.splitext(wanted), wanted, 2
        while any(word == known for known, _ in self.all) or (
            not is_its_file and os.path.normpath(word) in self._files
        ):
            word, number = f"{stem} ({number}){ending}", number + 1
        self.all.append((word, content))
        return word


def _text(value: Any, given: Given) -> str:
    """Returns a value as it is typed."""
    content = _content_of(value)
    if content is not None:
        return given.word(content)
    if isinstance(value, (bool, np.bool_)) or value is None:
        raise Error(f"{value!r} is no value of an option")
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return str(value)
    if isinstance(value, tuple) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return ",".join(_text(part, given) for part in value)
    raise Error(f"{value!r} is no value of an option: expected a text, a number, a path, a tuple of numbers or a model")


def _values(value: Any, given: Given) -> list[str]:
    """Returns the values of an option that may be given several times."""
    if isinstance(value, Mapping):
        return [f"{name}={_text(part, given)}" for name, part in value.items()]
    if isinstance(value, (list, set, frozenset)):
        return [_text(part, given) for part in value]
    return [_text(value, given)]


def words(command: str, keywords: Mapping[str, Any], given: Given) -> list[str]:
    """Returns a command with its options. Models among the values are added to those that the command line names.

    Raises :class:`Error` for an option that the command does not have, and for a value that no option takes.
    """
    table = _table(command)
    out = [command]
    for name, value in keywords.items():
        row = table.get(name)
        if row is None:
            near = difflib.get_close_matches(name, table, n=1)
            hint = f"; is {near[0]!r} meant?" if near else ""
            raise Error(f"{command} has no option {name!r}{hint}")
        long, option = row
        if value is None or value is False:
            continue
        if value is True:
            # Some options have a value that may be left out.
            out.append(long)
        elif option.kind == "flag":
            raise Error(f"{name} is True or False, and not {value!r}")
        elif option.kind == "list":
            out.extend(f"{long}={text}" for text in _values(value, given))
        else:
            all = _values(value, given)
            out.append(f"{long}={','.join(all)}")
    return out
