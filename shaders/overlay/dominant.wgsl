/// The joint with the largest weight; −1 where nothing moves the vertex.
fn overlay_dominant(source: Source, copy: u32, value: f32) -> f32 {
    let count = influence_count(source);
    var most = 0.0;
    var joint = -1.0;
    for (var i = 0u; i < count; i++) {
        let part = influence(source, copy, i);
        if part.weight > most {
            most = part.weight;
            joint = f32(part.joint);
        }
    }
    return joint;
}
