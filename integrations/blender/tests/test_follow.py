"""A character that the program has open: what is saved there comes back, and what is sent is whole."""

import os
import stat
import time
from pathlib import Path

import bpy
import numpy as np
import pytest
import skinscope
from conftest import stored
from skinscope_blender import follow, operators
from skinscope_blender.errors import Refused
from skinscope_blender.glb import Glb
from test_export import halve
from test_operators import settings


@pytest.fixture
def opened(figure, tmp_path, monkeypatch):
    """A character that is open in a program, which writes the path of its file into `opened`. Returns what is followed."""
    program = tmp_path / "skinscope"
    program.write_text(f"#!/bin/sh\necho \"$1\" > '{tmp_path}/opened'\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(operators.preferences, "program", lambda context: str(program))
    monkeypatch.setattr(operators.preferences, "folder", lambda context: str(tmp_path / "characters"))
    assert bpy.ops.skinscope.open() == {"FINISHED"}
    return follow.followed["rig"]


def save_smoothed(item, passes=1):
    """Saves the file as the program would, with smoothed weights."""
    model = skinscope.open(Path(item.path).read_bytes())
    model.fix([("smooth", passes)])
    Path(item.path).write_bytes(model.to_bytes())


def look_twice():
    """Looks at the files twice, as the timer does."""
    assert operators.look() == operators.look() == follow.SECONDS


def test_the_program_is_started_with_the_file(opened, tmp_path):
    for _ in range(100):
        if (tmp_path / "opened").exists() and (tmp_path / "opened").read_text():
            break
        time.sleep(0.05)
    assert (tmp_path / "opened").read_text().strip() == opened.path
    assert skinscope.open(Path(opened.path).read_bytes()).skins[0].joint_names == opened.exported.bones


def test_weights_that_the_program_saves_come_back_as_one_step_of_undo(opened):
    before = stored(bpy.data.objects["body"])
    bpy.ops.ed.undo_push(message="sent")
    look_twice()
    assert stored(bpy.data.objects["body"]) == before
    save_smoothed(opened)
    look_twice()
    after = stored(bpy.data.objects["body"])
    assert after != before and "came from Skinscope" in settings().notes
    bpy.ops.ed.undo()
    assert stored(bpy.data.objects["body"]) == before
    bpy.ops.ed.redo()
    assert stored(bpy.data.objects["body"]) == after
    save_smoothed(opened)
    look_twice()
    assert stored(bpy.data.objects["body"]) != after


def test_a_file_that_is_still_written_is_waited_for(opened):
    before = stored(bpy.data.objects["body"])
    whole = skinscope.open(Path(opened.path).read_bytes())
    whole.fix([("smooth", 1)])
    data = whole.to_bytes()
    for end in (len(data) // 2, len(data)):
        Path(opened.path).write_bytes(data[:end])
        operators.look()
        assert stored(bpy.data.objects["body"]) == before
    operators.look()
    assert stored(bpy.data.objects["body"]) != before


def test_a_broken_file_changes_nothing_and_is_said(opened):
    before = stored(bpy.data.objects["body"])
    Path(opened.path).write_bytes(Path(opened.path).read_bytes()[:200])
    look_twice()
    assert stored(bpy.data.objects["body"]) == before
    assert "were not taken" in settings().notes and opened.refused


def test_weights_stay_out_of_a_mesh_that_has_changed_its_faces(opened):
    mesh = bpy.data.objects["body"]
    save_smoothed(opened)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide()
    bpy.ops.object.mode_set(mode="OBJECT")
    before = stored(mesh)
    bpy.ops.object.mode_set(mode="EDIT")
    look_twice()
    assert mesh.mode == "EDIT"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert stored(mesh) == before
    assert "other vertices or faces" in settings().notes
    saved = Path(opened.path).read_bytes()
    bpy.ops.skinscope.send()
    kept = [path for path in Path(opened.path).parent.iterdir() if path.read_bytes() == saved]
    assert len(kept) == 1 and str(kept[0]) in settings().notes
    save_smoothed(follow.followed["rig"])
    look_twice()
    assert "came from Skinscope" in settings().notes


def test_send_again_first_takes_what_the_program_has_saved(opened):
    mesh = bpy.data.objects["body"]
    before = stored(mesh)
    save_smoothed(opened)
    mesh.data.vertices[5].co.z += 0.01
    bpy.ops.skinscope.send()
    after = stored(mesh)
    assert after != before and "First the weights" in settings().notes
    model = skinscope.open(Path(opened.path).read_bytes())
    part = follow.followed["rig"].exported.parts[0]
    for key, vertices in part.primitives.items():
        dense = model.primitive(*key).weights()
        for column, name in enumerate(model.skins[0].joint_names):
            assert np.array_equal(dense[:, column], np.array([after[name].get(v, 0) for v in vertices], np.float32))
    assert sorted(os.listdir(os.path.dirname(opened.path))) == [".rig.glb.sent", "rig.glb"]


def with_layer(glb):
    glb.json["meshes"][0]["primitives"][0]["extras"] = {"layers": [{"name": "elbow"}]}


def with_clip(glb):
    glb.json["animations"].append({**glb.json["animations"][0], "name": "Nod"})


def with_shape(glb):
    for primitive in glb.json["meshes"][0]["primitives"]:
        primitive["targets"] = [{"POSITION": primitive["attributes"]["POSITION"]}]


def with_other_keys(glb):
    flip(glb, glb.json["animations"][0]["samplers"][0]["output"])


def with_other_places(glb):
    flip(glb, glb.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"])


def flip(glb, accessor):
    """Changes the lowest bit of the first number of an accessor."""
    glb.binary[glb.json["bufferViews"][glb.json["accessors"][accessor]["bufferView"]].get("byteOffset", 0)] ^= 1


def unreadable(glb):
    glb.json["bufferViews"].append({"buffer": 0})
    glb.json["images"] = [{"bufferView": len(glb.json["bufferViews"]) - 1, "mimeType": "image/png"}]


def save_more(item, change):
    """Saves the file as the program would, with smoothed weights and something besides. Returns its bytes."""
    save_smoothed(item)
    glb = Glb(Path(item.path).read_bytes())
    change(glb)
    Path(item.path).write_bytes(glb.to_bytes())
    return Path(item.path).read_bytes()


def copies(item):
    """The bytes of the copies beside a file, by name."""
    folder = Path(item.path).parent
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name not in ("rig.glb", ".rig.glb.sent")}


@pytest.mark.parametrize("change", [with_layer, with_clip, with_shape, with_other_keys, with_other_places])
@pytest.mark.parametrize("looks", [False, True])
def test_what_only_the_file_of_the_program_has_is_kept_once_and_said(opened, change, looks):
    saved = save_more(opened, change)
    if looks:
        look_twice()
        assert "came from Skinscope" in settings().notes
    bpy.ops.skinscope.send()
    assert Path(opened.path).read_bytes() != saved and copies(opened) == {"rig_saved.glb": saved}
    assert "more than the weights" in settings().notes and "rig_saved.glb" in settings().notes
    bpy.ops.skinscope.send()
    assert copies(opened) == {"rig_saved.glb": saved} and "rig_saved" not in settings().notes
    Path(opened.path).write_bytes(saved)
    bpy.ops.skinscope.send()
    assert copies(opened) == {"rig_saved.glb": saved, "rig_saved_2.glb": saved}


def test_a_file_that_cannot_be_compared_is_kept(opened):
    glb = Glb(Path(opened.path).read_bytes())
    unreadable(glb)
    assert follow._has_more(opened.exported, glb.to_bytes()) and follow._has_more(opened.exported, b"")
    assert not follow._has_more(opened.exported, opened.exported.data)


def test_what_was_sent_and_only_written_anew_is_not_kept(opened):
    Path(opened.path).write_bytes(opened.exported.data)
    bpy.ops.skinscope.send()
    assert not copies(opened)


def test_weights_of_locked_groups_that_were_not_taken_are_kept_when_the_file_is_sent(opened):
    mesh = bpy.data.objects["body"]
    mesh.vertex_groups["root"].lock_weight = True
    save_smoothed(opened)
    look_twice()
    mesh.vertex_groups["root"].lock_weight = False
    # What was not taken is in what the program saves next.
    save_smoothed(opened)
    saved = Path(opened.path).read_bytes()
    bpy.ops.skinscope.send()
    assert copies(opened) == {"rig_saved.glb": saved} and "not taken all" in settings().notes


def test_weights_of_a_mirrored_half_are_kept_when_the_file_is_sent(opened):
    halve(bpy.data.objects["body"])
    bpy.ops.skinscope.send()
    item = follow.followed["rig"]
    assert not copies(item)
    save_smoothed(item)
    saved = Path(item.path).read_bytes()
    bpy.ops.skinscope.send()
    assert copies(item) == {"rig_saved.glb": saved} and "not taken all" in settings().notes


def test_what_changed_in_blender_meanwhile_stays_where_the_program_changed_nothing(opened):
    mesh = bpy.data.objects["body"]
    save_smoothed(opened)
    mesh.vertex_groups["hand.L"].add([0], 0.125, "REPLACE")
    mesh.vertex_groups["root"].add([v.index for v in mesh.data.vertices if abs(v.co.x) < 0.5], 0.5, "REPLACE")
    look_twice()
    assert stored(mesh)["hand.L"][0] == 0.125
    assert "Changed on both sides" in settings().notes


def test_locked_groups_are_not_taken_and_said(opened):
    mesh = bpy.data.objects["body"]
    mesh.vertex_groups["root"].lock_weight = True
    before = stored(mesh)
    save_smoothed(opened)
    look_twice()
    after = stored(mesh)
    assert after["root"] == before["root"] and after["arm.L"] != before["arm.L"]
    assert "locked in Blender" in settings().notes


def test_a_second_character_of_one_name_gets_a_file_of_its_own(opened):
    first = opened.path
    follow.followed.clear()
    assert bpy.ops.skinscope.open() == {"FINISHED"}
    assert follow.followed["rig"].path != first and os.path.exists(first)


def test_without_a_program_the_reason_is_said(figure, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="not on the search path"):
        bpy.ops.skinscope.open()
    with pytest.raises(Refused, match="There is no program at"):
        follow.find_program(str(tmp_path / "none"))
    assert not follow.followed


def test_another_file_is_no_answer(opened):
    other = skinscope.open(Path(opened.path).read_bytes())
    data = bytearray(other.to_bytes())
    at = data.find(b"_SKINSCOPE_VERTEX")
    data[at : at + 17] = b"_SKINSCOPE_VORTEX"
    Path(opened.path).write_bytes(bytes(data))
    look_twice()
    assert "other vertices" in settings().notes
