// The palette as the deformation reads it: out of the storage buffer that holds it all. palette_uniform.wgsl in its place
// reads a uniform block.

/// Which member of the crowd this vertex belongs to.
var<private> member: u32;

/// Finds the member of the crowd, and gives back which copy of the file's: all members of a copy come before those of the
/// next. In f32, since integers divide slowly; exact below 2^22 instances, and a crowd has no more.
fn copy_of(instance: u32) -> u32 {
    let copy = select(u32((f32(instance) + 0.5) / f32(globals.crowd.x)), instance, globals.crowd.x == 1u);
    member = instance - copy * globals.crowd.x;
    return copy;
}

fn palette_vec(joint: u32, row: u32) -> vec4f {
    return palette[(member * globals.crowd.y + joint) * VEC4S_PER_JOINT + row];
}

/// What palette_uniform.wgsl does for software devices; on others there is nothing to do.
fn shade_covered_pixels_only(never: bool) {}
