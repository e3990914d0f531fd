"""The page about the package: each of its eleven tasks is carried out."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest
from conftest import FIXTURES, REPOSITORY

PAGE = (REPOSITORY / "docs" / "python.md").read_text(encoding="utf-8")
TASKS = re.findall(r"^## ([^\n]*)\n\n```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_there_are_eleven_tasks():
    assert len(TASKS) == 11 == PAGE.count("```python")


@pytest.mark.parametrize("title,code", TASKS, ids=[title for title, _ in TASKS])
def test_a_task_is_done_as_the_page_says(title, code, tmp_path):
    shutil.copy(FIXTURES / "figure.glb", tmp_path / "model.glb")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, f"{title}\n{done.stdout}\n{done.stderr}"
