"""The blocks of the page about many files do with the real Ray, Spark and Python package what the page says."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import conftest
import models
import pytest

PAGE = (models.ROOT / "docs/many-files.md").read_text()
MODULES = pathlib.Path(conftest.__file__).parents[1]


def block(heading, language):
    """Returns the block in a language below a heading."""
    return re.search(rf"^## {heading}$.*?^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]


@pytest.fixture
def folder(program, tmp_path):
    """A folder with models, and what the program says of them."""
    conftest.needs_package()
    models.write_models(tmp_path / "models", 40)
    return tmp_path


def run(folder, *command):
    """Runs a command of the page, with the modules and the program beside it."""
    path = os.pathsep.join([str(pathlib.Path(os.environ.get("SKINSCOPE_PROGRAM", "")).parent.resolve()), os.environ["PATH"]])
    out = subprocess.run(command, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True)
    assert out.returncode in (0, 1, 3), out.stderr
    return out


def ends(lines):
    return sorted((re.sub(".*/", "", line["file"]), line["exit"]) for line in map(json.loads, lines))


def wanted(folder, program, *options):
    paths = sorted(str(path.relative_to(folder)) for path in (folder / "models").rglob("*.glb"))
    return ends(run(folder, program, "check", *paths, "--json-lines", *options).stdout.splitlines())


def test_the_blocks_about_ray(folder, program):
    run(folder, sys.executable, "-c", block("On Ray", "python"))
    of_program = wanted(folder, str(pathlib.Path(program).resolve()), "--fail-on", "warning")
    assert ends((folder / "findings.jsonl").read_text().splitlines()) == of_program and len(of_program) == 40
    (folder / "findings.jsonl").unlink()
    shutil.copy(MODULES / "skinscope_ray.py", folder)
    out = run(folder, "sh", "-c", block("On Ray", "sh").replace("python3 ", f"{sys.executable} "))
    assert ends((folder / "findings.jsonl").read_text().splitlines()) == of_program, out.stderr
    assert "</html>" in (folder / "findings.html").read_text()


def test_the_block_about_spark(folder, program):
    if not shutil.which("java"):
        pytest.skip("there is no Java here")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    run(folder, sys.executable, "-c", block("On Spark", "python"))
    lines = [line for part in (folder / "findings.lines").glob("part-*") for line in part.read_text().splitlines()]
    of_program = wanted(folder, str(pathlib.Path(program).resolve()))
    assert set(of_program) - set(ends(lines)) == {end for end in of_program if "empty.glb" in end[0]}
