// Light reaches every point: there are no shadows. light/shadowed.wgsl can take the place of this file.

/// True where shadows are computed.
const SHADOWED: bool = false;

/// The shares of the key light and of the surroundings that reach a point.
fn open_shares(position: vec4f, world: vec3f, normal: vec3f, casts: f32, is_near: bool) -> vec2f {
    return vec2f(1.0);
}

/// How much of the light on the ground comes from the key light (x), and how much from its surroundings (y).
fn ground_shares() -> vec2f {
    return vec2f(0.0);
}

/// The radius of the sphere around the model that casts shadows, metres.
fn shadow_radius() -> f32 {
    return 1.0;
}
