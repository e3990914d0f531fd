/// Returns by how many degrees the surface bends farther than at rest.
fn overlay_fold(source: Source, copy: u32, value: f32) -> f32 {
    return value;
}
