"""The zip is one that Blender installs."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import bpy
import pytest
from conftest import ROOT

WHEEL = "skinscope-{}-cp310-abi3-{}.whl"


def version():
    return tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))["version"]


def build(folder, *names):
    """Makes a zip of wheels of these names, which hold nothing."""
    wheels = []
    for name in names:
        wheels.append(folder / name)
        if wheels[-1].exists():
            continue
        with zipfile.ZipFile(wheels[-1], "w") as archive:
            archive.writestr(f"skinscope-{version()}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: skinscope\nVersion: {version()}\n")
    command = [sys.executable, str(ROOT / "build.py"), *map(str, wheels), "-o", str(folder / "skinscope.zip")]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_zip_is_valid_for_blender_and_names_its_wheels(tmp_path):
    done = build(tmp_path, WHEEL.format(version(), "win_amd64"), WHEEL.format(version(), "manylinux_2_28_x86_64"))
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(tmp_path / "skinscope.zip") as archive:
        names = archive.namelist()
        stated = tomllib.loads(archive.read("blender_manifest.toml").decode())
    assert stated["platforms"] == ["linux-x64", "windows-x64"]
    assert sorted(stated["wheels"]) == sorted(f"./{name}" for name in names if name.startswith("wheels/"))
    assert "build.py" not in names and "LICENSE" in names
    assert {path.name for path in ROOT.glob("*.py")} - {"build.py"} <= set(names)
    tool = Path(bpy.utils.system_resource("SCRIPTS")) / "addons_core" / "bl_pkg" / "cli" / "blender_ext.py"
    done = subprocess.run([sys.executable, str(tool), "validate", str(tmp_path / "skinscope.zip")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    first = (tmp_path / "skinscope.zip").read_bytes()
    build(tmp_path, WHEEL.format(version(), "manylinux_2_28_x86_64"), WHEEL.format(version(), "win_amd64"))
    assert (tmp_path / "skinscope.zip").read_bytes() == first


@pytest.mark.parametrize(
    ("name", "words"),
    [(WHEEL.format("9.9.9", "win_amd64"), "the extension is of version"), (WHEEL.format(version(), "any"), "no name for this system")],
)
def test_a_wheel_that_does_not_fit_is_refused(tmp_path, name, words):
    done = build(tmp_path, name)
    assert done.returncode != 0 and words in done.stderr
    assert not (tmp_path / "skinscope.zip").exists()


def test_the_version_is_that_of_the_program():
    workspace = tomllib.loads((ROOT.parents[1] / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
    assert workspace["package"]["version"] == version()
