// White glazed ceramic, with a window and a reflection of the ground.

fn look_color(in: Fragment, p: Point) -> vec3f {
    let n = normal_of_sphere(in, p);
    let light = smoothstep(-0.75, 1.05, dot(n, normalize(vec3f(-0.4, 0.7, 0.6))));
    let body = mix(vec3f(0.08, 0.09, 0.12), vec3f(0.82, 0.81, 0.78), light);
    let window = lamp(n, vec2f(-0.38, 0.46), 0.26);
    let ground = lamp(n, vec2f(0.25, -0.72), 0.34);
    let edge = pow(1.0 - clamp(n.z, 0.0, 1.0), 4.0);
    let glaze = window * vec3f(0.5) + ground * vec3f(0.10, 0.09, 0.08) + edge * vec3f(0.22, 0.25, 0.30);
    return body * (1.0 - 0.5 * edge) + glaze;
}
