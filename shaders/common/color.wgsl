// Colour spaces and dithering.

fn largest(v: vec3f) -> f32 {
    return max(v.x, max(v.y, v.z));
}

fn srgb_from_linear(linear: vec3f) -> vec3f {
    let c = clamp(linear, vec3f(0.0), vec3f(1.0));
    return select(1.055 * pow(c, vec3f(1.0 / 2.4)) - 0.055, c * 12.92, c <= vec3f(0.0031308));
}

fn linear_from_srgb(srgb: vec3f) -> vec3f {
    let c = max(srgb, vec3f(0.0));
    return select(pow((c + 0.055) / 1.055, vec3f(2.4)), c / 12.92, c <= vec3f(0.04045));
}

/// Interleaved gradient noise (Jimenez 2014), 0…1: even over neighbouring pixels, so that it hides steps of 1/255.
fn noise(pixel: vec2f) -> f32 {
    return fract(52.9829189 * fract(dot(floor(pixel), vec2f(0.06711056, 0.00583715))));
}

/// Adds noise of half a step either way to a linear colour that will be stored in an 8-bit sRGB target. (The slope of
/// the sRGB curve is close to 2 √c.)
fn dithered(linear: vec3f, pixel: vec2f) -> vec3f {
    return linear + (noise(pixel) - 0.5) / 255.0 * 2.0 * sqrt(max(linear, vec3f(0.0)));
}
