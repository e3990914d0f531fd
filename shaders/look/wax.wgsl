// Soft red wax, as sculptors have it.

fn look_color(in: Fragment, p: Point) -> vec3f {
    let n = normal_of_sphere(in, p);
    let light = smoothstep(-0.7, 1.1, dot(n, normalize(vec3f(-0.45, 0.7, 0.55))));
    let body = mix(vec3f(0.02, 0.003, 0.004), vec3f(0.52, 0.10, 0.055), light);
    let shine = lamp(n, vec2f(-0.30, 0.45), 0.62);
    let edge = pow(1.0 - clamp(n.z, 0.0, 1.0), 3.0) * smoothstep(-0.2, 0.8, n.y + n.x);
    return body + shine * shine * vec3f(0.20, 0.13, 0.11) + edge * vec3f(0.24, 0.08, 0.06);
}
