"""The options of each command, by keyword. `tests/test_options.py` writes this with `SKINSCOPE_WRITE_DOCS=1`."""

from typing import Any, TypedDict


class CheckOptions(TypedDict, total=False):
    """Options of `skinscope check`."""

    allow_external: bool
    """Also read files outside the model's folder when the model refers to them."""
    max_memory: Any
    """Let the file take this much memory once it is open, MiB; every limit on the content of a file follows from it."""
    fail_on: Any
    """End with exit code 3 where a finding has this severity or a worse one."""
    fail_over: Any
    """End with exit code 3 where more of a file's surface than this share is at fault, as in unweighted=0.5%; may be given several times. The shares are listed below."""
    baseline: Any
    """Take the findings in this report of an earlier check (JSON, or lines of JSON) as known: they are told, and do not count for --fail-on."""
    limit: Any
    """Allow this many joints to move a vertex, as the runtime does that will show the models."""
    runtime: Any
    """Say too what a runtime makes of the weights, and let its number of joints be --limit: three, unity-4, unity-2, unity-1, bevy, unreal-8, unreal-12, 4xu8, 8xu8, or numbers: N:TYPE:JOINTS (influences, u8, u16, f32 or stored, joints of a draw)."""
    rules: Any
    """Run these rules alone, with commas between them; without it, all rules."""
    time_limit: Any
    """Give up a file whose reading, or whose check, takes longer than this, or `unlimited`; it counts as one that does not load."""
    rom: bool
    """Also turn every joint through its limits and list where the skin suffers most: rules rom-…."""
    rom_degrees: Any
    """How far joints are turned to both sides about each of their axes, 1 to 180."""
    rom_step: Any
    """Degrees from one pose to the next, 1 to 180."""
    rom_clips: bool
    """Play the file's clips instead of turning joints."""
    pose: Any
    """Turn the joints from the pose of this file on (`skinscope pose` makes them), and not from rest."""
    rom_method: Any
    """How vertices are deformed in the range of motion."""
    rom_seconds: Any
    """How long the range of motion of one file may take, or `unlimited`; what is not measured by then is said to be missing."""


class MeasureOptions(TypedDict, total=False):
    """Options of `skinscope measure`."""

    allow_external: bool
    """Also read files outside the model's folder when the model refers to them."""
    max_memory: Any
    """Let the file take this much memory once it is open, MiB; every limit on the content of a file follows from it."""
    clip: Any
    """Measure this clip, by exact name or by number from 0; without it, the first one, or the rest pose of a file without clips."""
    time: Any
    """Measure this moment of the clip alone, seconds on its timeline."""
    rate: Any
    """Measure so many moments of each second of the clip [default: 30]."""
    clips_from: Any
    """Add the clips of this file too: joints are found by --map, by what a session file says of this file, by the bones of humanoids (as VRM says, or the names of Mixamo, Unreal, MMD and other families), then by their own names in all spellings, and keys are corrected where the two rest in other poses. May be given several times."""
    map: Any
    """Say that the joint A of the other file is the joint B of the model (nothing after = is: it has no counterpart), or give a FILE that says it of many: JSON, {"A": "B", "C": null}. May be given several times; the last word on a joint is right."""
    write_map: Any
    """Write which joint that the clips move is which of the model into a new FILE, which --map reads."""
    method: Any
    """Deform vertices by this method [default: linear]."""
    normals: Any
    """Compute normals by this mode [default: cofactor]."""
    mix: Any
    """Set this parameter of the method mixed: 0 is linear blend, 1 dual quaternion [default: 0.5]."""
    mush: Any
    """Apply this pass after the method: Smooths the deformed surface and puts the details of the rest surface back: evens out creases, bulges and poor weights (usual values: 10,0.5)."""
    normalise_weights: bool
    """Divide the weights of every vertex by their sum; without it they are used as stored."""
    by_primitive: bool
    """Measure each primitive of the file alone, so that a cut between materials is a border; without it all skinned primitives of a mesh are one surface."""


class CompareOptions(TypedDict, total=False):
    """Options of `skinscope compare`."""

    allow_external: bool
    """Also read files outside the model's folder when the model refers to them."""
    max_memory: Any
    """Let the file take this much memory once it is open, MiB; every limit on the content of a file follows from it."""
    a: Any
    """Deform the first side by this method; METHOD+mush has delta mush after it."""
    b: Any
    """Deform the second side by this method, likewise; without it, by that of --a."""
    b_file: Any
    """Take the second side from this file, which has the same nodes and vertices, in the same pose."""
    subdivide: Any
    """Compare both orders of skinning and subdividing: the first side is skinned and then subdivided so often (Loop), 1 to 3, the second is subdivided first, with its weights."""
    normals: Any
    """Compute normals by this mode [default: cofactor]."""
    mix: Any
    """Set this parameter of the method mixed: 0 is linear blend, 1 dual quaternion [default: 0.5]."""
    mush: Any
    """Apply this pass after the method: Smooths the deformed surface and puts the details of the rest surface back: evens out creases, bulges and poor weights (usual values: 10,0.5)."""
    stored_weights: bool
    """Give the second side the weights as the file stores them; with --normalise-weights those of the first side differ from them."""
    runtime: Any
    """Give the second side the weights that a runtime would use: a name of `skinscope check --runtime`, or N:TYPE."""
    normalise_weights: bool
    """Divide the weights of every vertex by their sum."""
    clip: Any
    """Compare in this clip, by exact name or by number from 0; without it, in the rest pose of the file."""
    time: Any
    """Compare at this time of the clip, seconds; times outside of the clip are clamped to it."""
    over: Any
    """Compare in many poses: 30 a second of the clip (of all clips where none is named), or each joint turned through its limits."""


class DiffOptions(TypedDict, total=False):
    """Options of `skinscope diff`."""

    allow_external: bool
    """Also read files outside the model's folder when the model refers to them."""
    max_memory: Any
    """Let the file take this much memory once it is open, MiB; every limit on the content of a file follows from it."""


class DeformOptions(TypedDict, total=False):
    """Options of `skinscope bake` about poses."""

    pose: Any
    """Show the pose of this file (`skinscope pose` makes such files); its values replace those of the clip."""
    no_root_motion: bool
    """Take out of the clip what carries the whole skeleton along the ground, so that it walks on the spot."""
    blend_clip: Any
    """Go this part (0 to 1) of the way over into another clip, by exact name or by number from 0: rotations along the shorter arc."""
    fade_in: Any
    """Let the part of --blend-clip rise from 0, beginning at this time of the timeline and in so long a time, seconds."""
    add_clip: Any
    """Add this part (0 to 1) of that by which another clip differs from its own first moment."""
    normals: Any
    """Compute normals by this mode [default: cofactor]."""
    mix: Any
    """Set this parameter of the method mixed: 0 is linear blend, 1 dual quaternion [default: 0.5]."""
    mush: Any
    """Apply this pass after the method: Smooths the deformed surface and puts the details of the rest surface back: evens out creases, bulges and poor weights (usual values: 10,0.5)."""
    normalise_weights: bool
    """Divide the weights of every vertex by their sum; without it, they are used as stored."""
    morph: Any
    """Set the weight of a morph target in every mesh that has one of this name; NODE/NAME sets it in the mesh of that node alone. May be given several times."""
    control: Any
    """Move a slider of the session file to this value; what its controls drive follows. May be given several times."""
    hold: Any
    """Hold this joint over the whole clip where it stands at --time, or at a place (world, metres); its limb follows. May be given several times."""


class FixOptions(TypedDict, total=False):
    """Options of `skinscope fix`."""

    allow_external: bool
    """Also read files outside the model's folder when the model refers to them."""
    max_memory: Any
    """Let the file take this much memory once it is open, MiB; every limit on the content of a file follows from it."""
    keep_links: bool
    """Write into a file that has other names (hard links), so that it stays one; without, they keep what was there."""
    recompress: bool
    """Compress by meshopt again what was compressed by it and changes, in place of storing it plain."""
    bind: Any
    """Find the weights of every vertex from the mesh and its joints alone, in place of those that it has; joints and inverse bind matrices stay."""
    bind_influences: Any
    """With --bind: at most N joints for a vertex."""
    bind_smooth: Any
    """With --bind: smooth the weights that were found N times."""
    bind_rigid_pieces: bool
    """With --bind: let every loose piece follow one joint as a whole."""
    bake_method: Any
    """Find the weights whose linear blending comes nearest to another deformation method over many poses; bake-weights says more about it."""
    bake_mush: bool
    """With --bake-method: take the method with delta mush after it."""
    bake_over: Any
    """With --bake-method: over these poses, turns, clips or, as without it, all of both."""
    bake_poses: Any
    """With --bake-method: in no more than N poses, 120 without it."""
    bake_influences: Any
    """With --bake-method: at most N joints for a vertex, 4 without it."""
    bake_joints: Any
    """With --bake-method: among these joints, kept (those that the vertex has), all or, as without it, near."""
    bake_keep: Any
    """With --bake-method: keep the weights of before so strongly, 0 to 1, 1e-6 without it."""
    normalise: bool
    """Divide the weights of every vertex by their sum, over all sets; negative weights and those that are no numbers become 0."""
    prune: Any
    """Take away the joints whose weight for a vertex is below W, but not its largest, and normalise what is left."""
    limit: Any
    """Keep the N largest joints of every vertex, in its first pairs, and normalise them."""
    best: bool
    """Choose joints and weights that keep the surface nearest over the clips and the range of motion, with --limit."""
    quantise: Any
    """Store all weights as u8, u16 or f32; integers sum exactly to 255 or 65535, the largest remainders are rounded up."""
    remove_rogues: bool
    """Take joints off the vertices that are cut off from where they move the rest, and share their weight among the others."""
    weld_seams: bool
    """Give vertices of one place, where the surface goes on, the mean of their weights."""
    mirror: Any
    """Copy the weights of one side of the mesh to the other, about its plane of symmetry, with the joints that are their partners there, by their names, else by their places: across x, y or z, with :+ (from + to −, as without) or :- (from − to +). Vertices of a joint at one side without a partner stay; without a plane it is refused."""
    pair: Any
    """Take these two joints for partners, with --mirror, whatever their names and places say; may be given several times. A joint that is its own partner is exchanged with none."""
    smooth: Any
    """Move the weights of every vertex half way to the mean of its neighbours on the surface, N times."""
    hammer: bool
    """Give vertices without any weight those of the nearest vertex that has some, along the edges of the surface."""
    inverse_binds: bool
    """Set the inverse bind matrices from the rest pose, with the factor that the skin's joints share; only those that differ."""
    rules: Any
    """Repair what these rules of the checker find: their names with commas between, or `all` of them that can be repaired."""
    remove_joint: Any
    """Take a joint off all vertices: its weight goes to the nearest joint above it, or to the other joints of the vertex; one that it moved alone then takes the weights of the nearest vertex (with :spread after the name)."""
    replace_joint: Any
    """Give the weight of a joint to another one."""
    average: bool
    """Give all vertices the mean of their weights."""
    paste: Any
    """Give all vertices these weights: JOINT=WEIGHT, with commas between."""
    set: Any
    """Set the weight of a joint: 0.3 or 30%, +0.1, -0.1, *2; the other joints of a vertex follow, so that its sum stays."""
    transfer: Any
    """Give every vertex the weights of the closest point on the surface of another file that faces as it does, or of the vertices around it; joints are matched by the bones of humanoids and by name. Both are compared where they rest."""
    map: Any
    """Say that the joint A of the other file is the joint B of the model (nothing after = is: it has no counterpart), or give a FILE that says it of many: JSON, {"A": "B", "C": null}. May be given several times; the last word on a joint is right."""
    write_map: Any
    """Write which joint of the file of --transfer is which of the model into a new FILE, which --map reads."""
    solve: Any
    """Find the weights that bring the posed surface nearest to meshes of how it should look in some poses: NAME.pose.json with NAME.ply, NAME.obj or NAME.glb in a folder. `skinscope solve` says more of it."""
    solve_by_place: bool
    """With --solve: match the vertices by where they are in the example whose pose is the rest pose."""
    solve_influences: Any
    """With --solve: at most N joints for a vertex, 4 without it."""
    solve_joints: Any
    """With --solve: among these joints, kept (those that the vertex has), all or, as without it, near."""
    solve_keep: Any
    """With --solve: keep the weights of before so strongly, 0 to 1, 1e-6 without it."""
    bind_here: bool
    """Set the inverse bind matrices from this pose: in it the mesh then has the shape that the file stores. The pose is that of --clip and --time or of --pose, else the rest pose."""
    clip: Any
    """Bind in this clip, with --bind-here: by exact name or by number from 0."""
    time: Any
    """Bind at this time of the clip, in seconds on its timeline, clamped to the clip."""
    pose: Any
    """Bind in the pose of this file, with --bind-here; what it says replaces the values of clip or rest pose."""
    lock: Any
    """Leave the weights of this joint as they are, whatever else is done: the other joints of a vertex make room, and how many vertices had to stay as they are is reported. May be given several times; refused for a node that is no joint, and where no operation changes weights."""
    only_joint: Any
    """Change only vertices that this joint moves; inverse bind matrices have no vertices. May be given several times; refused for a joint that moves none, and where no operation changes weights."""


class PaintOptions(TypedDict, total=False):
    """Options of `skinscope paint`."""

    allow_external: bool
    """Also read files outside the model's folder when the model refers to them."""
    max_memory: Any
    """Let the file take this much memory once it is open, MiB; every limit on the content of a file follows from it."""
    keep_links: bool
    """Write into a file that has other names (hard links), so that it stays one; without, they keep what was there."""
    flood: Any
    """Paint all vertices at once with this brush, in place of strokes of a file."""
    joint: Any
    """The joint whose weight changes, for all brushes but smooth, sharpen, relax, average and erase."""
    with_: Any
    """A joint that is painted as one with --joint: the sum of their weights changes, and each keeps its share; may be given several times."""
    to: Any
    """The joint that gets what the other one loses, for give."""
    value: Any
    """The weight that replace goes to."""
    factor: Any
    """The number by which scale multiplies."""
    strength: Any
    """How much of the change is done [default: 1]."""
    gradient: Any
    """Let the strength fall from 1 at --from to 0 at --until, by planes across the line between them or by spheres about --from."""
    from_: Any
    """The place where a gradient is 1 (scene, metres, in the pose)."""
    until: Any
    """The place from which on a gradient is 0."""
    falloff: Any
    """How a gradient falls [default: linear]."""
    clip: Any
    """Measure a gradient in this clip, by exact name or by number from 0."""
    time: Any
    """Measure it at this time of the clip, in seconds on its timeline, clamped to the clip."""
    pose: Any
    """Measure it in the pose of this file; what it says replaces the values of the clip."""
    lock: Any
    """Leave the weights of this joint as they are; may be given several times."""
    only_joint: Any
    """Change only vertices that this joint moves; may be given several times."""
    max_influences: Any
    """Keep at most N joints of each changed vertex."""
    no_normalise: bool
    """Let no other joint follow, so that sums of weights change."""
    layer: Any
    """Paint in the layer of this name, over the others that MODEL keeps, and let the result keep all of them in its extras; a layer that is not there is added."""
    mask: bool
    """Paint the mask of that layer, which says how much of it there is at each vertex, and not weights: what a brush does to the weight of a joint it does to the mask, and no joint has to be named."""
    base: bool
    """Paint in the base below the layers that MODEL keeps, and let the result keep them over it, so that all layers together make the weights."""
    layers_from: Any
    """Copy the layers that this file keeps to MODEL, over its own: what each changes goes to the nearest surface, by the names of joints; the result keeps all of them in its extras."""
    kept_layers: Any
    """What becomes of layers that MODEL keeps although another program has changed the weights that they make."""
    layer_effect: Any
    """Add an effect to the layer, which works on all that is painted in it: mirror, smooth, prune or limit, with settings such as smooth:strength=0.5,passes=2 or mirror:axis=x,side=-; a mirror without an axis takes the plane across which MODEL is symmetric; may be given several times."""
    layers_effect: Any
    """Add an effect to what all layers make together, as by --layer-effect."""


class BindOptions(TypedDict, total=False):
    """Options of `skinscope bind`."""

    allow_external: bool
    """Also read files outside the model's folder when the model refers to them."""
    max_memory: Any
    """Let the file take this much memory once it is open, MiB; every limit on the content of a file follows from it."""
    keep_links: bool
    """Write into a file that has other names (hard links), so that it stays one; without, they keep what was there."""
    from_: Any
    """Dress this body: give the garment MODEL its joints and the weights of its surface."""
    distance: Any
    """With --from: take weights from no point of the body that is farther away, in metres; what lies farther follows from what it hangs on [default: 5 % of the diagonal of the box around the body]."""
    align: Any
    """With --from: where the garment is worn, if not where it stands: by the joints of both, or by the boxes around both [default: none]."""
    drop_unused: bool
    """With --from: leave joints out that no vertex follows, with the nodes that only they hang on."""
    map: Any
    """Say that the joint A of the other file is the joint B of the model (nothing after = is: it has no counterpart), or give a FILE that says it of many: JSON, {"A": "B", "C": null}. May be given several times; the last word on a joint is right."""
    joints: Any
    """Bind the meshes that have no skin to this node and those below it."""
    skeleton: Any
    """Bind the meshes that have no skin to joints that this file places, as the window saves it; they become nodes."""
    humanoid: bool
    """Bind the meshes that have no skin to 19 joints of a standing figure, placed by sections through it (through the meshes of --mesh)."""
    axes: Any
    """With --skeleton or --humanoid: let Y of each joint point along the bone to its first child (bone), or leave the axes as the scene has them (world) [default: bone]."""
    mesh: Any
    """Bind this mesh of the file alone, by number from 0; may be given several times."""
    max_influences: Any
    """The most joints of a vertex."""
    smooth: Any
    """Smooth the weights that were found N times over the surface."""
    rigid_pieces: bool
    """Let every loose piece follow one joint as a whole."""
    without: Any
    """Switch a rule off; may be given several times."""
    set: Any
    """Set a number of a method, as listed below; may be given several times."""
    envelope: Any
    """With --method envelope: give the envelopes of this joint these radii, as shares of the distance of the surface; may be given several times."""
    lock: Any
    """Leave the weights of this joint as they are; with --joints it gets none; may be given several times."""
    check: bool
    """Check the file that was written, drive its joints through their range of motion (up to 10 s), and say what to look at first."""


class SolveOptions(TypedDict, total=False):
    """Options of `skinscope solve`."""

    allow_external: bool
    """Also read files outside the model's folder when the model refers to them."""
    max_memory: Any
    """Let the file take this much memory once it is open, MiB; every limit on the content of a file follows from it."""
    keep_links: bool
    """Write into a file that has other names (hard links), so that it stays one; without, they keep what was there."""
    by_place: bool
    """Match the vertices by where they are in the example whose pose is the rest pose; the others have its order."""
    max_influences: Any
    """The most joints of a vertex."""
    joints: Any
    """The joints that a vertex may have."""
    keep: Any
    """How strongly the weights of before are kept: this times the square of their change is added to the squares of the distances, which are measured by the diagonal of the surface's bounds."""
    lock: Any
    """Leave the weights of this joint as they are; may be given several times."""
    primitive: Any
    """Take this primitive of the file alone, by the numbers of the mesh and of the primitive in it, from 0."""
    vertex: Any
    """Put this vertex of the file there, in the scene, metres, in a pose: a pose file, or CLIP@SECONDS; may be given several times for one vertex in up to eight poses, which are solved at once."""
    radius: Any
    """Let the vertices around it follow, so far along the surface at rest, metres."""
    falloff: Any
    """How they follow the less the farther away they are."""
    layer: Any
    """Let the change go into the layer of this name, over the others that MODEL keeps, so that all layers together make the weights, and let the result keep all of them in its extras; a layer that is not there is added."""
    kept_layers: Any
    """What becomes of layers that MODEL keeps although another program has changed the weights that they make."""
    hold_out: Any
    """Keep this example aside: it is told, and not used; may be given several times."""


class BakeWeightsOptions(TypedDict, total=False):
    """Options of `skinscope bake-weights`."""

    allow_external: bool
    """Also read files outside the model's folder when the model refers to them."""
    max_memory: Any
    """Let the file take this much memory once it is open, MiB; every limit on the content of a file follows from it."""
    keep_links: bool
    """Write into a file that has other names (hard links), so that it stays one; without, they keep what was there."""
    from_: Any
    """The method that linear blending is to come near: its name or the beginning of it, with +mush after it where wanted; mush alone comes after linear blending."""
    poses: Any
    """Take the poses of the files NAME.pose.json of this folder."""
    pose: Any
    """Take this pose: a pose file, or a clip at a time, CLIP@SECONDS; may be given several times."""
    over: Any
    """Choose poses of this kind."""
    most_poses: Any
    """Choose no more poses than this; fewer where the model has so many vertices that they would take too much memory."""
    max_influences: Any
    """The most joints of a vertex."""
    joints: Any
    """The joints that a vertex may have."""
    keep: Any
    """How strongly the weights of before are kept: this times the square of their change is added to the squares of the distances, which are measured by the diagonal of the surface's bounds."""
    lock: Any
    """Leave the weights of this joint as they are; may be given several times."""
    primitive: Any
    """Take this primitive of the file alone, by the numbers of the mesh and of the primitive in it, from 0."""
    left: Any
    """Write how far the new weights leave each vertex from the method into this file, JSON, which `render --left` draws."""


class LinksOptions(TypedDict, total=False):
    """Options of `skinscope links`."""

    allow_external: bool
    """Also read files outside the model's folder when the model refers to them."""
    max_memory: Any
    """Let the file take this much memory once it is open, MiB; every limit on the content of a file follows from it."""
    keep_links: bool
    """Write into a file that has other names (hard links), so that it stays one; without, they keep what was there."""
    joint: Any
    """The joint that turns; may be given several times."""
    degrees: Any
    """The most degrees by which one turns against the next, 10 to 120."""
    angle: Any
    """The farthest that the joint turns, up to 180 degrees [default: the farthest that a clip turns it]."""
    twist: bool
    """Make links for the twist about the bone above the joint, not for its bend."""


class SculptOptions(TypedDict, total=False):
    """Options of `skinscope sculpt`."""

    allow_external: bool
    """Also read files outside the model's folder when the model refers to them."""
    max_memory: Any
    """Let the file take this much memory once it is open, MiB; every limit on the content of a file follows from it."""
    keep_links: bool
    """Write into a file that has other names (hard links), so that it stays one; without, they keep what was there."""
    sculpt: Any
    """In this pose the surface should be as this file has it; may be given several times."""
    from_: Any
    """In this pose the surface should be as another method has it, such as mush or dual-quaternion; may be given several times."""
    vertex: Any
    """In this pose this vertex of the file should be there, in the scene, metres: those of one pose make one shape; may be given several times."""
    radius: Any
    """Let the surface around those vertices go along, so far along the surface at rest, metres."""
    falloff: Any
    """How it goes along the less the farther away it is."""
    mirror: bool
    """Make the mirror image of each sculpt too, in the mirrored pose: vertices that have no mirror image stay."""
    mirror_of: Any
    """Make the mirror image of a shape that the file has, in the mirrored pose; may be given several times."""
    by_place: Any
    """Match the vertices by where they are in this mesh: the surface at rest, with the vertices in the order of the sculpts."""
    method: Any
    """Take the sculpts back through this method, the one that the model is shown with."""
    driver: Any
    """Let these joints bring all the shapes in; without, those that its pose turns and that its vertices follow bring in each shape."""
    name: Any
    """Call the shapes so, in the order of the sculpts, then those of --from and of --vertex; without, they are called after the poses."""
    rename: Any
    """Give a morph target that the file has another name; may be given several times. It is done before anything else. Targets of one name in several meshes get it together; MESH,TARGET in place of the name, by their numbers from 0, means one of them, and is needed where a mesh has several of the name."""
    remove: Any
    """Take a morph target of the file away by its name, and its weights out of every clip; may be given several times. MESH,TARGET means one as with --rename. All are looked for in the file with its new names. New shapes come after."""
    drop_drivers: bool
    """Leave out what drives shapes of the file and does not fit it any more, since no shape can be made beside it: their morph targets and keys stay, and nothing brings them in by joints."""
    primitive: Any
    """Make shapes of this primitive of the file alone, by the numbers of the mesh and of the primitive in it, from 0."""
    no_normals: bool
    """Leave normals and tangents as they are: the shapes move positions alone."""


class ClipOptions(TypedDict, total=False):
    """Options of `skinscope clip`."""

    allow_external: bool
    """Also read files outside the model's folder when the model refers to them."""
    max_memory: Any
    """Let the file take this much memory once it is open, MiB; every limit on the content of a file follows from it."""
    keep_links: bool
    """Write into a file that has other names (hard links), so that it stays one; without, they keep what was there."""
    clips_from: Any
    """Add the clips of this file too: joints are found by --map, by what a session file says of this file, by the bones of humanoids (as VRM says, or the names of Mixamo, Unreal, MMD and other families), then by their own names in all spellings, and keys are corrected where the two rest in other poses. May be given several times."""
    map: Any
    """Say that the joint A of the other file is the joint B of the model (nothing after = is: it has no counterpart), or give a FILE that says it of many: JSON, {"A": "B", "C": null}. May be given several times; the last word on a joint is right."""
    write_map: Any
    """Write which joint that the clips move is which of the model into a new FILE, which --map reads."""
    key: Any
    """Show the pose of FILE (or `rest`) at this moment of a new clip, seconds; may be given several times, with rising moments. Rotations between two moments follow the shorter arc."""
    name: Any
    """Call the new clip so."""
    mirror: Any
    """Add the mirror image of each clip, those of the other options included: left and right are exchanged for x, as by `pose --mirror`. Keys stay keys, with their times and interpolation."""
    clip: Any
    """Mirror this clip alone, by exact name or by number from 0; may be given several times."""
    pair: Any
    """Take these two joints for partners, with --mirror, whatever their names and places say; may be given several times. A joint that is its own partner is exchanged with none."""
