// The directions that the depths of the model are drawn from, and where in its layer of the texture each of them is.
// skinscope_render/src/shadow chooses them; skinscope_render/src/layouts.rs declares the same structs in Rust.

struct Shadows {
    /// How many pairs of opposite views of the surroundings, and how many views of the key light, each pixel of a block of
    /// 2 × 2 looks up; zw unused.
    counts: vec4u,
    /// The centre (xyz) and the radius (w) of the sphere around the model, world space, metres.
    sphere: vec4f,
    /// The side of a view of the surroundings (x) and of one of the key light (y), texels of their layers; zw unused.
    sides: vec4f,
    /// A depth is the sum of a texel's first two channels times the first two of these numbers. z: how much of the light
    /// on the ground comes from the key light; w: how much from its surroundings.
    digits: vec4f,
    /// xyz: the axes of the key light, unit vectors in world space: the second points towards it; w unused.
    key: array<vec4f, 3>,
}

@group(0) @binding(10) var<uniform> shadows: Shadows;

/// The sphere around the model, as the unit sphere.
fn in_sphere(world: vec3f) -> vec3f {
    return (world - shadows.sphere.xyz) / shadows.sphere.w;
}

/// A point in the axes of the key light.
fn in_key(p: vec3f) -> vec3f {
    return vec3f(dot(shadows.key[0].xyz, p), dot(shadows.key[1].xyz, p), dot(shadows.key[2].xyz, p));
}

/// How much the azimuth of a direction differs from that of the one before it, turns, and how much its share of the area
/// of the half sphere, or of the key light, below it: an additive sequence, of which any part is spread evenly. The
/// numbers gave the least error of visible half spaces for 16, 32 and 64 directions among 500 choices.
const AZIMUTH_STEP: f32 = 0.3189162596;
const SHARE_STEP: f32 = 0.7821721673;
const FIRST_SHARE: f32 = 0.4674848555;

/// A direction of a sequence, of which the first axis is up.
struct Direction {
    /// The cosine and the sine of its azimuth.
    turn: vec2f,
    /// The share of the area that lies below it, 0…1.
    share: f32,
}

fn nth_direction(n: f32) -> Direction {
    let azimuth = 6.2831853 * fract(n * AZIMUTH_STEP);
    return Direction(vec2f(cos(azimuth), sin(azimuth)), fract(FIRST_SHARE + n * SHARE_STEP));
}

/// The direction four places after this one: each pixel of a block of 2 × 2 has every fourth.
fn fourth_after(direction: Direction) -> Direction {
    let step = 6.2831853 * fract(4.0 * AZIMUTH_STEP);
    let cosine = cos(step);
    let sine = sin(step);
    let turn = direction.turn;
    let turned = vec2f(turn.x * cosine - turn.y * sine, turn.x * sine + turn.y * cosine);
    return Direction(turned, fract(direction.share + fract(4.0 * SHARE_STEP)));
}

/// How far a direction of the surroundings points up, which the half sphere has in equal shares.
fn up_around(share: f32) -> f32 {
    return 1.0 - share;
}

/// How far a direction of the key light points along its axis.
fn up_in_key(share: f32) -> f32 {
    return inverseSqrt(1.0 + KEY_SPREAD * KEY_SPREAD * share);
}

/// A parallel projection of a point of the unit sphere to −1…1; z rises along a direction with this turn around the second axis
/// and this component `up` of that axis.
fn seen_along(turn: vec2f, up: f32, p: vec3f) -> vec3f {
    let level = sqrt(max(1.0 - up * up, 0.0));
    let out = turn.x * p.x + turn.y * p.z;
    return vec3f(turn.x * p.z - turn.y * p.x, level * p.y - up * out, level * out + up * p.y);
}

/// The tangent of half the angle that the key light is wide, as its shadows have it.
const KEY_SPREAD: f32 = 0.14;

/// The most views of the surroundings.
const AMBIENT_VIEWS: u32 = 128u;
/// How many views lie side by side in each of the layers, and below one another: of the surroundings, then of the key
/// light.
const AMBIENT_TILES: vec2u = vec2u(16u, 8u);
const KEY_TILES: vec2u = vec2u(8u, 4u);

/// The column and the row of view `n` among `tiles`.
fn tile_of(n: u32, tiles: vec2u) -> vec2f {
    return vec2f(f32(n % tiles.x), f32(n / tiles.x));
}
