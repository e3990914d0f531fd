// A 3×4 matrix that moves a vertex, which the deformation methods share. Most methods blend their joints into one.

struct Rows {
    x: vec4f,
    y: vec4f,
    z: vec4f,
}

/// Moves a vertex by a matrix. The normal is multiplied by the cofactors (the inverse transpose without the division by
/// the determinant), and negated where the determinant is negative, as the division would do.
fn moved_by(m: Rows, v: Vertex) -> Vertex {
    let p = vec4f(v.position, 1.0);
    let cx = cross(m.y.xyz, m.z.xyz);
    let cy = cross(m.z.xyz, m.x.xyz);
    let cz = cross(m.x.xyz, m.y.xyz);
    let side = select(1.0, -1.0, dot(m.x.xyz, cx) < 0.0);
    var out: Vertex;
    out.position = vec3f(dot(m.x, p), dot(m.y, p), dot(m.z, p));
    out.normal = unit_or_zero(vec3f(dot(cx, v.normal), dot(cy, v.normal), dot(cz, v.normal)) * side);
    out.tangent = unit_or_zero(vec3f(dot(m.x.xyz, v.tangent), dot(m.y.xyz, v.tangent), dot(m.z.xyz, v.tangent)));
    return out;
}

/// The determinant of the linear (3×3) part of a matrix.
fn determinant_of(m: Rows) -> f32 {
    return dot(m.x.xyz, cross(m.y.xyz, m.z.xyz));
}

/// The vector at unit length, or zero where it has no length.
fn unit_or_zero(v: vec3f) -> vec3f {
    let squared = dot(v, v);
    return select(vec3f(0.0), v * inverseSqrt(squared), squared > 0.0);
}
