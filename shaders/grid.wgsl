// Draws the ground: a pool of light around the model, its contact shadow, and grid lines that fade out with distance.
// Every tenth line is stronger, and the axes are tinted. It covers most of the picture, so divisions by uniforms are done
// for its corners, and none of its functions is computed twice.

struct Ground {
    @builtin(position) position: vec4f,
    /// x and z in world space.
    @location(0) at: vec2f,
    /// The inverses of the distance between lines, of the radius, and of the half widths of the shadow.
    @location(1) @interpolate(flat) inverse: vec4f,
}

const AXIS_X: vec3f = vec3f(0.871, 0.119, 0.152);
const AXIS_Z: vec3f = vec3f(0.102, 0.402, 0.939);

/// How far from the model its shadow reaches on the ground, as a multiple of the radius of the sphere around it.
const FARTHEST_SHADOW: f32 = 3.2;

@vertex
fn vs_grid(@builtin(vertex_index) i: u32) -> Ground {
    let corner = vec2f(f32(i & 1u), f32((i >> 1u) & 1u)) * 2.0 - 1.0;
    let at = corner * globals.grid.z;
    let inverse = 1.0 / vec4f(globals.grid.xz, max(globals.shadow.zw, vec2f(1e-12)));
    return Ground(globals.clip_from_world * vec4f(at.x, globals.grid.y, at.y, 1.0), at, inverse);
}

/// The coverage of lines at whole numbers of `at`, `pixels` wide. `slope`: how much `at` changes per pixel, and
/// `per_slope` its inverse; lines fade where they come too close to be told apart.
fn lines(at: vec2f, slope: vec2f, per_slope: vec2f, pixels: f32) -> vec2f {
    let distance_in_pixels = abs(fract(at - 0.5) - 0.5) * per_slope;
    let covered = saturate(pixels * 0.5 + 0.5 - distance_in_pixels);
    return covered * (1.0 - smoothstep(vec2f(0.08), vec2f(0.35), slope));
}

@fragment
fn fs_grid(in: Ground) -> @location(0) vec4f {
    let cell = in.at * in.inverse.x;
    let slope = max(fwidth(cell), vec2f(1e-6));
    let per_slope = 1.0 / slope;
    let fine = lines(cell, slope, per_slope, 1.0);
    let coarse = lines(cell * 0.1, slope * 0.1, per_slope * 10.0, 1.2);
    let near_axis = saturate(1.2 - abs(cell) * per_slope);

    let inside = saturate(1.0 - length(in.at) * in.inverse.y);
    let fade = inside * sqrt(inside);
    // The ground fades where it is seen edge on, since lines crowd there, and is fainter from below.
    let rise = to_eye(vec3f(in.at.x, globals.grid.y, in.at.y)).y;
    let edge_on = smoothstep(0.0, 0.25, abs(rise));
    let angle = edge_on * select(0.35, 1.0, rise > 0.0);

    let line = max(max(fine.x, fine.y) * 0.22, max(coarse.x, coarse.y) * 0.45);
    // The line z = 0 is the x axis.
    let axis = max(near_axis.x, near_axis.y) * 0.42;
    let axis_color = select(AXIS_Z, AXIS_X, near_axis.y > near_axis.x);
    let color = select(globals.grid_color.rgb, axis_color, axis >= line && axis >= 0.001);
    // Seen from below there is no floor.
    let from_shadow = in.at - globals.shadow.xy;
    let away = from_shadow * in.inverse.y;
    let pool = globals.floor_color.a * exp(-8.0 * dot(away, away)) * inside;
    let floor_alpha = select(0.0, pool * edge_on, rise > 0.0);
    let d = from_shadow * in.inverse.zw;
    let r2 = dot(d, d);
    let has_shadow = min(globals.shadow.z, globals.shadow.w) * rise > 0.0;
    var shadow = select(0.0, 0.7 * exp(-1.7 * r2) * saturate(1.0 - 0.16 * r2), has_shadow);
    if SHADOWED {
        let up = vec3f(0.0, 1.0, 0.0);
        let reach = length(from_shadow) / shadow_radius();
        let open = open_shares(in.position, vec3f(in.at.x, globals.grid.y, in.at.y), up, 0.0, reach < FARTHEST_SHADOW);
        let hidden = 1.0 - dot(open, ground_shares());
        shadow = select(0.0, 0.85 * hidden * (1.0 - smoothstep(0.7, 1.0, reach / FARTHEST_SHADOW)), has_shadow);
    }
    // From the top: lines, which are fainter in the shadow, then the shadow, the floor and what was drawn before;
    // premultiplied.
    let line_alpha = max(line, axis) * fade * angle * (1.0 - 0.8 * shadow) * globals.grid_color.w;
    let ground = globals.floor_color.rgb * floor_alpha * (1.0 - shadow);
    let covered = shadow + floor_alpha * (1.0 - shadow);
    return vec4f(color * line_alpha + ground * (1.0 - line_alpha), line_alpha + covered * (1.0 - line_alpha));
}
