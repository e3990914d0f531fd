// The surface in the colours of an overlay, evaluated in the vertex stage.

/// A joint shares a vertex when it has at least this much of it: less is not seen, and would blacken most of a smooth skin.
const SHARE: f32 = 0.1;

/// The one joint that has the vertex to itself, as a point in a cube such that no two are close (Roberts 2018: multiples of
/// the powers of 1 / 1.2207); w = 1. Zero where several share the vertex, or none has it.
fn owner(source: Source, copy: u32) -> vec4f {
    let count = influence_count(source);
    var joint = -1;
    for (var i = 0u; i < count; i++) {
        let part = influence(source, copy, i);
        if part.weight < SHARE {
            continue;
        }
        if joint >= 0 && joint != i32(part.joint) {
            return vec4f(0.0);
        }
        joint = i32(part.joint);
    }
    let place = fract(f32(joint) * vec3f(0.8191725, 0.6710436, 0.5497005));
    return select(vec4f(0.0), vec4f(place, 1.0), joint >= 0);
}

/// `color`: of a ramp its number in x, else the linear colour. `tangent`, which readouts have no use for: the owner.
@vertex
fn vs_readout(
    in: Attributes,
    @location(8) value: f32,
    @builtin(vertex_index) vertex: u32,
    @builtin(instance_index) instance: u32,
) -> Fragment {
    let copy = copy_of(instance);
    var out = surface_fragment(in, vertex, copy);
    let source = stored(in);
    let number = overlay_number(source, copy, value);
    let shown = select(linear_from_srgb(scale_color(number)), vec3f(number, 0.0, 0.0), shown_scale() == RAMP);
    out.color = vec4f(shown, stored_color(in).a);
    out.tangent = owner(source, copy);
    return out;
}

/// How bright a readout is: full where the surface faces the light over the eye's shoulder, 60 % where it turns away,
/// so that the form shows and the colours stay those of the legend.
fn readout_shade(in: Fragment, f: Facing) -> f32 {
    if !is_lit() {
        return 1.0;
    }
    let light = normalize(to_eye(in.world) + 0.8 * globals.boxes[0].z.xyz);
    return mix(0.6, 1.0, smoothstep(-0.3, 0.95, dot(f.side * f.normal, light)));
}

/// Holes of alpha masks stay holes in readouts; what blends is shown solid.
fn is_hole(alpha: f32) -> bool {
    return has(MASKED) && alpha < material.alpha_cutoff;
}

@fragment
fn fs_readout(in: Fragment, @builtin(front_facing) front_facing: bool) -> @location(0) vec4f {
    let f = facing(in, front_facing);
    // Three corners of one owner differ in nothing; those of two differ all over the triangle. The bound lies well above
    // what rounding leaves, and well below a step between owners on a triangle of ten thousand pixels.
    let is_mixed = any(fwidth(in.tangent) > vec4f(4e-6)) || in.tangent.w < 0.5;
    if is_hole(base_color(in).a) || is_culled(f) {
        discard;
    }
    let shade = readout_shade(in, f);
    var color = srgb_from_linear(in.color.rgb);
    let kind = shown_scale();
    if kind == RAMP {
        color = ramp_color(in.color.x);
    }
    color *= shade;
    let blackens = is_shown(SHARED_BLACK) && kind == JOINTS;
    if blackens && is_mixed && SIDES {
        // Not quite black, so that its form still shows.
        color = vec3f(0.2 * (shade - 0.6));
    }
    return vec4f(dimmed(linear_from_srgb(color), in), 1.0);
}
