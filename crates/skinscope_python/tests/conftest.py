"""What the tests of the package share. The corpus is found as the Rust tests find it; without it, tests are skipped and counted."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path
from typing import Any

import pytest

import skinscope

REPOSITORY = Path(__file__).resolve().parents[3]
FIXTURES = REPOSITORY / "tests" / "fixtures"
CORPUS = Path(os.environ.get("SKINSCOPE_CORPUS", REPOSITORY / ".." / "shared" / "corpus"))
# The program, to compare with what it writes.
PROGRAM = Path(
    os.environ.get("SKINSCOPE_PROGRAM")
    or Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")) / "debug" / "skinscope"
)


def missing(what: str) -> None:
    """Skips a test that lacks something; where `CI` is set, that is an error."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} is missing")
    pytest.skip(f"{what} is missing")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="also run what takes minutes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--full"):
        for item in items:
            if "full" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="full: takes minutes; run with --full"))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    skipped = [one for one in terminalreporter.stats.get("skipped", []) if "full: " not in str(one.longrepr)]
    terminalreporter.write_line(f"{len(skipped)} tests were skipped" if skipped else "No test was skipped")


@pytest.fixture
def figure() -> skinscope.Model:
    return skinscope.open(FIXTURES / "figure.glb")


@pytest.fixture
def corpus() -> Path:
    if not CORPUS.is_dir():
        missing("the corpus")
    return CORPUS


@pytest.fixture
def program() -> Path:
    if not PROGRAM.is_file():
        missing("the program")
    return PROGRAM


def parts_of(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Returns the JSON and the buffer of a GLB."""
    length = struct.unpack("<I", data[12:16])[0]
    document = json.loads(data[20 : 20 + length])
    start = 20 + length + 8
    return document, data[start : start + document["buffers"][0]["byteLength"]]


def glb_of(document: dict[str, Any], buffer: bytes) -> bytes:
    """Makes a GLB of JSON and a buffer."""
    document = json.loads(json.dumps(document))
    document["buffers"][0] = {"byteLength": len(buffer)}
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    buffer += b"\0" * (-len(buffer) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(buffer))
    return head + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(buffer), b"BIN\0") + buffer


@pytest.fixture
def split(tmp_path: Path) -> Path:
    """Returns a .gltf with a buffer in a file beside it."""
    document, buffer = parts_of((FIXTURES / "figure.glb").read_bytes())
    document["buffers"][0]["uri"] = "figure.bin"
    folder = tmp_path / "split"
    folder.mkdir()
    (folder / "figure.bin").write_bytes(buffer)
    (folder / "figure.gltf").write_text(json.dumps(document))
    return folder / "figure.gltf"
