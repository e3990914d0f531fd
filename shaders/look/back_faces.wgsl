// The back of triangles in a warning colour.

fn look_color(in: Fragment, p: Point) -> vec3f {
    return clay(in, p, select(vec3f(0.42), vec3f(1.0, 0.20, 0.0), p.facing.side < 0.0));
}
