// The lights of the file (KHR_lights_punctual). Each shines from one direction, and surfaces reflect it like the
// studio's key light.

struct Light {
    /// xyz: world position; w: 1 / range², or 0 where the light reaches everywhere.
    position: vec4f,
    /// xyz: unit vector along the beam; w: 0 for a directional light, 1 for one that has a position.
    direction: vec4f,
    /// Linear irradiance on a surface that faces the light; for a light with a position, one metre away from it.
    color: vec4f,
    /// x, y: factor and offset that turn the cosine of the angle to the beam into a brightness; 0 and 1 without a cone.
    cone: vec4f,
}

@group(0) @binding(4) var<storage, read> lights: array<Light>;

/// Radiance towards the eye for light of unit irradiance from direction `light` (unit, away from the surface): Lambert
/// under GGX (glTF 2.0, B.3).
fn reflected(s: Shading, light: vec3f) -> vec3f {
    let n_l = clamp(dot(s.normal, light), 0.0, 1.0);
    let h = normalize(light + s.to_eye);
    let grazing = 1.0 - clamp(dot(s.to_eye, h), 0.0, 1.0);
    let grazing2 = grazing * grazing;
    let f = s.f0 + (s.f90 - s.f0) * (grazing2 * grazing2 * grazing);
    let alpha = max(s.roughness * s.roughness, 0.002);
    return (s.diffuse * ((1.0 - largest(f)) * n_l) + key_specular(s, light, alpha)) / PI;
}

/// The light that arrives at a point.
struct Arriving {
    /// The unit vector from the point to the light.
    towards: vec3f,
    /// Irradiance on a surface that faces the light.
    light: vec3f,
}

/// The light that arrives at the point `world` from light `i`.
fn arriving(i: u32, world: vec3f) -> Arriving {
    let light = lights[i];
    if light.direction.w < 0.5 {
        return Arriving(-light.direction.xyz, light.color.rgb);
    }
    let away = light.position.xyz - world;
    let squared = max(dot(away, away), 1e-12);
    let towards = away * inverseSqrt(squared);
    let faded = squared * light.position.w;
    let cone = clamp(dot(light.direction.xyz, -towards) * light.cone.x + light.cone.y, 0.0, 1.0);
    let strength = clamp(1.0 - faded * faded, 0.0, 1.0) * cone * cone / squared;
    return Arriving(towards, light.color.rgb * strength);
}

/// Radiance towards the eye from all lights: those of the file, and the studio's where they are on.
fn shone_on(s: Shading, world: vec3f) -> vec3f {
    var sum = vec3f(0.0);
    let count = light_count(world);
    for (var i = 0u; i < count; i++) {
        let from_light = arriving(i, world);
        sum += reflected(s, from_light.towards) * from_light.light;
    }
    if has_studio() {
        sum += lit(s);
    }
    return sum;
}
