// The directions that the depths of the model are drawn from, and where in its layer of the texture each of them is.
// skinscope_render/src/shadow chooses them; skinscope_render/src/layouts.rs declares the same structs in Rust.

/// A parallel projection of the sphere around the model to −1…1: rows for (world, 1).
struct ShadowView {
    x: vec4f,
    y: vec4f,
    /// Rises towards the light.
    z: vec4f,
}

struct Shadows {
    /// How many pairs of opposite views of the surroundings, and how many views of the key light, each pixel of a block of
    /// 2 × 2 looks up; zw unused.
    counts: vec4u,
    /// The radius of the sphere, metres; the sides of a view of the surroundings and of one of the key light, in texels
    /// of their layers; w unused.
    sizes: vec4f,
    /// A depth is the sum of a texel's first two channels times the first two of these numbers. z: how much of the light
    /// on the ground comes from the key light; w: how much from its surroundings.
    digits: vec4f,
    /// Those of the surroundings, then those of the key light.
    views: array<ShadowView, 160>,
}

@group(0) @binding(10) var<uniform> shadows: Shadows;

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
