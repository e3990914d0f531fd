// The fragment stages of the model's surface, and the parts of a material that all of them read. Material extensions
// are in layers.wgsl, which is linked only where a material uses some of them.

/// `texture_from_stored` of a texture's coordinates (KHR_texture_transform): two rows, each for (u, v, 1).
struct UvTransform {
    u: vec4f,
    v: vec4f,
}

struct Material {
    /// Linear RGBA.
    base_color: vec4f,
    /// Linear; w: normal scale.
    emissive: vec4f,
    metallic: f32,
    roughness: f32,
    occlusion_strength: f32,
    alpha_cutoff: f32,
    unused: vec2u,
    /// Bit n is set where texture n reads the second set of coordinates. Textures are numbered in one order, those of the
    /// layers after those of the core.
    second_uv: u32,
    /// Reflectance of dielectrics at normal incidence, from the index of refraction (KHR_materials_ior).
    f0: f32,
    /// Linear colour; w: KHR_materials_specular: factor, KHR_materials_pbrSpecularGlossiness: glossiness.
    specular: vec4f,
    /// Linear colour; w: roughness.
    sheen: vec4f,
    /// Factor, roughness, normal scale; w: 1 where the mesh's tangents follow its normal map's coordinates.
    clearcoat: vec4f,
    /// x: factor; y: the share of the roughness that blurs what lies behind; z: index of refraction, at least 1; w: half
    /// the difference between those of red and of blue (KHR_materials_dispersion).
    transmission: vec4f,
    /// The share of light that is absorbed on a very short way, by metre, linear; w: thickness in units of the mesh.
    volume: vec4f,
    /// Factor, index of refraction, least and largest thickness in nanometres.
    iridescence: vec4f,
    /// Strength, then cosine and sine of the rotation; w unused.
    anisotropy: vec4f,
    uv: array<UvTransform, 17>,
}

@group(2) @binding(0) var<uniform> material: Material;
@group(2) @binding(1) var base_color_texture: texture_2d<f32>;
@group(2) @binding(2) var base_color_sampler: sampler;
@group(2) @binding(3) var metallic_roughness_texture: texture_2d<f32>;
@group(2) @binding(4) var metallic_roughness_sampler: sampler;
@group(2) @binding(5) var normal_texture: texture_2d<f32>;
@group(2) @binding(6) var normal_sampler: sampler;
@group(2) @binding(7) var occlusion_texture: texture_2d<f32>;
@group(2) @binding(8) var occlusion_sampler: sampler;
@group(2) @binding(9) var emissive_texture: texture_2d<f32>;
@group(2) @binding(10) var emissive_sampler: sampler;

const BASE_COLOR: u32 = 0u;
/// For specular-glossiness materials, this is the texture of specular and glossiness.
const METALLIC_ROUGHNESS: u32 = 1u;
const NORMAL: u32 = 2u;
const OCCLUSION: u32 = 3u;
const EMISSIVE: u32 = 4u;

/// Alpha cuts holes (MASKED), or mixes the surface with what lies behind it (BLENDED). With neither, alpha counts as 1.
const MASKED: u32 = 24u;
const BLENDED: u32 = 25u;
/// The surface is visible from behind too.
const DOUBLE_SIDED: u32 = 26u;

/// Bit n is set where the material has texture n, or the property that is numbered n above. Set when the pipeline is
/// created, so that what is absent costs nothing.
override TEXTURES: u32 = 31u;
/// Bit n is set where the coordinates of texture n are transformed.
override TRANSFORMS: u32 = 0u;

/// True for triangles: points and lines have no sides.
override SIDES: bool = true;

/// True where the pipeline already culls back faces. A fragment stage that then discards nothing allows depths to be
/// tested, and written, before it runs.
override CULLED: bool = false;

fn has(part: u32) -> bool {
    return (TEXTURES & (1u << part)) != 0u;
}

fn uv_of(in: Fragment, texture: u32) -> vec2f {
    let stored = select(in.uv.xy, in.uv.zw, (material.second_uv & (1u << texture)) != 0u);
    if (TRANSFORMS & (1u << texture)) == 0u {
        return stored;
    }
    let rows = material.uv[texture];
    let at = vec3f(stored, 1.0);
    return vec2f(dot(rows.u.xyz, at), dot(rows.v.xyz, at));
}

/// The outer normal of the surface, and which side of it is seen.
struct Facing {
    /// The unit normal on the outer side of the surface, whichever side is seen.
    normal: vec3f,
    /// 1, or −1 where the back is seen.
    side: f32,
}

fn facing(in: Fragment, front_facing: bool) -> Facing {
    // The derivative down the screen × the one to the right points towards the eye.
    let flat_normal = cross(dpdy(in.world), dpdx(in.world));
    let sided = SIDES;
    let front = !sided || CULLED || (front_facing == (in.side >= 0.0));
    let side = select(-1.0, 1.0, front);
    // The side that the triangle lies on stands in where the file has no normals, and where nothing is left of one: a
    // joint that flattens space has no inverse transpose, and normals of opposite joints cancel out.
    let flat_size = length(flat_normal);
    let geometric = select(side * to_eye(in.world), side * flat_normal / flat_size, sided && flat_size > 0.0);
    let size = length(in.normal);
    return Facing(select(geometric, in.normal / size, NORMALS && size > 0.0), side);
}

/// True where a single-sided surface is seen from behind.
fn is_culled(f: Facing) -> bool {
    return !CULLED && !has(DOUBLE_SIDED) && f.side < 0.0;
}

/// The tangent and the bitangent at the outer `normal`. `by_tangents`: those of the mesh; otherwise they follow the
/// gradients of `uv`. They are zero where `uv` does not change.
fn tangent_frame(in: Fragment, normal: vec3f, uv: vec2f, by_tangents: bool) -> mat2x3f {
    let dx = dpdx(in.world);
    let dy = dpdy(in.world);
    let uv_dx = dpdx(uv);
    let uv_dy = dpdy(uv);
    var tangent = in.tangent.xyz;
    var bitangent = cross(normal, tangent) * in.tangent.w;
    if !by_tangents {
        // Gradients of u and v along the surface (Schüler 2007); the sign makes them right from both sides.
        let x = cross(dy, normal);
        let y = cross(normal, dx);
        let sign_of_area = select(-1.0, 1.0, dot(cross(dx, dy), normal) >= 0.0);
        tangent = (x * uv_dx.x + y * uv_dy.x) * sign_of_area;
        bitangent = (x * uv_dx.y + y * uv_dy.y) * -sign_of_area;
        let size = max(dot(tangent, tangent), dot(bitangent, bitangent));
        let scale = select(0.0, inverseSqrt(size), size > 0.0);
        tangent *= scale;
        bitangent *= scale;
    }
    return mat2x3f(tangent, bitangent);
}

/// The outer `normal`, bent as the `texel` of a normal map at `uv` says. `by_tangents`: the map follows the tangents of
/// the mesh; otherwise it follows the gradients of `uv`.
fn bent_normal(in: Fragment, normal: vec3f, texel: vec3f, uv: vec2f, scale: f32, by_tangents: bool) -> vec3f {
    let frame = tangent_frame(in, normal, uv, by_tangents);
    let t = (texel * 2.0 - 1.0) * vec3f(scale, scale, 1.0);
    let mapped = frame[0] * t.x + frame[1] * t.y + normal * t.z;
    let size = length(mapped);
    return select(normal, mapped / size, size > 0.0);
}

/// Alpha as the material's alpha mode defines it; negative where nothing is to be drawn.
fn alpha_of(alpha: f32) -> f32 {
    if has(MASKED) {
        return select(-1.0, 1.0, alpha >= material.alpha_cutoff);
    }
    if has(BLENDED) {
        return clamp(alpha, 0.0, 1.0);
    }
    return 1.0;
}

/// The product of factor, vertex colour and texture.
fn base_color(in: Fragment) -> vec4f {
    var color = material.base_color * in.color;
    if has(BASE_COLOR) {
        color *= textureSample(base_color_texture, base_color_sampler, uv_of(in, BASE_COLOR));
    }
    return color;
}

/// Raises the roughness where the normal turns within a pixel, by the square of how far it turns; otherwise highlights
/// would sparkle there (Kaplanyan & Tokuyoshi 2019).
fn filtered_roughness(roughness: f32, normal_dx: vec3f, normal_dy: vec3f) -> f32 {
    let turn = 0.25 * (dot(normal_dx, normal_dx) + dot(normal_dy, normal_dy));
    let rough = clamp(roughness, 0.0, 1.0);
    return min(sqrt(sqrt(rough * rough * rough * rough + min(turn, 0.18))), 1.0);
}

/// The values of a core material at one point.
struct Point {
    facing: Facing,
    /// Linear, 0…1; w: the result of `alpha_of`, negative where nothing is to be drawn.
    base: vec4f,
    /// Texel of METALLIC_ROUGHNESS.
    surface: vec4f,
    occlusion: f32,
    /// The share of the key light that reaches it.
    key: f32,
    /// Emitted radiance.
    glow: vec3f,
    /// The unit normal on the side that is seen, and its derivatives across the screen.
    normal: vec3f,
    normal_dx: vec3f,
    normal_dy: vec3f,
}

/// Reads the textures of the core material. It uses derivatives, so it has to be called before any discard.
fn point_at(in: Fragment, front_facing: bool) -> Point {
    var p: Point;
    p.facing = facing(in, front_facing);
    let base = base_color(in);
    p.base = vec4f(clamp(base.rgb, vec3f(0.0), vec3f(1.0)), alpha_of(base.a));
    p.surface = vec4f(1.0);
    if has(METALLIC_ROUGHNESS) {
        let uv = uv_of(in, METALLIC_ROUGHNESS);
        p.surface = textureSample(metallic_roughness_texture, metallic_roughness_sampler, uv);
    }
    p.occlusion = 1.0;
    if has(OCCLUSION) {
        let hidden = textureSample(occlusion_texture, occlusion_sampler, uv_of(in, OCCLUSION)).r;
        p.occlusion += material.occlusion_strength * (hidden - 1.0);
    }
    let open = open_shares(in.position, in.world, p.facing.normal * p.facing.side, 1.0, true);
    p.key = open.x;
    p.occlusion *= open.y;
    p.glow = material.emissive.rgb;
    if has(EMISSIVE) {
        p.glow *= textureSample(emissive_texture, emissive_sampler, uv_of(in, EMISSIVE)).rgb;
    }
    p.normal = p.facing.normal;
    if has(NORMAL) {
        let uv = uv_of(in, NORMAL);
        let texel = textureSample(normal_texture, normal_sampler, uv).xyz;
        let by_tangents = TANGENTS;
        p.normal = bent_normal(in, p.normal, texel, uv, material.emissive.w, by_tangents);
    }
    p.normal *= p.facing.side;
    p.normal_dx = dpdx(p.normal);
    p.normal_dy = dpdy(p.normal);
    return p;
}

fn is_hidden(p: Point) -> bool {
    return is_culled(p.facing) || p.base.a < 0.0;
}

/// A metallic-roughness surface (glTF 2.0, B.2 and B.3).
fn metallic_roughness(in: Fragment, p: Point) -> Shading {
    let metallic = clamp(material.metallic * p.surface.b, 0.0, 1.0);
    var s: Shading;
    s.diffuse = p.base.rgb * (1.0 - metallic);
    s.f0 = mix(vec3f(material.f0), p.base.rgb, metallic);
    s.f90 = 1.0;
    s.roughness = filtered_roughness(material.roughness * p.surface.g, p.normal_dx, p.normal_dy);
    s.occlusion = p.occlusion;
    s.key = p.key;
    s.normal = p.normal;
    s.to_eye = to_eye(in.world);
    return s;
}

/// The premultiplied value that a surface of this colour and alpha writes to the picture.
fn in_picture(color: vec3f, alpha: f32) -> vec4f {
    return vec4f(color, 1.0) * (alpha * globals.studio.z);
}

/// False for points and lines without normals, which are drawn in their plain colour.
fn is_lit() -> bool {
    return SIDES || NORMALS;
}

@fragment
fn fs_shaded(in: Fragment, @builtin(front_facing) front_facing: bool) -> @location(0) vec4f {
    shade_covered_pixels_only(in.lit < -1.0);
    let p = point_at(in, front_facing);
    if is_hidden(p) {
        discard;
    }
    var color = p.base.rgb;
    if is_lit() {
        color = shone_on(metallic_roughness(in, p), in.world);
    }
    color = dithered(dimmed(tone(color + p.glow), in), pixel_of(in.position));
    return in_picture(color, p.base.a);
}

/// KHR_materials_unlit: draws the base colour as it is, without light and tone curve.
@fragment
fn fs_unlit(in: Fragment, @builtin(front_facing) front_facing: bool) -> @location(0) vec4f {
    shade_covered_pixels_only(in.lit < -1.0);
    let f = facing(in, front_facing);
    let base = base_color(in);
    let alpha = alpha_of(base.a);
    if is_culled(f) || alpha < 0.0 {
        discard;
    }
    return in_picture(dimmed(clamp(base.rgb, vec3f(0.0), vec3f(1.0)), in), alpha);
}

/// Surfaces of other moments are at the farthest depth, which is zero, so that they cover nothing that is drawn there.
@vertex
fn vs_ghost(in: Attributes, @builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Fragment {
    var out = surface_fragment(in, vertex, copy_of(instance));
    out.position.z = 0.0;
    return out;
}

/// A surface of another moment, in one colour: strong at its outline, faint where it faces the eye.
@fragment
fn fs_ghost(in: Fragment, @builtin(front_facing) front_facing: bool) -> @location(0) vec4f {
    let f = facing(in, front_facing);
    if is_culled(f) {
        discard;
    }
    let grazing = 1.0 - abs(dot(f.normal, to_eye(in.world)));
    let alpha = globals.wire_color.a * mix(0.16, 1.0, grazing * grazing);
    return vec4f(globals.wire_color.rgb, 1.0) * alpha;
}
