// Which member of a crowd a vertex belongs to, whose matrices and morph weights then move it. Where the matrices are read from
// stands in palette_storage.wgsl and palette_uniform.wgsl, one of which is linked.

/// Which member of the crowd this vertex belongs to.
var<private> member: u32;

/// Finds the member of the crowd, and gives back which copy of the file's: all members of a copy come before those of the
/// next. In f32, since integers divide slowly; exact below 2^22 instances, and a crowd has no more.
fn copy_of(instance: u32) -> u32 {
    let copy = select(u32((f32(instance) + 0.5) / f32(globals.crowd.x)), instance, globals.crowd.x == 1u);
    member = instance - copy * globals.crowd.x;
    return copy;
}

/// Where the matrix of a joint begins in the palette, in vectors.
fn palette_place(joint: u32) -> u32 {
    return (member * globals.crowd.y + joint) * VEC4S_PER_JOINT;
}
