// From a stored vertex to a deformed one: morph, gather influences, blend; or read what has done so before. The method's own file defines Blend and its
// functions (contract: deform/linear.wgsl); `VEC4S_PER_JOINT` is written by the linker.

struct Vertex {
    position: vec3f,
    /// Unit, or zero where there is none.
    normal: vec3f,
    /// Unit, or zero where there is none.
    tangent: vec3f,
}

/// A stored vertex, unpacked. Where influences are listed, `joints` holds the first entry in `influences` and their number.
struct Source {
    position: vec3f,
    normal: vec3f,
    /// w: handedness, ±1.
    tangent: vec4f,
    joints: vec4u,
    weights: vec4f,
}

const RIGID: u32 = 0u;
const FOUR: u32 = 1u;
const LIST: u32 = 2u;

// What a vertex has, and how (src/deform/packed). Set where the pipeline is made, so that what is not there costs nothing.

/// RIGID: one joint moves all. FOUR: influences in the vertex. LIST: as many as it takes.
override MODE: u32 = 1u;
override NORMALS: bool = true;
override TANGENTS: bool = true;
/// Of 16 bits, else of 8.
override WIDE_JOINTS: bool = true;
/// 8, 16, or 32 for floats.
override WEIGHT_BITS: u32 = 32u;
override MORPHS: bool = true;
/// Vertices were deformed before (src/render/placed.rs): `morphs` holds them instead of morph targets.
override PLACED: bool = false;

const HAS_NORMALS: u32 = 1u;
const HAS_TANGENTS: u32 = 2u;
/// Points and lines have no sides.
const HAS_SIDES: u32 = 4u;

const MORPHS_NORMALS: u32 = 8u;
const MORPHS_TANGENTS: u32 = 16u;

struct Draw {
    /// First joint of its palette.
    joint: u32,
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
/// By target, then vertex: position, normal, tangent, as far as there are any. With PLACED, twelve numbers for each vertex, copy after
/// copy (of a crowd, all members of each): position and determinant, normal, tangent, four each, as bake.wgsl writes them.
@group(1) @binding(2) var<storage, read> morphs: array<f32>;

/// A unit vector from its octahedral coordinates (Cigolle et al. 2014).
fn octahedral(p: vec2f) -> vec3f {
    let z = 1.0 - abs(p.x) - abs(p.y);
    // The corners of the square are the lower half, folded out.
    let folded = max(-z, 0.0);
    return normalize(vec3f(p - select(vec2f(-folded), vec2f(folded), p >= vec2f(0.0)), z));
}

/// What stands for no direction.
fn is_none(word: u32) -> bool {
    return (word & 0xffffu) == 0x8000u;
}

fn unpacked_normal(word: u32) -> vec3f {
    return select(octahedral(unpack2x16snorm(word)), vec3f(0.0), is_none(word));
}

/// 16 and 15 bits, and one for the handedness.
fn unpacked_tangent(word: u32) -> vec4f {
    let y = f32(bitcast<i32>(word << 1u) >> 17u) / 16383.0;
    let direction = octahedral(vec2f(unpack2x16snorm(word).x, y));
    return vec4f(select(direction, vec3f(0.0), is_none(word)), select(1.0, -1.0, (word >> 31u) == 1u));
}

fn unpacked_weights(words: vec4u) -> vec4f {
    if WEIGHT_BITS == 8u {
        return unpack4x8unorm(words.x);
    }
    if WEIGHT_BITS == 16u {
        return vec4f(unpack2x16unorm(words.x), unpack2x16unorm(words.y));
    }
    return bitcast<vec4f>(words);
}

/// A vertex from its words; those that it lacks may be anything.
fn unpacked(position: vec3f, normal: u32, tangent: u32, joints: vec2u, weights: vec4u) -> Source {
    var out: Source;
    out.position = position;
    out.tangent = vec4f(0.0, 0.0, 0.0, 1.0);
    if NORMALS {
        out.normal = unpacked_normal(normal);
    }
    if TANGENTS {
        out.tangent = unpacked_tangent(tangent);
    }
    if MODE == LIST {
        out.joints = vec4u(joints, 0u, 0u);
    }
    if MODE == FOUR {
        let x = joints.x;
        if WIDE_JOINTS {
            out.joints = vec4u(x & 0xffffu, x >> 16u, joints.y & 0xffffu, joints.y >> 16u);
        } else {
            out.joints = vec4u(x & 0xffu, (x >> 8u) & 0xffu, (x >> 16u) & 0xffu, x >> 24u);
        }
        out.weights = unpacked_weights(weights);
    }
    return out;
}

fn morph_delta(at: u32) -> vec3f {
    return vec3f(morphs[at], morphs[at + 1u], morphs[at + 2u]);
}

/// Morph targets come before the skin.
fn morphed(source: Source, vertex: u32) -> Vertex {
    var v = Vertex(source.position, source.normal, source.tangent.xyz);
    if !MORPHS {
        return v;
    }
    let count = apart(draw.morph_count, vertex);
    for (var target_index = 0u; target_index < count; target_index++) {
        let place = draw.morph_weight + target_index;
        let weight = palette[globals.morph_base + member * globals.crowd.z + place / 4u][place % 4u];
        if weight == 0.0 {
            continue;
        }
        let at = (target_index * draw.vertex_count + vertex) * draw.morph_stride;
        v.position += weight * morph_delta(at);
        // No branches (see `shone_on`); what is read in vain lies in the same list, or is nothing.
        v.normal += select(vec3f(0.0), weight * morph_delta(at + 3u), (draw.flags & MORPHS_NORMALS) != 0u);
        v.tangent += select(vec3f(0.0), weight * morph_delta(at + 6u), (draw.flags & MORPHS_TANGENTS) != 0u);
    }
    return v;
}

/// The first joint of a copy's palette.
fn first_joint(copy: u32) -> u32 {
    return draw.joint + copy * draw.copy_stride;
}

/// The `i`-th influence, its joint as a place in `palette`. `i` < `influence_count`.
fn influence(source: Source, copy: u32, i: u32) -> Influence {
    let first = first_joint(copy);
    if MODE == RIGID {
        return Influence(first, 1.0);
    }
    if MODE == LIST {
        let found = influences[source.joints.x + i];
        return Influence(first + found.joint, found.weight);
    }
    return Influence(first + source.joints[i], source.weights[i]);
}

fn influence_count(source: Source) -> u32 {
    if MODE == RIGID {
        return 1u;
    }
    return select(4u, source.joints.y, MODE == LIST);
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
    if MODE == FOUR {
        // What has no weight has the joint of something that has: nothing of it can get in.
        let first = first_joint(copy);
        blend_add(&blend, first + source.joints.x, source.weights.x);
        blend_add(&blend, first + source.joints.y, source.weights.y);
        blend_add(&blend, first + source.joints.z, source.weights.z);
        blend_add(&blend, first + source.joints.w, source.weights.w);
        return blend;
    }
    let count = influence_count(source);
    for (var i = 0u; i < count; i++) {
        let part = influence(source, copy, i);
        blend_add(&blend, part.joint, part.weight);
    }
    return blend;
}

/// A vertex as it is drawn.
struct PlacedVertex {
    vertex: Vertex,
    /// Negative where the surface is mirrored.
    determinant: f32,
}

/// Where a vertex is: every stage that shows vertices asks this and nothing else. They are deformed here or, with PLACED, read as
/// somebody else has deformed them. `vertex`: its place in the vertex buffer. After `copy_of`.
fn placed(source: Source, vertex: u32, copy: u32) -> PlacedVertex {
    if PLACED {
        let at = 12u * ((copy * globals.crowd.x + member) * draw.vertex_count + vertex);
        let v = Vertex(morph_delta(at), morph_delta(at + 4u), morph_delta(at + 8u));
        return PlacedVertex(v, morphs[at + 3u]);
    }
    let blend = blended(source, copy);
    return PlacedVertex(blend_apply(blend, morphed(source, vertex)), blend_determinant(blend));
}
