// Draws the depths of the model from many directions at once, each into a tile of one texture: an instance for each
// copy and each view.

/// An instance's index is the index of its copy times this number, plus that of its view.
const VIEWS_PER_COPY: u32 = 256u;

/// The position in the texture of a point that view `view` sees. What lies outside of the view's sphere is moved to its
/// edge, so that no tile draws into another.
fn in_tile(world: vec3f, view: u32) -> vec4f {
    let is_key = view >= AMBIENT_VIEWS;
    // A pair of opposite views of the surroundings has the same axes but for the sign of z.
    let ahead = select(1.0, -1.0, !is_key && (view & 1u) == 1u);
    let direction = nth_direction(f32(select(view / 2u, view - AMBIENT_VIEWS, is_key)));
    let up = select(up_around(direction.share), up_in_key(direction.share), is_key);
    let at = in_sphere(world);
    let along = seen_along(direction.turn, up, select(at, in_key(at), is_key));
    let p = clamp(along * vec3f(1.0, 1.0, ahead), vec3f(-1.0), vec3f(1.0));
    let tiles = select(AMBIENT_TILES, KEY_TILES, is_key);
    let tile = tile_of(select(view, view - AMBIENT_VIEWS, is_key), tiles);
    let in_texture = (tile + p.xy * vec2f(0.5, -0.5) + 0.5) / vec2f(tiles);
    return vec4f(in_texture * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0), 0.5 - 0.5 * p.z, 1.0);
}

@vertex
fn vs_caster(in: Attributes, @builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> @builtin(position) vec4f {
    let copy = copy_of(instance / VIEWS_PER_COPY);
    return in_tile(placed(stored(in), vertex, copy).vertex.position, instance % VIEWS_PER_COPY);
}

@vertex
fn vs_masked_caster(in: Attributes, @builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Fragment {
    var out = surface_fragment(in, vertex, copy_of(instance / VIEWS_PER_COPY));
    out.position = in_tile(out.world, instance % VIEWS_PER_COPY);
    return out;
}

/// Leaves out the holes that alpha cuts.
@fragment
fn fs_masked_caster(in: Fragment) {
    if alpha_of(base_color(in).a) < 0.0 {
        discard;
    }
}
