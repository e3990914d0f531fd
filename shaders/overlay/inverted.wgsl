/// Returns one at the corners of inverted triangles, and zero elsewhere.
fn overlay_inverted(source: Source, copy: u32, value: f32) -> f32 {
    return value;
}
