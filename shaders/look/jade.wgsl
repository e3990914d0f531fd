// Polished green stone: light enters it and leaves where it is thin, at the edges.

fn look_color(in: Fragment, p: Point) -> vec3f {
    let n = normal_of_sphere(in, p);
    let facing = clamp(n.z, 0.0, 1.0);
    let light = 0.5 + 0.5 * dot(n, normalize(vec3f(-0.4, 0.75, 0.5)));
    let body = mix(vec3f(0.008, 0.05, 0.03), vec3f(0.10, 0.36, 0.20), light * light);
    let through = pow(1.0 - facing, 2.0) * smoothstep(-1.0, 0.6, -n.y + 0.4 * n.x);
    let shine = lamp(n, vec2f(-0.36, 0.50), 0.20);
    return body + through * vec3f(0.22, 0.42, 0.20) + shine * vec3f(0.62, 0.68, 0.62);
}
