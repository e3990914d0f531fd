/// The weight for the selected joint, with or without those of its descendants. NONE where nothing moves the vertex.
fn overlay_weights(source: Source, copy: u32, value: f32) -> f32 {
    return select(selected_weight(source, copy), NONE, used_influences(source, copy) == 0u);
}
