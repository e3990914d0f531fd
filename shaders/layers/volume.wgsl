// KHR_materials_volume and KHR_materials_dispersion: light is bent where it enters a body, and goes on for the thickness of
// the body before it is looked up in the picture of what lies behind. It is not bent again where it leaves.

/// Radiance, premultiplied, of a colour of the picture, which has been through the tone curve.
fn radiance_of(seen: vec4f) -> vec4f {
    return vec4f(untoned(seen.rgb / max(seen.a, 1e-4)) * seen.a, seen.a);
}

/// How far light goes inside the body, metres.
fn way_inside(in: Fragment) -> f32 {
    if !has_layer(VOLUME_LAYER) {
        return 0.0;
    }
    var thickness = material.volume.w * abs(in.side);
    if has(THICKNESS) {
        thickness *= layer_texel(in, THICKNESS).g;
    }
    return thickness;
}

/// What light of index `ior` brings from behind the body; radiance, premultiplied.
fn bent_behind(in: Fragment, s: Shading, roughness: f32, way: f32, ior: f32) -> vec4f {
    let leaves = in.world + refract(-s.to_eye, s.normal, 1.0 / ior) * way;
    let clip = globals.clip_from_world * vec4f(leaves, 1.0);
    let ends = (clip.xy / max(clip.w, 1e-6) * vec2f(0.5, -0.5) + 0.5) * globals.viewport.xy;
    let target_size = vec2f(textureDimensions(behind_texture));
    let uv = (ends + vec2f(globals.studio.w, -globals.studio.y)) / target_size;
    let sharp = textureSampleLevel(behind_texture, behind_sampler, uv, 0.0);
    return radiance_of(blurred_behind(uv, level_behind(in, roughness), sharp));
}

/// What is seen through the body; radiance, premultiplied. With dispersion red, green and blue are bent by three indices.
fn seen_inside(in: Fragment, s: Shading, roughness: f32, way: f32) -> vec4f {
    let ior = material.transmission.z;
    let green = bent_behind(in, s, roughness, way, ior);
    if !has_layer(DISPERSION_LAYER) {
        return green;
    }
    let spread = material.transmission.w;
    let red = bent_behind(in, s, roughness, way, max(ior - spread, 1.0));
    let blue = bent_behind(in, s, roughness, way, ior + spread);
    return vec4f(red.r, green.g, blue.b, (red.a + green.a + blue.a) / 3.0);
}
