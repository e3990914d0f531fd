// The palette as the deformation reads it: a uniform block, which shows the part of the storage buffer in which all joints
// of the draw lie. For one model alone: the palettes of a crowd would not fit.

/// Begins at a joint whose number is a multiple of WINDOW_STEP.
@group(0) @binding(7) var<uniform> palette_window: array<vec4f, 4096>;

const WINDOW_STEP: u32 = 16u;

/// There is no crowd.
const member: u32 = 0u;

fn copy_of(instance: u32) -> u32 {
    return instance;
}

fn palette_vec(joint: u32, row: u32) -> vec4f {
    return palette_window[(joint - draw.joint / WINDOW_STEP * WINDOW_STEP) * VEC4S_PER_JOINT + row];
}
