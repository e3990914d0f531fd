// Reflection that is the same along every direction of the surface.

/// The specular lobe apart from the reflectance, times π. `cosines`: of the angles from the normal to the light, to the
/// eye, and to `h` halfway between them.
fn lobe_of(s: Shading, light: vec3f, h: vec3f, cosines: vec3f, alpha: f32) -> f32 {
    return round_lobe(cosines.x, cosines.y, cosines.z, alpha);
}

/// The direction of the surroundings that the eye sees in the surface.
fn mirrored(s: Shading) -> vec3f {
    return reflect(-s.to_eye, s.normal);
}
