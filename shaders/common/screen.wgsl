// One triangle that covers the viewport.

struct Screen {
    @builtin(position) position: vec4f,
    /// 0…1 from the top left corner.
    @location(0) uv: vec2f,
}

@vertex
fn vs_screen(@builtin(vertex_index) i: u32) -> Screen {
    let corner = vec2f(f32((i << 1u) & 2u), f32(i & 2u));
    return Screen(vec4f(corner * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0), 0.0, 1.0), corner);
}
