// Reads the palette from a uniform buffer. Devices bind only a small uniform buffer at once, which limits the number of
// joints. The linker writes `PALETTE_BLOCK`. Morph weights stay in the storage buffer. This file takes the place of
// palette_storage.wgsl.

@group(0) @binding(7) var<uniform> palette_block: array<vec4f, PALETTE_BLOCK>;

fn palette_vec(joint: u32, row: u32) -> vec4f {
    return palette_block[palette_place(joint) + row];
}
