/// Whether no joint (0), one alone (1) or several (2) move the vertex.
fn overlay_partition(source: Source, copy: u32, value: f32) -> f32 {
    return f32(min(used_influences(source, copy), 2u));
}
