/// The weight for a joint on a vertex that is cut off from the rest of what that joint moves; computed beforehand.
fn overlay_rogue(source: Source, copy: u32, value: f32) -> f32 {
    return value;
}
