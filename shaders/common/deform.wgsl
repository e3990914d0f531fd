// From a stored vertex to a deformed one: morph, gather influences, blend. The method's own file defines Blend and its
// functions (contract: deform/linear.wgsl); `VEC4S_PER_JOINT` is written by the linker.

struct Vertex {
    position: vec3f,
    /// Unit, or zero where there is none.
    normal: vec3f,
    /// Unit, or zero where there is none.
    tangent: vec3f,
}

/// A stored vertex. In `FOUR` mode the joints are four 16-bit numbers; in `LIST` mode `joints_a` is the first entry in
/// `influences` and `joints_b` their number.
struct Source {
    position: vec3f,
    joints_a: u32,
    normal: vec3f,
    joints_b: u32,
    /// w: handedness, ±1.
    tangent: vec4f,
    weights: vec4f,
}

const RIGID: u32 = 0u;
const FOUR: u32 = 1u;
const LIST: u32 = 2u;

const HAS_NORMALS: u32 = 1u;
const HAS_TANGENTS: u32 = 2u;
/// Points and lines have no sides.
const HAS_SIDES: u32 = 4u;

const MORPHS_NORMALS: u32 = 8u;
const MORPHS_TANGENTS: u32 = 16u;

struct Draw {
    /// First joint of its palette.
    joint: u32,
    /// RIGID, FOUR or LIST.
    mode: u32,
    flags: u32,
    vertex_count: u32,
    morph_count: u32,
    /// Its first morph weight.
    morph_weight: u32,
    /// Floats of a morphed vertex: 3, 6 or 9.
    morph_stride: u32,
    /// How many times it is drawn.
    copies: u32,
    /// Joints from the palette of one copy to that of the next: 0 where all share one.
    copy_stride: u32,
}

struct Influence {
    joint: u32,
    weight: f32,
}

@group(1) @binding(0) var<uniform> draw: Draw;
@group(1) @binding(1) var<storage, read> influences: array<Influence>;
/// By target, then vertex: position, normal, tangent, as far as there are any.
@group(1) @binding(2) var<storage, read> morphs: array<f32>;

/// True where any of `bits` of this draw is set.
fn has_any(bits: u32) -> bool {
    return (told(draw.flags) & bits) != 0u;
}

fn palette_vec(joint: u32, row: u32) -> vec4f {
    return palette[joint * VEC4S_PER_JOINT + row];
}

fn morph_delta(at: u32) -> vec3f {
    return vec3f(morphs[at], morphs[at + 1u], morphs[at + 2u]);
}

/// Morph targets come before the skin.
fn morphed(source: Source, vertex: u32) -> Vertex {
    var v = Vertex(source.position, source.normal, source.tangent.xyz);
    let count = told(draw.morph_count);
    for (var target_index = 0u; target_index < count; target_index++) {
        let place = draw.morph_weight + target_index;
        let weight = palette[globals.morph_base + place / 4u][place % 4u];
        if weight == 0.0 {
            continue;
        }
        var at = (target_index * draw.vertex_count + vertex) * draw.morph_stride;
        v.position += weight * morph_delta(at);
        if has_any(MORPHS_NORMALS) {
            at += 3u;
            v.normal += weight * morph_delta(at);
        }
        if has_any(MORPHS_TANGENTS) {
            at += 3u;
            v.tangent += weight * morph_delta(at);
        }
    }
    return v;
}

/// The `i`-th influence, its joint as a place in `palette`. `i` < `influence_count`.
fn influence(source: Source, copy: u32, i: u32) -> Influence {
    let mode = told(draw.mode);
    let first = draw.joint + copy * draw.copy_stride;
    if mode == RIGID {
        return Influence(first, 1.0);
    }
    if mode == LIST {
        let found = influences[source.joints_a + i];
        return Influence(first + found.joint, found.weight);
    }
    let pair = select(source.joints_a, source.joints_b, i >= 2u);
    let joint = select(pair & 0xffffu, pair >> 16u, (i & 1u) == 1u);
    return Influence(first + joint, source.weights[i]);
}

fn influence_count(source: Source) -> u32 {
    let mode = told(draw.mode);
    if mode == RIGID {
        return 1u;
    }
    return select(4u, source.joints_b, mode == LIST);
}

/// Its weight for the selected nodes.
fn selected_weight(source: Source, copy: u32) -> f32 {
    let count = influence_count(source);
    var sum = 0.0;
    for (var i = 0u; i < count; i++) {
        let part = influence(source, copy, i);
        let node = slots[part.joint].node;
        sum += select(0.0, part.weight, node >= globals.selected && node < globals.selected_end);
    }
    return sum;
}

fn blended(source: Source, copy: u32) -> Blend {
    var blend = blend_begin();
    let count = influence_count(source);
    for (var i = 0u; i < count; i++) {
        let part = influence(source, copy, i);
        if part.weight != 0.0 {
            blend_add(&blend, part.joint, part.weight);
        }
    }
    return blend;
}
