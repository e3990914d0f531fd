// Linear blend skinning; the twin of src/deform/linear.rs.
//
// Every file in this folder is one method. It may use
//     struct Vertex { position: vec3f, normal: vec3f, tangent: vec3f }
//     fn palette_vec(joint: u32, row: u32) -> vec4f       // row-th vector of a packed joint; palette offset included
// and defines
//     struct Blend                                          // the sums of one vertex
//     fn blend_begin() -> Blend
//     fn blend_add(b: ptr<function, Blend>, joint: u32, weight: f32)   // one influence, in stored order
//     fn blend_apply(b: Blend, v: Vertex) -> Vertex         // deformed; normal and tangent unit, zero stays zero
//     fn blend_determinant(b: Blend) -> f32                 // negative: the surface is mirrored here
// with the prefix `blend_` on whatever else it needs.

struct Blend {
    // Rows of the 3×4 matrix.
    x: vec4f,
    y: vec4f,
    z: vec4f,
}

fn blend_begin() -> Blend {
    return Blend(vec4f(0.0), vec4f(0.0), vec4f(0.0));
}

fn blend_add(b: ptr<function, Blend>, joint: u32, weight: f32) {
    (*b).x += palette_vec(joint, 0u) * weight;
    (*b).y += palette_vec(joint, 1u) * weight;
    (*b).z += palette_vec(joint, 2u) * weight;
}

fn blend_apply(b: Blend, v: Vertex) -> Vertex {
    let p = vec4f(v.position, 1.0);
    // Rows of the cofactor matrix: the inverse transpose without the division by the determinant.
    let cx = cross(b.y.xyz, b.z.xyz);
    let cy = cross(b.z.xyz, b.x.xyz);
    let cz = cross(b.x.xyz, b.y.xyz);
    let side = select(1.0, -1.0, dot(b.x.xyz, cx) < 0.0);
    var out: Vertex;
    out.position = vec3f(dot(b.x, p), dot(b.y, p), dot(b.z, p));
    out.normal = blend_unit(vec3f(dot(cx, v.normal), dot(cy, v.normal), dot(cz, v.normal)) * side);
    out.tangent = blend_unit(vec3f(dot(b.x.xyz, v.tangent), dot(b.y.xyz, v.tangent), dot(b.z.xyz, v.tangent)));
    return out;
}

fn blend_determinant(b: Blend) -> f32 {
    return dot(b.x.xyz, cross(b.y.xyz, b.z.xyz));
}

fn blend_unit(v: vec3f) -> vec3f {
    let squared = dot(v, v);
    return select(vec3f(0.0), v * inverseSqrt(squared), squared > 0.0);
}
