"""Which objects make a character: an armature and the meshes that it moves."""

from dataclasses import dataclass, field

from .errors import Refused


@dataclass
class Character:
    """An armature with its meshes, and what the user should know about how they are looked at."""

    armature: object
    """The armature's object."""
    meshes: list
    """Objects of meshes, each with mesh data of its own."""
    notes: list = field(default_factory=list)
    """Sentences about what is left out or looked at in another way than Blender shows it."""


MOST_NAMES = 8
"""How many names a sentence has."""


def quoted(names):
    """Returns names in quotation marks with commas between them; of many the first ones, and how many there are besides."""
    names = list(names)
    more = [f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else []
    return ", ".join([f"“{name}”" for name in names[:MOST_NAMES]] + more)


def armature_modifiers(mesh):
    """Returns the Armature modifiers of an object that are on and name an armature."""
    return [m for m in mesh.modifiers if m.type == "ARMATURE" and m.object is not None and m.show_viewport]


def mirrors(mesh):
    """Returns the Mirror modifiers of an object whose copies of its vertices can be told from them.

    They are on, stand before the armature moves the mesh, and cut nothing; with shape keys there are none, since Blender applies no
    modifier to a mesh that has some.
    """
    if mesh.data.shape_keys is not None or (mesh.parent_type == "ARMATURE" and not armature_modifiers(mesh)):
        return []
    out = []
    for modifier in mesh.modifiers:
        if modifier.type == "ARMATURE" and modifier.show_viewport:
            break
        if modifier.type == "MIRROR" and modifier.show_viewport and not any(modifier.use_bisect_axis):
            out.append(modifier)
    return out


def armature_of(mesh):
    """Returns the armature that moves a mesh, or `None`.

    Raises `Refused` where several do, or a bone moves the mesh as a whole as well: glTF has one skin for a mesh.
    """
    armatures = list(dict.fromkeys(m.object for m in armature_modifiers(mesh)))
    if len(armatures) > 1:
        raise Refused(
            f"“{mesh.name}” is moved by several armatures, {quoted(a.name for a in armatures)}: a glTF mesh has one skin. "
            "Turn the Armature modifiers off that you do not mean."
        )
    parent = mesh.parent
    is_child = parent is not None and parent.type == "ARMATURE"
    if armatures:
        if is_child and mesh.parent_type == "BONE" and parent == armatures[0]:
            raise Refused(
                f"“{mesh.name}” is a child of the bone “{mesh.parent_bone}” and has an Armature modifier, so that both move it: "
                "glTF has no such thing. Clear the parent or remove the modifier."
            )
        return armatures[0]
    return parent if is_child and mesh.parent_type == "ARMATURE" else None


def find(active, selected, candidates, view_layer, binding=False):
    """Finds the character that is meant.

    `active` is the active object or `None`, `selected` are the selected ones, `candidates` all objects of the scene. The active
    armature, or that of the active mesh, is meant, and all meshes that it moves. With `binding` the selected meshes that no armature
    moves belong to it too. Raises `Refused` where there is none, or more than one may be meant.
    """
    armature = _meant_armature(active, selected, binding)
    character = Character(armature, [])
    hidden, seen = [], {}
    first = [item for item in selected if item.type == "MESH"]
    for item in dict.fromkeys([*first, *candidates]):
        if item.type != "MESH" or not _belongs(item, armature, binding and item in first):
            continue
        if item not in first and not item.visible_get(view_layer=view_layer):
            hidden.append(item.name)
        elif item.data in seen:
            character.notes.append(
                f"“{item.name}” shows the same mesh as “{seen[item.data]}”: it has the same vertex groups, and is looked at once."
            )
        else:
            seen[item.data] = item.name
            character.meshes.append(item)
    if hidden:
        character.notes.append(f"Hidden meshes are left out: {quoted(hidden)}.")
    rigid = [item.name for item in candidates if item.type == "MESH" and _hangs_on(item, armature) and item.visible_get(view_layer=view_layer)]
    if rigid:
        character.notes.append(f"Left out, since they have no weights and follow a bone or the armature as a whole: {quoted(rigid)}.")
    if not character.meshes:
        raise Refused(_without_meshes(armature, hidden))
    if not any(bone.use_deform for bone in armature.data.bones):
        raise Refused(f"No bone of “{armature.name}” deforms: switch Deform on for those that move the mesh.")
    for item in candidates:
        if item.type == "MESH" and item.data in seen and not _belongs(item, armature, binding and item in first):
            character.notes.append(
                f"“{item.name}” shows the mesh of “{seen[item.data]}” as well: whatever changes here changes there."
            )
    for mesh in character.meshes:
        character.notes.extend(_notes(mesh))
    return character


def _meant_armature(active, selected, binding):
    chosen = [item for item in [active, *selected] if item is not None]
    found = (part(item) for part in (_armature_at, _armature_below) for item in chosen)
    armature = next((armature for armature in found if armature is not None), None)
    if armature is None:
        if any(item.type == "MESH" for item in chosen):
            raise Refused(
                "No armature moves this mesh. Select the mesh and the armature that is to move it."
                if binding
                else "No armature moves this mesh. Add one, select both, and press Bind."
            )
        raise Refused("Select a character: its armature, or one of its meshes.")
    others = {a for a in (armature_of(m) for m in selected if m.type == "MESH") if a not in (None, armature)}
    others.update(a for a in selected if a.type == "ARMATURE" and a != armature)
    if others:
        names = quoted(sorted(a.name for a in [armature, *others]))
        raise Refused(f"Several characters are selected, those of {names}. Select one.")
    return armature


def _armature_at(item):
    return item if item.type == "ARMATURE" else armature_of(item) if item.type == "MESH" else None


def _armature_below(item):
    """Returns the armature among the children of an object, as of the empty that an importer makes and leaves active."""
    below = [child for child in item.children_recursive if child.type == "ARMATURE"]
    if len(below) > 1:
        raise Refused(f"“{item.name}” holds several characters, those of {quoted(sorted(a.name for a in below))}. Select one.")
    return below[0] if below else None


def _belongs(item, armature, by_selection):
    """Whether a mesh is moved by the armature; with `by_selection` also one that none moves."""
    try:
        owner = armature_of(item)
    except Refused:
        if any(m.object == armature for m in armature_modifiers(item)):
            raise
        return False
    return owner == armature or (by_selection and owner is None)


def _hangs_on(mesh, armature):
    """Whether a mesh that no armature moves by weights is below this one."""
    parent = mesh.parent
    while parent not in (None, armature):
        parent = parent.parent
    try:
        return parent == armature and armature_of(mesh) is None
    except Refused:
        return False


def _without_meshes(armature, hidden):
    if hidden:
        return f"All meshes of “{armature.name}” are hidden: {quoted(hidden)}."
    return f"“{armature.name}” moves no mesh. Select one together with it, and press Bind."


def _notes(mesh):
    """What a mesh has that a glTF skin has not, in sentences."""
    name = f"“{mesh.name}”"
    mirrored = mirrors(mesh)
    if mirrored:
        yield f"{name} is looked at with what {quoted(m.name for m in mirrored)} makes of it. Weights change in the half that is modelled."
    others = [m.name for m in mesh.modifiers if m.type != "ARMATURE" and m.show_viewport and m not in mirrored]
    if others:
        yield (
            f"{name} is looked at without its modifiers {quoted(others)}: weights belong to the vertices of the mesh itself."
        )
    modifiers = armature_modifiers(mesh)
    if any(not m.use_vertex_groups for m in modifiers):
        yield f"{name} has an Armature modifier that does not use vertex groups: in Blender its weights have no effect there."
    if any(m.use_bone_envelopes for m in modifiers):
        yield f"{name} is moved by bone envelopes too: they have no weights, and are left out."
    if any(m.use_deform_preserve_volume for m in modifiers):
        yield f"{name} preserves volume in Blender. It is judged by linear blending, as games show it."
    if any(m.vertex_group for m in modifiers):
        yield f"{name} has an Armature modifier that a vertex group masks. It is judged without the mask."
    if len(modifiers) > 1:
        yield f"{name} has {len(modifiers)} Armature modifiers of one armature. It is judged as if it had one."


def why_not_writable(mesh):
    """Returns why the weights of an object cannot be changed here, or `None`."""
    if mesh.data.library is not None:
        return (
            f"“{mesh.name}” is linked from {mesh.data.library.filepath}: its weights can be changed only in that file. "
            "Open it, or make the mesh local with Object, Relations, Make Local."
        )
    return None
