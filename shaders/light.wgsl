// How a surface reflects the light of its surroundings. A file of shaders/light/, which is linked too, says what light that is:
//
//     fn surroundings(direction: vec3f, alpha: f32) -> vec3f    radiance along a unit vector, blurred for GGX roughness `alpha`
//     fn surroundings_diffuse(normal: vec3f) -> vec3f           irradiance / π of a surface with this unit normal
//     const KEY: vec3f                                          irradiance / π of the lamp at `globals.boxes[0].z`, at full
//                                                               incidence; 0 without one
//
// All colours are linear.

/// A surface to be lit: a diffuse layer under a reflecting one.
struct Shading {
    /// Albedo of the diffuse layer, which gets the light that is not reflected at the surface.
    diffuse: vec3f,
    /// Reflectance at normal incidence.
    f0: vec3f,
    /// Reflectance at grazing incidence.
    f90: f32,
    /// Perceptual roughness.
    roughness: f32,
    /// Ambient occlusion: 1 where nothing hides the environment, 0 where it is hidden.
    occlusion: f32,
    /// The share of the key light that reaches the surface: 0 in its shadow.
    key: f32,
    /// The unit normal, on the side that is seen.
    normal: vec3f,
    /// The unit vector from the surface to the eye.
    to_eye: vec3f,
    /// The unit vector along which highlights are stretched, and how strongly: 0…1 (shaders/layers/anisotropy.wgsl).
    stretch: vec4f,
}

const PI: f32 = 3.14159265;
/// The share of uniform light that a GGX surface reflects: x is a factor of F0, y a factor of F90 (Lazarov 2013, Karis
/// 2014).
fn reflectance_fit(roughness: f32, n_dot_v: f32) -> vec2f {
    let r = roughness * vec4f(-1.0, -0.0275, -0.572, 0.022) + vec4f(1.0, 0.0425, 1.04, -0.04);
    let a = min(r.x * r.x, exp2(-9.28 * n_dot_v)) * r.x + r.y;
    return vec2f(-1.04, 1.04) * a + r.zw;
}

/// The part of the specular lobe that is round about the normal, times π: GGX, height-correlated Smith.
fn round_lobe(n_l: f32, n_v: f32, n_h: f32, alpha: f32) -> f32 {
    let a2 = alpha * alpha;
    let d = (n_h * a2 - n_h) * n_h + 1.0;
    let ggx = a2 / (d * d);
    let smith = 0.5 / max(n_l * sqrt(n_v * n_v * (1.0 - a2) + a2) + n_v * sqrt(n_l * n_l * (1.0 - a2) + a2), 1e-4);
    return ggx * smith;
}

/// The specular lobe for light from direction `light`, times π and the cosine at the light: GGX, height-correlated
/// Smith, Schlick.
fn key_specular(s: Shading, light: vec3f, alpha: f32) -> vec3f {
    let h = normalize(light + s.to_eye);
    let n_l = clamp(dot(s.normal, light), 0.0, 1.0);
    let n_v = max(dot(s.normal, s.to_eye), 1e-3);
    let n_h = clamp(dot(s.normal, h), 0.0, 1.0);
    let grazing = 1.0 - clamp(dot(s.to_eye, h), 0.0, 1.0);
    let grazing2 = grazing * grazing;
    let f = s.f0 + (s.f90 - s.f0) * (grazing2 * grazing2 * grazing);
    return f * (lobe_of(s, light, h, vec3f(n_l, n_v, n_h), alpha) * n_l);
}

/// The cosine of the angle between the normal and the direction to the eye; 0 where the normal faces away.
fn facing_ratio(s: Shading) -> f32 {
    return clamp(dot(s.normal, s.to_eye), 0.0, 1.0);
}

/// The share of uniform light that is reflected at the surface, including light that bounces more than once within its
/// roughness.
fn reflected_share(s: Shading) -> vec3f {
    let fit = reflectance_fit(s.roughness, facing_ratio(s));
    // Adds back what single scattering loses at high roughness (Fdez-Agüera 2019).
    let single = s.f0 * fit.x + s.f90 * fit.y;
    return single * (1.0 + s.f0 * (1.0 / max(fit.x + fit.y, 0.05) - 1.0));
}

/// The share of the light of the surroundings that reaches a point of this albedo, of which `open` is not hidden: light also
/// bounces from what hides the rest (after Jimenez et al. 2016, "Practical Realtime Strategies for Accurate Indirect
/// Occlusion"). Even the deepest hollow gets some.
fn bounced(open: f32, albedo: vec3f) -> vec3f {
    let share = mix(0.12, 1.0, open);
    return share / (1.0 - albedo * (1.0 - share));
}

/// Radiance from the surroundings towards the eye, without emission. Light that is not reflected goes to the diffuse layer;
/// how much that is follows the strongest channel, so that a coloured reflection does not leave its complement behind
/// (KHR_materials_specular, fresnel_mix).
fn lit(s: Shading) -> vec3f {
    let alpha = max(s.roughness * s.roughness, 0.002);
    let specular = reflected_share(s);
    let mirror = mirrored(s);
    // Where nothing is occluded, nothing is hidden from the mirrored direction.
    var sees = 1.0;
    if has(OCCLUSION) || SHADOWED {
        let open = pow(facing_ratio(s) + s.occlusion, exp2(-16.0 * alpha - 1.0));
        // What hides the rest is not black.
        sees = mix(0.2, 1.0, clamp(open - 1.0 + s.occlusion, 0.0, 1.0));
    }

    let key = globals.boxes[0].z.xyz;
    let n_l = clamp((dot(s.normal, key) + 0.12) / 1.12, 0.0, 1.0);
    // The key light is a large lamp: no highlight is sharper than it.
    let key_alpha = clamp(alpha + 0.06, 0.0, 1.0);
    var sum = (s.diffuse * (1.0 - largest(specular))) * (surroundings_diffuse(s.normal) * bounced(s.occlusion, s.diffuse) + KEY * (n_l * s.key));
    sum += specular * surroundings(normalize(mix(mirror, s.normal, alpha * alpha)), alpha) * sees;
    sum += key_specular(s, key, key_alpha) * (KEY * s.key);
    return sum;
}
