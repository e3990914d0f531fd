"""Every command, with its options by keyword, and that what it writes is what the program writes."""

from __future__ import annotations

import json
import shutil
import subprocess
import warnings

import numpy as np
import pytest
import skinscope
from conftest import FIXTURES, glb_of, parts_of

FIGURE = FIXTURES / "figure.glb"
STROKE = {"brush": "add", "joint": "UpperLeg.L", "radius": 0.2, "strength": 0.5, "dabs": [{"vertex": [0, 0, 12]}]}


def sculpts(folder):
    """Writes an example of a pose: the mesh as linear blending has it, moved a little."""
    model = skinscope.open(FIGURE)
    folder.mkdir()
    (folder / "bend.pose.json").write_text(json.dumps({"skinscope_pose": 1, "clip": "Walk", "time": 0.25}))
    points, _ = model.deform("dual-quaternion", clip="Walk", seconds=0.25)
    lines = [f"v {x} {y} {z}" for x, y, z in points] + ["f 1 2 3"]
    (folder / "bend.obj").write_text("\n".join(lines) + "\n")
    return folder


# The method, its arguments, and the same words of the command line. `{}` is a folder with examples.
EDITS = [
    ("fix", {"limit": 2}, ["fix", "--limit=2"]),
    ("fix", {"rules": "all"}, ["fix", "--rules=all"]),
    ("fix", {"smooth": 3, "lock": ["Head"], "only_joint": "Hips"}, ["fix", "--smooth=3", "--lock=Head", "--only-joint=Hips"]),
    ("bind", {"method": "nearest", "smooth": 1}, ["bind", "--method=nearest", "--smooth=1"]),
    ("links", {"joint": ["UpperLeg.L"], "angle": 120}, ["links", "--joint=UpperLeg.L", "--angle=120"]),
    ("paint", {"flood": "smooth", "strength": 0.5}, ["paint", "--flood=smooth", "--strength=0.5"]),
    ("bake_weights", {"from_": "dual", "most_poses": 4}, ["bake-weights", "--from=dual", "--most-poses=4"]),
    ("solve", {"poses": "{}"}, ["solve", "--poses={}"]),
    ("sculpt", {"from_": "Walk@0.25=mush"}, ["sculpt", "--from=Walk@0.25=mush"]),
    ("add_clips", {"mirror": "x"}, ["clip", "--mirror=x"]),
]


@pytest.mark.parametrize("name,keywords,words", EDITS, ids=[f"{edit[0]}-{number}" for number, edit in enumerate(EDITS)])
def test_an_edit_makes_the_bytes_and_the_report_of_the_program(name, keywords, words, tmp_path, program):
    folder = str(sculpts(tmp_path / "examples"))
    keywords = {key: folder if value == "{}" else value for key, value in keywords.items()}
    words = [word.replace("{}", folder) for word in words]
    out, saved = tmp_path / "program.glb", tmp_path / "package.glb"
    done = subprocess.run([program, *words, "--json", "-o", out, "--", FIGURE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    model = skinscope.open(FIGURE)
    report = getattr(model, name)(**keywords)
    expected = json.loads(done.stdout)
    assert _timeless(report) == _timeless(expected)
    model.save(saved)
    assert saved.read_bytes() == out.read_bytes() == model.to_bytes()


def _timeless(report):
    return {key: value for key, value in report.items() if key != "seconds"}


def test_a_model_of_several_files_is_edited_and_saved_as_by_the_program(split, tmp_path, program):
    for number, place in enumerate(["own", "other"]):
        folder = split.parent if place == "own" else tmp_path / "other"
        folder.mkdir(exist_ok=True)
        names = [f"{who}{number}.gltf" for who in ("program", "package")]
        subprocess.run([program, "fix", "--limit=2", "-o", folder / names[0], "--", split], check=True)
        model = skinscope.open(split)
        model.fix(limit=2)
        model.save(folder / names[1])
        texts = [(folder / name).read_text() for name in names]
        assert texts[0].replace("program", "package") == texts[1]
        stems = [name.replace(".gltf", ".bin") for name in names]
        assert (folder / stems[0]).read_bytes() == (folder / stems[1]).read_bytes()
    again = skinscope.open(folder / names[1])
    assert again.diff(model)["same"]


def test_edits_of_several_files_follow_one_another_and_leave_the_first_as_it_was(split, tmp_path):
    before = {path.name: path.read_bytes() for path in split.parent.iterdir()}
    model = skinscope.open(split)
    model.fix(limit=2)
    vertices = model.primitives[0].weights()
    vertices[:] = 0
    vertices[:, 3] = 1
    model.set_weights(0, 0, vertices)
    twin = model.copy()
    model.fix(limit=1)
    np.testing.assert_array_equal(model.primitives[0].weights(), vertices)
    for name, one in [("a.gltf", model), ("b.gltf", twin)]:
        one.save(tmp_path / name)
        np.testing.assert_array_equal(skinscope.open(tmp_path / name).primitives[0].weights(), vertices)
    assert {path.name: path.read_bytes() for path in split.parent.iterdir()} == before


def test_a_file_that_another_program_changed_is_not_edited(split, tmp_path):
    copy = tmp_path / "copy.glb"
    shutil.copy(FIGURE, copy)
    for path in [copy, split]:
        model = skinscope.open(path)
        path.write_bytes(path.read_bytes() + b" " * 4)
        with pytest.raises(skinscope.Error, match="changed by another program"):
            model.fix(limit=1)
        with pytest.raises(skinscope.Error, match="changed by another program"):
            model.to_bytes()


def test_nothing_is_saved_over_what_was_read_or_under_a_wrong_name(tmp_path, split):
    copy = tmp_path / "copy.glb"
    shutil.copy(FIGURE, copy)
    model = skinscope.open(copy)
    model.fix(limit=2)
    for target in [copy, tmp_path / "copy.gltf", tmp_path / "none" / "a.glb"]:
        with pytest.raises(skinscope.Error):
            model.save(target)
    assert copy.read_bytes() == FIGURE.read_bytes()
    other = skinscope.open(split)
    with pytest.raises(skinscope.Error):
        other.save(split)


def test_findings_are_those_of_the_program(program, figure):
    words = [program, "check", "--limit=1", "--json", "--", FIGURE]
    expected = json.loads(subprocess.run(words, capture_output=True, text=True).stdout)["files"][0]
    findings = figure.check(limit=1)
    assert findings.report == expected and findings.exit == "ok"
    first = findings[0]
    assert first.rule == expected["findings"][0]["rule"] and first.vertices.dtype == np.int64
    assert len(first.vertices) == expected["findings"][0]["vertex_count"]
    assert not first.vertices.flags.writeable
    assert figure.check(limit=1, fail_on="warning").exit == "findings"
    assert json.loads(figure.check(limit=1).json_line())["file"] == str(FIGURE)


def test_vertices_of_a_finding_are_not_cut_off(figure):
    weights = figure.primitives[0].weights("csr")
    many = np.flatnonzero(np.diff(weights[0]) > 1)
    found = [finding for finding in figure.check(limit=1) if finding.rule == "too-many-influences" or len(finding.vertices) > 256]
    assert any(set(many) == set(finding.vertices.tolist()) for finding in found), [one.rule for one in found]


def test_a_planted_defect_is_found_and_repaired():
    document, buffer = parts_of(FIGURE.read_bytes())
    accessor = document["accessors"][document["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"]]
    view = document["bufferViews"][accessor["bufferView"]]
    stride, start = view["byteStride"] if "byteStride" in view else 8, view.get("byteOffset", 0)
    data = bytearray(buffer)
    for vertex in (5, 9):
        at = start + accessor.get("byteOffset", 0) + vertex * stride
        data[at : at + 8] = bytes(8)
    model = skinscope.open(glb_of(document, bytes(data)))
    found = {finding.rule: finding for finding in model.check()}
    assert found["weights-zero"].vertices.tolist() == [5, 9] and found["weights-zero"].severity == "error"
    assert (found["weights-zero"].mesh, found["weights-zero"].primitive) == (0, 0)
    model.fix(rules=["weights-zero"])
    assert "weights-zero" not in {finding.rule for finding in model.check()}


def test_reports_are_those_of_the_program(program, figure, tmp_path):
    other = tmp_path / "other.glb"
    model = figure.copy()
    model.fix(limit=1)
    model.save(other)
    for words, ours in [
        (["info"], figure.info()),
        (["measure", "--clip=Walk", "--rate=5"], figure.measure(clip="Walk", rate=5)),
        (["compare", "--b=dual-quaternion", "--clip=Walk"], figure.compare(b="dual-quaternion", clip="Walk")),
    ]:
        text = subprocess.run([program, *words, "--json", "--", FIGURE], capture_output=True, text=True, check=True).stdout
        assert ours == json.loads(text), words
    text = subprocess.run([program, "diff", "--json", "--", FIGURE, other], capture_output=True, text=True).stdout
    assert figure.diff(other) == figure.diff(model) == json.loads(text)
    assert not figure.diff(model)["same"] and figure.diff(figure)["same"]
    assert figure.compare(b_file=model)["worst_mm"] >= 0


def test_weights_are_taken_from_another_open_model(figure):
    bound = figure.copy()
    bound.bind("nearest")
    before = figure.primitives[0].weights()
    figure.fix(transfer=bound)
    after = figure.primitives[0].weights()
    assert np.abs(after - before).max() > 0.1
    np.testing.assert_allclose(after, bound.primitives[0].weights(), atol=2e-2)


def test_options_that_cannot_be_are_errors_and_change_nothing(figure):
    data = figure.to_bytes()
    for call, match in [
        (lambda: figure.fix(limmit=3), "no option 'limmit'; is 'limit' meant"),
        (lambda: figure.fix(["tidy"]), "no option 'tidy'"),
        (lambda: figure.fix(limit="many"), "many"),
        (lambda: figure.fix(limit=[1, 2]), "1,2|invalid"),
        (lambda: figure.fix(best=3), "True or False"),
        (lambda: figure.fix(lock=["Nobody"], limit=2), "Nobody"),
        (lambda: figure.fix(limit=object()), "no value of an option"),
        (lambda: figure.bind("glue"), "glue"),
        (lambda: figure.solve("/no/such/folder"), "folder"),
        (lambda: figure.solve(), "poses|vertex"),
        (lambda: figure.paint([{"brush": "glue"}]), r"strokes: strokes\[0\]"),
        (lambda: figure.paint([{**STROKE, "dabs": [{"vertex": [0, 0, 10**6]}]}]), "strokes"),
        (lambda: figure.paint(), "strokes|flood|required"),
        (lambda: figure.measure(clip="Run"), "Run"),
        (lambda: figure.pose("Run"), "Run"),
        (lambda: figure.pose(0, "soon"), "seconds"),
        (lambda: figure.pose(0, float("nan")), "seconds"),
        (lambda: figure.deform("glue"), "glue"),
        (lambda: figure.deform(primitive=(3, 0)), "3,0"),
        (lambda: figure.deform(primitive=(0, 0), instance=4), "number 4"),
        (lambda: figure.check(rules=["nonsense"]), "nonsense"),
        (lambda: figure.check(json=True), "no option 'json'"),
        (lambda: figure.diff("/no/such.glb"), "no/such"),
        (lambda: skinscope.options("view"), "view"),
    ]:
        with pytest.raises(skinscope.Error, match=match):
            call()
    assert figure.to_bytes() == data


def test_strokes_are_painted_with_the_locks_of_the_model(figure, tmp_path):
    reports = [figure.copy().paint(strokes) for strokes in ([STROKE], {"schema": 1, "strokes": [STROKE]})]
    file = tmp_path / "arm.strokes.json"
    file.write_text(json.dumps({"schema": 1, "strokes": [STROKE]}))
    reports.append(figure.copy().paint(file))
    assert reports[0] == reports[1] == reports[2] and reports[0]["changed"] > 0
    column = figure.skins[0].joint_names.index("UpperLeg.L")
    before = figure.primitives[0].weights()[:, column]
    figure.locks = ["UpperLeg.L"]
    for strokes in [[{**STROKE, "brush": "smooth"}], file]:
        figure.paint(strokes)
    np.testing.assert_allclose(figure.primitives[0].weights()[:, column], before, atol=1e-6)


def test_warnings_of_the_program_are_warnings_of_python(figure):
    with pytest.warns(skinscope.Notice, match="meshopt"):
        figure.fix(limit=2, recompress=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure.fix(limit=2)


def test_a_baseline_says_what_is_known(figure, tmp_path):
    baseline = tmp_path / "baseline.jsonl"
    plain = figure.check(limit=1, fail_on="warning")
    baseline.write_text(plain.json_line() + "\n")
    findings = figure.check(limit=1, fail_on="warning", baseline=baseline)
    assert (plain.exit, findings.exit) == ("findings", "ok")
    assert {one.known for one in plain} == {None} and {one.known for one in findings} == {True}
    assert findings.report["baseline"] == {"new": 0, "known": len(plain), "gone": 0}
    joined = json.loads(skinscope.merge_reports([baseline], baseline=baseline))
    assert {found["known"] for found in joined["files"][0]["findings"]} == {True}
    with pytest.raises(skinscope.Error, match="cannot be read as a baseline"):
        figure.check(baseline=tmp_path / "none.json")


def test_reports_are_joined(figure, tmp_path):
    lines = tmp_path / "a.jsonl"
    lines.write_text("".join(skinscope.open(FIGURE, name=f"{name}.glb").check(limit=1).json_line() + "\n" for name in "ab"))
    joined = json.loads(skinscope.merge_reports([lines]))
    assert [item["path"] for item in joined["files"]] == ["a.glb", "b.glb"]
    assert '"version": "2.1.0"' in skinscope.merge_reports([lines], "sarif") or '"2.1.0"' in skinscope.merge_reports([lines], "sarif")
    assert skinscope.merge_reports([lines], "junit").startswith("<?xml")
    assert "a.glb" in skinscope.merge_reports([lines], "html")
    (tmp_path / "cut.jsonl").write_text(lines.read_text()[:-20])
    with pytest.raises(skinscope.Error, match="not complete"):
        skinscope.merge_reports([tmp_path / "cut.jsonl"])
    with pytest.raises(skinscope.Error):
        skinscope.merge_reports([])
