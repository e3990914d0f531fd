// Draws vertices as dots of a given size in pixels: all of them in the colours of the overlay, or marked ones over
// everything.

/// One vertex. It is read once per instance, and the instance index is its index, so that every corner of the dot is
/// deformed alike.
struct DotSource {
    @location(0) position: vec3f,
    @location(1) normal: u32,
    @location(2) tangent: u32,
    @location(3) joints: vec2u,
    @location(4) weights: vec4u,
}

struct Dot {
    @builtin(position) position: vec4f,
    /// Linear, straight alpha.
    @location(0) color: vec4f,
    /// Pixels from the middle.
    @location(1) offset: vec2f,
    /// x: radius in pixels; y: 1 where the dot has a white ring, which stands out from every colour, else 0.
    @location(2) radius: vec2f,
}

/// One corner of the triangle around the dot of a vertex: `corner` modulo 3 says which. `copy_of` must have been called
/// before.
fn dot_at(in: DotSource, vertex: u32, copy: u32, corner: u32, radius: f32, ring: f32, color: vec4f) -> Dot {
    let source = unpacked(in.position, in.normal, in.tangent, in.joints, in.weights);
    let v = placed(source, vertex, copy).vertex;
    var clip = globals.clip_from_world * vec4f(v.position, 1.0);
    // Depth is reversed: this brings the dot nearer than the surface around it, by about as much as the dot is wide.
    clip.z += 2e-3 * select(clip.w, clip.z, globals.eye.w > 0.5);
    // The corners of a triangle around a circle are twice its radius away. One pixel is added for the soft edge.
    let angle = f32(corner % 3u) * 2.0943951;
    let offset = 2.0 * (radius + 1.0) * vec2f(sin(angle), cos(angle));
    var out: Dot;
    out.position = clip + vec4f(offset * 2.0 * globals.viewport.zw * clip.w, 0.0, 0.0);
    out.color = color;
    out.offset = offset;
    out.radius = vec2f(radius, ring);
    return out;
}

/// Draws all vertices. `corner` counts three for each instance (copy, or member of a crowd) of the surface.
@vertex
fn vs_dots(
    in: DotSource,
    @location(8) value: f32,
    @builtin(instance_index) vertex: u32,
    @builtin(vertex_index) corner: u32,
) -> Dot {
    let source = unpacked(in.position, in.normal, in.tangent, in.joints, in.weights);
    let copy = copy_of(corner / 3u);
    var color = globals.dot_color;
    if is_shown(HAS_OVERLAY) {
        color = vec4f(linear_from_srgb(scale_color(overlay_number(source, copy, value))), 1.0);
    }
    if is_shown(INFLUENCED_ONLY) && selected_weight(source, copy) == 0.0 {
        color.a *= 0.15;
    }
    return dot_at(in, vertex, copy, corner, globals.dot_radius.x, 0.0, color);
}

/// Draws marked vertices, whose indices are `vertex`.
@vertex
fn vs_marks(in: DotSource, @location(8) vertex: u32, @builtin(vertex_index) corner: u32) -> Dot {
    return dot_at(in, vertex, copy_of(corner / 3u), corner, globals.dot_radius.y, 1.0, globals.mark_color);
}

fn dot_shade(in: Dot, alpha: f32) -> vec4f {
    let from_middle = length(in.offset);
    let inside = clamp(in.radius.x + 0.5 - from_middle, 0.0, 1.0);
    // A dark rim sets the dot off from a surface of the same colour.
    let rim = clamp(from_middle - in.radius.x + 1.0, 0.0, 1.0);
    let ring = in.radius.y * clamp(from_middle - in.radius.x + 2.5, 0.0, 1.0);
    let covered = inside * in.color.a * alpha;
    return vec4f(mix(in.color.rgb, vec3f(1.0), ring) * mix(1.0, 0.2, rim) * covered, covered);
}

@fragment
fn fs_dots(in: Dot) -> @location(0) vec4f {
    return dot_shade(in, 1.0);
}

/// Shades dots that lie behind the surface, which are more transparent.
@fragment
fn fs_hidden_dots(in: Dot) -> @location(0) vec4f {
    return dot_shade(in, 0.4);
}
