// What stays the same for a whole picture. Layouts: src/render/layouts.rs.

struct SoftBox {
    /// Axes in world space; w of x and y: half extents (stereographic), z points from the scene to the light.
    x: vec4f,
    y: vec4f,
    z: vec4f,
    /// Linear radiance; w: what part of it also lights diffusely, times its solid angle / π.
    radiance: vec4f,
}

struct Globals {
    clip_from_world: mat4x4f,
    /// The camera's axes in world space.
    view_x: vec4f,
    view_y: vec4f,
    view_z: vec4f,
    /// World; w: 1 in perspective, 0 orthographic.
    eye: vec4f,
    /// Pixels: width, height, 1 / width, 1 / height.
    viewport: vec4f,
    /// sRGB; w unused.
    background_inner: vec4f,
    background_outer: vec4f,
    /// Metres: spacing, height, radius; w unused.
    grid: vec4f,
    /// Linear; w unused.
    grid_color: vec4f,
    /// Linear, straight alpha under the model.
    floor_color: vec4f,
    /// Centre xz, radii xz; metres.
    shadow: vec4f,
    /// Linear, straight alpha.
    wire_color: vec4f,
    /// Linear, straight alpha: vertices without an overlay, and marked ones.
    dot_color: vec4f,
    mark_color: vec4f,
    boxes: array<SoftBox, 4>,
    /// Nodes whose weights are shown: the first, and one past the last; none where they are equal.
    selected: u32,
    selected_end: u32,
    /// Where the morph weights start in `palette`, in vectors.
    morph_base: u32,
    /// Entries of `lights`.
    light_count: u32,
    /// Which overlay gives the number of a vertex.
    overlay: u32,
    /// RAMP, STEPS or JOINTS.
    scale_kind: u32,
    /// The most influences that a runtime can use.
    influence_limit: u32,
    /// Bits below.
    flags: u32,
    /// The numbers at the ends of a ramp.
    scale_ends: vec2f,
    /// Pixels: of all vertices, of marked ones.
    dot_radius: vec2f,
    /// x: 1 with the studio's light, 0 without; y: rows of the picture above what is drawn; z: how opaque the surface is;
    /// w: columns of the picture left of what the camera sees.
    studio: vec4f,
    /// A crowd: members, joints from the palette of one to that of the next, vectors from the morph weights of one to those
    /// of the next; w unused. Alone: one member.
    crowd: vec4u,
}

/// There is an overlay.
const HAS_OVERLAY: u32 = 1u;
/// What the selected nodes do not move is dimmed.
const INFLUENCED_ONLY: u32 = 2u;
/// Triangles that several joints share are black where colours stand for joints.
const SHARED_BLACK: u32 = 4u;

/// What a palette slot stands for.
struct Slot {
    /// sRGB of the joint.
    color: vec3f,
    /// The node.
    node: u32,
}

@group(0) @binding(0) var<uniform> globals: Globals;
/// Packed skinning matrices, then the morph weights, four to a vector.
@group(0) @binding(1) var<storage, read> palette: array<vec4f>;
@group(0) @binding(2) var<storage, read> slots: array<Slot>;

/// The device is the processor. Mesa's Vulkan driver for it builds a shader anew, for every draw, around the values of those
/// uniforms that alone decide a branch or end a loop, and keeps every one that it built. So there nothing may hang on uniforms
/// alone (tests/branches.rs): what is shown is told by the constants below, one pipeline for each, and `apart` ends loops.
override BY_PROCESSOR: bool = false;
override SHOWN_FLAGS: u32 = 0u;
override SHOWN_OVERLAY: u32 = 0u;
override SHOWN_SCALE: u32 = 0u;
override SHOWN_LIGHTS: u32 = 3u;

/// The picture has several samples a pixel.
override MULTISAMPLED: bool = false;

/// Of SHOWN_LIGHTS: the studio, lights of the file.
const STUDIO: u32 = 1u;
const LIGHTS: u32 = 2u;

/// True where `bit` of what is shown is set.
fn is_shown(bit: u32) -> bool {
    return (select(globals.flags, SHOWN_FLAGS, BY_PROCESSOR) & bit) != 0u;
}

/// Which overlay gives the number of a vertex.
fn shown_overlay() -> u32 {
    return select(globals.overlay, SHOWN_OVERLAY, BY_PROCESSOR);
}

/// RAMP, STEPS or JOINTS.
fn shown_scale() -> u32 {
    return select(globals.scale_kind, SHOWN_SCALE, BY_PROCESSOR);
}

/// True where the studio shines.
fn has_studio() -> bool {
    return select(globals.studio.x > 0.0, (SHOWN_LIGHTS & STUDIO) != 0u, BY_PROCESSOR);
}

/// How many lights of the file shine. `world`: on what, as it differs from fragment to fragment.
fn light_count(world: vec3f) -> u32 {
    let count = select(globals.light_count, 0u, BY_PROCESSOR && (SHOWN_LIGHTS & LIGHTS) == 0u);
    return apart(count, bitcast<u32>(world.x));
}

/// `number`, which is the same for a whole draw. Where the device is the processor, it seems to differ with `varies`, which is
/// whatever differs within a draw, and never has all its bits set.
fn apart(number: u32, varies: u32) -> u32 {
    return select(number, 0u, BY_PROCESSOR && varies == 0xffffffffu);
}

/// Where a fragment lies in what the camera sees, pixels from its top left.
fn pixel_of(position: vec4f) -> vec2f {
    return position.xy + vec2f(-globals.studio.w, globals.studio.y);
}

/// From the surface to the eye, unit.
fn to_eye(world: vec3f) -> vec3f {
    return select(globals.view_z.xyz, normalize(globals.eye.xyz - world), globals.eye.w > 0.5);
}
