"""A local Ray of two workers finds what one process finds, whatever happens to its workers."""

import json
import os
import pathlib
import signal
import subprocess
import sys

import models
import pandas
import pyarrow.parquet
import pytest
import skinscope_ray
import skinscope_rows

CLI = pathlib.Path(skinscope_ray.__file__)


def killing(row, victim=None, marker=None, always=False, **arguments):
    """Checks a file, but ends its worker at the file `victim`: once, or always. Notes each call in the folder `marker`."""
    marker = pathlib.Path(marker)
    with (marker / str(os.getpid())).open("a") as calls:
        calls.write(row["path"] + "\n")
    if row["path"] == victim:
        try:
            (marker / "killed").touch(exist_ok=always)
            os.kill(os.getpid(), signal.SIGKILL)
        except FileExistsError:
            pass
    return skinscope_rows.check(row, **arguments)


def called(marker):
    """Returns the files that workers were called with, one list for each worker."""
    return [file.read_text().splitlines() for file in marker.iterdir() if file.name != "killed"]


def test_rows_of_ray_data_are_those_of_one_process_where_a_worker_dies(ray, fast_way, paths, expected, tmp_path):
    folder = os.path.commonpath(paths)
    victim = paths[len(paths) // 2]
    files = ray.data.read_binary_files(folder, include_paths=True)
    rows = files.map(killing, fn_kwargs={"victim": victim, "marker": str(tmp_path), **fast_way}).take_all()
    assert (tmp_path / "killed").exists()
    # Two workers at the least had a part, and one was killed in its midst, so that files were checked a second time.
    assert len(called(tmp_path)) >= 3 and sum(map(len, called(tmp_path))) > len(paths)
    assert sorted(row["line"] for row in rows) == expected


def test_rows_have_one_type_in_files_of_parquet(ray, fast_way, paths, expected, tmp_path):
    rows = ray.data.from_items([{"path": path} for path in paths[:200]], override_num_blocks=20).map(skinscope_rows.check, fn_kwargs=fast_way)
    rows.write_parquet(str(tmp_path))
    table = pandas.read_parquet(tmp_path)
    assert set(table["line"]) <= set(expected) and len(table) == 200 and (table["error"] != "").any()
    schemas = {str(pyarrow.parquet.read_schema(file).remove_metadata()) for file in tmp_path.glob("*.parquet")}
    assert len(schemas) == 1 and len(list(tmp_path.glob("*.parquet"))) > 1


def test_files_by_their_paths_are_those_of_one_process_where_a_worker_dies(ray, fast_way, paths, expected, tmp_path):
    marker = tmp_path / "marker"
    marker.mkdir()
    out = tmp_path / "findings.jsonl"
    ends = skinscope_ray.gather(paths, out, check=killing, victim=paths[len(paths) // 2 + 1], marker=str(marker), **fast_way)
    assert (marker / "killed").exists() and sum(map(len, called(marker))) > len(paths)
    assert sorted(out.read_text().splitlines()) == expected
    words = [json.loads(line)["exit"] for line in expected]
    assert ends == {word: words.count(word) for word in ("ok", "findings", "error")} and min(ends.values()) > 100


def test_a_file_that_ends_its_process_each_time_is_told_and_the_others_are_checked(ray, way, paths, expected, tmp_path):
    some = paths[:100]
    rows = list(skinscope_ray.rows(some, check=killing, victim=some[30], marker=str(tmp_path), always=True, **way))
    told = {row["path"]: row["line"] for row in rows}
    assert len(rows) == len(told) == len(some)
    bad = json.loads(told.pop(some[30]))
    assert bad["exit"] == "error" and "ended its process 3 times" in bad["error"]
    assert set(told.values()) < set(expected)


def test_what_a_check_raises_ends_the_run_with_its_words(ray, way, paths):
    with pytest.raises(Exception, match="no-such-rule"):
        list(skinscope_ray.rows(paths[:10], rules=["no-such-rule"], **way))


def run(folder, *arguments):
    """Runs the script on two workers of its own."""
    return subprocess.run([sys.executable, str(CLI), "--workers", "2", *map(str, arguments)], cwd=folder, capture_output=True, text=True)


def test_the_script_goes_on_where_it_was_stopped_and_its_lines_are_merged(way, program, tmp_path):
    paths = models.write_models(tmp_path / "models", 60)
    names = tmp_path / "names.txt"
    names.write_text("\n".join(paths))
    options = ["--fail-on", "warning", "--rules=weights-zero,weights-sum"]
    wanted = subprocess.run([program, "check", "--list", names, "--json-lines", *options], capture_output=True, text=True)
    lines = wanted.stdout.splitlines(keepends=True)
    part = tmp_path / "findings.jsonl.part"
    part.write_text("".join(lines[:20]) + lines[20][:50])
    command = ["--command", *way["command"]] if way else []
    out = run(tmp_path, "models", "--list", names, "--out", "findings.jsonl", *command, "--", *options)
    assert out.returncode == 1 and "--resume" in out.stderr and not (tmp_path / "findings.jsonl").exists()
    out = run(tmp_path, "--list", names, "--out", "findings.jsonl", "--resume", *command, "--", *options)
    assert out.returncode == 1 and "60 files: " in out.stderr, out.stderr
    assert not part.exists()
    assert sorted((tmp_path / "findings.jsonl").read_text().splitlines()) == sorted(wanted.stdout.splitlines())
    (tmp_path / "of one process.jsonl").write_text(wanted.stdout)
    merge = [program, "report", "merge", "--sarif"]
    reports = [subprocess.run([*merge, name], cwd=tmp_path, capture_output=True) for name in ("findings.jsonl", "of one process.jsonl")]
    assert reports[0].stdout == reports[1].stdout and reports[0].returncode == reports[1].returncode == 1
    out = run(tmp_path, "models", "--out", "again.jsonl", *command, "--", "--rules", "no-such-rule")
    assert out.returncode == 1 and "no-such-rule" in out.stderr


def test_models_of_folders_are_found_by_path_and_by_uri(tmp_path):
    for name in ["b.GLB", "a/c.gltf", "a/_d.vrm", "a/.hidden.glb", "text.txt", "a/f.tar", "wh?t#.glb"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    wanted = [f"{tmp_path}/{name}" for name in ["a/_d.vrm", "a/c.gltf", "b.GLB", "wh?t#.glb"]]
    assert skinscope_ray.models_in(str(tmp_path)) == wanted
    os.remove(tmp_path / "wh?t#.glb")
    assert skinscope_ray.models_in(f"file://{tmp_path}") == [f"file://{path}" for path in wanted[:3]]
    assert skinscope_ray.models_in("file:///no/such.glb") == ["file:///no/such.glb"]
    assert skinscope_ray.models_in("one.glb") == ["one.glb"]


def test_a_name_that_is_no_text_is_told(ray):
    (row,) = skinscope_ray.rows([os.fsdecode(b"/models/\xff.glb")])
    assert row["exit"] == "error" and row["path"] == "/models/\ufffd.glb" and "not UTF-8" in row["error"]


def test_options_are_those_of_the_program():
    read = skinscope_ray.options_of(["--fail-over", "seams=1%", "--rom", "--fail-over=folds=2%", "--rules", "a,b", "--fail-over", "c=3%"])
    assert read == {"fail_over": ["seams=1%", "folds=2%", "c=3%"], "rom": True, "rules": "a,b"}
    assert skinscope_rows.flags(read) == [
        "--fail-over=seams=1%", "--fail-over=folds=2%", "--fail-over=c=3%", "--rom", "--rules=a,b"
    ]
    with pytest.raises(ValueError, match="models"):
        skinscope_ray.options_of(["models"])
