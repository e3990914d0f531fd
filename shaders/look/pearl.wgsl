// Mother of pearl: pale colours that turn with the slope.

fn look_color(in: Fragment, p: Point) -> vec3f {
    let n = normal_of_sphere(in, p);
    let facing = clamp(n.z, 0.0, 1.0);
    let turn = 6.2831853 * (1.1 * facing + 0.25 * n.y + 0.12 * n.x);
    let tint = 0.5 + 0.5 * cos(turn + vec3f(0.0, 2.1, 4.2));
    let light = smoothstep(-1.0, 1.0, dot(n, normalize(vec3f(-0.3, 0.8, 0.5))));
    let body = mix(vec3f(0.80, 0.78, 0.76), tint, 0.30) * mix(0.16, 0.92, light);
    return body + lamp(n, vec2f(-0.34, 0.48), 0.36) * vec3f(0.24);
}
