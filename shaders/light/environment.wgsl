// The light of an environment: a picture of the whole sphere, which was filtered once for each roughness
// (shaders/prefilter.wgsl). What a surface reflects is its radiance from there times `reflected_share` (split sum, Karis 2013).

/// Its largest level is the picture as it is, the last but one is for surfaces of GGX roughness 1, and the last is
/// irradiance / π. From the second level on each is for e times the roughness of the one before.
@group(0) @binding(8) var environment_texture: texture_cube<f32>;
@group(0) @binding(9) var environment_sampler: sampler;

/// The cube root of the least roughness of a surface, which `lit` has. Below the second level the level is linear in that root.
const SHARPEST: f32 = 0.126;

const KEY: vec3f = vec3f(0.0);

/// Radiance from a level of the texture along a direction of the world.
fn environment_level(direction: vec3f, level: f32) -> vec3f {
    let turn = globals.environment.xy;
    let x = direction.x * turn.x - direction.z * turn.y;
    let z = direction.x * turn.y + direction.z * turn.x;
    let texel = textureSampleLevel(environment_texture, environment_sampler, vec3f(x, direction.y, z), level);
    return texel.rgb * globals.environment.z;
}

/// Radiance of the surroundings along `direction`, blurred for a surface of GGX roughness `alpha`.
fn surroundings(direction: vec3f, alpha: f32) -> vec3f {
    let roughest = globals.environment.w;
    let sharp = (pow(alpha, 1.0 / 3.0) - SHARPEST) / (exp((1.0 - roughest) / 3.0) - SHARPEST);
    return environment_level(direction, clamp(max(min(sharp, 1.0), roughest + log(alpha)), 0.0, roughest));
}

/// Irradiance / π of the surroundings.
fn surroundings_diffuse(normal: vec3f) -> vec3f {
    return environment_level(normal, globals.environment.w + 1.0);
}
