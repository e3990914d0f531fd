// The fragment stages of the model's surface.

struct Material {
    /// Linear RGBA.
    base_color: vec4f,
    /// Linear; w: normal scale.
    emissive: vec4f,
    metallic: f32,
    roughness: f32,
    occlusion_strength: f32,
    alpha_cutoff: f32,
    /// 0 opaque, 1 mask, 2 blend.
    alpha_mode: u32,
    double_sided: u32,
    /// Bit n: texture n reads the second coordinate set. In order of the bindings.
    second_uv: u32,
    unused: u32,
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
const METALLIC_ROUGHNESS: u32 = 1u;
const NORMAL: u32 = 2u;
const OCCLUSION: u32 = 3u;
const EMISSIVE: u32 = 4u;

/// Bit n: texture n is there. Set where the pipeline is made, so that what is not there costs nothing.
override TEXTURES: u32 = 31u;

fn has(texture: u32) -> bool {
    return (TEXTURES & (1u << texture)) != 0u;
}

fn uv_of(in: Fragment, texture: u32) -> vec2f {
    return select(in.uv.xy, in.uv.zw, (material.second_uv & (1u << texture)) != 0u);
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
    let sided = (draw.flags & HAS_SIDES) != 0u;
    let front = !sided || (front_facing == (in.side >= 0.0));
    let side = select(-1.0, 1.0, front);
    var normal = in.normal;
    if (draw.flags & HAS_NORMALS) == 0u {
        normal = select(to_eye(in.world), side * flat_normal, sided);
    }
    let size = length(normal);
    normal = select(side * to_eye(in.world), normal / size, size > 0.0);
    return Facing(normal, side);
}

/// True where a single-sided surface is seen from behind.
fn is_culled(f: Facing) -> bool {
    return f.side < 0.0 && material.double_sided == 0u;
}

/// The normal that the normal map says, on the outer side.
fn mapped_normal(in: Fragment, normal: vec3f) -> vec3f {
    let uv = uv_of(in, NORMAL);
    let texel = textureSample(normal_texture, normal_sampler, uv).xyz;
    let dx = dpdx(in.world);
    let dy = dpdy(in.world);
    let uv_dx = dpdx(uv);
    let uv_dy = dpdy(uv);
    var tangent = in.tangent.xyz;
    var bitangent = cross(normal, tangent) * in.tangent.w;
    if (draw.flags & HAS_TANGENTS) == 0u {
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
    let t = (texel * 2.0 - 1.0) * vec3f(material.emissive.w, material.emissive.w, 1.0);
    let mapped = tangent * t.x + bitangent * t.y + normal * t.z;
    let size = length(mapped);
    return select(normal, mapped / size, size > 0.0);
}

/// Alpha as its mode has it; negative where nothing is to be drawn.
fn alpha_of(alpha: f32) -> f32 {
    if material.alpha_mode == 0u {
        return 1.0;
    }
    if material.alpha_mode == 1u {
        return select(-1.0, 1.0, alpha >= material.alpha_cutoff);
    }
    return clamp(alpha, 0.0, 1.0);
}

/// Factor, vertex colour and texture together.
fn base_color(in: Fragment) -> vec4f {
    var color = material.base_color * in.color;
    if has(BASE_COLOR) {
        color *= textureSample(base_color_texture, base_color_sampler, uv_of(in, BASE_COLOR));
    }
    return color;
}

@fragment
fn fs_shaded(in: Fragment, @builtin(front_facing) front_facing: bool) -> @location(0) vec4f {
    let f = facing(in, front_facing);
    let base = base_color(in);
    var surface = vec2f(material.roughness, material.metallic);
    if has(METALLIC_ROUGHNESS) {
        let uv = uv_of(in, METALLIC_ROUGHNESS);
        surface *= textureSample(metallic_roughness_texture, metallic_roughness_sampler, uv).gb;
    }
    var occlusion = 1.0;
    if has(OCCLUSION) {
        let hidden = textureSample(occlusion_texture, occlusion_sampler, uv_of(in, OCCLUSION)).r;
        occlusion += material.occlusion_strength * (hidden - 1.0);
    }
    var glow = material.emissive.rgb;
    if has(EMISSIVE) {
        glow *= textureSample(emissive_texture, emissive_sampler, uv_of(in, EMISSIVE)).rgb;
    }
    var normal = f.normal;
    if has(NORMAL) {
        normal = mapped_normal(in, normal);
    }
    normal *= f.side;
    // Specular would sparkle where the normal turns within a pixel (Kaplanyan & Tokuyoshi 2019).
    let turn = 0.25 * (dot(dpdx(normal), dpdx(normal)) + dot(dpdy(normal), dpdy(normal)));
    let alpha = alpha_of(base.a);
    if is_culled(f) || alpha < 0.0 {
        discard;
    }
    let rough = clamp(surface.x, 0.0, 1.0);
    var s: Shading;
    s.base_color = clamp(base.rgb, vec3f(0.0), vec3f(1.0));
    s.metallic = clamp(surface.y, 0.0, 1.0);
    s.roughness = min(sqrt(sqrt(rough * rough * rough * rough + min(turn, 0.18))), 1.0);
    s.occlusion = occlusion;
    s.normal = normal;
    s.to_eye = to_eye(in.world);
    var color = s.base_color;
    // Points and lines without normals carry their plain colour.
    if (draw.flags & (HAS_SIDES | HAS_NORMALS)) != 0u {
        color = punctual(s, in.world);
        if globals.studio.x > 0.0 {
            color += lit(s);
        }
    }
    color = dithered(tone(color + glow), in.position.xy);
    return vec4f(color * alpha, alpha);
}

/// How bright a readout is: full where the surface faces the light over the eye's shoulder, 60 % where it turns away,
/// so that the form shows and the colours stay those of the legend.
fn readout_shade(in: Fragment, f: Facing) -> f32 {
    if (draw.flags & (HAS_SIDES | HAS_NORMALS)) == 0u {
        return 1.0;
    }
    let light = normalize(to_eye(in.world) + 0.8 * globals.boxes[0].z.xyz);
    return mix(0.6, 1.0, smoothstep(-0.3, 0.95, dot(f.side * f.normal, light)));
}

/// Holes of alpha masks stay holes in readouts; what blends is shown solid.
fn is_hole(alpha: f32) -> bool {
    return material.alpha_mode == 1u && alpha < material.alpha_cutoff;
}

fn ramp_color(value: f32) -> vec3f {
    let at = clamp(value, 0.0, 1.0) * f32(RAMP_ROWS - 1u);
    let row = min(u32(at), RAMP_ROWS - 2u);
    let a = ramps.rows[globals.ramp + row].rgb;
    let b = ramps.rows[globals.ramp + row + 1u].rgb;
    return mix(a, b, at - f32(row));
}

@fragment
fn fs_weights(in: Fragment, @builtin(front_facing) front_facing: bool) -> @location(0) vec4f {
    let f = facing(in, front_facing);
    if is_hole(base_color(in).a) || is_culled(f) {
        discard;
    }
    return vec4f(linear_from_srgb(ramp_color(in.color.x) * readout_shade(in, f)), 1.0);
}

@fragment
fn fs_dominant(in: Fragment, @builtin(front_facing) front_facing: bool) -> @location(0) vec4f {
    let f = facing(in, front_facing);
    if is_hole(base_color(in).a) || is_culled(f) {
        discard;
    }
    return vec4f(linear_from_srgb(srgb_from_linear(in.color.rgb) * readout_shade(in, f)), 1.0);
}

/// Triangles that several joints move.
@fragment
fn fs_shared(in: Fragment, @builtin(front_facing) front_facing: bool) -> @location(0) vec4f {
    let f = facing(in, front_facing);
    if is_hole(base_color(in).a) || is_culled(f) {
        discard;
    }
    // Not quite black, so that its form still shows.
    return vec4f(linear_from_srgb(vec3f(0.2 * (readout_shade(in, f) - 0.6))), 1.0);
}
