// The colours of the vertices, without light.

fn look_color(in: Fragment, p: Point) -> vec3f {
    return clamp(in.color.rgb, vec3f(0.0), vec3f(1.0));
}
