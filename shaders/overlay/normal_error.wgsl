/// The angle (degrees) between the normal and the one of the posed triangles; none where there is no normal.
fn overlay_normal_error(source: Source, copy: u32, value: f32) -> f32 {
    return select(value, NONE, value < 0.0);
}
