"""Options: each that the command line has, and the stubs that list them. `SKINSCOPE_WRITE_DOCS=1` writes these anew."""

from __future__ import annotations

import inspect
import os
import re
import subprocess

import skinscope
from conftest import REPOSITORY

COMMANDS = [
    "check", "measure", "compare", "diff", "deform", "fix", "paint", "bind", "solve", "bake-weights", "links", "sculpt", "clip",
]  # fmt: skip
# What the functions have as arguments of their own, or a caller in a program has no use for.
OWN = {"check": set(), "deform": {"clip", "time", "method"}, "bind": {"method"}, "solve": {"poses"}, "paint": {"strokes"}}
STUBS = REPOSITORY / "crates" / "skinscope_python" / "python" / "skinscope" / "_options.py"


def stubs() -> str:
    out = [
        '"""The options of each command, by keyword. `tests/test_options.py` writes this with `SKINSCOPE_WRITE_DOCS=1`."""\n',
        "from typing import Any, TypedDict\n",
    ]
    for command in COMMANDS:
        name = "".join(word.title() for word in command.split("-")) + "Options"
        out.append(f"\nclass {name}(TypedDict, total=False):")
        out.append(f'    """Options of `skinscope {"bake` about poses" if command == "deform" else command + "`"}."""\n')
        for option in skinscope.options(command).values():
            if option.name in OWN.get(command, set()):
                continue
            kind = "bool" if option.kind == "flag" else "Any"
            text = " ".join(option.help.split()).replace("\\", "\\\\").replace('"""', "'''")
            text = text[:-1] + '\\"' if text.endswith('"') else text
            out.append(f'    {option.name}: {kind}\n    """{text}."""')
        out.append("")
    return "\n".join(out)


def test_the_stubs_list_the_options_that_there_are():
    text = stubs()
    if os.environ.get("SKINSCOPE_WRITE_DOCS"):
        STUBS.write_text(text, encoding="utf-8")
    assert STUBS.read_text(encoding="utf-8") == text, "SKINSCOPE_WRITE_DOCS=1 writes it anew"


def test_every_option_of_the_command_line_is_there_by_its_name(program):
    processes = {"help", "version", "json", "json-lines", "sarif", "junit", "html", "list", "shard", "output", "in-place"}
    for command in COMMANDS:
        if command == "deform":
            continue
        text = subprocess.run([program, command, "--help"], capture_output=True, text=True, check=True).stdout
        shown = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", text, re.MULTILINE))
        ours = {name.rstrip("_").replace("_", "-") for name in skinscope.options(command)}
        assert shown - processes == ours, command


def test_everything_public_has_words_about_it():
    for name in skinscope.__all__:
        thing = getattr(skinscope, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), name
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                    assert inspect.getdoc(value), f"{name}.{member}"
