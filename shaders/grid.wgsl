// Draws the ground: a pool of light around the model, its contact shadow, and grid lines that fade out with distance.
// Every tenth line is stronger, and the axes are tinted.

struct Ground {
    @builtin(position) position: vec4f,
    @location(0) world: vec3f,
}

const AXIS_X: vec3f = vec3f(0.871, 0.119, 0.152);
const AXIS_Z: vec3f = vec3f(0.102, 0.402, 0.939);

@vertex
fn vs_grid(@builtin(vertex_index) i: u32) -> Ground {
    let corner = vec2f(f32(i & 1u), f32((i >> 1u) & 1u)) * 2.0 - 1.0;
    let at = corner * globals.grid.z;
    let world = vec3f(at.x, globals.grid.y, at.y);
    return Ground(globals.clip_from_world * vec4f(world, 1.0), world);
}

/// The coverage of lines at whole numbers of `at`, `pixels` wide. `slope`: how much `at` changes per pixel; lines fade
/// where they come too close to be told apart.
fn lines(at: vec2f, slope: vec2f, pixels: f32) -> vec2f {
    let distance_in_pixels = abs(fract(at - 0.5) - 0.5) / slope;
    let covered = clamp(pixels * 0.5 + 0.5 - distance_in_pixels, vec2f(0.0), vec2f(1.0));
    return covered * (1.0 - smoothstep(vec2f(0.08), vec2f(0.35), slope));
}

@fragment
fn fs_grid(in: Ground) -> @location(0) vec4f {
    let cell = in.world.xz / globals.grid.x;
    let slope = max(fwidth(cell), vec2f(1e-6));
    let fine = lines(cell, slope, 1.0);
    let coarse = lines(cell * 0.1, slope * 0.1, 1.2);
    let near_axis = clamp(1.2 - abs(cell) / slope, vec2f(0.0), vec2f(1.0));

    let reach = length(in.world.xz) / globals.grid.z;
    let fade = pow(clamp(1.0 - reach, 0.0, 1.0), 1.5);
    // The ground fades where it is seen edge on, since lines crowd there, and is fainter from below.
    let rise = to_eye(in.world).y;
    let angle = smoothstep(0.0, 0.25, abs(rise)) * select(0.35, 1.0, rise > 0.0);

    let line = max(max(fine.x, fine.y) * 0.22, max(coarse.x, coarse.y) * 0.45);
    // The line z = 0 is the x axis.
    let axis = max(near_axis.x, near_axis.y) * 0.42;
    let axis_color = select(AXIS_Z, AXIS_X, near_axis.y > near_axis.x);
    let color = mix(globals.grid_color.rgb, axis_color, step(line, axis) * step(0.001, axis));
    // Seen from below there is no floor.
    let away = length(in.world.xz - globals.shadow.xy) / globals.grid.z;
    let pool = globals.floor_color.a * exp(-8.0 * away * away) * clamp(1.0 - reach, 0.0, 1.0);
    let floor_alpha = pool * smoothstep(0.0, 0.25, rise);
    var shadow = 0.0;
    if min(globals.shadow.z, globals.shadow.w) * rise > 0.0 {
        let d = (in.world.xz - globals.shadow.xy) / globals.shadow.zw;
        let r2 = dot(d, d);
        shadow = 0.7 * exp(-1.7 * r2) * clamp(1.0 - 0.16 * r2, 0.0, 1.0);
    }
    // From the top: lines, which are fainter in the shadow, then the shadow, the floor and what was drawn before;
    // premultiplied.
    let line_alpha = max(line, axis) * fade * angle * (1.0 - 0.8 * shadow) * globals.grid_color.w;
    let ground = globals.floor_color.rgb * floor_alpha * (1.0 - shadow);
    let covered = shadow + floor_alpha * (1.0 - shadow);
    return vec4f(color * line_alpha + ground * (1.0 - line_alpha), line_alpha + covered * (1.0 - line_alpha));
}
