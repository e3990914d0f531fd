// Draws bones as flat shapes that face the camera: a kite with a ridge along its axis, which looks like an octahedron,
// or a stick, and a ball at the joint. The selected bone is opaque, with a bright and a dark half and a white and a
// black outline, so that it stands out from whatever lies beneath.

struct Bone {
    /// xyz: world position; w: half the width of the collar, in metres.
    @location(0) head: vec4f,
    /// xyz: world position; w: where the collar is, as a fraction of the way from head to tail. Negative for a stick,
    /// which has the same width everywhere.
    @location(1) tail: vec4f,
    /// sRGB, straight alpha.
    @location(2) color: vec4f,
    /// x: least half width in pixels; y: radius of the ball as a share of the half width; z: 1 for the selected bone,
    /// else 0; w: depth, which only the processor sorts by.
    @location(3) look: vec4f,
}

/// All that is the same for the whole of a bone is computed at its corners.
struct BoneFragment {
    @builtin(position) position: vec4f,
    /// xy: head, in pixels from the picture's top left; zw: the direction to the tail, of unit length.
    @location(0) @interpolate(flat) axis: vec4f,
    /// In pixels: x: half width; y: distance from head to collar (negative for a stick); z: radius of the ball. w: 1
    /// for the selected bone, else 0.
    @location(1) @interpolate(flat) size: vec4f,
    /// How much light the two sides of the ridge get: xy: between head and collar, zw: beyond the collar.
    @location(2) @interpolate(flat) sides: vec4f,
    /// rgb: linear; w: alpha.
    @location(3) @interpolate(flat) body: vec4f,
    /// rgb: the linear colour of its edge; w: the distance from head to tail, in pixels.
    @location(4) @interpolate(flat) rim: vec4f,
    /// The linear colours of the halves of the selected bone.
    @location(5) @interpolate(flat) bright: vec3f,
    @location(6) @interpolate(flat) dark: vec3f,
}

/// The widths of the white and the black line around the selected bone, in pixels.
const WHITE: f32 = 1.3;
const BLACK: f32 = 1.9;

@vertex
fn vs_bones(bone: Bone, @builtin(vertex_index) vertex: u32) -> BoneFragment {
    let collar = abs(bone.tail.w);
    let m = globals.clip_from_world;
    let line = clipped_line(m * vec4f(bone.head.xyz, 1.0), m * vec4f(bone.tail.xyz, 1.0));
    let a = line.a;
    let b = line.b;
    let middle = mix(a, b, collar);
    let half_size = globals.viewport.xy * 0.5;
    let down = vec2f(1.0, -1.0);
    let head = a.xy / a.w * half_size * down + half_size;
    let tail = b.xy / b.w * half_size * down + half_size;
    let at_collar = middle.xy / middle.w * half_size * down + half_size;
    let along = tail - head;
    let reach_along = length(along);
    let direction = select(vec2f(1.0, 0.0), along / reach_along, reach_along > 1e-4);
    // How many pixels a metre parallel to the screen covers at the collar.
    let metre = length(vec3f(m[0].y, m[1].y, m[2].y)) / max(middle.w, 1e-20) * half_size.y;
    let half_width = max(bone.head.w * metre, bone.look.x);
    // The ball grows to almost the full half width as the bone turns towards the eye.
    let whole = length(bone.tail.xyz - bone.head.xyz) * metre;
    let ball = half_width * mix(0.95, bone.look.y, clamp(reach_along / max(whole, 1e-6), 0.0, 1.0));

    // One pixel is added for the soft edge.
    let reach = half_width + 1.0 + bone.look.z * (WHITE + BLACK);
    let side = f32(vertex & 1u) * 2.0 - 1.0;
    let is_end = vertex >= 2u;
    let clip = select(a, b, is_end);
    let offset = vec2f(-direction.y, direction.x) * side + select(-direction, direction, is_end);
    var out: BoneFragment;
    out.position = vec4f(clip.xy + offset * down * reach / half_size * clip.w, clip.zw);
    // The selected bone is drawn in front of all others.
    out.position.z = mix(out.position.z, clip.w * 0.999999, bone.look.z);
    if line.is_nearer {
        // This position lies outside the picture.
        out.position = vec4f(2.0, 2.0, 0.0, 1.0);
    }
    out.axis = vec4f(head, direction);
    let place = clamp(dot(at_collar - head, direction), 0.0, reach_along);
    out.size = vec4f(half_width, select(place, -1.0, bone.tail.w < 0.0), ball, bone.look.z);
    out.sides = vec4f(lit_sides(direction, -0.9), lit_sides(direction, 0.25));
    let color = bone.color.rgb;
    out.body = vec4f(linear_from_srgb(color), bone.color.a);
    out.rim = vec4f(linear_from_srgb(mix(color, vec3f(1.0), 0.35)), reach_along);
    out.bright = linear_from_srgb(mix(color, vec3f(1.0), 0.65));
    out.dark = linear_from_srgb(color * 0.1);
    return out;
}

/// How much light the two sides of the ridge get. Each faces half way to the eye, and leans along `direction` by
/// `lean`.
fn lit_sides(direction: vec2f, lean: f32) -> vec2f {
    let key = globals.boxes[0].z.xyz;
    let light = vec3f(dot(key, globals.view_x.xyz), -dot(key, globals.view_y.xyz), dot(key, globals.view_z.xyz));
    let along = direction * lean;
    let across = vec2f(-direction.y, direction.x);
    return vec2f(dot(along - across, light.xy), dot(along + across, light.xy)) * 0.6 + light.z * 0.6;
}

/// The signed distance to the upper half of a kite, negative inside. The kite's axis leads from the origin to (`reach`,
/// 0), and `corner` is its upper corner.
fn kite(at: vec2f, corner: vec2f, reach: f32) -> f32 {
    let to_first = at - corner * clamp(dot(at, corner) / max(dot(corner, corner), 1e-6), 0.0, 1.0);
    let edge = vec2f(reach, 0.0) - corner;
    let from_corner = at - corner;
    let to_second = from_corner - edge * clamp(dot(from_corner, edge) / max(dot(edge, edge), 1e-6), 0.0, 1.0);
    let above = max(corner.x * at.y - corner.y * at.x, edge.x * from_corner.y - edge.y * from_corner.x);
    let away = min(length(to_first), length(to_second));
    return select(-away, away, above > 0.0);
}

@fragment
fn fs_bones(in: BoneFragment) -> @location(0) vec4f {
    let at = pixel_of(in.position) - in.axis.xy;
    let direction = in.axis.zw;
    let reach = in.rim.w;
    let across = vec2f(-direction.y, direction.x);
    let along = dot(at, direction);
    let beside = dot(at, across);
    let is_stick = in.size.y < 0.0;
    let stick = length(vec2f(along - clamp(along, 0.0, reach), beside)) - in.size.x;
    let shape = select(kite(vec2f(along, abs(beside)), vec2f(in.size.y, in.size.x), reach), stick, is_stick);
    let away = min(shape, length(at) - in.size.z);
    let is_selected = in.size.w;
    let covered = clamp(0.5 + is_selected * (WHITE + BLACK) - away, 0.0, 1.0);
    if covered <= 0.0 {
        discard;
    }
    let sides = select(in.sides.zw, in.sides.xy, along < in.size.y);
    let is_left = clamp(beside / 1.4 + 0.5, 0.0, 1.0);
    let shade = 0.6 + 0.4 * clamp(mix(sides.x, sides.y, is_left), 0.0, 1.0);
    let edge = clamp(away + 1.5, 0.0, 1.0);
    let plain = mix(in.body.rgb * shade, in.rim.rgb, edge);
    let plain_alpha = mix(in.body.a, min(in.body.a * 1.3 + 0.1, 1.0), edge);

    // The edge between the halves is sharper than in other bones, so that a thin bone has a dark half too.
    let is_left_half = clamp(beside / 0.8 + 0.5, 0.0, 1.0);
    let lit = select(is_left_half, 1.0 - is_left_half, sides.x > sides.y);
    var marked = mix(in.dark, in.bright, lit);
    marked = mix(marked, vec3f(1.0), clamp(away + 0.5, 0.0, 1.0));
    marked = mix(marked, vec3f(0.002), clamp(away - WHITE + 0.5, 0.0, 1.0));
    let alpha = mix(plain_alpha, 1.0, is_selected) * covered;
    return vec4f(mix(plain, marked, is_selected) * alpha, alpha);
}
