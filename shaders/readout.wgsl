// Draws the surface in the colours of an overlay, whose numbers are computed in the vertex stage.

/// A joint counts as sharing a vertex from this weight on. Less is not visible, and would blacken most of a smooth
/// skin.
const SHARE: f32 = 0.1;

/// Like Fragment, except that what readouts do not use is replaced by what they need.
struct ReadoutFragment {
    @invariant @builtin(position) position: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
    /// Where shared triangles are black: the result of `owner`. Otherwise the first half of the code of the dominant
    /// joint (`Mixture.low`).
    @location(2) owner: vec4f,
    @location(3) uv: vec4f,
    /// For a ramp its number in x, otherwise the linear colour; w: alpha of the vertex.
    @location(4) color: vec4f,
    @location(5) side: f32,
    @location(6) lit: f32,
    /// The other half of the code (`Mixture.high`).
    @location(7) code: vec4f,
}

/// The only joint that a vertex belongs to (see SHARE), as a point in a cube such that no two joints are close (Roberts
/// 2018: multiples of the powers of 1 / 1.2207), with w = 1. Zero where several joints share the vertex, or none moves
/// it.
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

/// The joints of a vertex, averaged by their weights.
struct Mixture {
    /// The mean of their linear colours; black where no joint has a weight.
    color: vec3f,
    /// The lowest eight bits of the joints' indices as 0 or 1, four in `low` and four in `high`, averaged by the fourth
    /// power of the weights. They come close to those of the dominant joint, so between two joints some bit passes one
    /// half just where dominance changes.
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

/// The Fragment that the functions of the surface take.
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

/// How bright a readout is where it turns away from the light. With a ramp it is dark there, so that the form shows as
/// well as in plain grey where the overlay has nothing to show. Colours that each stand for something stay brighter, so
/// that they can be told apart everywhere.
const DARKEST: f32 = 0.16;
const DARKEST_OF_STEPS: f32 = 0.48;

/// How bright a readout is, from `darkest` to 1. It is full where the surface faces a light between the eye and the key
/// light. Only brightness changes, so that hues stay those of the legend.
fn readout_shade(in: Fragment, f: Facing, darkest: f32) -> f32 {
    if !is_lit() {
        return 1.0;
    }
    let light = normalize(to_eye(in.world) + 0.9 * globals.boxes[0].z.xyz);
    return mix(darkest, 1.0, smoothstep(-0.35, 0.95, dot(f.side * f.normal, light)));
}

/// True where an alpha mask cuts a hole, which readouts keep. Surfaces that blend are shown as solid.
fn is_hole(alpha: f32) -> bool {
    return has(MASKED) && alpha < material.alpha_cutoff;
}

/// Half the width of a seam, in pixels.
const SEAM: f32 = 1.0;

/// How much of a pixel a seam covers, 0…1. A seam lies where some of the four bits pass one half; bits that hardly
/// change have none.
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
    // On a triangle whose corners have one owner the value is constant; with two owners it changes all over the
    // triangle. The bound lies well above what rounding leaves, and well below the change that two owners cause on a
    // triangle of ten thousand pixels.
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
    // Shared triangles are not quite black, so that their form still shows.
    let black = vec3f(0.15 * (shade - darkest));
    let seams = max(seam(in.owner, owner_change), seam(in.code, code_change));
    let of_joints = kind == JOINTS && SIDES;
    color = select(color, black, of_joints && blackens && is_mixed);
    color *= select(1.0, 1.0 - 0.8 * seams, of_joints && !blackens);
    return in_picture(dimmed(linear_from_srgb(color), surface), 1.0);
}
