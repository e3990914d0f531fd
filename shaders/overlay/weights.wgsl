/// The weight for the selected joint, with or without those below it.
fn overlay_weights(source: Source, copy: u32, value: f32) -> f32 {
    return selected_weight(source, copy);
}
