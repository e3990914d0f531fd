// Draws the studio backdrop behind everything: a radial gradient whose centre lies a little above the middle of the
// picture.

@fragment
fn fs_background(in: Screen) -> @location(0) vec4f {
    let aspect = globals.viewport.x * globals.viewport.w;
    let at = (in.uv - vec2f(0.5, 0.46)) * vec2f(max(aspect, 1.0), max(1.0 / aspect, 1.0));
    // Distances are relative to that of the lower corners, so that the gradient ends there for any shape of the window.
    let corner = length(vec2f(0.5, 0.54) * vec2f(max(aspect, 1.0), max(1.0 / aspect, 1.0)));
    let t = smoothstep(0.0, 1.0, length(at) / corner);
    let color = linear_from_srgb(mix(globals.background_inner.rgb, globals.background_outer.rgb, t));
    return vec4f(dithered(color, pixel_of(in.position)), 1.0);
}
