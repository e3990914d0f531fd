// The surface in the colours of an overlay, evaluated in the vertex stage.

/// A joint shares a vertex when it has at least this much of it: less is not seen, and would blacken most of a smooth skin.
const SHARE: f32 = 0.1;

/// As Fragment; what readouts have no use for gives way to what they need.
struct ReadoutFragment {
    @invariant @builtin(position) position: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
    /// Where shared triangles are black: the owner. Else the first half of the code of the dominant joint.
    @location(2) owner: vec4f,
    @location(3) uv: vec4f,
    /// Of a ramp its number in x, else the linear colour; w: alpha of the vertex.
    @location(4) color: vec4f,
    @location(5) side: f32,
    @location(6) lit: f32,
    /// The other half of the code.
    @location(7) code: vec4f,
}

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

/// The joints of a vertex, mixed.
struct Mixture {
    /// The mean of their linear colours by weight; black where there is none.
    color: vec3f,
    /// The lower bits of their numbers as 0 and 1, four and four, mixed by the fourth power of their weights: nearly those of
    /// the dominant joint. So between two joints some bit passes one half just where dominance changes.
    low: vec4f,
    high: vec4f,
}

fn bits(number: u32, first: u32) -> vec4f {
    return vec4f((vec4u(number) >> (vec4u(first) + vec4u(0u, 1u, 2u, 3u))) & vec4u(1u));
}

fn mixture(source: Source, copy: u32) -> Mixture {
    let count = influence_count(source);
    var out: Mixture;
    var sum = 0.0;
    var sharp_sum = 0.0;
    for (var i = 0u; i < count; i++) {
        let part = influence(source, copy, i);
        let weight = max(part.weight, 0.0);
        let squared = weight * weight;
        let sharp = squared * squared;
        out.color += weight * linear_from_srgb(slots[part.joint].color);
        out.low += sharp * bits(part.joint, 0u);
        out.high += sharp * bits(part.joint, 4u);
        sum += weight;
        sharp_sum += sharp;
    }
    out.color /= max(sum, 1e-20);
    out.low /= max(sharp_sum, 1e-30);
    out.high /= max(sharp_sum, 1e-30);
    return out;
}

@vertex
fn vs_readout(
    in: Attributes,
    @location(8) value: f32,
    @builtin(vertex_index) vertex: u32,
    @builtin(instance_index) instance: u32,
) -> ReadoutFragment {
    let copy = copy_of(instance);
    let deformed = surface_fragment(in, vertex, copy);
    let source = stored(in);
    let number = overlay_number(source, copy, value);
    let kind = shown_scale();
    let blackens = is_shown(SHARED_BLACK);
    var mixed: Mixture;
    var owned = vec4f(0.0);
    if kind == JOINTS {
        mixed = mixture(source, copy);
        owned = select(mixed.low, owner(source, copy), blackens);
    }
    var shown = select(linear_from_srgb(scale_color(number)), vec3f(number, 0.0, 0.0), kind == RAMP);
    shown = select(shown, mixed.color, kind == JOINTS && !blackens);
    var out: ReadoutFragment;
    out.position = deformed.position;
    out.world = deformed.world;
    out.normal = deformed.normal;
    out.owner = owned;
    out.uv = deformed.uv;
    out.color = vec4f(shown, stored_color(in).a);
    out.side = deformed.side;
    out.lit = deformed.lit;
    out.code = mixed.high;
    return out;
}

/// As the surface reads it.
fn fragment_of(in: ReadoutFragment) -> Fragment {
    var out: Fragment;
    out.position = in.position;
    out.world = in.world;
    out.normal = in.normal;
    out.uv = in.uv;
    out.color = in.color;
    out.side = in.side;
    out.lit = in.lit;
    return out;
}

/// How bright a readout is where it turns away from the light: of ramps, so that where nothing is the form shows as in plain grey;
/// of colours that stand for something each, which are to be told apart everywhere.
const DARKEST: f32 = 0.16;
const DARKEST_OF_STEPS: f32 = 0.48;

/// How bright a readout is, `darkest` to 1: full where the surface faces the light over the eye's shoulder. Hues stay those of the
/// legend.
fn readout_shade(in: Fragment, f: Facing, darkest: f32) -> f32 {
    if !is_lit() {
        return 1.0;
    }
    let light = normalize(to_eye(in.world) + 0.9 * globals.boxes[0].z.xyz);
    return mix(darkest, 1.0, smoothstep(-0.35, 0.95, dot(f.side * f.normal, light)));
}

/// Holes of alpha masks stay holes in readouts; what blends is shown solid.
fn is_hole(alpha: f32) -> bool {
    return has(MASKED) && alpha < material.alpha_cutoff;
}

/// Half the width of a seam, pixels.
const SEAM: f32 = 1.0;

/// How much of a seam lies on a pixel where some of four bits pass one half: 0…1. Where they hardly change, nothing passes.
fn seam(code: vec4f, change: vec4f) -> f32 {
    let away = abs(code - 0.5) / max(change, vec4f(1e-5));
    let lines = clamp(SEAM + 0.5 - away, vec4f(0.0), vec4f(1.0)) * smoothstep(vec4f(2e-5), vec4f(2e-4), change);
    return max(max(lines.x, lines.y), max(lines.z, lines.w));
}

@fragment
fn fs_readout(in: ReadoutFragment, @builtin(front_facing) front_facing: bool) -> @location(0) vec4f {
    let surface = fragment_of(in);
    shade_covered_pixels_only(surface.lit < -1.0);
    let f = facing(surface, front_facing);
    let owner_change = fwidth(in.owner);
    let code_change = fwidth(in.code);
    let number_change = fwidth(in.color.x);
    // Three corners of one owner differ in nothing; those of two differ all over the triangle. The bound lies well above
    // what rounding leaves, and well below a step between owners on a triangle of ten thousand pixels.
    let is_mixed = any(owner_change > vec4f(4e-6)) || in.owner.w < 0.5;
    if is_hole(base_color(surface).a) || is_culled(f) {
        discard;
    }
    let kind = shown_scale();
    let darkest = select(DARKEST_OF_STEPS, DARKEST, kind == RAMP);
    let shade = readout_shade(surface, f, darkest);
    let plain = srgb_from_linear(in.color.rgb);
    var color = select(plain, ramp_color(in.color.x, number_change), kind == RAMP) * shade;
    let blackens = is_shown(SHARED_BLACK);
    // Not quite black, so that its form still shows.
    let black = vec3f(0.15 * (shade - darkest));
    let seams = max(seam(in.owner, owner_change), seam(in.code, code_change));
    let of_joints = kind == JOINTS && SIDES;
    color = select(color, black, of_joints && blackens && is_mixed);
    color *= select(1.0, 1.0 - 0.8 * seams, of_joints && !blackens);
    return in_picture(dimmed(linear_from_srgb(color), surface), 1.0);
}
