// A mixture of linear blending and dual quaternions; the twin of skinscope_deform/src/mixed.rs. The contract of this folder is in
// linear.wgsl. A packed joint holds the three rows of its matrix, then what common/motion.wgsl says. The first
// parameter is the share of the dual quaternions.

struct Blend {
    matrix: Rows,
    motion: Motion,
}

fn blend_begin() -> Blend {
    return Blend(Rows(vec4f(0.0), vec4f(0.0), vec4f(0.0)), no_motion());
}

fn blend_add(b: ptr<function, Blend>, joint: u32, weight: f32) {
    (*b).matrix.x += palette_vec(joint, 0u) * weight;
    (*b).matrix.y += palette_vec(joint, 1u) * weight;
    (*b).matrix.z += palette_vec(joint, 2u) * weight;
    (*b).motion = motion_and((*b).motion, joint, 3u, weight);
}

fn blend_apply(b: Blend, v: Vertex) -> Vertex {
    let other = motion_rows(b.motion);
    var out = moved_by(blend_mixed(b.matrix, other), v);
    let normals = mix(moved_by(b.matrix, v).normal, moved_by(other, v).normal, globals.parameters.x);
    out.normal = unit_or_zero(normals);
    return out;
}

fn blend_determinant(b: Blend) -> f32 {
    return determinant_of(blend_mixed(b.matrix, motion_rows(b.motion)));
}

fn blend_mixed(a: Rows, b: Rows) -> Rows {
    let s = globals.parameters.x;
    return Rows(mix(a.x, b.x, s), mix(a.y, b.y, s), mix(a.z, b.z, s));
}
