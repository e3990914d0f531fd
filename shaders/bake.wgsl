// Writes deformed vertices back: the same functions as in the vertex stage.

@group(2) @binding(0) var<storage, read> sources: array<Source>;
/// Three vectors for each vertex, copy after copy: position and determinant, normal, tangent.
@group(2) @binding(1) var<storage, read_write> deformed: array<vec4f>;

@compute @workgroup_size(64)
fn bake(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let copies = told(draw.copies);
    let count = told(draw.vertex_count);
    for (var copy = id.y; copy < copies; copy += groups.y) {
        for (var i = id.x; i < count; i += groups.x * 64u) {
            let source = sources[i];
            let blend = blended(source, copy);
            let v = blend_apply(blend, morphed(source, i));
            let at = (copy * draw.vertex_count + i) * 3u;
            deformed[at] = vec4f(v.position, blend_determinant(blend));
            deformed[at + 1u] = vec4f(v.normal, 0.0);
            deformed[at + 2u] = vec4f(v.tangent, 0.0);
        }
    }
}
