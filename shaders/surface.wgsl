// The fragment stages of the model's surface, and what every one of them reads of its material. What extensions lay over
// it stands in layers.wgsl, which is linked only where a material has some of it.

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
    /// Bit n: texture n reads the second coordinate set. In order of the bindings, those of the layers after them.
    second_uv: u32,
    /// Reflectance straight on of what is no metal, by its index of refraction (KHR_materials_ior).
    f0: f32,
    /// Linear colour; w: KHR_materials_specular: factor, KHR_materials_pbrSpecularGlossiness: glossiness.
    specular: vec4f,
    /// Linear colour; w: roughness.
    sheen: vec4f,
    /// Factor, roughness, normal scale; w: 1 where the mesh's tangents follow its normal map's coordinates.
    clearcoat: vec4f,
    /// Factor; y: what part of the roughness blurs what lies behind; zw unused.
    transmission: vec4f,
    uv: array<UvTransform, 13>,
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
/// Or specular and glossiness.
const METALLIC_ROUGHNESS: u32 = 1u;
const NORMAL: u32 = 2u;
const OCCLUSION: u32 = 3u;
const EMISSIVE: u32 = 4u;

/// Alpha cuts holes, or shows what lies behind; else it is 1.
const MASKED: u32 = 16u;
const BLENDED: u32 = 17u;
/// Seen from behind too.
const DOUBLE_SIDED: u32 = 18u;

/// Bit n: texture n is there, or this is true of the material. Set where the pipeline is made, so that what is not there
/// costs nothing.
override TEXTURES: u32 = 31u;
/// Bit n: its coordinates are transformed.
override TRANSFORMS: u32 = 0u;

/// These are triangles: points and lines have no sides.
override SIDES: bool = true;

/// What is seen from behind was left out before it came here: a fragment stage that discards nothing lets depths be tested, and
/// written, ahead of it.
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

/// How the surface lies: the normal towards the eye, and which side is seen.
struct Facing {
    /// Unit, on the outer side of the surface, whichever side is seen.
    normal: vec3f,
    /// −1 where the back is seen.
    side: f32,
}

fn facing(in: Fragment, front_facing: bool) -> Facing {
    // Down the screen × right across it points towards the eye.
    let flat_normal = cross(dpdy(in.world), dpdx(in.world));
    let sided = SIDES;
    let front = !sided || (front_facing == (in.side >= 0.0));
    let side = select(-1.0, 1.0, front);
    var normal = in.normal;
    if !NORMALS {
        normal = select(to_eye(in.world), side * flat_normal, sided);
    }
    let size = length(normal);
    normal = select(side * to_eye(in.world), normal / size, size > 0.0);
    return Facing(normal, side);
}

/// True where a single-sided surface is seen from behind.
fn is_culled(f: Facing) -> bool {
    return !CULLED && !has(DOUBLE_SIDED) && f.side < 0.0;
}

/// `normal`, on the outer side, bent as a normal map's `texel` at `uv` says. `by_tangents`: along the mesh's own.
fn bent_normal(in: Fragment, normal: vec3f, texel: vec3f, uv: vec2f, scale: f32, by_tangents: bool) -> vec3f {
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
    let t = (texel * 2.0 - 1.0) * vec3f(scale, scale, 1.0);
    let mapped = tangent * t.x + bitangent * t.y + normal * t.z;
    let size = length(mapped);
    return select(normal, mapped / size, size > 0.0);
}

/// Alpha as its mode has it; negative where nothing is to be drawn.
fn alpha_of(alpha: f32) -> f32 {
    if has(MASKED) {
        return select(-1.0, 1.0, alpha >= material.alpha_cutoff);
    }
    if has(BLENDED) {
        return clamp(alpha, 0.0, 1.0);
    }
    return 1.0;
}

/// Factor, vertex colour and texture together.
fn base_color(in: Fragment) -> vec4f {
    var color = material.base_color * in.color;
    if has(BASE_COLOR) {
        color *= textureSample(base_color_texture, base_color_sampler, uv_of(in, BASE_COLOR));
    }
    return color;
}

/// Roughness where the normal turns within a pixel, by the square of how far: else specular would sparkle there
/// (Kaplanyan & Tokuyoshi 2019).
fn filtered_roughness(roughness: f32, normal_dx: vec3f, normal_dy: vec3f) -> f32 {
    let turn = 0.25 * (dot(normal_dx, normal_dx) + dot(normal_dy, normal_dy));
    let rough = clamp(roughness, 0.0, 1.0);
    return min(sqrt(sqrt(rough * rough * rough * rough + min(turn, 0.18))), 1.0);
}

/// What a material of the core says at a point.
struct Point {
    facing: Facing,
    /// Linear, 0…1, and alpha as its mode has it; negative where nothing is to be drawn.
    base: vec4f,
    /// Texel of METALLIC_ROUGHNESS.
    surface: vec4f,
    occlusion: f32,
    /// Emitted.
    glow: vec3f,
    /// Unit, on the side that is seen, and its slopes across the screen.
    normal: vec3f,
    normal_dx: vec3f,
    normal_dy: vec3f,
}

/// Reads every texture, so that it has to come before any discard.
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
    s.normal = p.normal;
    s.to_eye = to_eye(in.world);
    return s;
}

/// What a surface of this colour and alpha leaves in the picture, premultiplied.
fn in_picture(color: vec3f, alpha: f32) -> vec4f {
    return vec4f(color, 1.0) * (alpha * globals.studio.z);
}

/// Points and lines without normals carry their plain colour.
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

/// KHR_materials_unlit: the base colour as it is, past light and tone curve.
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
