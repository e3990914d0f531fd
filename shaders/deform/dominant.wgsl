// Every vertex follows its heaviest joint; the twin of skinscope_deform/src/dominant.rs. The contract of this folder is in
// linear.wgsl. A packed joint holds the three rows of its matrix.

struct Blend {
    // The joint whose weights are being added up, and their sum so far.
    joint: u32,
    weight: f32,
    // The heaviest joint so far, and its weight. A weight of zero means that there is none.
    best: u32,
    most: f32,
}

fn blend_begin() -> Blend {
    return Blend(0u, 0.0, 0u, 0.0);
}

fn blend_add(b: ptr<function, Blend>, joint: u32, weight: f32) {
    if weight == 0.0 {
        return;
    }
    // All influences of one joint come one after the other.
    (*b).weight = select(weight, (*b).weight + weight, joint == (*b).joint);
    (*b).joint = joint;
    if (*b).weight > (*b).most {
        (*b).best = joint;
        (*b).most = (*b).weight;
    }
}

fn blend_apply(b: Blend, v: Vertex) -> Vertex {
    return moved_by(blend_rows(b), v);
}

fn blend_determinant(b: Blend) -> f32 {
    return determinant_of(blend_rows(b));
}

fn blend_rows(b: Blend) -> Rows {
    // Nothing moves the vertex: the result is zero, like a sum of no matrices.
    if b.most == 0.0 {
        return Rows(vec4f(0.0), vec4f(0.0), vec4f(0.0));
    }
    return Rows(palette_vec(b.best, 0u), palette_vec(b.best, 1u), palette_vec(b.best, 2u));
}
