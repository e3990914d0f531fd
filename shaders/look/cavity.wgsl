// Cavity: clay whose ridges are lighter and whose grooves are darker.

fn look_color(in: Fragment, p: Point) -> vec3f {
    let k = bulge(in, p);
    let t = clamp(k / (abs(k) + 60.0), -1.0, 1.0);
    return clay(in, p, vec3f(0.36) * select(1.0 + 0.85 * t, 1.0 + 1.1 * t, t > 0.0));
}
