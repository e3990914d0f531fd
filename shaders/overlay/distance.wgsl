/// The distance between the places of a vertex on the two sides of a comparison. `value` is in metres; the result is
/// the power of ten of millimetres, or NONE where rounding alone could cause the distance.
fn overlay_distance(source: Source, copy: u32, value: f32) -> f32 {
    return select(3.0 + log2(max(value, 1e-6)) * 0.30103, NONE, value < 1e-5);
}
