/// The distance between the positions of a vertex on the two sides of a comparison. `value` is in metres; the result is
/// the power of ten of millimetres, or NONE where it is a decade below the scale: rounding alone could cause that.
fn overlay_distance(source: Source, copy: u32, value: f32) -> f32 {
    let power = 3.0 + log2(max(value, 1e-30)) * 0.30103;
    return select(power, NONE, power < globals.scale_ends.x - 1.0);
}
