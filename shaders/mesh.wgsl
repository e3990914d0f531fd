// The vertex stages of the model: its surface, and its edges.

struct Attributes {
    @location(0) position: vec3f,
    @location(1) joints_a: u32,
    @location(2) normal: vec3f,
    @location(3) joints_b: u32,
    @location(4) tangent: vec4f,
    @location(5) weights: vec4f,
    /// Both texture coordinate sets.
    @location(6) uv: vec4f,
    /// Linear RGBA.
    @location(7) color: vec4f,
}

struct Fragment {
    @builtin(position) position: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
    /// w: handedness of the bitangent, mirroring included.
    @location(2) tangent: vec4f,
    @location(3) uv: vec4f,
    @location(4) color: vec4f,
    /// 1; −1 where the deformation mirrors.
    @location(5) side: f32,
    /// 0 where the vertex is to be dimmed, else 1.
    @location(6) lit: f32,
}

fn stored(in: Attributes) -> Source {
    return Source(in.position, in.joints_a, in.normal, in.joints_b, in.tangent, in.weights);
}

fn surface_fragment(in: Attributes, vertex: u32, copy: u32) -> Fragment {
    let source = stored(in);
    let blend = blended(source, copy);
    let v = blend_apply(blend, morphed(source, vertex));
    let side = select(1.0, -1.0, blend_determinant(blend) < 0.0);
    var out: Fragment;
    out.position = globals.clip_from_world * vec4f(v.position, 1.0);
    out.world = v.position;
    out.normal = v.normal;
    out.tangent = vec4f(v.tangent, in.tangent.w * side);
    out.uv = in.uv;
    out.color = in.color;
    out.side = side;
    out.lit = 1.0;
    if is_shown(INFLUENCED_ONLY) {
        out.lit = select(0.0, 1.0, selected_weight(source, copy) != 0.0);
    }
    return out;
}

@vertex
fn vs_shaded(in: Attributes, @builtin(vertex_index) vertex: u32, @builtin(instance_index) copy: u32) -> Fragment {
    return surface_fragment(in, vertex, copy);
}

/// Dark and almost grey where the vertices are dimmed.
fn dimmed(linear: vec3f, in: Fragment) -> vec3f {
    let grey = vec3f(dot(linear, vec3f(0.2126, 0.7152, 0.0722)));
    return mix(mix(grey, linear, 0.12) * 0.22, linear, in.lit);
}

@vertex
fn vs_edges(in: Attributes, @builtin(vertex_index) vertex: u32, @builtin(instance_index) copy: u32) -> @builtin(position) vec4f {
    let source = stored(in);
    let v = blend_apply(blended(source, copy), morphed(source, vertex));
    var clip = globals.clip_from_world * vec4f(v.position, 1.0);
    // Reversed depth: a little nearer than the surface it lies on.
    clip.z += 4e-4 * select(clip.w, clip.z, globals.eye.w > 0.5);
    return clip;
}

@fragment
fn fs_edges() -> @location(0) vec4f {
    return vec4f(globals.wire_color.rgb * globals.wire_color.a, globals.wire_color.a);
}
