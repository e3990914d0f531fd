/// How many influences of the vertex have a weight; five stands for five or more, six for rigid parts.
fn overlay_influences(source: Source, copy: u32, value: f32) -> f32 {
    return select(f32(min(used_influences(source, copy), 5u)), 6.0, is_rigid());
}
