// Functions that all overlays share: they turn the number of a vertex into a colour.
//
// Every file in overlay/ is one overlay; one whose numbers are shown just as they were computed beforehand has none. It
// defines (with _ for - in its id)
//     fn overlay_<id>(source: Source, copy: u32, value: f32) -> f32
// which returns the number of a vertex on the overlay's scale (skinscope_frame/src/overlay.rs), or NONE where the vertex has no
// number and the scale has a colour for that. `value` was computed for the vertex beforehand, where the overlay's row
// says so. In parts that no skin moves (`is_rigid()`) it returns NOT_SKINNED where the scale has a colour for them.
// `influence_count(source)` and `influence(source, copy, i)` give joints (indices into `slots`) and weights;
// `used_influences(source, copy)` counts those whose weight is not zero.

const RAMP: u32 = 0u;
const STEPS: u32 = 1u;
const JOINTS: u32 = 2u;

/// The number that stands for none. It lies so far below all others that a triangle with one such corner visibly shows
/// it.
const NONE: f32 = -1e6;
/// The number that stands for a part that no skin moves. All corners of its triangles have it.
const NOT_SKINNED: f32 = -2e6;

/// How many rows of a scale hold a ramp, and how many rows there are in all.
const RAMP_ROWS: u32 = 37u;
const SCALE_ROWS: u32 = 40u;
/// From this number on, a ramp shows no trace of the colour of zero.
const LEAST_SHOWN: f32 = 1e-4;

struct Scale {
    /// sRGB colours. For RAMP: the ramp from end to end, then the colours of zero, of NONE and of NOT_SKINNED (w: 1 where
    /// the scale has one). For STEPS: one colour for each step.
    rows: array<vec4f, 40>,
}

@group(0) @binding(3) var<uniform> scale: Scale;

/// The sRGB colour of a number. With JOINTS a negative number stands for no joint and is black.
fn scale_color(number: f32) -> vec3f {
    let kind = shown_scale();
    if kind == JOINTS {
        return select(vec3f(0.0), slots[u32(max(number, 0.0))].color, number >= 0.0);
    }
    if kind == STEPS {
        return scale.rows[min(u32(max(number, 0.0) + 0.5), SCALE_ROWS - 1u)].rgb;
    }
    return ramp_color(number, 0.0);
}

/// The sRGB colour of a number along a ramp. `change`: how much the number changes from one pixel to the next; it makes
/// the edge of the area that is zero smooth.
fn ramp_color(number: f32, change: f32) -> vec3f {
    let share = (number - globals.scale_ends.x) / (globals.scale_ends.y - globals.scale_ends.x);
    let at = clamp(share, 0.0, 1.0) * f32(RAMP_ROWS - 1u);
    let row = min(u32(at), RAMP_ROWS - 2u);
    let color = mix(scale.rows[row].rgb, scale.rows[row + 1u].rgb, at - f32(row));
    let zero = scale.rows[RAMP_ROWS];
    let none = scale.rows[RAMP_ROWS + 1u];
    let rigid = scale.rows[RAMP_ROWS + 2u];
    let is_zero = zero.w * clamp(1.0 - abs(number) / max(change, LEAST_SHOWN), 0.0, 1.0);
    let is_none = none.w * clamp(globals.scale_ends.x - 1.0 - number, 0.0, 1.0);
    let is_not_skinned = select(0.0, rigid.w, number < 1.5 * NONE);
    return mix(mix(mix(color, zero.rgb, is_zero), none.rgb, is_none), rigid.rgb, is_not_skinned);
}

/// How many weights of a vertex are not zero.
fn used_influences(source: Source, copy: u32) -> u32 {
    let count = influence_count(source);
    var used = 0u;
    for (var i = 0u; i < count; i++) {
        used += select(0u, 1u, influence(source, copy, i).weight != 0.0);
    }
    return used;
}
