// Where the device is the processor: what makes Mesa's driver test depths after shading. early_depth.wgsl takes its place on a
// graphics card.

/// Nothing is ever written here.
@group(4) @binding(0) var<storage, read_write> unwritten: array<u32, 4>;

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
