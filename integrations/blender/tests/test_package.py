"""The zip is one that Blender installs."""

import os
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


INSTALL = """
import bpy
bpy.ops.preferences.addon_enable(module="bl_pkg")
bpy.ops.extensions.package_install_files(filepath=__import__("os").path.abspath("skinscope.zip"), repo="user_default", enable_on_install=True)
from bl_ext.user_default.skinscope import preferences
print("installed", "SKINSCOPE_PT_check" in dir(bpy.types), preferences.folder(bpy.context))
"""
PLATFORM = {"linux": "manylinux_2_28_x86_64", "win32": "win_amd64", "darwin": "macosx_11_0_universal2"}[sys.platform]


def build(folder, *names):
    """Makes a zip of wheels of these names, which hold next to nothing."""
    wheels = []
    for name in names:
        wheels.append(folder / name)
        if wheels[-1].exists():
            continue
        with zipfile.ZipFile(wheels[-1], "w") as archive:
            info = f"skinscope-{version()}.dist-info"
            archive.writestr("skinscope/__init__.py", "")
            archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: skinscope\nVersion: {version()}\n")
            archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp310-abi3-any\n")
            archive.writestr(f"{info}/RECORD", "")
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


def test_blender_installs_the_zip_and_finds_the_wheel(tmp_path):
    build(tmp_path, WHEEL.format(version(), PLATFORM))
    user = tmp_path / "user"
    environment = {**os.environ, "BLENDER_USER_RESOURCES": str(user)}
    environment.pop("PYTHONPATH", None)
    blender = [bpy.app.binary_path, "--background", "--factory-startup", "--python-expr", INSTALL]
    command = [sys.executable, "-c", INSTALL] if not bpy.app.binary_path else blender
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    line = next((line for line in done.stdout.splitlines() if line.startswith("installed ")), done.stdout + done.stderr)
    assert line.startswith("installed "), line
    _, shown, folder = line.split()
    assert shown == "True" and Path(folder).is_relative_to(user)
    assert list(user.rglob("site-packages/skinscope/__init__.py")), "the wheel is where Blender looks for packages"


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
