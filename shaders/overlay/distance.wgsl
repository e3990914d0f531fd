/// The distance of a vertex (metres) between the two sides of a comparison, millimetres as a power of ten; none where rounding could make
/// as much.
fn overlay_distance(source: Source, copy: u32, value: f32) -> f32 {
    return select(3.0 + log2(max(value, 1e-6)) * 0.30103, NONE, value < 1e-5);
}
