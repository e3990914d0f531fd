/// The largest difference between a weight and that of the mirrored vertex, as a power of ten from −3 (0.1 %) on. NONE
/// where there is no mirrored vertex, NOT_SKINNED in rigid parts, which have no weights.
fn overlay_asymmetry(source: Source, copy: u32, value: f32) -> f32 {
    let number = select(log2(max(value, 1e-3)) * 0.30103, NONE, value < 0.0);
    return select(number, NOT_SKINNED, is_rigid());
}
