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

/// The texel of a view, and the depth, of a point that it sees at `p` (`seen_along`). `ahead`: 1, or −1 for the opposite
/// view; `tile`: the first texel of the view; `side`: how many it has; `shift`: how far to the side the point is looked up, texels.
fn seen_at(p: vec3f, ahead: f32, tile: vec2f, side: f32, shift: vec2f) -> vec3f {
    let texel = clamp((p.xy * vec2f(0.5, -0.5) + 0.5) * side + shift, vec2f(0.0), vec2f(side - 1.0));
    return vec3f(tile + texel, min(0.5 - 0.5 * ahead * p.z, 1.0) - SLACK / side);
}

/// How many places are looked up around a point of the floor for each direction, to find how far what hides it is, and then how much of it is
/// hidden.
const NEAR_TAPS: u32 = 5u;
const TAPS: u32 = 8u;
/// The tangent of half the angle of the part of the sky that a direction of the surroundings stands for: 64 of them share a hemisphere.
const CONE: f32 = 0.18;

/// The share of the part of the sky around a direction that reaches a point of the floor. Where the surroundings alone light it, the edges of
/// 64 sharp shadows would be seen as clouds: here the edge of each is as wide as that part of the sky is at what casts it (Fernando 2005,
/// "Percentage-Closer Soft Shadows"). `p`: where the view sees the point; `n`: the number of the view; `taps`: how many places are
/// looked up.
fn open_around(p: vec3f, ahead: f32, n: u32, taps: vec2u) -> f32 {
    let side = shadows.sides.x;
    let tile = tile_of(n, AMBIENT_TILES) * side;
    let middle = (p.xy * vec2f(0.5, -0.5) + 0.5) * side;
    let depth = 0.5 - 0.5 * ahead * p.z - SLACK / side;
    // The places of one view are turned against those of the others, so that they do not add up to a pattern.
    let turn = 6.2831853 * fract(f32(n) * 0.7548777);
    let widest = CONE * side * max(depth, 0.0);
    var distances = vec2f(0.0);
    for (var i = 0u; i < taps.x; i++) {
        let away = 0.6 * widest * sqrt(f32(i) / f32(NEAR_TAPS - 1u));
        let around = turn + 2.3999632 * f32(i);
        let nearest = depth_at(tile, middle + away * vec2f(cos(around), sin(around)));
        distances += select(vec2f(0.0), vec2f(depth - nearest, 1.0), depth > nearest && nearest < 1.0);
    }
    let radius = CONE * side * distances.x / max(distances.y, 1.0);
    var open = 0.0;
    for (var i = 0u; i < taps.y; i++) {
        let away = radius * sqrt((f32(i) + 0.5) / f32(TAPS));
        let around = turn + 2.3999632 * f32(i);
        let nearest = depth_at(tile, middle + away * vec2f(cos(around), sin(around)));
        open += select(0.0, 1.0, depth <= nearest || nearest >= 1.0);
    }
    return select(1.0, open / f32(TAPS), distances.y > 0.0);
}

/// The depth that was drawn at a place of the view of the surroundings whose first texel is `tile`.
fn depth_at(tile: vec2f, place: vec2f) -> f32 {
    let texel = clamp(place, vec2f(0.0), vec2f(shadows.sides.x - 1.0));
    return dot(textureLoad(depths, vec2i(tile + texel), 0, 0).rg, shadows.digits.xy);
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
    // The floor of an environment has no key light, whose shadow would cover the edges of the others.
    let is_soft = casts < 0.5 && shadows.digits.z < 0.01;
    let taps = vec2u(apart(select(0u, NEAR_TAPS, is_soft), bitcast<u32>(world.x)), apart(select(0u, TAPS, is_soft), bitcast<u32>(world.y)));
    // Directions follow one another by sums and products: a table in memory costs a processor eight loads for each number.
    let first = nth_direction(f32(lane));
    var direction = first;
    for (var i = 0u; i < pairs; i++) {
        let up = up_around(direction.share);
        let facing = seen_along(direction.turn, up, normal).z;
        let is_ahead = facing >= 0.0;
        let ahead = select(-1.0, 1.0, is_ahead);
        let n = 2u * (4u * i + lane) + select(1u, 0u, is_ahead);
        // The sky is brighter than the ground.
        let weight = abs(facing) * (0.62 + 0.225 * ahead * up);
        let p = seen_along(direction.turn, up, around);
        let seen = seen_at(p, ahead, tile_of(n, AMBIENT_TILES) * sides.x, sides.x, 0.5 * direction.turn);
        let nearest = dot(textureLoad(depths, vec2i(seen.xy), 0, 0).rg, shadows.digits.xy);
        let sharp = select(0.0, 1.0, seen.z <= nearest);
        // For a surface this is known when the shader is compiled, and nothing of the other way is left.
        let open = select(sharp, open_around(p, ahead, n, taps), is_soft);
        sums += vec4f(0.0, 0.0, weight * open, weight);
        direction = fourth_after(direction);
    }
    let lit_from = in_key(at + normal * lift.y);
    let normal_in_key = in_key(normal);
    let key = apart(counts.y, bitcast<u32>(world.y));
    direction = first;
    for (var i = 0u; i < key; i++) {
        let n = 4u * i + lane;
        let up = up_in_key(direction.share);
        let weight = max(seen_along(direction.turn, up, normal_in_key).z + WRAP, 0.0);
        if weight > 0.0 {
            let p = seen_along(direction.turn, up, lit_from);
            let seen = seen_at(p, 1.0, tile_of(n, KEY_TILES) * sides.y, sides.y, 0.5 * direction.turn);
            let nearest = dot(textureLoad(depths, vec2i(seen.xy), 1, 0).rg, shadows.digits.xy);
            sums += vec4f(select(0.0, weight, seen.z <= nearest), weight, 0.0, 0.0);
        }
        direction = fourth_after(direction);
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
