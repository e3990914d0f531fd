/// What baking a method into weights leaves of it at a vertex, its largest distance from the method in any of the poses: a power of ten of millimetres from
/// −2 (0.01 mm) on. NONE where `value` is negative because nothing is known of it, NOT_SKINNED in rigid parts.
fn overlay_bake_left_largest(source: Source, copy: u32, value: f32) -> f32 {
    let number = select(log2(max(value, 1e-2)) * 0.30103, NONE, value < 0.0);
    return select(number, NOT_SKINNED, is_rigid());
}
