// Dual quaternion blending; the twin of skinscope_deform/src/dual_quaternion.rs. The contract of this folder is in linear.wgsl.
// common/motion.wgsl says what a packed joint holds.

struct Blend {
    motion: Motion,
}

fn blend_begin() -> Blend {
    return Blend(no_motion());
}

fn blend_add(b: ptr<function, Blend>, joint: u32, weight: f32) {
    (*b).motion = motion_and((*b).motion, joint, 0u, weight);
}

fn blend_apply(b: Blend, v: Vertex) -> Vertex {
    return moved_by(motion_rows(b.motion), v);
}

fn blend_determinant(b: Blend) -> f32 {
    return determinant_of(motion_rows(b.motion));
}
