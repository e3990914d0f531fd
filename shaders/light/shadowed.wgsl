// The shares of the light that reach a point past the model itself: of the key light, which gives soft shadows, and of
// the surroundings (ambient occlusion). The depths of the model are drawn from many directions (shadow/views.wgsl), from
// all around for the surroundings and in a cone for the key light; the point gets light from those directions from which
// nothing nearer was drawn. light/open.wgsl takes the place of this file where there are no shadows.

/// The first layer is for the surroundings, the second for the key light.
@group(0) @binding(11) var depths: texture_2d_array<f32>;

/// True where shadows are computed.
const SHADOWED: bool = true;

/// How far a point is moved along its normal before it is looked up, in texels of a view, so that a surface does not
/// hide itself.
const LIFT: f32 = 2.0;
/// How much deeper than what was drawn a point may lie and still get light, in texels of a view.
const SLACK: f32 = 1.0;
/// How far a surface may turn away from the key light and still get some of it: see `lit`.
const WRAP: f32 = 0.12;

/// The texel of a view, and the depth, where the view sees a point of the unit sphere. `ahead`: 1, or −1 for the opposite
/// view; `tile`: the first texel of the view; `side`: how many it has.
fn seen_at(towards: vec3f, ahead: f32, at: vec3f, tile: vec2f, side: f32, shift: vec2f) -> vec3f {
    let p = seen_along(towards, at);
    let texel = clamp((p.xy * vec2f(0.5, -0.5) + 0.5) * side + shift, vec2f(0.0), vec2f(side - 1.0));
    return vec3f(tile + texel, min(0.5 - 0.5 * ahead * p.z, 1.0) - SLACK / side);
}

/// The mean of a value over the block of 2 × 2 pixels that pixel `lane` belongs to.
fn mean_of_block(value: vec4f, lane: u32) -> vec4f {
    let row = value + select(0.5, -0.5, (lane & 1u) == 1u) * dpdxFine(value);
    return row + select(0.5, -0.5, (lane & 2u) == 2u) * dpdyFine(row);
}

/// The shares of the key light (x) and of the surroundings (y), 0…1, that reach a point with this unit normal. `casts`:
/// 1 for a point of the model, which the depths have too, otherwise 0. Points that are not near the model get all of
/// the light. The pixels of a block look up different
/// directions and share what they find, so this uses derivatives, and has to be called before any discard.
fn open_shares(position: vec4f, world: vec3f, normal: vec3f, casts: f32, is_near: bool) -> vec2f {
    let pixel = vec2u(position.xy);
    let lane = (pixel.x & 1u) + 2u * (pixel.y & 1u);
    let sides = shadows.sides.xy;
    let lift = casts * LIFT * 2.0 / sides;
    let at = in_sphere(world);
    // Of the key light: what arrives, and what would without the model; then the same of the surroundings.
    var sums = vec4f(0.0);

    let around = at + normal * lift.x;
    let counts = select(vec2u(0u), shadows.counts.xy, is_near);
    // Of each pair of opposite views one is above the surface.
    let pairs = apart(counts.x, bitcast<u32>(world.x));
    for (var i = 0u; i < pairs; i++) {
        let first = 2u * (lane * pairs + i);
        let towards = shadows.towards[first].xyz;
        let facing = dot(towards, normal);
        let ahead = select(1.0, -1.0, facing < 0.0);
        let n = select(first, first + 1u, facing < 0.0);
        // The sky is brighter than the ground.
        let weight = abs(facing) * (0.62 + 0.225 * ahead * towards.y);
        let shift = fract(f32(n) * vec2f(0.7548777, 0.5698403)) - 0.5;
        let seen = seen_at(towards, ahead, around, tile_of(n, AMBIENT_TILES) * sides.x, sides.x, shift);
        let nearest = dot(textureLoad(depths, vec2i(seen.xy), 0, 0).rg, shadows.digits.xy);
        sums += vec4f(0.0, 0.0, select(0.0, weight, seen.z <= nearest), weight);
    }
    let lit_from = at + normal * lift.y;
    let key = apart(counts.y, bitcast<u32>(world.y));
    for (var i = 0u; i < key; i++) {
        let n = lane * key + i;
        let towards = shadows.towards[AMBIENT_VIEWS + n].xyz;
        let weight = max(dot(towards, normal) + WRAP, 0.0);
        if weight > 0.0 {
            let shift = fract(f32(n) * vec2f(0.7548777, 0.5698403)) - 0.5;
            let seen = seen_at(towards, 1.0, lit_from, tile_of(n, KEY_TILES) * sides.y, sides.y, shift);
            let nearest = dot(textureLoad(depths, vec2i(seen.xy), 1, 0).rg, shadows.digits.xy);
            sums += vec4f(select(0.0, weight, seen.z <= nearest), weight, 0.0, 0.0);
        }
    }
    sums = mean_of_block(sums, lane);
    return clamp(select(vec2f(1.0), sums.xz / sums.yw, sums.yw > vec2f(1e-6)), vec2f(0.0), vec2f(1.0));
}

/// How much of the light on the ground comes from the key light (x), and how much from its surroundings (y).
fn ground_shares() -> vec2f {
    return shadows.digits.zw;
}

/// The radius of the sphere around the model that casts shadows, metres.
fn shadow_radius() -> f32 {
    return shadows.sphere.w;
}
