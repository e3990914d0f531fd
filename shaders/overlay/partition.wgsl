/// Whether no joint (0), one alone (1) or several (2) move the vertex; 3 in rigid parts, which no skin moves.
fn overlay_partition(source: Source, copy: u32, value: f32) -> f32 {
    return select(f32(min(used_influences(source, copy), 2u)), 3.0, is_rigid());
}
