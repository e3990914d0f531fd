// Clay: the form in one warm grey.

fn look_color(in: Fragment, p: Point) -> vec3f {
    return clay(in, p, vec3f(0.50, 0.44, 0.39));
}
