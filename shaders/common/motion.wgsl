// Functions shared by methods that blend dual quaternions (Kavan et al. 2008), with scale and shear like Blender's
// Preserve Volume; the twin of skinscope_deform/src/dual_quaternion.rs. From its vector `at` on, a packed joint holds its
// quaternion, then the columns of its matrix times that quaternion, the translation last.

struct Motion {
    real: vec4f,
    x: vec4f,
    y: vec4f,
    z: vec4f,
    translation: vec4f,
    // The quaternion of the first influence that has a weight, zero before there is one. Other quaternions are negated
    // where they point away from it.
    pivot: vec4f,
}

fn no_motion() -> Motion {
    return Motion(vec4f(0.0), vec4f(0.0), vec4f(0.0), vec4f(0.0), vec4f(0.0), vec4f(0.0));
}

/// Adds one influence to a sum.
fn motion_and(sum: Motion, joint: u32, at: u32, weight: f32) -> Motion {
    if weight == 0.0 {
        return sum;
    }
    var m = sum;
    let real = palette_vec(joint, at);
    if all(m.pivot == vec4f(0.0)) {
        m.pivot = real;
    }
    // q and -q are the same rotation.
    let signed = select(weight, -weight, dot(real, m.pivot) < 0.0);
    m.real += real * signed;
    m.x += palette_vec(joint, at + 1u) * signed;
    m.y += palette_vec(joint, at + 2u) * signed;
    m.z += palette_vec(joint, at + 3u) * signed;
    m.translation += palette_vec(joint, at + 4u) * signed;
    return m;
}

fn motion_rows(m: Motion) -> Rows {
    let squared = dot(m.real, m.real);
    // Where nothing moves the vertex the result is zero, like a sum of no matrices.
    let back = m.real * select(0.0, 1.0 / squared, squared > 0.0);
    let x = motion_column(m.x, back);
    let y = motion_column(m.y, back);
    let z = motion_column(m.z, back);
    let t = motion_column(m.translation, back);
    return Rows(vec4f(x.x, y.x, z.x, t.x), vec4f(x.y, y.y, z.y, t.y), vec4f(x.z, y.z, z.z, t.z));
}

// The vector part of sum · conjugate(real).
fn motion_column(sum: vec4f, real: vec4f) -> vec3f {
    return real.w * sum.xyz - sum.w * real.xyz + cross(real.xyz, sum.xyz);
}
