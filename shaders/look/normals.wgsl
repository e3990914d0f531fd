// The outer normal in the world: −1…1 of X, Y and Z as red, green and blue.

fn look_color(in: Fragment, p: Point) -> vec3f {
    return linear_from_srgb(p.normal * p.facing.side * 0.5 + 0.5);
}
