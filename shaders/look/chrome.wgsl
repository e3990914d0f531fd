// A mirror of a sky, a dark horizon and a ground.

fn look_color(in: Fragment, p: Point) -> vec3f {
    let n = normal_of_sphere(in, p);
    // The mirrored direction of a sphere that is seen from the front.
    let r = vec3f(0.0, 0.0, -1.0) + 2.0 * n.z * n;
    let height = r.y + 0.08 * sin(3.0 * r.x);
    let sky = mix(vec3f(0.78, 0.84, 0.92), vec3f(0.16, 0.27, 0.46), smoothstep(0.0, 1.0, height));
    let ground = mix(vec3f(0.025, 0.022, 0.02), vec3f(0.42, 0.36, 0.30), smoothstep(0.0, 1.0, -height));
    let soft = 0.02 + fwidth(height);
    let color = mix(ground, sky, smoothstep(-soft, soft, height));
    return color + lamp(n, vec2f(-0.30, 0.42), 0.14) * vec3f(0.6);
}
