// The coordinates of the base colour's texture as squares: eight by eight large ones in colours that turn from left to
// right and darken from top to bottom, and in each eight by eight small ones.

fn checker(at: vec2f) -> f32 {
    // The part of a pixel that lies in light squares: a wave as steep as the pixel is small.
    let soft = max(fwidth(at), vec2f(1e-4));
    let wave = clamp((abs(fract(at * 0.5) * 2.0 - 1.0) - 0.5) / soft + 0.5, vec2f(0.0), vec2f(1.0));
    let mixed = wave.x * wave.y + (1.0 - wave.x) * (1.0 - wave.y);
    return mix(mixed, 0.5, smoothstep(0.5, 1.5, max(soft.x, soft.y)));
}

fn look_color(in: Fragment, p: Point) -> vec3f {
    let uv = uv_of(in, BASE_COLOR);
    let large = checker(uv * 8.0);
    let small = checker(uv * 64.0);
    let cell = (floor(uv * 8.0) + 0.5) / 8.0;
    let at = cell - floor(cell);
    let hue = 0.5 + 0.5 * cos(6.2831853 * (at.x + vec3f(0.0, 0.667, 0.333)));
    let color = mix(vec3f(0.80), hue, 0.50) * mix(1.0, 0.72, at.y);
    let squares = color * mix(0.62, 1.0, large) * mix(0.88, 1.0, small);
    let facing = clamp(dot(p.normal, to_eye(in.world)), 0.0, 1.0);
    let has_uv = (UV_SETS & 3u) != 0u;
    return linear_from_srgb(select(vec3f(0.45), squares, has_uv) * mix(0.7, 1.0, facing));
}
