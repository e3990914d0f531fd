// KHR_materials_iridescence: interference in a thin film (Belcour & Barla 2017), as in the Khronos sample viewer.

/// Colours of interference for light whose two ways differ by `difference` nanometres and by a phase `shift`: the
/// response of the eye, fitted by Gaussians in the domain of frequencies; linear RGB.
fn interference(difference: f32, shift: vec3f) -> vec3f {
    let phase = 2.0 * PI * difference * 1e-9;
    let value = vec3f(5.4856e-13, 4.4201e-13, 5.2481e-13);
    let place = vec3f(1.6810e6, 1.7953e6, 2.2084e6);
    let variance = vec3f(4.3278e9, 9.3046e9, 6.6121e9);
    var xyz = value * sqrt(2.0 * PI * variance) * cos(place * phase + shift) * exp(-phase * phase * variance);
    xyz.x += 9.7470e-14 * sqrt(2.0 * PI * 4.5282e9) * cos(2.2399e6 * phase + shift.x) * exp(-4.5282e9 * phase * phase);
    xyz /= 1.0685e-7;
    return mat3x3f(
        vec3f(3.2404542, -0.9692660, 0.0556434),
        vec3f(-1.5371385, 1.8760108, -0.2040259),
        vec3f(-0.4985314, 0.0415560, 1.0572252),
    ) * xyz;
}

/// Reflectance at normal incidence at the boundary of two indices of refraction.
fn boundary(here: vec3f, to: vec3f) -> vec3f {
    let ratio = (to - here) / (to + here);
    return ratio * ratio;
}

/// The reflectance in air of a film of index `film` and of `thickness` nanometres over a base that reflects `f0` at normal
/// incidence, at this cosine of the angle to the normal.
fn film_reflectance(film: f32, cosine: f32, thickness: f32, f0: vec3f) -> vec3f {
    // A film that is much thinner than light's waves is not there.
    let index = mix(1.0, film, smoothstep(0.0, 0.03, thickness));
    let sine2 = (1.0 - cosine * cosine) / (index * index);
    let inside = sqrt(max(1.0 - sine2, 0.0));
    let first = boundary(vec3f(1.0), vec3f(index)).x;
    let outer = first + (1.0 - first) * fifth(1.0 - cosine);
    let through = 1.0 - outer;
    let root = sqrt(clamp(f0, vec3f(0.0), vec3f(0.9999)));
    let base = (1.0 + root) / (1.0 - root);
    let second = boundary(vec3f(index), base);
    let inner = second + (1.0 - second) * fifth(1.0 - inside);
    // Light that is reflected by what is denser turns its phase.
    let shift = PI + select(vec3f(0.0), vec3f(PI), base < vec3f(index));
    let difference = 2.0 * index * thickness * inside;
    let both = clamp(outer * inner, vec3f(1e-5), vec3f(0.9999));
    let back = through * through * inner / (1.0 - both);
    var sum = outer + back;
    let amplitude = sqrt(both);
    var order = (back - through) * amplitude;
    sum += order * 2.0 * interference(difference, shift);
    order *= amplitude;
    sum += order * 2.0 * interference(2.0 * difference, 2.0 * shift);
    return max(sum, vec3f(0.0));
}

fn fifth(x: f32) -> f32 {
    return x * x * x * x * x;
}

/// The reflectance at normal incidence of a surface with its film: the one by which Schlick's curve goes through what the
/// film reflects towards the eye.
fn with_film(in: Fragment, s: Shading) -> vec3f {
    var factor = material.iridescence.x;
    if has(IRIDESCENCE) {
        factor *= layer_texel(in, IRIDESCENCE).r;
    }
    var thickness = material.iridescence.w;
    if has(IRIDESCENCE_THICKNESS) {
        let chosen = layer_texel(in, IRIDESCENCE_THICKNESS).g;
        thickness = mix(material.iridescence.z, material.iridescence.w, chosen);
    }
    let cosine = facing_ratio(s);
    let reflected = film_reflectance(material.iridescence.y, cosine, thickness, s.f0);
    let grazing = min(fifth(1.0 - cosine), 0.9999);
    let f0 = clamp((reflected - s.f90 * grazing) / (1.0 - grazing), vec3f(0.0), vec3f(1.0));
    return mix(s.f0, f0, clamp(select(0.0, factor, thickness > 0.0), 0.0, 1.0));
}
