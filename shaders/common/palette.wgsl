// Finds the member of a crowd that a vertex belongs to, whose matrices and morph weights move it. The matrices are read
// by palette_storage.wgsl or palette_uniform.wgsl, one of which is linked.

/// Which member of the crowd this vertex belongs to.
var<private> member: u32;

/// Sets `member` for an instance, and returns which of the file's copies it belongs to: all members of a copy come
/// before those of the next. The division is done in f32, since integers divide slowly; it is exact below 2^22
/// instances, and a crowd has no more.
fn copy_of(instance: u32) -> u32 {
    let copy = select(u32((f32(instance) + 0.5) / f32(globals.crowd.x)), instance, globals.crowd.x == 1u);
    member = instance - copy * globals.crowd.x;
    return copy;
}

/// The index of the first vector of a joint's matrix in the palette.
fn palette_place(joint: u32) -> u32 {
    return (member * globals.crowd.y + joint) * VEC4S_PER_JOINT;
}
