// Writes deformed vertices back: the same functions as in the vertex stage.

@group(2) @binding(0) var<storage, read> sources: array<Source>;
/// Position, normal, tangent of each vertex, three vectors.
@group(2) @binding(1) var<storage, read_write> deformed: array<vec4f>;

@compute @workgroup_size(64)
fn bake(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < draw.vertex_count; i += groups.x * 64u) {
        let source = sources[i];
        let v = blend_apply(blended(source), morphed(source, i));
        deformed[i * 3u] = vec4f(v.position, 0.0);
        deformed[i * 3u + 1u] = vec4f(v.normal, 0.0);
        deformed[i * 3u + 2u] = vec4f(v.tangent, 0.0);
    }
}
