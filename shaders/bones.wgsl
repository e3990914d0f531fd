// Octahedral bones: translucent facets with crisp edges.

struct Bone {
    /// World; w: half width of the collar, metres.
    @location(0) head: vec4f,
    @location(1) tail: vec4f,
    /// sRGB, straight alpha.
    @location(2) color: vec4f,
}

struct Facet {
    @builtin(position) position: vec4f,
    @location(0) world: vec3f,
    @location(1) color: vec4f,
    /// Barycentric: zero on the opposite edge.
    @location(2) corner: vec3f,
}

/// Where the collar is, from head to tail.
const COLLAR: f32 = 0.12;

@vertex
fn vs_bones(bone: Bone, @builtin(vertex_index) vertex: u32) -> Facet {
    let along = bone.tail.xyz - bone.head.xyz;
    let direction = along / max(length(along), 1e-20);
    // Duff et al. 2017: a basis without a pole.
    let s = select(-1.0, 1.0, direction.z >= 0.0);
    let a = -1.0 / (s + direction.z);
    let b = direction.x * direction.y * a;
    let x = vec3f(1.0 + s * direction.x * direction.x * a, s * b, -s * direction.x);
    let y = vec3f(b, s + direction.y * direction.y * a, -direction.y);

    let facet = vertex / 3u;
    let at = vertex % 3u;
    let quarter = (facet % 4u + select(0u, 1u, at == select(1u, 2u, facet >= 4u))) % 4u;
    let turn = vec2f(
        select(0.0, select(1.0, -1.0, quarter == 2u), quarter % 2u == 0u),
        select(0.0, select(1.0, -1.0, quarter == 3u), quarter % 2u == 1u),
    );
    var world = bone.head.xyz + along * COLLAR + (x * turn.x + y * turn.y) * bone.head.w;
    if at == 0u {
        world = select(bone.head.xyz, bone.tail.xyz, facet >= 4u);
    }
    var out: Facet;
    out.position = globals.clip_from_world * vec4f(world, 1.0);
    out.world = world;
    out.color = bone.color;
    out.corner = vec3f(f32(at == 0u), f32(at == 1u), f32(at == 2u));
    return out;
}

@fragment
fn fs_bones(in: Facet) -> @location(0) vec4f {
    let normal = normalize(cross(dpdy(in.world), dpdx(in.world)));
    let d = in.corner / max(fwidth(in.corner), vec3f(1e-6));
    let edge = 1.0 - smoothstep(0.7, 1.7, min(d.x, min(d.y, d.z)));
    let key = globals.boxes[0].z.xyz;
    let shade = 0.5 + 0.5 * clamp(dot(normal, key) * 0.6 + 0.4, 0.0, 1.0);
    let body = linear_from_srgb(in.color.rgb) * shade;
    let rim = linear_from_srgb(mix(in.color.rgb, vec3f(1.0), 0.40));
    let alpha = mix(in.color.a, min(in.color.a * 1.4 + 0.2, 1.0), edge);
    return vec4f(mix(body, rim, edge) * alpha, alpha);
}
