// Dual quaternion blending (Kavan et al. 2008), with scale and shear as Blender's Preserve Volume has them; the twin of
// src/deform/dual_quaternion.rs. The contract of this folder stands in linear.wgsl. A packed joint: its quaternion, then the
// columns of its matrix times that quaternion, the translation last.

struct Blend {
    real: vec4f,
    x: vec4f,
    y: vec4f,
    z: vec4f,
    translation: vec4f,
    // Quaternion of the first influence that counts, zero before it: all others are taken on its side.
    pivot: vec4f,
}

fn blend_begin() -> Blend {
    return Blend(vec4f(0.0), vec4f(0.0), vec4f(0.0), vec4f(0.0), vec4f(0.0), vec4f(0.0));
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
    (*b).x += palette_vec(joint, 1u) * signed;
    (*b).y += palette_vec(joint, 2u) * signed;
    (*b).z += palette_vec(joint, 3u) * signed;
    (*b).translation += palette_vec(joint, 4u) * signed;
}

fn blend_apply(b: Blend, v: Vertex) -> Vertex {
    return moved_by(blend_rows(b), v);
}

fn blend_determinant(b: Blend) -> f32 {
    return determinant_of(blend_rows(b));
}

fn blend_rows(b: Blend) -> Rows {
    let squared = dot(b.real, b.real);
    // Nothing moves the vertex: as a sum of no matrices.
    let back = b.real * select(0.0, 1.0 / squared, squared > 0.0);
    let x = blend_column(b.x, back);
    let y = blend_column(b.y, back);
    let z = blend_column(b.z, back);
    let t = blend_column(b.translation, back);
    return Rows(vec4f(x.x, y.x, z.x, t.x), vec4f(x.y, y.y, z.y, t.y), vec4f(x.z, y.z, z.z, t.z));
}

// The vector part of sum · conjugate(real).
fn blend_column(sum: vec4f, real: vec4f) -> vec3f {
    return real.w * sum.xyz - sum.w * real.xyz + cross(real.xyz, sum.xyz);
}
