// Roughness from black to white; metal is copper in place of grey.

fn look_color(in: Fragment, p: Point) -> vec3f {
    let rough = select(material.roughness * p.surface.g, 1.0 - material.specular.w * p.surface.a, GLOSSY);
    let metal = select(clamp(material.metallic * p.surface.b, 0.0, 1.0), 0.0, GLOSSY);
    let brightness = mix(0.05, 1.0, clamp(rough, 0.0, 1.0));
    let tint = mix(vec3f(1.0), vec3f(1.0, 0.56, 0.30), metal);
    return linear_from_srgb(tint * brightness);
}
