#!/usr/bin/env python3
"""Makes the extension's zip: python build.py WHEEL... -o skinscope.zip

Takes one wheel of the Python package `skinscope` for each system that the zip is for, puts them beside the extension, and names them
and their systems in its manifest. The same wheels give the same bytes.
"""

import argparse
import re
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLATFORMS = (
    (r"(many|musl)?linux.*_x86_64", "linux-x64"),
    (r"(many|musl)?linux.*_aarch64", "linux-arm64"),
    (r"win_amd64", "windows-x64"),
    (r"win_arm64", "windows-arm64"),
    (r"macosx_.*_x86_64", "macos-x64"),
    (r"macosx_.*_arm64", "macos-arm64"),
)
"""Tags of wheels, and what Blender calls these systems. A wheel for both Macs is one for `macosx_..._universal2`."""


def platforms(wheel):
    """Returns Blender's names of the systems of a wheel, by the last part of its file name."""
    tags = wheel.stem.split("-")[-1].split(".")
    found = [name for tag in tags for pattern, name in PLATFORMS if re.fullmatch(pattern, tag)]
    if any(tag.endswith("_universal2") for tag in tags):
        found += ["macos-x64", "macos-arm64"]
    if not found:
        raise SystemExit(f"{wheel.name}: Blender has no name for this system.")
    return found


def manifest(wheels):
    """Returns the manifest with the names of the wheels and their systems."""
    text = (HERE / "blender_manifest.toml").read_text(encoding="utf-8")
    version = re.search(r'^version = "(.*)"$', text, re.M).group(1)
    for wheel in wheels:
        if not wheel.name.startswith(f"skinscope-{version}-"):
            raise SystemExit(f"{wheel.name}: the extension is of version {version}.")
    systems = sorted({name for wheel in wheels for name in platforms(wheel)})
    lines = [f'wheels = [{", ".join(f"{chr(34)}./wheels/{w.name}{chr(34)}" for w in wheels)}]']
    lines.append(f'platforms = [{", ".join(f"{chr(34)}{name}{chr(34)}" for name in systems)}]')
    head, mark, rest = text.partition("\n[permissions]")
    return head.rstrip() + "\n" + "\n".join(lines) + "\n" + mark + rest


def build(wheels, output):
    """Writes the zip."""
    wheels = sorted(wheels, key=lambda wheel: wheel.name)
    files = {"blender_manifest.toml": manifest(wheels).encode(), "LICENSE": (HERE / "LICENSE").read_bytes()}
    for source in sorted(HERE.glob("*.py")):
        if source.name != "build.py":
            files[source.name] = source.read_bytes()
    for wheel in wheels:
        files[f"wheels/{wheel.name}"] = wheel.read_bytes()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)


def main(arguments):
    """Reads the command line and makes the zip."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("wheels", metavar="WHEEL", type=Path, nargs="+", help="wheels of the package skinscope, one for each system")
    parser.add_argument("-o", "--output", metavar="ZIP", type=Path, default=Path("skinscope.zip"), help="the zip (skinscope.zip)")
    options = parser.parse_args(arguments)
    build(options.wheels, options.output)
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main(sys.argv[1:])
