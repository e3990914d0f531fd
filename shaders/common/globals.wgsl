// Values that stay the same for a whole picture. skinscope_render/src/layouts.rs declares the same structs in Rust.

struct SoftBox {
    /// xyz of x, y and z: the light's axes in world space; z points from the scene to the light. w of x and y: its half
    /// extents in a stereographic projection.
    x: vec4f,
    y: vec4f,
    z: vec4f,
    /// rgb: linear radiance; w: the share of it that also lights diffusely, times the light's solid angle / π.
    radiance: vec4f,
}

struct Globals {
    clip_from_world: mat4x4f,
    /// The camera's axes in world space. w of view_x: the size of the model, metres.
    view_x: vec4f,
    view_y: vec4f,
    view_z: vec4f,
    /// xyz: world position of the eye; w: 1 for a perspective camera, 0 for an orthographic one.
    eye: vec4f,
    /// Width, height, 1 / width and 1 / height of the camera's picture, in pixels.
    viewport: vec4f,
    /// The colours of the background's middle and of its edge, sRGB; w unused.
    background_inner: vec4f,
    background_outer: vec4f,
    /// The spacing of the grid's lines, its height and its radius, in metres; w unused.
    grid: vec4f,
    /// The linear colour of the grid's lines; w: 1 where they are drawn, else 0.
    grid_color: vec4f,
    /// The linear colour of the floor; w: its straight alpha under the middle of the model.
    floor_color: vec4f,
    /// x and z of the shadow's centre, then its radii along x and z; world space, metres.
    shadow: vec4f,
    /// The colour of edges, or of a ghost. Linear, straight alpha.
    wire_color: vec4f,
    /// The colours of the dots of vertices where no overlay is shown, and of marked vertices. Linear, straight alpha.
    dot_color: vec4f,
    mark_color: vec4f,
    boxes: array<SoftBox, 4>,
    /// The range of nodes whose weights are shown: the first, and one past the last. Empty where they are equal.
    selected: u32,
    selected_end: u32,
    /// The index of the vector in `palette` at which the morph weights start.
    morph_base: u32,
    /// The number of entries in `lights`.
    light_count: u32,
    /// The index of the overlay, which gives each vertex a number.
    overlay: u32,
    /// The kind of colour scale: RAMP, STEPS or JOINTS.
    scale_kind: u32,
    /// The number of influences per vertex that a runtime can use.
    influence_limit: u32,
    /// The bits HAS_OVERLAY, INFLUENCED_ONLY and SHARED_BLACK.
    flags: u32,
    /// The numbers at the ends of a ramp.
    scale_ends: vec2f,
    /// The radius of the dots of all vertices, and of marked ones, in pixels.
    dot_radius: vec2f,
    /// x: 1 where the studio's lights are on, else 0; y: how many rows of the picture lie above the band that is drawn;
    /// z: opacity of the surface; w: how many columns of the target lie left of the camera's picture.
    studio: vec4f,
    /// A crowd. x: the number of members, 1 without a crowd; y: joints from the palette of one member to that of the
    /// next; z: vectors from the morph weights of one member to those of the next; w unused.
    crowd: vec4u,
    /// The values of the parameters of the method, in their order.
    parameters: vec4f,
    /// The environment. x, y: cosine and sine of the angle by which it is turned about +Y; z: a factor of its radiance; w:
    /// the level of its texture for the roughest surfaces.
    environment: vec4f,
    /// x, y: the tangents of half the angles of view, across and up. A parallel camera sees the environment as a usual one
    /// does; zw unused.
    lens: vec4f,
}

/// An overlay is shown.
const HAS_OVERLAY: u32 = 1u;
/// Vertices that the selected nodes do not move are dimmed.
const INFLUENCED_ONLY: u32 = 2u;
/// Triangles that several joints share are black where colours stand for joints.
const SHARED_BLACK: u32 = 4u;

/// The joint that a place in the palette belongs to.
struct Slot {
    /// The colour of the joint, sRGB.
    color: vec3f,
    /// The index of the joint's node.
    node: u32,
}

@group(0) @binding(0) var<uniform> globals: Globals;
/// Packed skinning matrices, then the morph weights, four to a vector.
@group(0) @binding(1) var<storage, read> palette: array<vec4f>;
@group(0) @binding(2) var<storage, read> slots: array<Slot>;

/// True where the device is a software one, which computes on the processor. Mesa's Vulkan driver for the processor
/// compiles a shader again, at every draw, for the values of those uniforms that by themselves decide a branch or end a
/// loop, and keeps every version. On such a device no branch may therefore depend on uniforms alone
/// (tests/branches.rs): the constants below say what is shown, with one pipeline for each combination, and `apart` ends
/// loops.
override BY_PROCESSOR: bool = false;
override SHOWN_FLAGS: u32 = 0u;
override SHOWN_OVERLAY: u32 = 0u;
override SHOWN_SCALE: u32 = 0u;
override SHOWN_LIGHTS: u32 = 3u;

/// True where the picture has several samples per pixel.
override MULTISAMPLED: bool = false;

/// Bits of SHOWN_LIGHTS: the studio's lights, and the lights of the file.
const STUDIO: u32 = 1u;
const LIGHTS: u32 = 2u;

/// True where `bit` of the flags is set.
fn is_shown(bit: u32) -> bool {
    return (select(globals.flags, SHOWN_FLAGS, BY_PROCESSOR) & bit) != 0u;
}

/// The index of the overlay that is shown.
fn shown_overlay() -> u32 {
    return select(globals.overlay, SHOWN_OVERLAY, BY_PROCESSOR);
}

/// The kind of colour scale: RAMP, STEPS or JOINTS.
fn shown_scale() -> u32 {
    return select(globals.scale_kind, SHOWN_SCALE, BY_PROCESSOR);
}

/// True where the studio's lights are on.
fn has_studio() -> bool {
    return select(globals.studio.x > 0.0, (SHOWN_LIGHTS & STUDIO) != 0u, BY_PROCESSOR);
}

/// How many lights of the file are on. `world`: the lit point, which `apart` needs because it differs between
/// fragments.
fn light_count(world: vec3f) -> u32 {
    let count = select(globals.light_count, 0u, BY_PROCESSOR && (SHOWN_LIGHTS & LIGHTS) == 0u);
    return apart(count, bitcast<u32>(world.x));
}

/// Returns `number`, which is the same for a whole draw. On a software device the compiler must assume that the result
/// depends on `varies`: a value that differs within a draw and never has all its bits set.
fn apart(number: u32, varies: u32) -> u32 {
    return select(number, 0u, BY_PROCESSOR && varies == 0xffffffffu);
}

/// The position of a fragment in the camera's picture, in pixels from its top left.
fn pixel_of(position: vec4f) -> vec2f {
    return position.xy + vec2f(-globals.studio.w, globals.studio.y);
}

/// The unit vector from a point of the surface to the eye.
fn to_eye(world: vec3f) -> vec3f {
    return select(globals.view_z.xyz, normalize(globals.eye.xyz - world), globals.eye.w > 0.5);
}
