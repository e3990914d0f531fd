// Scales directions to length one, by each of the two functions that the shading language has for it.

@group(0) @binding(0) var<storage, read> directions: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> units: array<vec4f>;

@compute @workgroup_size(64)
fn by_inverse_sqrt(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < arrayLength(&directions); i += groups.x * 64u) {
        let v = directions[i].xyz;
        units[i] = vec4f(v * inverseSqrt(dot(v, v)), 0.0);
    }
}

@compute @workgroup_size(64)
fn by_normalize(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var i = id.x; i < arrayLength(&directions); i += groups.x * 64u) {
        units[i] = vec4f(normalize(directions[i].xyz), 0.0);
    }
}
