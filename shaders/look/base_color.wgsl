// The base colour, without light.

fn look_color(in: Fragment, p: Point) -> vec3f {
    return p.base.rgb;
}
