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

/// Nothing is ever written here.
@group(0) @binding(8) var<storage, read_write> unwritten: array<u32, 4>;

/// Called by what shades the surface, with a condition that no fragment meets and no compiler knows. Mesa's driver for the
/// processor tests depths before shading unless a shader writes to memory. With several samples a pixel it then shades all
/// sixteen pixels around every triangle, covered and hidden ones too; where depths are tested after shading, it leaves out
/// those eight of them in which the triangle covers nothing. Most triangles of a dense model are that small. With one sample it
/// leaves out what is not covered, or hidden, in any case.
fn shade_covered_pixels_only(never: bool) {
    if MULTISAMPLED && never {
        unwritten[0] = 1u;
    }
}
