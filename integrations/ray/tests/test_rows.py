"""A row says exactly what the program prints for its file."""

import io
import json
import os
import zipfile

import conftest
import models
import pyarrow
import pytest
import skinscope_rows

OPTIONS = [
    ({}, []),
    ({"fail_on": "warning", "rules": ["weights-zero", "weights-sum"]}, ["--fail-on", "warning", "--rules", "weights-zero,weights-sum"]),
    ({"fail_over": {"unweighted": "0.5%", "seams": "1%"}, "limit": 2}, ["--fail-over", "unweighted=0.5%", "--fail-over", "seams=1%", "--limit", "2"]),
    ({"fail_on": "never", "rom": True, "rom_step": 90}, ["--fail-on", "never", "--rom", "--rom-step", "90"]),
]


def every_kind(folder):
    """Returns the paths of a model of each kind, most of which are written into a folder."""
    loading, bad = models.kinds()
    paths = [folder / name for name, _ in loading + bad]
    for path, (_, data) in zip(paths, loading + bad):
        path.write_bytes(data)
    if models.corpus():
        paths += sorted(models.corpus().glob("m*/**/*.gltf"))
    return paths


@pytest.mark.parametrize(("options", "flags"), OPTIONS)
def test_the_line_of_bytes_and_of_a_path_is_that_of_the_program(way, program, tmp_path, options, flags):
    paths = every_kind(tmp_path)[:: 1 if not options else 5]
    ends = set()
    for path in paths:
        (wanted,) = conftest.printed([program, "check", str(path), "--json-lines", *flags])
        row = skinscope_rows.check({"path": str(path)}, **way, **options)
        assert row["line"] == wanted
        ends.add(row["exit"])
        # Bytes have no folder, so that buffers beside the file are not there.
        (wanted,) = conftest.printed([program, "check", "-", "--json-lines", *flags], path.read_bytes())
        wanted = wanted.replace('"file":"standard input"', f'"file":{json.dumps(str(path))}')
        assert skinscope_rows.check({"path": str(path), "bytes": path.read_bytes()}, **way, **options)["line"] == wanted
    assert ends >= {"ok", "error"}


def test_a_line_is_that_of_the_program_where_a_path_begins_in_the_current_folder_too(way, program, tmp_path, monkeypatch):
    paths = every_kind(tmp_path)
    monkeypatch.chdir(tmp_path)
    for path in [os.path.relpath(path, tmp_path) for path in paths if path.is_relative_to(tmp_path)] + ["none.glb"]:
        (wanted,) = conftest.printed([program, "check", path, "--json-lines"])
        assert skinscope_rows.check({"path": path}, **way)["line"] == wanted


def test_columns_have_the_same_types_for_every_file(way, tmp_path):
    rows = [skinscope_rows.check({"path": str(path)}, **way) for path in every_kind(tmp_path)]
    assert {row["exit"] for row in rows} == {"ok", "findings", "error"}
    for row in rows:
        assert {name: type(value) for name, value in row.items()} == skinscope_rows.COLUMNS
        findings = json.loads(row["findings"])
        assert row["errors"] + row["warnings"] + row["infos"] == len(findings)
        assert row["errors"] == sum(finding["severity"] == "error" for finding in findings)
        assert bool(row["error"]) == (row["exit"] == "error")
    schemas = {str(pyarrow.Table.from_pylist([row]).schema) for row in rows}
    assert len(schemas) == 1


def test_any_name_is_told_as_it_is(way):
    for name in ["a b.glb", 'quote".glb', "line\nbreak.glb", "back\\slash.glb", "ü#?%20.glb", "standard input", "\x1f\x7f.glb"]:
        for data in [b"", (models.ROOT / "tests/fixtures/figure.glb").read_bytes()]:
            row = skinscope_rows.check({"path": name, "bytes": data}, **way)
            assert row["path"] == name and json.loads(row["line"])["file"] == name


def test_what_cannot_be_read_is_a_row_too(way, tmp_path):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a.glb", b"")
        file.writestr("b.glb", b"")
    (tmp_path / "dangling.glb").symlink_to("nowhere.glb")
    rows = [
        {"path": str(tmp_path / "gone.glb")},
        {"path": str(tmp_path / "dangling.glb")},
        {"path": str(tmp_path)},
        {"path": f"file://{tmp_path}/gone.glb"},
        {"path": "no-such-system://bucket/a.glb"},
        {"path": "two.zip", "bytes": archive.getvalue()},
    ]
    for row in rows:
        said = skinscope_rows.check(row, **way)
        assert said["exit"] == "error" and said["error"] and said["path"] == row["path"], said


def test_a_uri_is_read(way, tmp_path):
    path = tmp_path / "figure.glb"
    path.write_bytes((models.ROOT / "tests/fixtures/figure.glb").read_bytes())
    row = skinscope_rows.check({"path": f"file://{path}"}, **way)
    wanted = skinscope_rows.check({"path": str(path)}, **way)
    assert row["line"] == wanted["line"].replace(str(path), f"file://{path}")


def test_what_every_file_would_have_is_raised(way, tmp_path):
    for options in [{"rules": "no-such-rule"}, {"no_such_option": 1}, {"limit": 0}]:
        with pytest.raises(Exception, match=r"rule|option|argument|limit"):
            skinscope_rows.verify(way.get("command"), options)
    with pytest.raises(ValueError, match="report merge --baseline"):
        skinscope_rows.verify(way.get("command"), {"baseline": "baseline.json"})
    skinscope_rows.verify(way.get("command"), {"rules": "weights-zero", "max_memory": 512})
    with pytest.raises(OSError):
        skinscope_rows.check({"path": os.devnull}, command=[str(tmp_path / "no program")])
