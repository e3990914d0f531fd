// Turns a stored vertex into a deformed one: applies morph targets, gathers the influences and blends them, or reads a
// vertex that was deformed earlier. The file of the method defines Blend and its functions (the contract is in
// deform/linear.wgsl); the linker writes `VEC4S_PER_JOINT`.

struct Vertex {
    position: vec3f,
    /// Of unit length, or zero where the vertex has none.
    normal: vec3f,
    /// Of unit length, or zero where the vertex has none.
    tangent: vec3f,
}

/// A stored vertex, unpacked. With LIST, `joints.x` is the index of its first entry in `influences` and `joints.y`
/// their number.
struct Source {
    position: vec3f,
    normal: vec3f,
    /// xyz: the tangent; w: the handedness of the bitangent, ±1.
    tangent: vec4f,
    joints: vec4u,
    weights: vec4f,
}

const RIGID: u32 = 0u;
const FOUR: u32 = 1u;
const LIST: u32 = 2u;

// These constants say which data a vertex has and in which format (skinscope_deform/src/packed). They are set when the pipeline
// is created, so that absent data costs nothing.

/// RIGID: one joint moves all vertices. FOUR: each vertex holds four influences. LIST: each vertex refers to any number
/// of entries in `influences`.
override MODE: u32 = 1u;
override NORMALS: bool = true;
override TANGENTS: bool = true;
/// True where joint indices have 16 bits, false where they have 8.
override WIDE_JOINTS: bool = true;
/// The bits of a stored weight: 8 or 16 for a normalised integer, 32 for a float.
override WEIGHT_BITS: u32 = 32u;
override MORPHS: bool = true;
/// True where the vertices were deformed before they are drawn (skinscope_render/src/predeformed.rs). `morphs` then holds them instead
/// of the morph targets.
override PLACED: bool = false;

const HAS_NORMALS: u32 = 1u;
const HAS_TANGENTS: u32 = 2u;
/// Set for triangles: points and lines have no sides.
const HAS_SIDES: u32 = 4u;

const MORPHS_NORMALS: u32 = 8u;
const MORPHS_TANGENTS: u32 = 16u;
/// Set where a skin moves the primitive.
const HAS_WEIGHTS: u32 = 32u;

struct Draw {
    /// The index of the first joint of its palette.
    joint: u32,
    flags: u32,
    vertex_count: u32,
    morph_count: u32,
    /// The index of its first morph weight.
    morph_weight: u32,
    /// Floats for each vertex of a morph target: 3, 6 or 9.
    morph_stride: u32,
    /// How many copies of it are drawn.
    copies: u32,
    /// Joints from the start of one copy's palette to that of the next; 0 where all copies share one.
    copy_stride: u32,
}

struct Influence {
    joint: u32,
    weight: f32,
}

@group(1) @binding(0) var<uniform> draw: Draw;
@group(1) @binding(1) var<storage, read> influences: array<Influence>;
/// The morph targets: for each target, and in it for each vertex, the offsets of position, normal and tangent, as far
/// as the file has them. With PLACED, twelve numbers for each vertex as bake.wgsl writes them: (position, determinant),
/// (normal, 0), (tangent, 0), copy after copy; in a crowd, all members of a copy come before the next.
@group(1) @binding(2) var<storage, read> morphs: array<f32>;

/// A unit vector from its octahedral coordinates (Cigolle et al. 2014).
fn octahedral(p: vec2f) -> vec3f {
    let z = 1.0 - abs(p.x) - abs(p.y);
    // The corners of the square hold the lower half of the sphere, folded outwards.
    let folded = max(-z, 0.0);
    return normalize(vec3f(p - select(vec2f(-folded), vec2f(folded), p >= vec2f(0.0)), z));
}

/// True for the word that stands for a missing direction.
fn is_none(word: u32) -> bool {
    return (word & 0xffffu) == 0x8000u;
}

fn unpacked_normal(word: u32) -> vec3f {
    return select(octahedral(unpack2x16snorm(word)), vec3f(0.0), is_none(word));
}

/// Unpacks a tangent: octahedral coordinates of 16 and 15 bits, and one bit for the handedness.
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

/// Unpacks a vertex from its words. Those of data that the vertex lacks may hold anything.
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

/// Applies the morph targets, which act before skinning.
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
        // A select takes the place of a branch, since on a software device no branch may depend on uniforms alone (see
        // BY_PROCESSOR). Offsets that the target lacks are read from elsewhere in the list, or past its end, and not
        // used.
        v.normal += select(vec3f(0.0), weight * morph_delta(at + 3u), (draw.flags & MORPHS_NORMALS) != 0u);
        v.tangent += select(vec3f(0.0), weight * morph_delta(at + 6u), (draw.flags & MORPHS_TANGENTS) != 0u);
    }
    return v;
}

/// The index of the first joint in the palette of a copy.
fn first_joint(copy: u32) -> u32 {
    return draw.joint + copy * draw.copy_stride;
}

/// The `i`-th influence of a vertex; its joint is an index into `slots`, which `palette_vec` takes too. `i` must be
/// less than `influence_count`.
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

/// True where no skin moves the primitive, but one joint moves all of it. MODE does not tell: in a small model such a
/// primitive is stored like those of a skin, with a whole weight at each vertex, so that one pipeline draws them all.
fn is_rigid() -> bool {
    return (draw.flags & HAS_WEIGHTS) == 0u;
}

fn influence_count(source: Source) -> u32 {
    if MODE == RIGID {
        return 1u;
    }
    return select(4u, source.joints.y, MODE == LIST);
}

/// The sum of the vertex's weights for the selected nodes.
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
        // An influence of weight zero is stored with a joint of the vertex that has a weight, so a matrix that is not
        // finite cannot get in through it.
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

/// A deformed vertex, as it is drawn.
struct PlacedVertex {
    vertex: Vertex,
    /// Negative where the surface is mirrored.
    determinant: f32,
}

/// Returns the deformed vertex. Every stage that draws vertices calls this function and no other: it deforms the vertex
/// here or, with PLACED, reads it as it was deformed earlier. `vertex` is the index in the vertex buffer. `copy_of`
/// must have been called before.
fn placed(source: Source, vertex: u32, copy: u32) -> PlacedVertex {
    if PLACED {
        let at = 12u * ((copy * globals.crowd.x + member) * draw.vertex_count + vertex);
        let v = Vertex(morph_delta(at), morph_delta(at + 4u), morph_delta(at + 8u));
        return PlacedVertex(v, morphs[at + 3u]);
    }
    let blend = blended(source, copy);
    return PlacedVertex(blend_apply(blend, morphed(source, vertex)), blend_determinant(blend));
}
