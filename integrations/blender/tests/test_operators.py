"""The buttons, as a click presses them."""

import sys

import bpy
import numpy as np
import pytest
from conftest import make_armature, make_character, make_tube, select, stored
from skinscope_blender import state
from test_weights import FAULTY, plant

extension = sys.modules["skinscope_blender"]


def settings():
    return bpy.context.window_manager.skinscope


def shown_rules():
    return {row.rule for row in settings().rows}


def test_check_select_repair_check_leaves_none(figure):
    mesh, rig = figure
    planted = plant(mesh)
    assert bpy.ops.skinscope.check() == {"FINISHED"}
    assert set(planted) <= shown_rules()
    severities = [row.severity for row in settings().rows]
    assert severities == sorted(severities, key=["error", "warning", "info"].index)
    for number, row in enumerate(settings().rows):
        if row.rule in planted:
            assert bpy.ops.skinscope.show(index=number) == {"FINISHED"}
            assert {v.index for v in mesh.data.vertices if v.select} <= planted[row.rule]
            assert settings().active == number
    for rule in FAULTY:
        assert bpy.ops.skinscope.repair(rule=rule) == {"FINISHED"}
    bpy.ops.skinscope.check()
    assert not FAULTY & shown_rules()


def test_a_click_beside_the_buttons_of_a_row_shows_the_finding_too(figure):
    mesh, _ = figure
    planted = plant(mesh)
    bpy.ops.skinscope.check()
    number = shown_rules_in_order().index("weights-zero")
    settings().active = number
    assert {v.index for v in mesh.data.vertices if v.select} == planted["weights-zero"]
    mesh.name = "renamed"
    settings().active = number + 1
    assert "has another name now" in settings().notes


def shown_rules_in_order():
    return [row.rule for row in settings().rows]


def pose_of(place):
    """Puts a bone without a key at a height, as a user does, and one step of Undo."""
    bpy.data.objects["rig"].pose.bones["arm.R"].location.y = place
    bpy.ops.ed.undo_push(message="pose")


def place_of():
    return bpy.data.objects["rig"].pose.bones["arm.R"].location.y


def test_my_pose_comes_back_over_steps_of_undo(figure):
    mesh, rig = figure
    mesh.vertex_groups["hand.R"].add([v.index for v in mesh.data.vertices if v.co.x > 1], 0.5, "ADD")
    settings().motion, settings().clips = True, "NONE"
    pose_of(0.25)
    bpy.ops.skinscope.check()
    number = next(i for i, found in enumerate(state.results) if found.turn)
    show = lambda: bpy.ops.skinscope.show("EXEC_DEFAULT", True, index=number)  # noqa: E731
    show()
    assert place_of() == 0
    bpy.ops.skinscope.back("EXEC_DEFAULT", True)
    assert place_of() == 0.25
    bpy.ops.ed.undo()
    assert place_of() == 0
    bpy.ops.skinscope.back("EXEC_DEFAULT", True)
    assert place_of() == 0.25
    show()
    bpy.ops.ed.undo()
    assert place_of() == 0.25
    pose_of(0.5)
    show()
    bpy.ops.skinscope.back("EXEC_DEFAULT", True)
    assert place_of() == 0.5
    show()
    bpy.ops.skinscope.check()
    assert place_of() == 0.5
    bpy.ops.skinscope.repair("EXEC_DEFAULT", True, rule="all")
    bpy.ops.ed.undo()
    assert place_of() == 0.5


def test_the_empty_that_an_importer_makes_means_the_character_below_it(figure):
    mesh, rig = figure
    plant(mesh)
    empty = bpy.data.objects.new("import", None)
    bpy.context.collection.objects.link(empty)
    rig.parent = empty
    select(empty)
    assert bpy.ops.skinscope.check() == {"FINISHED"} and set(FAULTY) <= shown_rules()
    other, second = make_character("twin", make_armature("second"))
    second.parent = empty
    select(empty)
    with pytest.raises(RuntimeError, match="holds several characters, those of “rig”, “second”"):
        bpy.ops.skinscope.check()
    select(other, empty)
    assert bpy.ops.skinscope.check() == {"FINISHED"} and state.checked == ["second"]


def test_a_repair_is_one_step_of_undo(figure):
    mesh, _ = figure
    plant(mesh)
    before = stored(mesh)
    bpy.ops.ed.undo_push(message="planted")
    bpy.ops.skinscope.repair("EXEC_DEFAULT", True, rule="weights-sum")
    after = stored(bpy.data.objects["body"])
    assert after != before and "changed" in settings().notes
    bpy.ops.ed.undo()
    assert stored(bpy.data.objects["body"]) == before and not settings().notes
    bpy.ops.ed.redo()
    assert stored(bpy.data.objects["body"]) == after


def test_a_binding_is_one_step_of_undo_with_its_modifier(figure):
    _, rig = figure
    statue = make_tube("statue", rings=17)
    statue.location = (0.25, 0, 0)
    select(statue, rig)
    bpy.context.view_layer.update()
    place = statue.matrix_world.copy()
    bpy.ops.ed.undo_push(message="made")
    body = stored(bpy.data.objects["body"])
    settings().method = "heat"
    assert bpy.ops.skinscope.bind("EXEC_DEFAULT", True) == {"FINISHED"}
    statue = bpy.data.objects["statue"]
    assert statue.modifiers[0].object.name == "rig" and statue.parent.name == "rig"
    bpy.context.view_layer.update()
    assert np.allclose(statue.matrix_world, place)
    assert sum(len(row) for row in stored(statue).values()) >= len(statue.data.vertices)
    assert stored(bpy.data.objects["body"]) == body
    bpy.ops.ed.undo()
    statue = bpy.data.objects["statue"]
    assert not statue.modifiers and statue.parent is None and not statue.vertex_groups


def test_what_a_check_has_said_stays_over_steps_of_undo(figure):
    mesh, rig = figure
    plant(mesh)
    make_character("hidden", rig)[0].hide_set(True)
    select(mesh)
    bpy.ops.ed.undo_push(message="made")
    bpy.ops.skinscope.check()
    bpy.ops.skinscope.show("EXEC_DEFAULT", True, index=0)
    bpy.ops.ed.undo()
    assert "“hidden”" in settings().notes


def test_edit_mode_is_left_and_come_back_to(figure):
    mesh, _ = figure
    plant(mesh)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.skinscope.check()
    assert mesh.mode == "EDIT" and set(FAULTY) <= shown_rules()
    bpy.ops.skinscope.repair(rule="weights-sum")
    assert mesh.mode == "EDIT"
    bpy.ops.skinscope.check()
    assert "weights-sum" not in shown_rules()
    number = [row.rule for row in settings().rows].index("weights-zero")
    bpy.ops.skinscope.show(index=number)
    assert mesh.mode == "EDIT"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert {v.index for v in mesh.data.vertices if v.select} == {100}


def test_what_is_edited_a_moment_ago_is_looked_at(figure):
    mesh, _ = figure
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    mesh.vertex_groups.active_index = mesh.vertex_groups["root"].index
    bpy.context.scene.tool_settings.vertex_group_weight = 0.9
    bpy.ops.object.vertex_group_assign()
    bpy.ops.skinscope.check()
    assert "weights-sum" in shown_rules()


def test_only_selected_vertices_are_repaired(figure):
    mesh, _ = figure
    plant(mesh)
    before = stored(mesh)
    for vertex in mesh.data.vertices:
        vertex.select = vertex.index == 120
    settings().where, settings().operation = "VERTICES", "normalise"
    bpy.ops.skinscope.repair()
    after = stored(mesh)
    assert {v for name in before for v in before[name] if before[name][v] != after[name].get(v)} == {120}


def test_a_linked_mesh_is_checked_and_its_repair_is_refused(figure, tmp_path):
    mesh, _ = figure
    plant(mesh)
    library = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(library, link=True) as (source, target):
        target.objects = source.objects
    for item in target.objects:
        bpy.context.collection.objects.link(item)
    select(bpy.data.objects["body"])
    assert bpy.ops.skinscope.check() == {"FINISHED"}
    assert "weights-zero" in shown_rules()
    with pytest.raises(RuntimeError, match="is linked from .*library.blend"):
        bpy.ops.skinscope.repair(rule="weights-zero")
    assert bpy.ops.skinscope.show(index=0) == {"FINISHED"}


def test_errors_say_why_and_nothing_happens(figure):
    mesh, _ = figure
    mesh.select_set(False)
    bpy.context.view_layer.objects.active = None
    with pytest.raises(RuntimeError, match="Select a character"):
        bpy.ops.skinscope.check()
    with pytest.raises(RuntimeError, match="This finding is gone"):
        bpy.ops.skinscope.show(index=3)
    with pytest.raises(RuntimeError, match="No pose of a finding"):
        bpy.ops.skinscope.back()


def test_findings_are_gone_with_the_file_that_they_are_about(figure):
    plant(figure[0])
    bpy.ops.skinscope.check()
    assert state.results and settings().rows
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert not state.results and not settings().rows and not state.checked


def test_every_setting_has_a_value_for_every_operation():
    for name in [item[0] for item in extension.weights.operations()]:
        settings().operation = name
        state.value_of(settings())


@pytest.mark.parametrize(
    ("name", "mode"),
    [("body", mode) for mode in ("OBJECT", "WEIGHT_PAINT", "VERTEX_PAINT", "SCULPT", "EDIT")] + [("rig", "POSE"), ("rig", "EDIT")],
)
def test_every_mode_is_kept_and_what_it_holds(figure, name, mode):
    mesh, rig = figure
    active = bpy.data.objects[name]
    plant(mesh)
    select(active)
    bpy.ops.object.mode_set(mode=mode)
    rig.pose.bones["arm.R"].location = (0, 0.25, 0)
    bpy.ops.skinscope.check()
    assert active.mode == mode and "weights-sum" in shown_rules()
    bpy.ops.skinscope.repair(rule="weights-sum")
    assert active.mode == mode
    assert (bpy.context.view_layer.objects.active, list(bpy.context.selected_objects)) == (active, [active])
    assert tuple(rig.pose.bones["arm.R"].location) == (0, 0.25, 0)
    bpy.ops.skinscope.check()
    assert active.mode == mode and "weights-sum" not in shown_rules()


def test_two_meshes_in_edit_mode_are_both_left_and_come_back_to(figure):
    mesh, rig = figure
    shirt, _ = make_character("shirt", rig)
    plant(shirt)
    select(shirt, mesh)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.skinscope.repair(rule="weights-sum")
    assert (mesh.mode, shirt.mode) == ("EDIT", "EDIT")
    bpy.ops.skinscope.check()
    assert "weights-sum" not in shown_rules()
