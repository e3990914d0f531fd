/// How far the surface has moved in this pose, as a power of ten of millimetres from −2 (0.01 mm) on. NONE where
/// `value` is negative because it is in place, NOT_SKINNED in rigid parts.
fn overlay_changed_surface(source: Source, copy: u32, value: f32) -> f32 {
    let number = select(log2(max(value, 1e-2)) * 0.30103, NONE, value < 0.0);
    return select(number, NOT_SKINNED, is_rigid());
}
