// Draws lines with a width in pixels and round ends, over everything. A line without length is a dot.

struct Line {
    /// The ends in world space; w of `start`: the width in pixels.
    @location(0) start: vec4f,
    @location(1) end: vec4f,
    /// sRGB, straight alpha.
    @location(2) color: vec4f,
}

struct Stroke {
    @builtin(position) position: vec4f,
    /// Linear RGB; w: alpha.
    @location(0) @interpolate(flat) color: vec4f,
    /// The ends, pixels from the picture's top left.
    @location(1) @interpolate(flat) ends: vec4f,
    /// Half the width, pixels.
    @location(2) @interpolate(flat) half_width: f32,
}

@vertex
fn vs_lines(line: Line, @builtin(vertex_index) vertex: u32) -> Stroke {
    let m = globals.clip_from_world;
    let clipped = clipped_line(m * vec4f(line.start.xyz, 1.0), m * vec4f(line.end.xyz, 1.0));
    let a = clipped.a;
    let b = clipped.b;
    let half_size = globals.viewport.xy * 0.5;
    let from_pixel = a.xy / a.w * half_size;
    let to_pixel = b.xy / b.w * half_size;
    let along = to_pixel - from_pixel;
    let direction = select(vec2f(1.0, 0.0), along / length(along), dot(along, along) > 1e-12);
    // One pixel is added for the soft edge.
    let reach = line.start.w * 0.5 + 1.0;
    let side = f32(vertex & 1u) * 2.0 - 1.0;
    let is_end = vertex >= 2u;
    let clip = select(a, b, is_end);
    let beyond = select(-direction, direction, is_end);
    let offset = (vec2f(-direction.y, direction.x) * side + beyond) * reach;
    var out: Stroke;
    out.position = vec4f(clip.xy + offset / half_size * clip.w, clip.zw);
    if clipped.is_nearer {
        // This position lies outside the picture.
        out.position = vec4f(2.0, 2.0, 0.0, 1.0);
    }
    out.color = vec4f(linear_from_srgb(line.color.rgb), line.color.a);
    let down = vec4f(1.0, -1.0, 1.0, -1.0);
    out.ends = vec4f(from_pixel, to_pixel) * down + vec4f(half_size, half_size);
    out.half_width = line.start.w * 0.5;
    return out;
}

@fragment
fn fs_lines(in: Stroke) -> @location(0) vec4f {
    let from_start = pixel_of(in.position) - in.ends.xy;
    let along = in.ends.zw - in.ends.xy;
    let share = clamp(dot(from_start, along) / max(dot(along, along), 1e-12), 0.0, 1.0);
    let away = length(from_start - along * share);
    let alpha = in.color.a * clamp(in.half_width + 0.5 - away, 0.0, 1.0);
    return vec4f(in.color.rgb * alpha, alpha);
}
