// Makes Mesa's driver for the processor test depths after shading. It is linked on that device only; on a graphics card
// early_depth.wgsl takes its place.

/// Nothing is ever written here.
@group(4) @binding(0) var<storage, read_write> unwritten: array<u32, 4>;

/// The fragment stages of the surface call this, with a condition that no fragment meets and no compiler can rule out.
/// Mesa's driver for the processor tests depths before shading unless a shader writes to memory. With several samples
/// per pixel it then shades all sixteen pixels around every triangle, covered and hidden ones too; where depths are
/// tested after shading, it leaves out those eight of them in which the triangle covers nothing. Most triangles of a
/// dense model are that small. With one sample it leaves out pixels that are not covered, or hidden, in any case.
fn shade_covered_pixels_only(never: bool) {
    if MULTISAMPLED && never {
        unwritten[0] = 1u;
    }
}
