"""What careless and hostile callers do: names that mean two things, arrays that change later, folders that move, processes that fork."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import skinscope
from conftest import FIXTURES

FIGURE = FIXTURES / "figure.glb"
DATA = FIGURE.read_bytes()


def one_joint(model: skinscope.Model, joint: int) -> np.ndarray:
    rows = np.zeros_like(model.primitives[0].weights(), dtype=np.float64)
    rows[:, joint] = 1
    return rows


def stroke(model: skinscope.Model) -> dict:
    joint = model.skins[0].joint_names[3]
    return {"brush": "add", "joint": joint, "radius": 0.3, "strength": 0.9, "dabs": [{"vertex": [0, 0, 12]}]}


@pytest.mark.parametrize("kind", ["relative", "whole", "bytes", "dotted"])
def test_an_edited_model_is_not_taken_for_the_file_that_it_was(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(FIGURE, "model.glb")
    path = {"whole": str(tmp_path / "model.glb"), "dotted": "./model.glb"}.get(kind, "model.glb")
    model = skinscope.open(DATA) if kind == "bytes" else skinscope.open(path)
    assert model.diff(path)["same"]
    model.set_weights(0, 0, one_joint(model, 3))
    assert not model.diff(path)["same"] and not model.diff(Path(path))["same"]
    assert model.compare(b_file=path, clip=0, time=0.2)["rms_mm"] > 1
    assert model.diff(model.copy())["same"]


def test_a_file_that_has_changed_is_not_said_to_be_the_same(tmp_path):
    path = tmp_path / "model.glb"
    path.write_bytes(DATA)
    model = skinscope.open(path)
    other = skinscope.open(DATA)
    other.set_weights(0, 0, one_joint(other, 3))
    path.write_bytes(other.to_bytes())
    os.utime(path, (1, 1))
    for call in [lambda: model.diff(path), lambda: other.diff(model), lambda: model.diff(other)]:
        with pytest.raises(skinscope.Error, match="changed by another program"):
            call()
    assert other.diff(path)["same"]


def test_what_is_said_of_a_file_that_has_changed_is_an_error(tmp_path, corpus):
    textured = [path for path in sorted((corpus / "models").glob("*.glb")) if skinscope.open(path).info()["counts"]["images"]]
    path = tmp_path / "model.glb"
    shutil.copy(textured[0], path)
    model = skinscope.open(path)
    path.write_bytes(DATA)
    os.utime(path, (1, 1))
    with pytest.raises(skinscope.Error, match="changed by another program"):
        model.info()


def test_a_model_is_the_same_file_in_another_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(FIGURE, "model.glb")
    (tmp_path / "other").mkdir()
    model = skinscope.open("model.glb")
    monkeypatch.chdir(tmp_path / "other")
    assert (model.name, model.path) == ("model.glb", "model.glb")
    assert model.to_bytes() == DATA
    assert model.fix(limit=1)["changed"]["vertices"]
    with pytest.raises(skinscope.Error, match="this file is read"):
        model.save(tmp_path / "model.glb")


def test_a_model_of_several_files_is_never_saved_over_the_first_of_them(split):
    before = {path.name: path.read_bytes() for path in split.parent.iterdir()}
    model = skinscope.open(split)
    for limit in [3, 2, 1]:
        model.fix(limit=limit)
        for one in [model, model.copy()]:
            with pytest.raises(skinscope.Error, match="this file is read"):
                one.save(split)
    assert {path.name: path.read_bytes() for path in split.parent.iterdir()} == before


def test_an_edit_that_changes_nothing_does_not_stand_in_the_way_of_saving(split):
    model = skinscope.open(split)
    model.fix(limit=1)
    own = model.primitives[0].weights()
    assert model.fix(limit=2)["changed"]["vertices"] == 0
    model.save(split.parent / "other.gltf")
    np.testing.assert_array_equal(skinscope.open(split.parent / "other.gltf").primitives[0].weights(), own)
    untouched = skinscope.open(split)
    untouched.fix(limit=8)
    untouched.save(split.parent / "same.gltf")
    assert skinscope.open(split.parent / "same.gltf").diff(split)["same"]


def test_strokes_on_a_model_of_several_files_are_saved(split, tmp_path):
    model = skinscope.open(split)
    strokes = (one for one in [stroke(model)])
    assert model.paint(strokes)["strokes"][0]["changed"]
    model.save(split.parent / "painted.gltf")
    saved = skinscope.open(split.parent / "painted.gltf")
    np.testing.assert_array_equal(saved.primitives[0].weights(), model.primitives[0].weights())


def test_what_is_saved_is_the_model_whatever_its_callers_arrays_and_models_have_become(split, tmp_path):
    rows = one_joint(skinscope.open(DATA), 3)
    starts, joints, weights = np.arange(len(rows) + 1), np.full(len(rows), 3), np.ones(len(rows))
    model = skinscope.open(split)
    model.set_weights(0, 0, (starts, joints, weights))
    joints[:] = 5
    model.save(tmp_path / "a.gltf")
    np.testing.assert_array_equal(skinscope.open(tmp_path / "a.gltf").primitives[0].weights(), rows)
    other = skinscope.open(DATA)
    other.set_weights(0, 0, rows)
    model = skinscope.open(split)
    model.fix(transfer=other)
    own = model.primitives[0].weights()
    other.set_weights(0, 0, one_joint(other, 5))
    model.save(tmp_path / "b.gltf")
    np.testing.assert_array_equal(skinscope.open(tmp_path / "b.gltf").primitives[0].weights(), own)


def test_an_edit_that_cannot_be_done_again_is_saved_all_the_same(split, tmp_path):
    import json

    model = skinscope.open(split)
    path = tmp_path / "strokes.json"
    path.write_text(json.dumps({"schema": 1, "strokes": [stroke(model)]}))
    model.paint(path)
    own = model.primitives[0].weights()
    path.unlink()
    model.save(tmp_path / "a.gltf")
    np.testing.assert_array_equal(skinscope.open(tmp_path / "a.gltf").primitives[0].weights(), own)


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_edits_of_several_files_that_ctrl_c_ends_leave_no_half_and_no_folders(split):
    script = """
import os, signal, sys, threading, time
import skinscope
for wait in [0.002, 0.01, 0.03, 0.08]:
    model = skinscope.open(sys.argv[1])
    model.fix(limit=2)
    timer = threading.Timer(wait, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        for most in range(500):
            model.bind("heat", max_influences=1 + most % 4)
    except KeyboardInterrupt:
        pass
    timer.join()
    model.save(f"saved{wait}.gltf")
    assert skinscope.open(f"saved{wait}.gltf").diff(model)["same"]
# What was ended has stopped by then.
time.sleep(0.5)
"""
    folder = split.parent / "scratch"
    folder.mkdir()
    place = {**os.environ, "TMPDIR": str(folder)}
    done = subprocess.run([sys.executable, "-c", script, split], cwd=split.parent, env=place, timeout=120)
    assert done.returncode == 0 and list(folder.iterdir()) == []


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_folders_of_a_model_go_with_it_and_say_nothing(split):
    model = skinscope.open(split)
    model.fix(limit=2)
    folder = Path(os.fspath(model._content.file)).parent
    assert folder.is_dir()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fix(limit=1)
        twin = model.copy()
        del model
        gc.collect()
        assert twin.check() is not None
        del twin
        gc.collect()
    assert not folder.exists()


def test_arrays_that_stand_at_odd_bytes_are_read_right():
    def odd(values: np.ndarray) -> np.ndarray:
        out = np.frombuffer(b"\0" + values.tobytes(), values.dtype, len(values), 1)
        assert not out.flags.aligned
        return out

    model = skinscope.open(DATA)
    rows = one_joint(model, 3)
    parts = np.arange(len(rows) + 1), np.full(len(rows), 3), np.ones(len(rows))
    model.set_weights(0, 0, tuple(odd(part) for part in parts))
    np.testing.assert_array_equal(model.primitives[0].weights(), rows)


def test_a_huge_shape_is_refused_before_it_is_made(figure):
    huge = np.broadcast_to(np.float32(0), (1 << 40, 39))
    with pytest.raises(skinscope.Error, match="rows of weights"):
        figure.set_weights(0, 0, huge)


def test_links_leave_the_weights_of_locked_joints(figure):
    joint = "LowerLeg.L"
    twin = figure.copy()
    assert twin.links(joint=joint)
    figure.locks = joint
    with pytest.raises(skinscope.Error, match="LowerLeg.L.*locked"):
        figure.links(joint=joint)
    assert figure.to_bytes() == DATA


def test_models_are_copied_and_sent_to_other_processes(figure, split, tmp_path):
    figure.fix(limit=1)
    figure.locks = "Head"
    for twin in [copy.copy(figure), copy.deepcopy(figure), pickle.loads(pickle.dumps(figure))]:
        assert (twin.to_bytes(), twin.locks, twin.name) == (figure.to_bytes(), figure.locks, figure.name)
        with pytest.raises(skinscope.Error, match="this file is read"):
            twin.save(FIGURE)
        twin.locks = []
        twin.set_weights(0, 0, one_joint(twin, 3))
        assert twin.to_bytes() != figure.to_bytes()
    with pytest.raises(skinscope.Error, match="several files"):
        pickle.dumps(skinscope.open(split))


@pytest.mark.parametrize(
    "call",
    [
        lambda model: model.deform(primitive=(-1, 0)),
        lambda model: model.deform(primitive=(0, 1 << 40)),
        lambda model: model.deform(primitive=(0,)),
        lambda model: model.deform(primitive=(0, 0), instance=-1),
        lambda model: model.deform(primitive=(0, 0), instance=1.5),
        lambda model: model.primitive("a", 0),
        lambda model: model.primitives[0].weights(skin=-1),
        lambda model: model.set_weights(0, 0, [[1]], skin="a"),
        lambda model: model.pose(seconds=1.0),
        lambda model: model.paint(5),
        lambda model: model.paint([{"brush": "add", "locked": "Head"}]),
        lambda model: model.fix([("limit",)]),
        lambda model: model.fix([5]),
        lambda model: model.deform("linear+mush"),
        lambda model: model.set_weights(0, 0, np.ma.masked_less(model.primitives[0].weights(), 0.5)),
        lambda model: skinscope.open(DATA, max_memory="100"),
        lambda model: skinscope.open(DATA, name=""),
        lambda model: skinscope.open(DATA, name="\udcff.glb"),
    ],
)
def test_whatever_cannot_be_is_an_error_of_the_one_class(figure, call):
    with pytest.raises(skinscope.Error):
        call(figure)
    assert figure.to_bytes() == DATA


def test_a_warning_is_at_the_line_of_the_caller(figure):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure.fix(limit=2, recompress=True)
    notices = [one for one in caught if issubclass(one.category, skinscope.Notice)]
    assert notices and all(one.filename == __file__ for one in notices)


FORK = """
import os, sys, skinscope
used = sys.argv[2] == "used"
if used:
    model = skinscope.open(sys.argv[1])
    model.check()
child = os.fork()
if child == 0:
    try:
        skinscope.open(sys.argv[1]).check()
        os._exit(0)
    except skinscope.Error as error:
        os._exit(7 if "spawn" in str(error) else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no process forks")
@pytest.mark.parametrize(("use", "code"), [("used", 7), ("new", 0)])
def test_a_forked_process_works_or_is_told_why_not_and_never_hangs(use, code):
    done = subprocess.run([sys.executable, "-c", FORK, FIGURE, use], timeout=60)
    assert done.returncode == code
