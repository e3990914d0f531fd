// Curvature: orange where the surface bulges, blue where it is hollow, grey where it is flat.

fn look_color(in: Fragment, p: Point) -> vec3f {
    let k = bulge(in, p);
    // A limb of a hundredth of the model's size in radius is half way to full colour.
    let t = clamp(k / (abs(k) + 50.0), -1.0, 1.0);
    let flat_grey = vec3f(0.52, 0.52, 0.53);
    let color = mix(flat_grey, select(vec3f(0.05, 0.30, 0.85), vec3f(0.98, 0.42, 0.05), t > 0.0), abs(t));
    let facing = clamp(dot(p.normal, to_eye(in.world)), 0.0, 1.0);
    return linear_from_srgb(color * mix(0.6, 1.0, facing));
}
