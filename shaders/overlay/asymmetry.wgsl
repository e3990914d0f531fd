/// The largest difference of a weight to that of the mirrored vertex, as a power of ten.
fn overlay_asymmetry(source: Source, copy: u32, value: f32) -> f32 {
    return log2(max(value, 1e-9)) * 0.30103;
}
