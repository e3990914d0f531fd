// Linear blend skinning; the twin of skinscope_deform/src/linear.rs.
//
// Every file in this folder is one method. It may use
//     struct Vertex { position: vec3f, normal: vec3f, tangent: vec3f }
//     fn palette_vec(joint: u32, row: u32) -> vec4f       // row-th vector of a packed joint; palette offset included
//     struct Rows, moved_by, determinant_of, unit_or_zero   // of common/rows.wgsl
//     struct Motion, no_motion, motion_and, motion_rows     // of common/motion.wgsl: blends of dual quaternions
//     globals.parameters                                    // the values of its parameters, in their order
// and defines
//     struct Blend                                          // the sums of one vertex
//     fn blend_begin() -> Blend
//     fn blend_add(b: ptr<function, Blend>, joint: u32, weight: f32)   // one influence, in stored order (all of a joint where its first is)
//     fn blend_apply(b: Blend, v: Vertex) -> Vertex         // deformed; normal and tangent unit, zero stays zero
//     fn blend_determinant(b: Blend) -> f32                 // negative: the surface is mirrored here
// with the prefix `blend_` on whatever else it needs.

struct Blend {
    matrix: Rows,
}

fn blend_begin() -> Blend {
    return Blend(Rows(vec4f(0.0), vec4f(0.0), vec4f(0.0)));
}

fn blend_add(b: ptr<function, Blend>, joint: u32, weight: f32) {
    (*b).matrix.x += palette_vec(joint, 0u) * weight;
    (*b).matrix.y += palette_vec(joint, 1u) * weight;
    (*b).matrix.z += palette_vec(joint, 2u) * weight;
}

fn blend_apply(b: Blend, v: Vertex) -> Vertex {
    return moved_by(b.matrix, v);
}

fn blend_determinant(b: Blend) -> f32 {
    return determinant_of(b.matrix);
}
