// KHR_materials_anisotropy: highlights and reflections that are stretched along one direction of the surface. It takes the
// place of light/round.wgsl where a material has layers.

/// The unit vector along which highlights are stretched, and how strongly. It uses derivatives.
fn stretch_at(in: Fragment, p: Point) -> vec4f {
    var direction = material.anisotropy.yz;
    var strength = material.anisotropy.x;
    var uv = in.uv.xy;
    if has(ANISOTROPY) {
        uv = uv_of(in, ANISOTROPY);
        let texel = layer_texel(in, ANISOTROPY);
        let stored = texel.rg * 2.0 - 1.0;
        let turned = mat2x2f(direction, vec2f(-direction.y, direction.x)) * stored;
        let size = length(stored);
        direction = select(direction, turned / size, size > 0.0);
        strength *= texel.b;
    }
    if has(NORMAL) {
        uv = uv_of(in, NORMAL);
    }
    let by_tangents = TANGENTS;
    let along = tangent_frame(in, p.facing.normal, uv, by_tangents) * direction;
    let level = along - p.normal * dot(along, p.normal);
    let size = length(level);
    return select(vec4f(0.0), vec4f(level / size, clamp(strength, 0.0, 1.0)), size > 1e-6);
}

/// The specular lobe apart from the reflectance, times π: GGX that is wider along one direction, with its height-correlated
/// Smith term (Heitz 2014). `cosines`: of the angles from the normal to the light, to the eye, and to `h` halfway between
/// them.
fn lobe_of(s: Shading, light: vec3f, h: vec3f, cosines: vec3f, alpha: f32) -> f32 {
    if !has_layer(ANISOTROPY_LAYER) {
        return round_lobe(cosines.x, cosines.y, cosines.z, alpha);
    }
    let t = s.stretch.xyz;
    let b = cross(s.normal, t);
    let along = mix(alpha, 1.0, s.stretch.w * s.stretch.w);
    let a2 = along * alpha;
    let v = vec3f(alpha * dot(t, h), along * dot(b, h), a2 * cosines.z);
    let w = a2 / max(dot(v, v), 1e-12);
    let eye = length(vec3f(along * dot(t, s.to_eye), alpha * dot(b, s.to_eye), cosines.y));
    let lamp = length(vec3f(along * dot(t, light), alpha * dot(b, light), cosines.x));
    return a2 * w * w * 0.5 / max(cosines.x * eye + cosines.y * lamp, 1e-4);
}

/// The direction of the surroundings that the eye sees in the surface: mirrored by a normal that is bent away from the
/// stretched direction, as in the Khronos sample viewer.
fn mirrored(s: Shading) -> vec3f {
    if !has_layer(ANISOTROPY_LAYER) {
        return reflect(-s.to_eye, s.normal);
    }
    let b = cross(s.normal, s.stretch.xyz);
    let bent = cross(cross(b, s.to_eye), b);
    let size = length(bent);
    let kept = 1.0 - s.stretch.w * (1.0 - s.roughness);
    let normal = mix(select(s.normal, bent / size, size > 1e-4), s.normal, kept * kept * kept * kept);
    return reflect(-s.to_eye, normalize(normal));
}
