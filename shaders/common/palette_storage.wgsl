// Reads the palette from a storage buffer, which holds any number of joints. palette_uniform.wgsl can take its place.

fn palette_vec(joint: u32, row: u32) -> vec4f {
    return palette[palette_place(joint) + row];
}
