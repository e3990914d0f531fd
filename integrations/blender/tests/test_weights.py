"""Defects are found, shown and repaired; what is right stays to the bit."""

import bpy
import numpy as np
import pytest
import skinscope
from conftest import make_character, make_tube, select, stored
from skinscope_blender import exporting, findings, weights
from skinscope_blender.errors import Refused
from test_export import export, found, halve

FAULTY = {"weights-zero", "weights-sum", "too-many-influences"}


def check(**options):
    return findings.check(export(**options))


def repair(operation, value=None, only=None):
    outcome = weights.repair(export(clips="NONE"), operation, value, only)
    weights.apply({mesh.name: mesh for mesh in found().meshes}, outcome)
    return outcome


def plant(mesh):
    """Plants three defects. Returns the vertices of each by the rule that finds them."""
    for group in mesh.vertex_groups:
        group.remove([100])
    mesh.vertex_groups["root"].add([120, 121], 0.7, "REPLACE")
    for group in mesh.vertex_groups:
        group.add([140], 0.2, "REPLACE")
    return {"weights-zero": {100}, "weights-sum": {120, 121}, "too-many-influences": {140}}


def test_a_character_without_defects_has_none_of_them(figure):
    assert not FAULTY & {finding.rule for finding in check()}


def test_planted_defects_are_found_at_their_vertices_and_gone_after_the_repair(figure):
    mesh, _ = figure
    planted = plant(mesh)
    before = stored(mesh)
    seen = {rule: set() for rule in planted}
    for finding in check():
        if finding.rule in planted:
            assert finding.name == "body"
            seen[finding.rule] |= set(finding.vertices.tolist())
    assert seen == planted
    outcome = repair("rules", ",".join(sorted(FAULTY)))
    after = stored(mesh)
    assert not FAULTY & {finding.rule for finding in check()}
    touched = set().union(*planted.values())
    assert outcome.vertex_count() == len(touched)
    for name, row in before.items():
        for vertex in set(row) | set(after[name]):
            assert vertex in touched or after[name].get(vertex) == row.get(vertex), (name, vertex)


def test_only_the_chosen_vertices_change(figure):
    mesh, _ = figure
    plant(mesh)
    before = stored(mesh)
    outcome = repair("normalise", only={"body": np.array([120])})
    assert outcome.changes["body"].vertex_count() == 1
    after = stored(mesh)
    assert {v for name in before for v in before[name] if before[name][v] != after[name].get(v)} == {120}


def test_groups_that_are_no_deforming_bones_stay_to_the_bit(figure):
    mesh, _ = figure
    for name in ("mask", "control"):
        mesh.vertex_groups.new(name=name).add(list(range(0, 264, 3)), 0.3, "REPLACE")
    plant(mesh)
    before = stored(mesh)
    repair("rules", ",".join(sorted(FAULTY)))
    repair("smooth", 2)
    weights.apply({"body": mesh}, weights.bind(export(clips="NONE"), "heat"))
    after = stored(mesh)
    assert after["mask"] == before["mask"] and after["control"] == before["control"]


def test_locked_groups_stay_to_the_bit_and_the_rest_makes_room(figure):
    mesh, _ = figure
    before = stored(mesh)
    mesh.vertex_groups["arm.L"].lock_weight = True
    outcome = repair("smooth", 3)
    assert outcome.vertex_count() > 20
    after = stored(mesh)
    assert after["arm.L"] == before["arm.L"] and after["root"] != before["root"]
    sums = np.zeros(len(mesh.data.vertices))
    for row in after.values():
        for vertex, weight in row.items():
            sums[vertex] += weight
    assert np.abs(sums - 1).max() < 1e-3


def test_a_lock_is_that_of_its_object_alone(figure):
    mesh, rig = figure
    shirt, _ = make_character("shirt", rig)
    mesh.vertex_groups["arm.L"].lock_weight = True
    before = stored(mesh), stored(shirt)
    repair("smooth", 3)
    assert stored(mesh)["arm.L"] == before[0]["arm.L"] and stored(shirt)["arm.L"] != before[1]["arm.L"]


def test_vertices_that_the_exporter_splits_stay_whole(figure):
    mesh, _ = figure
    exported = export(clips="NONE")
    outcome = weights.repair(exported, "smooth", 2)
    assert sum(len(v) for v in exported.parts[0].primitives.values()) > exported.parts[0].count
    assert not any("Split" in note for note in outcome.notes)


def test_weights_are_mirrored_from_the_side_that_blender_calls_so(figure):
    mesh, _ = figure
    mesh.vertex_groups["hand.L"].remove(range(264))
    mesh.vertex_groups["arm.L"].add([v.index for v in mesh.data.vertices if v.co.x > 0.9], 1.0, "REPLACE")
    right = stored(mesh)["hand.R"]
    repair("mirror", weights.SIDES["-X"])
    after = stored(mesh)
    assert after["hand.R"] == right
    assert len(after["hand.L"]) == len(right)


def test_a_mesh_without_groups_is_bound_to_the_selected_armature(figure):
    _, rig = figure
    statue = make_tube("statue", rings=17)
    select(statue, rig)
    exported = exporting.export(found(binding=True), bpy.context.scene, clips="NONE")
    assert [part.name for part in exported.parts] == ["statue", "body"]
    outcome = weights.bind(exported, "heat", 4, {"statue": np.arange(len(statue.data.vertices))})
    before = stored(bpy.data.objects["body"])
    weights.apply({"statue": statue}, outcome)
    after = stored(statue)
    assert "control" not in after
    sums = np.zeros(len(statue.data.vertices))
    for row in after.values():
        for vertex, weight in row.items():
            sums[vertex] += weight
    assert np.abs(sums - 1).max() < 1e-3
    assert stored(bpy.data.objects["body"]) == before


def test_faults_of_a_mirrored_half_are_found_and_repaired_in_what_is_modelled(figure):
    mesh, _ = figure
    halve(mesh)
    mesh.vertex_groups["root"].add([40, 41], 0.7, "REPLACE")
    before = stored(mesh)
    faulty = [finding for finding in check() if finding.rule == "weights-sum"]
    assert set().union(*(finding.vertices.tolist() for finding in faulty)) == {40, 41}
    repair("rules", "weights-sum")
    after = stored(mesh)
    assert "weights-sum" not in {finding.rule for finding in check()}
    assert {v for name in before for v in before[name] if before[name][v] != after[name].get(v)} == {40, 41}
    weights.apply({"body": mesh}, weights.bind(export(clips="NONE"), "heat"))
    assert not FAULTY & {finding.rule for finding in check()}


def test_operations_and_methods_are_those_of_the_package():
    assert [name for name, *_ in weights.operations()] == list(weights.VALUES)
    assert {"heat", "voxel"} <= set(weights.bind_methods())


def test_an_error_of_the_package_is_said_and_changes_nothing(figure):
    mesh, _ = figure
    before = stored(mesh)
    with pytest.raises(Refused, match="no-such-rule"):
        repair("rules", "no-such-rule")
    assert stored(mesh) == before


def test_a_repair_that_would_land_in_a_locked_group_writes_nothing(figure):
    mesh, _ = figure
    plant(mesh)
    outcome = weights.repair(export(clips="NONE"), "rules", "weights-sum")
    mesh.vertex_groups["root"].lock_weight = True
    before = stored(mesh)
    with pytest.raises(Refused, match="locked"):
        weights.apply({"body": mesh}, outcome)
    assert stored(mesh) == before


def test_a_finding_is_shown_with_its_vertices_its_group_and_its_pose(figure):
    mesh, rig = figure
    mesh.vertex_groups["root"].add([120, 121], 0.7, "REPLACE")
    item = findings.Found("any", "error", "", "", "body", np.array([120, 121]), ("arm.L",), ("Wave", 0.5), ())
    bpy.context.scene.frame_set(4)
    rig.pose.bones["arm.R"].location = (0, 0.25, 0)
    findings.show(bpy.context, item, rig)
    assert [v.index for v in mesh.data.vertices if v.select] == [120, 121]
    assert mesh.vertex_groups.active.name == "arm.L"
    assert (bpy.context.view_layer.objects.active, mesh.mode) == (mesh, "WEIGHT_PAINT")
    assert bpy.context.scene.frame_current == 12
    assert findings.back(bpy.context, rig)
    assert bpy.context.scene.frame_current == 4
    assert tuple(rig.pose.bones["arm.R"].location) == (0, 0.25, 0)
    assert not findings.back(bpy.context, rig)


def test_the_moment_of_a_clip_is_the_frame_that_the_exporter_wrote(figure):
    _, rig = figure
    for first in (1, -6, 30):
        action = bpy.data.actions.new(f"from {first}")
        rig.animation_data.action = action
        bone = rig.pose.bones["arm.L"]
        for frame, turn in ((first, 0.0), (first + 10, 1.0)):
            bone.rotation_euler = (turn, 0, 0)
            bone.keyframe_insert("rotation_euler", frame=frame)
    model = skinscope.open(export().data)
    for first in (1, -6, 30):
        rig.animation_data.action = bpy.data.actions[f"from {first}"]
        clip = next(clip for clip in model.clips if clip.name == f"from {first}")
        (alone,) = skinscope.open(export(clips="ACTIVE").data).clips
        assert (alone.name, alone.start, alone.end) == (clip.name, clip.start, clip.end)
        item = findings.Found("any", "info", "", "", "body", np.array([0]), (), (clip.name, clip.end), ())
        findings.show(bpy.context, item, rig)
        assert bpy.context.scene.frame_current == first + 10
        assert rig.pose.bones["arm.L"].rotation_euler.x == pytest.approx(1.0, abs=1e-5)


def test_a_turned_joint_is_shown_turned_about_the_same_axis(figure):
    _, rig = figure
    rig.rotation_euler, rig.location = (0.3, 0.2, 0.1), (1, 2, 3)
    bpy.context.view_layer.update()
    exported = export()
    model = weights.open_model(exported)
    node = next(n.index for n in model.nodes if n.name == "arm.L")
    hand = next(n.index for n in model.nodes if n.name == "hand.L")
    for axis in np.eye(3):
        turned = findings._axis_of_bone(model, node, "arm.L", axis.tolist(), exported)
        item = findings.Found("any", "info", "", "", "", np.empty(0, int), (), (), ("arm.L", turned, 90.0))
        findings.pose(bpy.context, item, rig)
        shown = rig.matrix_world @ rig.pose.bones["hand.L"].head
        world = np.array(model.nodes[node].world, float)
        local = np.linalg.inv(world) @ np.array(model.nodes[hand].world, float)[:, 3]
        spun = np.append(axis * (axis @ local[:3]) + np.cross(axis, local[:3]), 1)
        expected = world @ spun
        assert np.allclose([shown.x, shown.z, -shown.y], expected[:3], atol=1e-5)
    findings.back(bpy.context, rig)


def test_the_range_of_motion_finds_poses_that_can_be_shown(figure):
    _, rig = figure
    turned = [finding for finding in findings.check(export(clips="NONE"), motion=True) if finding.turn]
    assert turned
    for finding in turned:
        findings.show(bpy.context, finding, rig)
        bone, _, degrees = finding.turn
        turn = rig.pose.bones[bone].matrix_basis.to_quaternion().angle
        assert abs(np.degrees(turn) - abs(degrees)) < 1e-3
    assert findings.back(bpy.context, rig)


def test_without_the_package_the_reason_is_said(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "skinscope", None)
    with pytest.raises(Refused, match="does not load"):
        weights.bind_methods()


def test_the_rules_that_a_repair_knows_are_those_of_the_package_that_are_about_weights(figure):
    with pytest.raises(skinscope.Error, match="those are ") as error:
        skinscope.open(export(clips="NONE").data).fix([("rules", "none")])
    offered = str(error.value).split("those are ")[1].split(", ")
    assert set(weights.REPAIRED) == set(offered) - {"inverse-bind-mismatch"}
    for names, word in (("rom-fold", "rom-fold"), ("weights-sum, wieghts", "wieghts"), ("", "")):
        with pytest.raises(Refused, match=f"“{word}” is no rule that can be repaired. Those are all, or weights"):
            weights.repair(export(clips="NONE"), "rules", names)


@pytest.mark.parametrize(("rules", "limit"), [("all", 2), ("too-many-influences", 2), ("too-many-influences, weights-zero", 3)])
def test_findings_are_repaired_by_the_limit_that_they_were_found_by(figure, rules, limit):
    mesh, _ = figure
    for name in ("root", "arm.L", "hand.L", "arm.R", "hand.R"):
        mesh.vertex_groups[name].add([40], 0.2, "REPLACE")
    exported = export(clips="NONE")
    weights.apply({"body": mesh}, weights.repair(exported, "rules", rules, None, limit))
    row = [entry.weight for entry in mesh.data.vertices[40].groups if entry.weight]
    assert len(row) == limit and abs(sum(row) - 1) < 1e-5
