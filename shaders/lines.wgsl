// Lines with a width in pixels, over everything.

struct Line {
    /// World; w of `from`: pixels.
    @location(0) start: vec4f,
    @location(1) end: vec4f,
    /// sRGB, straight alpha.
    @location(2) color: vec4f,
}

struct Stroke {
    @builtin(position) position: vec4f,
    @location(0) color: vec4f,
    /// Across: pixels from the middle; w: half the width.
    @location(1) across: vec2f,
}

@vertex
fn vs_lines(line: Line, @builtin(vertex_index) vertex: u32) -> Stroke {
    var a = globals.clip_from_world * vec4f(line.start.xyz, 1.0);
    var b = globals.clip_from_world * vec4f(line.end.xyz, 1.0);
    // Cut at the near plane (z = w), where the projection still makes sense.
    let over = vec2f(a.z - a.w, b.z - b.w);
    let share = over.x / (over.x - over.y);
    let cut = mix(a, b, share);
    if over.x > 0.0 && over.y <= 0.0 {
        a = cut;
    } else if over.y > 0.0 && over.x <= 0.0 {
        b = cut;
    }
    let half_size = globals.viewport.xy * 0.5;
    let from_pixel = a.xy / a.w * half_size;
    let to_pixel = b.xy / b.w * half_size;
    let along = to_pixel - from_pixel;
    let direction = select(vec2f(1.0, 0.0), along / length(along), dot(along, along) > 1e-12);
    // One pixel wider than asked for, for the soft edge.
    let reach = line.start.w * 0.5 + 1.0;
    let side = f32(vertex & 1u) * 2.0 - 1.0;
    let is_end = vertex >= 2u;
    let clip = select(a, b, is_end);
    let offset = vec2f(-direction.y, direction.x) * side * reach;
    var out: Stroke;
    out.position = vec4f(clip.xy + offset / half_size * clip.w, clip.zw);
    if over.x > 0.0 && over.y > 0.0 {
        // Wholly nearer than the near plane.
        out.position = vec4f(2.0, 2.0, 0.0, 1.0);
    }
    out.color = line.color;
    out.across = vec2f(side * reach, line.start.w * 0.5);
    return out;
}

@fragment
fn fs_lines(in: Stroke) -> @location(0) vec4f {
    let alpha = in.color.a * clamp(in.across.y + 0.5 - abs(in.across.x), 0.0, 1.0);
    return vec4f(linear_from_srgb(in.color.rgb) * alpha, alpha);
}
