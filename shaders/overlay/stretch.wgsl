/// Returns how much longer than at rest the edge at a vertex is that has changed most, as a power of two; NONE where no edge was measured.
fn overlay_stretch(source: Source, copy: u32, value: f32) -> f32 {
    return select(log2(max(value, 1e-6)), NONE, value <= 0.0);
}
