// Dual quaternion blending (Kavan et al. 2008), scale in a second phase; the twin of src/deform/dual_quaternion.rs.
// The contract of this folder stands in linear.wgsl. A packed joint: real part, dual part, three rows of scale and shear.

struct Blend {
    real: vec4f,
    dual: vec4f,
    // Rows of the scale and shear.
    x: vec3f,
    y: vec3f,
    z: vec3f,
    // Sum of the weights.
    weight: f32,
    // Real part of the first influence that counts, zero before it: all others are taken on its side.
    pivot: vec4f,
}

fn blend_begin() -> Blend {
    return Blend(vec4f(0.0), vec4f(0.0), vec3f(0.0), vec3f(0.0), vec3f(0.0), 0.0, vec4f(0.0));
}

fn blend_add(b: ptr<function, Blend>, joint: u32, weight: f32) {
    if weight == 0.0 {
        return;
    }
    let real = palette_vec(joint, 0u);
    if all((*b).pivot == vec4f(0.0)) {
        (*b).pivot = real;
    }
    // q and -q are the same rotation.
    let signed = select(weight, -weight, dot(real, (*b).pivot) < 0.0);
    (*b).real += real * signed;
    (*b).dual += palette_vec(joint, 1u) * signed;
    (*b).x += palette_vec(joint, 2u).xyz * weight;
    (*b).y += palette_vec(joint, 3u).xyz * weight;
    (*b).z += palette_vec(joint, 4u).xyz * weight;
    (*b).weight += weight;
}

fn blend_apply(b: Blend, v: Vertex) -> Vertex {
    var out: Vertex;
    let size = length(b.real);
    if size == 0.0 || b.weight == 0.0 {
        // Nothing moves the vertex: as a sum of no matrices.
        return out;
    }
    let x = b.x / b.weight;
    let y = b.y / b.weight;
    let z = b.z / b.weight;
    let real = b.real / size;
    let dual = b.dual / size;
    // Twice the vector part of dual · conjugate(real).
    let translation = 2.0 * (real.w * dual.xyz - dual.w * real.xyz + cross(real.xyz, dual.xyz));
    let cx = cross(y, z);
    let cy = cross(z, x);
    let cz = cross(x, y);
    let side = select(1.0, -1.0, dot(x, cx) < 0.0);
    let p = v.position;
    let n = v.normal;
    let t = v.tangent;
    out.position = blend_rotate(real, vec3f(dot(x, p), dot(y, p), dot(z, p))) + translation;
    out.normal = blend_unit(blend_rotate(real, vec3f(dot(cx, n), dot(cy, n), dot(cz, n)) * side));
    out.tangent = blend_unit(blend_rotate(real, vec3f(dot(x, t), dot(y, t), dot(z, t))));
    return out;
}

fn blend_determinant(b: Blend) -> f32 {
    return dot(b.x, cross(b.y, b.z)) * sign(b.weight);
}

fn blend_rotate(q: vec4f, v: vec3f) -> vec3f {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

fn blend_unit(v: vec3f) -> vec3f {
    let squared = dot(v, v);
    return select(vec3f(0.0), v * inverseSqrt(squared), squared > 0.0);
}
