/// Returns how much larger than at rest the triangle at a vertex is that has changed most, as a power of two; NONE where no triangle was
/// measured.
fn overlay_area(source: Source, copy: u32, value: f32) -> f32 {
    // What has become less than the scale shows has the colour of its end: far below the end numbers fade into NONE.
    return select(max(log2(max(value, 1e-6)), globals.scale_ends.x), NONE, value <= 0.0);
}
