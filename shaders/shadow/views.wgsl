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
    /// xyz: the unit vector towards the light of each view, those of the surroundings first, in pairs of opposite ones,
    /// then those of the key light; w unused.
    towards: array<vec4f, 160>,
}

@group(0) @binding(10) var<uniform> shadows: Shadows;

/// The sphere around the model, as the unit sphere.
fn in_sphere(world: vec3f) -> vec3f {
    return (world - shadows.sphere.xyz) / shadows.sphere.w;
}

/// A parallel projection of a point of the unit sphere to −1…1; z rises along `towards`, a unit vector. The other two
/// axes are those of Duff et al. 2017, "Building an Orthonormal Basis, Revisited".
fn seen_along(towards: vec3f, p: vec3f) -> vec3f {
    let side = select(-1.0, 1.0, towards.z >= 0.0);
    let across = dot(towards.xy, p.xy);
    let along = -across / (side + towards.z) - p.z;
    return vec3f(p.x + side * towards.x * along, side * p.y + towards.y * along, across + towards.z * p.z);
}

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
