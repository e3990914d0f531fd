"""What the panel draws exists: its properties, buttons and icons."""

import sys
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from conftest import stored  # noqa: F401
from skinscope_blender import operators, panel, preferences, state
from skinscope_blender.findings import Found
from test_operators import plant, settings

ICONS = bpy.types.UILayout.bl_rna.functions["prop"].parameters["icon"].enum_items.keys()


class Layout:
    """Notes what is drawn, and refuses what Blender does not know."""

    def __init__(self, said):
        self.said = said

    def part(self, **_):
        return Layout(self.said)

    row = column = box = split = part

    def label(self, text="", icon="NONE"):
        assert icon in ICONS
        self.said.append(text)

    def prop(self, owner, name, text="", icon="NONE"):
        assert name in owner.bl_rna.properties and icon in ICONS
        self.said.append(name)

    def operator(self, name, text="", icon="NONE", emboss=True):
        assert icon in ICONS
        group, name = name.split(".")
        kind = getattr(bpy.ops, group)
        properties = getattr(kind, name).get_rna_type().properties
        self.said.append(f"{group}.{name}")
        return Properties(properties)

    def template_list(self, kind, name, owner, listed, other, active, **_):
        assert hasattr(bpy.types, kind) and {listed, active} <= set(owner.bl_rna.properties.keys())
        for index, item in enumerate(getattr(owner, listed)):
            panel.SKINSCOPE_UL_findings.draw_item(None, None, self, owner, item, 0, other, active, index)


class Properties:
    """The properties of a button."""

    def __init__(self, known):
        object.__setattr__(self, "known", known)

    def __setattr__(self, name, value):
        assert name in self.known


def drawn():
    """Draws all panels, and returns what they say."""
    said = []
    context = SimpleNamespace(
        window_manager=bpy.context.window_manager, preferences=bpy.context.preferences, region=SimpleNamespace(width=280)
    )
    for kind in (panel.SKINSCOPE_PT_check, panel.SKINSCOPE_PT_repair, panel.SKINSCOPE_PT_program):
        holder = SimpleNamespace(layout=Layout(said), _draw_finding=panel.SKINSCOPE_PT_check._draw_finding)
        kind.draw(holder, context)
    return said


def test_before_a_check_there_are_buttons_and_no_list():
    said = drawn()
    assert {"skinscope.check", "skinscope.repair", "skinscope.bind", "skinscope.open"} <= set(said)
    assert "skinscope.show" not in said and "skinscope.send" not in said


def test_a_finding_that_is_shown_has_its_text_and_its_repair(figure):
    mesh, _ = figure
    plant(mesh)
    bpy.ops.skinscope.check()
    assert drawn().count("skinscope.show") == len(state.results) + sum(len(found.vertices) > 0 for found in state.results)
    number = [found.rule for found in state.results].index("weights-zero")
    for index, words in ((number, state.results[number].message), (len(state.results), "Select the vertices")):
        said = operators.SKINSCOPE_OT_show.description(bpy.context, SimpleNamespace(index=index))
        assert said.startswith(words)
    bpy.ops.skinscope.show(index=number)
    said = drawn()
    assert "1 vertex of “body”" in said and "skinscope.back" not in said
    assert state.results[number].message.split()[0] in " ".join(said)


def test_a_character_without_findings_is_said_to_have_none():
    state.set_findings(bpy.context, "rig", [], [])
    assert "Nothing was found at “rig”." in drawn()


def test_a_finding_that_no_repair_mends_has_no_button_for_one(figure):
    for rule, offered in (("weights-sum", True), ("rom-fold", False)):
        found = Found(rule, "info", "message", "fix", "", np.empty(0, int), (), (), ())
        state.set_findings(bpy.context, "rig", [found], [])
        before = drawn().count("skinscope.repair")
        bpy.ops.skinscope.show(index=0)
        assert drawn().count("skinscope.repair") == before + offered


def test_the_way_back_is_offered_while_the_pose_of_a_finding_is_shown(figure):
    found = Found("any", "info", "message", "fix", "body", np.array([0]), (), ("Wave", 0.5), ())
    state.set_findings(bpy.context, "rig", [found], [])
    bpy.ops.skinscope.show(index=0)
    assert "skinscope.back" in drawn()
    bpy.ops.skinscope.back()
    assert "skinscope.back" not in drawn()
    figure[1].name = "renamed"
    assert "skinscope.back" not in drawn()


def test_a_long_text_is_broken_into_lines_that_the_sidebar_holds(figure):
    mesh, _ = figure
    plant(mesh)
    mesh.name = "a_name_that_is_longer_than_the_sidebar_is_wide"
    bpy.ops.skinscope.check()
    bpy.ops.skinscope.show(index=0)
    said = drawn()
    assert max(map(len, said)) <= 280 // 7
    assert "a_name_that_is_longer_than_the_sidebar_is_wide" in "".join(said)


def test_findings_of_other_weights_are_said_to_be_old(figure):
    plant(figure[0])
    bpy.ops.skinscope.check()
    old = "Changed since. Check again."
    assert old not in drawn()
    bpy.ops.skinscope.repair(rule="weights-sum")
    assert old in drawn()
    bpy.ops.skinscope.repair(rule="weights-sum")
    bpy.ops.skinscope.check()
    assert old not in drawn()


def test_each_operation_shows_its_setting():
    for name, kind in sys.modules["skinscope_blender"].weights.VALUES.items():
        settings().operation = name
        assert kind is None or kind in drawn()


def test_preferences_are_drawn():
    said = []
    owner = SimpleNamespace(bl_rna=preferences.SkinscopePreferences.bl_rna)
    layout = Layout(said)
    layout.prop = lambda _, name: Layout.prop(layout, owner, name)
    preferences.SkinscopePreferences.draw(SimpleNamespace(layout=layout), bpy.context)
    assert said == ["program", "folder"]


def test_without_the_package_the_panel_is_drawn_and_says_why(monkeypatch):
    monkeypatch.setitem(sys.modules, "skinscope", None)
    assert "skinscope.check" in drawn()
    with pytest.raises(RuntimeError, match="does not load"):
        bpy.ops.skinscope.check()
