// The part of a line that lies before the camera.

/// A line in clip space, cut at the near plane.
struct ClippedLine {
    a: vec4f,
    b: vec4f,
    /// Whether both ends are nearer than the near plane, so that nothing of the line is in the picture. They are as they were then.
    is_nearer: bool,
}

/// Cuts a line at the near plane (z = w), behind which the projection makes no sense.
fn clipped_line(a: vec4f, b: vec4f) -> ClippedLine {
    let over = vec2f(a.z - a.w, b.z - b.w);
    let cut = mix(a, b, over.x / (over.x - over.y));
    var out = ClippedLine(a, b, over.x > 0.0 && over.y > 0.0);
    if over.x > 0.0 && over.y <= 0.0 {
        out.a = cut;
    } else if over.y > 0.0 && over.x <= 0.0 {
        out.b = cut;
    }
    return out;
}
