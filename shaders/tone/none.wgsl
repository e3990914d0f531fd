// No tone map: what is brighter than the screen is cut off.

fn tone(linear: vec3f) -> vec3f {
    return clamp(linear, vec3f(0.0), vec3f(1.0));
}

/// The inverse of `tone`, where it has one.
fn untoned(toned: vec3f) -> vec3f {
    return toned;
}
