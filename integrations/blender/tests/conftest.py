"""Characters for the tests, in Blender as a Python module (`pip install bpy`)."""

import importlib.util
import os
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]


def _load():
    """Loads the folder as a package named `skinscope_blender`, as Blender loads it under a name of its own."""
    spec = importlib.util.spec_from_file_location("skinscope_blender", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    module = importlib.util.module_from_spec(spec)
    sys.modules["skinscope_blender"] = module
    spec.loader.exec_module(module)


_load()

def pytest_sessionfinish(session, exitstatus):
    """Keeps what pytest returns, for `pytest_unconfigure`."""
    session.config.returned = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    """Ends Python without its cleaning up where that crashes: in Blender 4.2 as a module."""
    if bpy.app.version < (4, 4) and not bpy.app.binary_path and hasattr(config, "returned"):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(config.returned)


BONES = {
    "root": ((0, 0, 0), (0, 0, 1), None, True),
    "control": ((0, 0.5, 1), (0, 1, 1), "root", False),
    "arm.L": ((0, 0, 1), (1, 0, 1), "root", True),
    "hand.L": ((1, 0, 1), (1.6, 0, 1), "arm.L", True),
    "arm.R": ((0, 0, 1), (-1, 0, 1), "root", True),
    "hand.R": ((-1, 0, 1), (-1.6, 0, 1), "arm.R", True),
}


def make_armature(name="rig"):
    """An armature with a trunk and two arms; `control` does not deform."""
    rig = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for bone_name, (head, tail, parent, _) in BONES.items():
        bone = rig.data.edit_bones.new(bone_name)
        bone.head, bone.tail = head, tail
        bone.parent = rig.data.edit_bones.get(parent) if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone_name, (*_, deforms) in BONES.items():
        rig.data.bones[bone_name].use_deform = deforms
    return rig


def make_tube(name="body", rings=33, sides=8, radius=0.15, length=1.5):
    """A closed tube along X at the height of the arms, with a seam of sharp edges and two materials."""
    xs = np.linspace(-length, length, rings)
    points = [(x, radius * np.cos(a), 1 + radius * np.sin(a)) for x in xs for a in np.arange(sides) * 2 * np.pi / sides]
    faces = [
        (r * sides + s, r * sides + (s + 1) % sides, (r + 1) * sides + (s + 1) % sides, (r + 1) * sides + s)
        for r in range(rings - 1)
        for s in range(sides)
    ]
    faces += [tuple(range(sides)), tuple(reversed(range((rings - 1) * sides, rings * sides)))]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], [face[::-1] for face in faces])
    for material in ("skin", "cloth"):
        mesh.materials.append(bpy.data.materials.get(material) or bpy.data.materials.new(material))
    for face in mesh.polygons:
        face.material_index = int(face.center.x > 0.5)
    item = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(item)
    return item


def weigh(item, groups=("root", "arm.L", "hand.L", "arm.R", "hand.R"), centres=(0, 0.6, 1.3, -0.6, -1.3)):
    """Gives each vertex smooth weights that sum to 1, by how near it is to the middles of bones along X."""
    xs = np.array([v.co.x for v in item.data.vertices])
    rows = np.maximum(0, 1 - np.abs(xs[:, None] - np.array(centres)) / 0.7)
    rows = (rows / rows.sum(1, keepdims=True)).astype(np.float32)
    for column, name in enumerate(groups):
        group = item.vertex_groups.new(name=name)
        for vertex in np.flatnonzero(rows[:, column]):
            group.add([int(vertex)], float(rows[vertex, column]), "REPLACE")


def make_character(name="body", rig=None):
    """A tube with weights, moved by an armature that waves."""
    rig = rig or make_armature()
    item = make_tube(name)
    weigh(item)
    item.parent = rig
    item.modifiers.new("Armature", "ARMATURE").object = rig
    if rig.animation_data is None:
        rig.animation_data_create().action = bpy.data.actions.new("Wave")
        bone = rig.pose.bones["arm.L"]
        bone.rotation_mode = "XYZ"
        for frame, turn in ((1, 0.0), (13, 0.8), (25, 0.0)):
            bone.rotation_euler = (turn, 0, 0)
            bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)
    select(item)
    return item, rig


def select(*items):
    """Selects these objects alone; the last one is active."""
    for item in bpy.context.view_layer.objects:
        item.select_set(item in items)
    bpy.context.view_layer.objects.active = items[-1]


def stored(item):
    """All weights of an object: for each group's name the exact weights by vertex."""
    out = {group.name: {} for group in item.vertex_groups}
    for vertex in item.data.vertices:
        for entry in vertex.groups:
            out[item.vertex_groups[entry.group].name][vertex.index] = entry.weight
    return out


@pytest.fixture(autouse=True)
def empty_scene():
    """Each test begins with an empty file."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


@pytest.fixture(autouse=True)
def registered(empty_scene):
    """The extension is on, with the settings that it begins with."""
    extension = sys.modules["skinscope_blender"]
    extension.register()
    yield
    extension.unregister()


@pytest.fixture
def figure():
    """A character: its mesh and its armature."""
    return make_character()
