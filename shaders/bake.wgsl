// Writes deformed vertices to a buffer. It calls the same functions as the vertex stages.

/// All vertices of the primitive as packed 32-bit words (skinscope_deform/src/packed), without their influences.
@group(2) @binding(0) var<storage, read> sources: array<u32>;
/// Three vectors for each vertex: (position, determinant), (normal, 0), (tangent, 0). The vertices of one copy follow
/// those of the copy before; in a crowd, all members of a copy come before the next copy.
@group(2) @binding(1) var<storage, read_write> deformed: array<vec4f>;
/// The influences of all vertices as 32-bit words: for each vertex its joints, then its weights.
@group(2) @binding(2) var<storage, read> influence_rows: array<u32>;

/// How many words of a vertex hold its joints, and how many hold its weights.
override JOINT_WORDS: u32 = 2u;
override WEIGHT_WORDS: u32 = 4u;

/// Reads and unpacks the vertex with index `place`; skinscope_deform/src/packed describes the layout.
fn source_at(place: u32) -> Source {
    let tangent_at = 3u + u32(NORMALS);
    let at = place * (tangent_at + u32(TANGENTS));
    // For a vertex without normals or tangents these indices point past its words. They are clamped to the buffer, and
    // what they read is not used.
    let last = arrayLength(&sources) - 1u;
    let position = bitcast<vec3f>(vec3u(sources[at], sources[at + 1u], sources[at + 2u]));
    let joints_at = place * (JOINT_WORDS + WEIGHT_WORDS);
    let last_influence = arrayLength(&influence_rows) - 1u;
    let joints = vec2u(influence_rows[min(joints_at, last_influence)], influence_rows[min(joints_at + 1u, last_influence)]);
    var weights: vec4u;
    for (var i = 0u; i < 4u; i++) {
        weights[i] = influence_rows[min(joints_at + JOINT_WORDS + i, last_influence)];
    }
    return unpacked(position, sources[min(at + 3u, last)], sources[min(at + tangent_at, last)], joints, weights);
}

@compute @workgroup_size(64)
fn bake(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var instance = id.y; instance < draw.copies * globals.crowd.x; instance += groups.y) {
        let copy = copy_of(instance);
        for (var i = id.x; i < draw.vertex_count; i += groups.x * 64u) {
            let v = placed(source_at(i), i, copy);
            let at = (instance * draw.vertex_count + i) * 3u;
            deformed[at] = vec4f(v.vertex.position, v.determinant);
            deformed[at + 1u] = vec4f(v.vertex.normal, 0.0);
            deformed[at + 2u] = vec4f(v.vertex.tangent, 0.0);
        }
    }
}
