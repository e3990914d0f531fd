// The material extensions that lie over glTF's core material or replace parts of it: specular, specular-glossiness,
// sheen, clearcoat, transmission, and those of shaders/layers/. From below, the order is base or glass, emission, sheen,
// clearcoat; each layer takes from those below it the light that it reflects itself. This file is linked only for
// materials that use some of it.

/// The picture of what lies behind all glass, with its smaller levels; premultiplied.
@group(0) @binding(5) var behind_texture: texture_2d<f32>;
@group(0) @binding(6) var behind_sampler: sampler;

const SPECULAR_LAYER: u32 = 1u;
const GLOSS_LAYER: u32 = 2u;
const CLEARCOAT_LAYER: u32 = 4u;
const SHEEN_LAYER: u32 = 8u;
const TRANSMISSION_LAYER: u32 = 16u;
const VOLUME_LAYER: u32 = 64u;
const DISPERSION_LAYER: u32 = 128u;
const IRIDESCENCE_LAYER: u32 = 256u;
const ANISOTROPY_LAYER: u32 = 512u;

/// The layers that the material has.
override LAYERS: u32 = 31u;

fn has_layer(layer: u32) -> bool {
    return (LAYERS & layer) != 0u;
}

/// The values of the layers over a base at one point. Those of layers that the material lacks are not used.
struct Layers {
    /// Radiance from behind, tinted.
    through: vec3f,
    /// Emitted radiance.
    glow: vec3f,
    sheen_color: vec3f,
    /// Perceptual roughness.
    sheen_roughness: f32,
    /// 0…1.
    clearcoat: f32,
    /// Perceptual roughness.
    clearcoat_roughness: f32,
    /// The unit normal of the clearcoat, on the side that is seen.
    clearcoat_normal: vec3f,
}

/// KHR_materials_specular ("Implementation"): scales and colours the reflectance of dielectrics.
fn with_specular(in: Fragment, p: Point, plain: Shading) -> Shading {
    var factor = material.specular.w;
    if has(SPECULAR) {
        factor *= layer_texel(in, SPECULAR).a;
    }
    var color = material.specular.rgb;
    if has(SPECULAR_COLOR) {
        color *= layer_texel(in, SPECULAR_COLOR).rgb;
    }
    let metallic = clamp(material.metallic * p.surface.b, 0.0, 1.0);
    var s = plain;
    s.f0 = mix(min(material.f0 * color, vec3f(1.0)) * factor, p.base.rgb, metallic);
    s.f90 = mix(factor, 1.0, metallic);
    return s;
}

/// KHR_materials_pbrSpecularGlossiness ("Specular - Glossiness"): diffuse · (1 − max(specular)) under F0 = specular.
fn specular_glossiness(p: Point, plain: Shading) -> Shading {
    var s = plain;
    s.f0 = clamp(material.specular.rgb * p.surface.rgb, vec3f(0.0), vec3f(1.0));
    s.diffuse = p.base.rgb * (1.0 - largest(s.f0));
    s.roughness = filtered_roughness(1.0 - material.specular.w * p.surface.a, p.normal_dx, p.normal_dy);
    return s;
}

/// Emission, sheen and clearcoat at a point: factors times textures.
fn layers_at(in: Fragment, p: Point) -> Layers {
    var l: Layers;
    l.glow = p.glow;
    if has_layer(SHEEN_LAYER) {
        l.sheen_color = material.sheen.rgb;
        if has(SHEEN_COLOR) {
            l.sheen_color *= layer_texel(in, SHEEN_COLOR).rgb;
        }
        l.sheen_roughness = material.sheen.w;
        if has(SHEEN_ROUGHNESS) {
            l.sheen_roughness *= layer_texel(in, SHEEN_ROUGHNESS).a;
        }
    }
    if has_layer(CLEARCOAT_LAYER) {
        l.clearcoat = material.clearcoat.x;
        if has(CLEARCOAT) {
            l.clearcoat *= layer_texel(in, CLEARCOAT).r;
        }
        var roughness = material.clearcoat.y;
        if has(CLEARCOAT_ROUGHNESS) {
            roughness *= layer_texel(in, CLEARCOAT_ROUGHNESS).g;
        }
        var normal = p.facing.normal;
        if has(CLEARCOAT_NORMAL) {
            let uv = uv_of(in, CLEARCOAT_NORMAL);
            let texel = layer_texel(in, CLEARCOAT_NORMAL).xyz;
            let by_tangents = TANGENTS && apart(u32(material.clearcoat.w), bitcast<u32>(in.world.x)) != 0u;
            normal = bent_normal(in, normal, texel, uv, material.clearcoat.z, by_tangents);
        }
        l.clearcoat_normal = normal * p.facing.side;
        l.clearcoat_roughness = filtered_roughness(roughness, dpdx(l.clearcoat_normal), dpdy(l.clearcoat_normal));
    }
    return l;
}

/// The share of the light from behind that the glass lets through, 0…1.
fn transmission_at(in: Fragment) -> f32 {
    if !has_layer(TRANSMISSION_LAYER) {
        return 0.0;
    }
    var through = material.transmission.x;
    if has(TRANSMISSION) {
        through *= layer_texel(in, TRANSMISSION).r;
    }
    return through;
}

/// Weights of a cubic B-spline over two bilinear taps along one axis: where to read (in texels from the middle of texel 0)
/// and how much of the second tap (Sigg & Hadwiger 2005).
fn spline_taps(at: f32) -> vec3f {
    let first = floor(at);
    let f = at - first;
    let f2 = f * f;
    let w = vec4f((1.0 - f) * (1.0 - f) * (1.0 - f), 4.0 - 6.0 * f2 + 3.0 * f2 * f, 0.0, f2 * f) / 6.0;
    let third = 1.0 - w.x - w.y - w.w;
    let second_pair = third + w.w;
    return vec3f(first - 1.0 + w.y / (w.x + w.y), first + 1.0 + w.w / second_pair, second_pair);
}

/// Reads one of the smaller levels with a cubic filter, without the steps that a bilinear filter shows when it
/// magnifies so much.
fn behind_level(uv: vec2f, level: f32) -> vec4f {
    let size = vec2f(textureDimensions(behind_texture, u32(level)));
    let x = spline_taps(uv.x * size.x - 0.5);
    let y = spline_taps(uv.y * size.y - 0.5);
    let near = (vec2f(x.x, y.x) + 0.5) / size;
    let far = (vec2f(x.y, y.y) + 0.5) / size;
    let top = mix(textureSampleLevel(behind_texture, behind_sampler, near, level),
        textureSampleLevel(behind_texture, behind_sampler, vec2f(far.x, near.y), level), x.z);
    let bottom = mix(textureSampleLevel(behind_texture, behind_sampler, vec2f(near.x, far.y), level),
        textureSampleLevel(behind_texture, behind_sampler, far, level), x.z);
    return mix(top, bottom, y.z);
}

/// The level of the picture that glass of `roughness` shows: a wider lobe reads a smaller level, of which one texel is as
/// high as the viewport at most (as in the Khronos sample viewer).
fn level_behind(in: Fragment, roughness: f32) -> f32 {
    // Mesa 22.3 for the processor crashes when branches depend on the height alone.
    let height = f32(apart(u32(globals.viewport.y), bitcast<u32>(in.world.x)));
    return log2(height) * clamp(roughness * material.transmission.y, 0.0, 1.0);
}

/// The picture at `uv` between two of its smaller levels; `sharp` is what the largest one has there.
fn blurred_behind(uv: vec2f, level: f32, sharp: vec4f) -> vec4f {
    let last = f32(textureNumLevels(behind_texture) - 1u);
    let sharper = min(floor(level), last);
    if level <= 0.0 {
        return sharp;
    }
    let wide = behind_level(uv, min(sharper + 1.0, last));
    if sharper < 1.0 {
        return mix(sharp, wide, fract(level));
    }
    return mix(behind_level(uv, sharper), wide, fract(level));
}

/// What lies behind a fragment, blurred as a thin wall of `roughness` does. Premultiplied, like the picture.
fn behind(in: Fragment, roughness: f32) -> vec4f {
    let uv = in.position.xy / vec2f(textureDimensions(behind_texture));
    let sharp = textureLoad(behind_texture, vec2i(in.position.xy), 0);
    return blurred_behind(uv, level_behind(in, roughness), sharp);
}

/// The share of uniform light that sheen of white fibres reflects: the integral of its lobe over all directions of
/// light, fitted to ±0.035 for roughness from 0.1.
fn sheen_share(roughness: f32, n_v: f32) -> f32 {
    let r = max(roughness, 0.1);
    let a = -0.352 + r * (-0.463 + r * 0.520) + 0.085 / r;
    let b = -2.997 + r * (5.577 - r * 3.308) - 0.891 / r;
    return clamp(exp(a + b * n_v), 0.0, 1.0);
}

fn sheen_curve(x: f32, alpha: f32) -> f32 {
    let t = (1.0 - alpha) * (1.0 - alpha);
    let a = mix(21.5473, 25.3245, t);
    let b = mix(3.82987, 3.32435, t);
    let c = mix(0.19823, 0.16801, t);
    let d = mix(-1.97760, -1.27393, t);
    let e = mix(-4.32054, -4.85967, t);
    return a / (1.0 + b * pow(x, c)) + d * x + e;
}

/// Λ of the sheen's visibility, which describes how fibres hide one another along a direction (Estevez & Kulla 2017,
/// equation 3).
fn sheen_hiding(cosine: f32, alpha: f32) -> f32 {
    if cosine < 0.5 {
        return exp(sheen_curve(max(cosine, 1e-4), alpha));
    }
    return exp(2.0 * sheen_curve(0.5, alpha) - sheen_curve(max(1.0 - cosine, 1e-4), alpha));
}

/// The sheen lobe times the cosine at the light (KHR_materials_sheen, "Sheen distribution" and "Sheen visibility").
/// Visibility is limited to 1, which it would exceed where both directions graze; the Khronos sample viewer does so
/// too.
fn sheen_lobe(s: Shading, light: vec3f, roughness: f32) -> f32 {
    let alpha = max(roughness * roughness, 0.01);
    let h = normalize(light + s.to_eye);
    let n_l = clamp(dot(s.normal, light), 0.0, 1.0);
    let n_v = max(dot(s.normal, s.to_eye), 1e-3);
    let n_h = clamp(dot(s.normal, h), 0.0, 1.0);
    let sine2 = max(1.0 - n_h * n_h, 1e-6);
    let distribution = (2.0 + 1.0 / alpha) * pow(sine2, 0.5 / alpha) / (2.0 * PI);
    let hidden = 1.0 + sheen_hiding(n_v, alpha) + sheen_hiding(max(n_l, 1e-3), alpha);
    return distribution * n_l * min(1.0 / max(hidden * 4.0 * n_v * n_l, 1e-4), 1.0);
}

/// The radiance that fibres reflect towards the eye. `share`: the share of uniform light that they reflect
/// (`sheen_share`).
fn sheen_light(s: Shading, l: Layers, share: f32, world: vec3f) -> vec3f {
    var sum = vec3f(0.0);
    let count = light_count(world);
    for (var i = 0u; i < count; i++) {
        let from_light = arriving(i, world);
        sum += from_light.light * sheen_lobe(s, from_light.towards, l.sheen_roughness);
    }
    if has_studio() {
        // Fibres reflect light from all around the mirror direction.
        let around = surroundings(normalize(reflect(-s.to_eye, s.normal) + s.normal), 0.5) * s.occlusion;
        let key = globals.boxes[0].z.xyz;
        // The lobe does not vanish where the light grazes; a wide light leaves the surface by and by.
        let above = smoothstep(0.0, 0.6, dot(s.normal, key));
        sum += around * share + KEY * (PI * s.key * above * sheen_lobe(s, key, l.sheen_roughness));
    }
    return l.sheen_color * sum;
}

/// Radiance towards the eye from a base and the layers over it, at the point `world`.
fn layered(s: Shading, l: Layers, world: vec3f) -> vec3f {
    var color = shone_on(s, world);
    if has_layer(TRANSMISSION_LAYER) {
        color += l.through * (1.0 - largest(reflected_share(s)));
    }
    color += l.glow;
    if has_layer(SHEEN_LAYER) {
        let share = sheen_share(l.sheen_roughness, facing_ratio(s));
        color = color * (1.0 - largest(l.sheen_color) * share) + sheen_light(s, l, share, world);
    }
    if has_layer(CLEARCOAT_LAYER) {
        // KHR_materials_clearcoat: a dielectric of index 1.5 over everything, emission included.
        var coat = s;
        coat.diffuse = vec3f(0.0);
        coat.f0 = vec3f(0.04);
        coat.f90 = 1.0;
        coat.roughness = l.clearcoat_roughness;
        coat.normal = l.clearcoat_normal;
        coat.stretch = vec4f(0.0);
        let below = color * (1.0 - l.clearcoat * largest(reflected_share(coat)));
        color = below + l.clearcoat * shone_on(coat, world);
    }
    return color;
}

/// The surface below sheen and clearcoat.
fn base_at(in: Fragment, p: Point) -> Shading {
    var s = metallic_roughness(in, p);
    if has_layer(SPECULAR_LAYER) {
        s = with_specular(in, p, s);
    }
    if has_layer(GLOSS_LAYER) {
        s = specular_glossiness(p, s);
    }
    if has_layer(ANISOTROPY_LAYER) {
        s.stretch = stretch_at(in, p);
    }
    if has_layer(IRIDESCENCE_LAYER) {
        s.f0 = with_film(in, s);
    }
    return s;
}

@fragment
fn fs_layered(in: Fragment, @builtin(front_facing) front_facing: bool) -> @location(0) vec4f {
    shade_covered_pixels_only(in.lit < -1.0);
    let p = point_at(in, front_facing);
    let s = base_at(in, p);
    let l = layers_at(in, p);
    if is_hidden(p) {
        discard;
    }
    var color = p.base.rgb + p.glow;
    if is_lit() {
        color = layered(s, l, in.world);
    }
    color = dithered(dimmed(tone(color), in), pixel_of(in.position));
    return in_picture(color, p.base.a);
}

/// The roughness of the material itself, which blurs what lies behind it: that of highlights is higher where the normal
/// turns within a pixel.
fn own_roughness(p: Point) -> f32 {
    return clamp(material.roughness * p.surface.g, 0.0, 1.0);
}

/// Glass (KHR_materials_transmission): light that is neither reflected nor scattered comes from behind it, tinted by the
/// base colour. Where nothing is behind the glass, the picture becomes as transparent as the glass is.
@fragment
fn fs_transmissive(in: Fragment, @builtin(front_facing) front_facing: bool) -> @location(0) vec4f {
    shade_covered_pixels_only(in.lit < -1.0);
    let p = point_at(in, front_facing);
    var s = base_at(in, p);
    var l = layers_at(in, p);
    let through = transmission_at(in);
    let way = way_inside(in);
    if is_hidden(p) {
        discard;
    }
    // Metal lets no light through, so the tint is what the base keeps as albedo.
    var tint = s.diffuse * through;
    s.diffuse *= 1.0 - through;
    var seen: vec4f;
    if has_layer(VOLUME_LAYER) {
        seen = seen_inside(in, s, own_roughness(p), way);
        tint *= exp(-way * material.volume.rgb);
    } else {
        seen = radiance_of(behind(in, own_roughness(p)));
    }
    l.through = tint * seen.rgb;
    let color = dithered(dimmed(tone(layered(s, l, in.world)), in), pixel_of(in.position));
    let open = dot(tint, vec3f(0.2126, 0.7152, 0.0722)) * (1.0 - largest(reflected_share(s))) * (1.0 - seen.a);
    // A translucent surface shows what lies behind it through its opacity alone, and its glass then covers fully.
    let covers = select(1.0, 1.0 - open, globals.studio.z >= 1.0);
    return in_picture(color, p.base.a) * vec4f(1.0, 1.0, 1.0, covers);
}
