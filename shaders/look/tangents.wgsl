// The tangent in the world: −1…1 of X, Y and Z as red, green and blue. Where the mesh has none, it follows the texture
// coordinates.

fn look_color(in: Fragment, p: Point) -> vec3f {
    let normal = p.facing.normal;
    let dx = dpdx(in.world);
    let dy = dpdy(in.world);
    let uv_dx = dpdx(in.uv.xy);
    let uv_dy = dpdy(in.uv.xy);
    let sign_of_area = select(-1.0, 1.0, dot(cross(dx, dy), normal) >= 0.0);
    var tangent = (cross(dy, normal) * uv_dx.x + cross(normal, dx) * uv_dy.x) * sign_of_area;
    // Texture coordinates grow to the right and down.
    var hand = -sign_of_area * (uv_dx.x * uv_dy.y - uv_dx.y * uv_dy.x);
    if TANGENTS {
        tangent = in.tangent.xyz;
        hand = in.tangent.w;
    }
    let size = length(tangent);
    let shown = linear_from_srgb(tangent / max(size, 1e-20) * 0.5 + 0.5) * select(1.0, 0.35, hand < 0.0);
    return select(vec3f(0.2), shown, size > 0.0);
}
