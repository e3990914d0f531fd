// Draws the environment behind everything, a little out of focus.

/// The level that is shown: that of a surface which is almost a mirror.
const OUT_OF_FOCUS: f32 = 1.0;

@fragment
fn fs_surroundings(in: Screen) -> @location(0) vec4f {
    let pixel = pixel_of(in.position);
    let at = pixel * globals.viewport.zw * 2.0 - 1.0;
    let across = at.x * globals.lens.x * globals.view_x.xyz - at.y * globals.lens.y * globals.view_y.xyz;
    let view = across - globals.view_z.xyz;
    let color = tone(environment_level(normalize(view), OUT_OF_FOCUS));
    return vec4f(dithered(color, pixel), 1.0);
}
