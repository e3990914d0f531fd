/// Returns the angle (degrees) between the normal and that of the posed triangles; NONE where there is no normal.
fn overlay_normal_error(source: Source, copy: u32, value: f32) -> f32 {
    return select(value, NONE, value < 0.0);
}
