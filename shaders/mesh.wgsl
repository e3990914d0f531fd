// The vertex stages of the model: one for its surface, one for its edges.

/// The words of a vertex. Those of data that its primitive lacks hold arbitrary values.
struct Attributes {
    @location(0) position: vec3f,
    @location(1) normal: u32,
    @location(2) tangent: u32,
    @location(3) joints: vec2u,
    @location(4) weights: vec4u,
    @location(5) uv: vec2f,
    @location(6) second_uv: vec2f,
    /// Linear RGBA.
    @location(7) color: vec4f,
}

struct Fragment {
    /// Depth may be drawn in a pass before colour; both passes must then compute the same position to the last bit.
    @invariant @builtin(position) position: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
    /// xyz: the tangent; w: the handedness of the bitangent, mirroring included.
    @location(2) tangent: vec4f,
    @location(3) uv: vec4f,
    @location(4) color: vec4f,
    /// 1, or −1 where the deformation mirrors the surface; with SCALED times how much longer the deformation makes
    /// lengths, on the mean of all directions.
    @location(5) side: f32,
    /// 0 where the vertex is to be dimmed, otherwise 1.
    @location(6) lit: f32,
}

/// Bit n is set where the vertex has set n of texture coordinates.
override UV_SETS: u32 = 3u;
override COLORS: bool = true;
/// True where vertices that the selected nodes do not move may be dimmed.
override DIMS: bool = true;

/// True where the material depends on how large the surface is.
override SCALED: bool = false;

fn stored(in: Attributes) -> Source {
    return unpacked(in.position, in.normal, in.tangent, in.joints, in.weights);
}

fn stored_color(in: Attributes) -> vec4f {
    return select(vec4f(1.0), in.color, COLORS);
}

/// The output of the vertex stage for one vertex of the surface. `copy_of` must have been called before.
fn surface_fragment(in: Attributes, vertex: u32, copy: u32) -> Fragment {
    let source = stored(in);
    let at = placed(source, vertex, copy);
    let v = at.vertex;
    let side = select(1.0, -1.0, at.determinant < 0.0);
    var out: Fragment;
    out.position = globals.clip_from_world * vec4f(v.position, 1.0);
    out.world = v.position;
    out.normal = v.normal;
    out.tangent = vec4f(v.tangent, source.tangent.w * side);
    let uv = select(vec2f(0.0), in.uv, (UV_SETS & 1u) != 0u);
    out.uv = vec4f(uv, select(vec2f(0.0), in.second_uv, (UV_SETS & 2u) != 0u));
    out.color = stored_color(in);
    out.side = side;
    if SCALED {
        out.side *= pow(abs(at.determinant), 1.0 / 3.0);
    }
    out.lit = 1.0;
    if DIMS && is_shown(INFLUENCED_ONLY) {
        out.lit = select(0.0, 1.0, selected_weight(source, copy) != 0.0);
    }
    return out;
}

@vertex
fn vs_shaded(in: Attributes, @builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Fragment {
    return surface_fragment(in, vertex, copy_of(instance));
}

/// Makes a colour dark and almost grey where the vertices are dimmed.
fn dimmed(linear: vec3f, in: Fragment) -> vec3f {
    if !DIMS {
        return linear;
    }
    let grey = vec3f(dot(linear, vec3f(0.2126, 0.7152, 0.0722)));
    return mix(mix(grey, linear, 0.12) * 0.22, linear, in.lit);
}

@vertex
fn vs_edges(in: Attributes, @builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> @builtin(position) vec4f {
    let v = placed(stored(in), vertex, copy_of(instance)).vertex;
    var clip = globals.clip_from_world * vec4f(v.position, 1.0);
    // Depth is reversed: this brings the edge a little nearer than the surface it lies on.
    clip.z += 4e-4 * select(clip.w, clip.z, globals.eye.w > 0.5);
    return clip;
}

@fragment
fn fs_edges() -> @location(0) vec4f {
    return vec4f(globals.wire_color.rgb * globals.wire_color.a, globals.wire_color.a);
}
