"""Options of the commands, by keyword; written by `tests/test_options.py` with `SKINSCOPE_WRITE_DOCS=1`."""

from typing import Any, TypedDict

ClipOptions = TypedDict(
    "ClipOptions",
    {
        "clips_from": Any,
        "map": Any,
        "key": Any,
        "name": Any,
        "mirror": Any,
        "clip": Any,
        "pair": Any,
    },
    total=False,
)

InfoOptions = TypedDict(
    "InfoOptions",
    {
    },
    total=False,
)

CheckOptions = TypedDict(
    "CheckOptions",
    {
        "fail_on": Any,
        "fail_over": Any,
        "limit": Any,
        "runtime": Any,
        "rules": Any,
        "rom": Any,
        "rom_degrees": Any,
        "rom_step": Any,
        "rom_clips": Any,
        "pose": Any,
        "rom_method": Any,
        "rom_seconds": Any,
    },
    total=False,
)

FixOptions = TypedDict(
    "FixOptions",
    {
        "recompress": Any,
        "bind": Any,
        "bind_influences": Any,
        "bind_smooth": Any,
        "bind_rigid_pieces": Any,
        "bake_method": Any,
        "bake_mush": Any,
        "bake_over": Any,
        "bake_poses": Any,
        "bake_influences": Any,
        "bake_joints": Any,
        "bake_keep": Any,
        "normalise": Any,
        "prune": Any,
        "limit": Any,
        "best": Any,
        "quantise": Any,
        "remove_rogues": Any,
        "weld_seams": Any,
        "mirror": Any,
        "pair": Any,
        "smooth": Any,
        "hammer": Any,
        "inverse_binds": Any,
        "rules": Any,
        "remove_joint": Any,
        "replace_joint": Any,
        "average": Any,
        "paste": Any,
        "set": Any,
        "transfer": Any,
        "map": Any,
        "solve": Any,
        "solve_by_place": Any,
        "solve_joints": Any,
        "solve_influences": Any,
        "solve_keep": Any,
        "bind_here": Any,
        "clip": Any,
        "time": Any,
        "pose": Any,
        "lock": Any,
        "only_joint": Any,
    },
    total=False,
)

PaintOptions = TypedDict(
    "PaintOptions",
    {
        "strokes": Any,
        "flood": Any,
        "joint": Any,
        "with": Any,
        "to": Any,
        "value": Any,
        "factor": Any,
        "strength": Any,
        "gradient": Any,
        "from": Any,
        "until": Any,
        "falloff": Any,
        "clip": Any,
        "time": Any,
        "pose": Any,
        "lock": Any,
        "only_joint": Any,
        "max_influences": Any,
        "no_normalise": Any,
        "layer": Any,
        "mask": Any,
        "base": Any,
        "layers_from": Any,
        "kept_layers": Any,
        "layer_effect": Any,
        "layers_effect": Any,
    },
    total=False,
)

BindOptions = TypedDict(
    "BindOptions",
    {
        "from": Any,
        "distance": Any,
        "align": Any,
        "drop_unused": Any,
        "map": Any,
        "method": Any,
        "joints": Any,
        "skeleton": Any,
        "humanoid": Any,
        "axes": Any,
        "mesh": Any,
        "max_influences": Any,
        "smooth": Any,
        "rigid_pieces": Any,
        "without": Any,
        "set": Any,
        "envelope": Any,
        "lock": Any,
        "check": Any,
    },
    total=False,
)

LinksOptions = TypedDict(
    "LinksOptions",
    {
        "joint": Any,
        "degrees": Any,
        "angle": Any,
        "twist": Any,
    },
    total=False,
)

SolveOptions = TypedDict(
    "SolveOptions",
    {
        "poses": Any,
        "by_place": Any,
        "max_influences": Any,
        "joints": Any,
        "keep": Any,
        "lock": Any,
        "primitive": Any,
        "vertex": Any,
        "radius": Any,
        "falloff": Any,
        "layer": Any,
        "kept_layers": Any,
        "hold_out": Any,
    },
    total=False,
)

BakeWeightsOptions = TypedDict(
    "BakeWeightsOptions",
    {
        "from": Any,
        "poses": Any,
        "pose": Any,
        "over": Any,
        "most_poses": Any,
        "max_influences": Any,
        "joints": Any,
        "keep": Any,
        "lock": Any,
        "primitive": Any,
        "left": Any,
    },
    total=False,
)

SculptOptions = TypedDict(
    "SculptOptions",
    {
        "sculpt": Any,
        "from": Any,
        "vertex": Any,
        "radius": Any,
        "falloff": Any,
        "mirror": Any,
        "mirror_of": Any,
        "by_place": Any,
        "method": Any,
        "driver": Any,
        "name": Any,
        "rename": Any,
        "remove": Any,
        "primitive": Any,
        "no_normals": Any,
    },
    total=False,
)

DiffOptions = TypedDict(
    "DiffOptions",
    {
    },
    total=False,
)

CompareOptions = TypedDict(
    "CompareOptions",
    {
        "a": Any,
        "b": Any,
        "b_file": Any,
        "subdivide": Any,
        "normals": Any,
        "mix": Any,
        "mush": Any,
        "stored_weights": Any,
        "runtime": Any,
        "normalise_weights": Any,
        "clip": Any,
        "time": Any,
        "over": Any,
    },
    total=False,
)

MeasureOptions = TypedDict(
    "MeasureOptions",
    {
        "clip": Any,
        "time": Any,
        "rate": Any,
        "clips_from": Any,
        "map": Any,
        "method": Any,
        "normals": Any,
        "mix": Any,
        "mush": Any,
        "normalise_weights": Any,
        "by_primitive": Any,
    },
    total=False,
)
