// The coordinates of the base colour's texture as squares: eight by eight large ones in colours that turn from left to
// right and darken from top to bottom, and in each eight by eight small ones. Each large square has its column as a letter and its row as a
// number, counted from where the texture begins: A1 is the corner of coordinates 0, 0. Letters that are mirrored tell of mirrored coordinates.

/// The signs A to H, then 1 to 8: five by six dots, a bit each, rows from the top.
const SIGNS = array<u32, 16>(
    0x231fc62eu, 0x1f18be2fu, 0x3c10843eu, 0x1f18c62fu, 0x3e10bc3fu, 0x0210bc3fu, 0x3d18e43eu, 0x2318fe31u,
    0x1c4210c4u, 0x3e10ba0fu, 0x1f083a0fu, 0x108fa529u, 0x1f083c3fu, 0x1d18bc2eu, 0x0842221fu, 0x1d18ba2eu,
);

/// How many dots a large square is wide and high, and where in it the two signs begin.
const DOTS: f32 = 15.0;
const FIRST_DOT: vec2f = vec2f(2.0, 4.5);

/// 1 where a sign has a dot, else 0.
fn dot_of(sign: u32, at: vec2f) -> f32 {
    let inside = all(at >= vec2f(0.0)) && all(at < vec2f(5.0, 6.0));
    let bit = u32(clamp(at.y, 0.0, 5.0)) * 5u + u32(clamp(at.x, 0.0, 4.0));
    return select(0.0, f32((sign >> bit) & 1u), inside);
}

/// The part of a pixel that the signs of a square cover. `uv`: in large squares.
fn signs(uv: vec2f, soft: vec2f) -> f32 {
    var signs = SIGNS;
    let cell = vec2u(clamp(floor(uv) - 8.0 * floor(uv / 8.0), vec2f(0.0), vec2f(7.0)));
    let at = fract(uv) * DOTS - FIRST_DOT;
    let is_second = at.x >= 5.5;
    let sign = signs[select(cell.x, 8u + cell.y, is_second)];
    // Between the middles of four dots, so that edges are smooth.
    let p = at - vec2f(select(0.0, 6.0, is_second), 0.0) - 0.5;
    let low = floor(p);
    let part = p - low;
    let above = mix(dot_of(sign, low), dot_of(sign, low + vec2f(1.0, 0.0)), part.x);
    let below = mix(dot_of(sign, low + vec2f(0.0, 1.0)), dot_of(sign, low + 1.0), part.x);
    let edge = clamp(max(soft.x, soft.y) * DOTS, 0.15, 1.0) * 0.5;
    let covered = smoothstep(0.5 - edge, 0.5 + edge, mix(above, below, part.y));
    // Signs that are too small to be read are left out.
    return covered * (1.0 - smoothstep(0.7, 1.4, max(soft.x, soft.y) * DOTS));
}

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
    let ground = color * mix(0.62, 1.0, large) * mix(0.88, 1.0, small);
    let squares = ground * (1.0 - 0.8 * signs(uv * 8.0, fwidth(uv * 8.0)));
    let facing = clamp(dot(p.normal, to_eye(in.world)), 0.0, 1.0);
    let has_uv = (UV_SETS & 3u) != 0u;
    return linear_from_srgb(select(vec3f(0.45), squares, has_uv) * mix(0.7, 1.0, facing));
}
