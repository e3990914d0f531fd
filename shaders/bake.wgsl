// Writes deformed vertices back: the same functions as in the vertex stage.

@group(2) @binding(0) var<storage, read> sources: array<Source>;
/// Three vectors for each vertex: position and determinant, normal, tangent.
@group(2) @binding(1) var<storage, read_write> deformed: array<vec4f>;

@compute @workgroup_size(64)
fn bake(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < draw.vertex_count; i += groups.x * 64u) {
        let source = sources[i];
        let blend = blended(source);
        let v = blend_apply(blend, morphed(source, i));
        deformed[i * 3u] = vec4f(v.position, blend_determinant(blend));
        deformed[i * 3u + 1u] = vec4f(v.normal, 0.0);
        deformed[i * 3u + 2u] = vec4f(v.tangent, 0.0);
    }
}
