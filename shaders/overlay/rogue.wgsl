/// The weight that a joint has where the vertex is cut off from the rest of what it moves.
fn overlay_rogue(source: Source, copy: u32, value: f32) -> f32 {
    return value;
}
