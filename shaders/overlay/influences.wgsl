/// How many joints move the vertex; five stand for more.
fn overlay_influences(source: Source, copy: u32, value: f32) -> f32 {
    return f32(min(used_influences(source, copy), 5u));
}
