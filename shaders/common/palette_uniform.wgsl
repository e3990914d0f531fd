// The palette as the deformation reads it: a uniform buffer, of which devices bind so little at once that it limits the number
// of joints. The linker writes `PALETTE_BLOCK`. Morph weights stay in the storage buffer. Takes the place of
// palette_storage.wgsl.

@group(0) @binding(7) var<uniform> palette_block: array<vec4f, PALETTE_BLOCK>;

fn palette_vec(joint: u32, row: u32) -> vec4f {
    return palette_block[palette_place(joint) + row];
}
