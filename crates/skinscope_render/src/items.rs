//! Lists what of a frame is drawn, and in which order. Records no commands.

use std::cell::RefCell;

use glam::{Affine3A, Vec3, Vec4};
use skinscope_deform::{Method, MethodInput, Vertex, pack};
use skinscope_frame::Frame;
use skinscope_model::{InstanceId, MeshId, Model};

use super::material::{Groups, MaterialTraits};
use super::pipeline_kind::Cull;
use super::primitive::GpuPrimitive;
use super::scene::{GpuDraw, GpuModel};

/// A part of one primitive of one instance, or of several that are drawn at once: the triangles that have one material.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'a> {
    pub primitive: &'a GpuPrimitive,
    pub source: &'a skinscope_model::Primitive,
    pub draw: &'a GpuDraw,
    /// The range of copies that are drawn; each is moved by the next matrix of the palette.
    copies: (u32, u32),
    /// The range of members of the crowd: all of them, or a single one with a single copy.
    members: (u32, u32),
    /// The range of instances that are drawn at once: all members of a copy come before those of the next.
    instances: (u32, u32),
    /// The range in the index list of its surface.
    range: (u32, u32),
    /// Whether what belongs to all of the primitive, such as its vertices and edges, is drawn with this item.
    pub is_first: bool,
    pub groups: &'a Groups,
    pub traits: &'a MaterialTraits,
    /// The index of the mesh, and that of the primitive in it.
    pub key: (usize, usize),
    /// The depth in view space and the index among all items, which items are sorted by.
    rank: (f32, u32),
}

impl Item<'_> {
    /// The range of the index list that is drawn.
    pub fn range(&self) -> std::ops::Range<u32> {
        self.range.0..self.range.1
    }

    /// The same item with another range of the index list.
    pub(crate) fn with_range(self, range: std::ops::Range<u32>) -> Self {
        Self { range: (range.start, range.end), ..self }
    }

    /// The range of instances where each is drawn `times` times.
    pub fn instances(&self, times: u32) -> std::ops::Range<u32> {
        times * self.instances.0..times * self.instances.1
    }

    /// The depth of the middle of an item as posed, in view space: negative in front of the eye.
    fn depth(&self, frame: &Frame, view_from_world: &Affine3A) -> f32 {
        let center = self.primitive.bounds.center();
        let joint =
            if self.source.stored_influences.is_some() { self.primitive.influences.main_joint } else { self.copies.0 };
        let palette = member_palette(frame, self.members.0);
        let at = palette.get((self.draw.joint + joint) as usize).map_or(center, |m| m.transform_point3(center));
        view_from_world.transform_point3(at).z
    }
}

/// Every primitive of every instance of a frame, in as few items as possible and in the order in which they are drawn.
pub(super) struct Items<'a> {
    pub all: Vec<Item<'a>>,
    /// How many items are solid. They come first; the others show what lies behind them and follow, farthest first.
    pub solid: usize,
}

impl<'a> Items<'a> {
    /// The items of a frame. `expected`: about how many there are, for which memory is allocated at once.
    pub fn of(frame: &Frame, shown: Option<(&'a Model, &'a GpuModel)>, expected: usize) -> Self {
        let mut all = Vec::with_capacity(expected);
        if let Some((model, copy)) = shown {
            list(frame, model, copy, &mut all);
        }
        // Overlays and looks show every surface as solid.
        let hides_materials = frame.overlay().is_some() || frame.look().is_some();
        let is_solid = |i: &Item<'_>| hides_materials || !(i.traits.blends || i.traits.transmits);
        let solid = all.iter().filter(|i| is_solid(i)).count();
        if solid < all.len() {
            let view_from_world = frame.camera.world_from_view.inverse();
            for (number, item) in (0..).zip(&mut all) {
                let depth = if is_solid(item) { f32::NEG_INFINITY } else { item.depth(frame, &view_from_world) };
                item.rank = (depth, number);
            }
            all.sort_unstable_by(|a, b| {
                is_solid(b).cmp(&is_solid(a)).then(a.rank.0.total_cmp(&b.rank.0)).then(a.rank.1.cmp(&b.rank.1))
            });
        }
        Self { all, solid }
    }

    /// The items that are solid, and those that show what lies behind them; both are empty where no surface is to be
    /// seen.
    pub fn surfaces(&self, frame: &Frame) -> (&[Item<'a>], &[Item<'a>]) {
        if frame.display.mesh && frame.display.skin_opacity > 0.0 { self.all.split_at(self.solid) } else { (&[], &[]) }
    }
}

fn list<'a>(frame: &Frame, model: &'a Model, copy: &'a GpuModel, out: &mut Vec<Item<'a>>) {
    let all = frame.members.max(1);
    let mut rest = &frame.draws[..];
    while let Some(id) = rest.first() {
        let (run, after) = rest.split_at(alike(model, rest));
        rest = after;
        let mesh = model.instances[id.index()].mesh.index();
        for n in 0..copy.draws[id.index()].len() {
            let primitive = &copy.meshes[mesh][n];
            for (number, part) in primitive.parts.iter().enumerate() {
                let source = &model.meshes[mesh].primitives[part.primitive];
                let material = source.material_in(frame.variant).map_or(model.materials.len(), |m| m.index());
                let (groups, traits) = (&copy.materials.groups[material], &copy.materials.traits[material]);
                let item = |draw, copies: (u32, u32), members: (u32, u32)| Item {
                    primitive,
                    source: &model.meshes[mesh].primitives[n],
                    draw,
                    copies,
                    members,
                    instances: if members == (0, all) {
                        (copies.0 * all, copies.1 * all)
                    } else {
                        (copies.0 * all + members.0, copies.0 * all + members.1)
                    },
                    range: (part.indices.start as u32, part.indices.end as u32),
                    is_first: number == 0,
                    groups,
                    traits,
                    key: (mesh, n),
                    rank: (0.0, 0),
                };
                let each = run.iter().map(|id| &copy.draws[id.index()][n]);
                if !(traits.blends || traits.transmits) {
                    let copies = each.clone().map(|draw| draw.copies).sum();
                    out.extend(each.take(1).map(|first| item(first, (0, copies), (0, all))));
                    continue;
                }
                // Items that show what lies behind them are sorted by depth, so each copy and each member is one of its
                // own.
                for draw in each {
                    if all == 1 {
                        out.push(item(draw, (0, draw.copies), (0, 1)));
                    } else {
                        let single = |i| item(draw, (i / all, i / all + 1), (i % all, i % all + 1));
                        out.extend((0..draw.copies * all).map(single));
                    }
                }
            }
        }
    }
}

/// How many of the first instances of `draws` can be drawn as one item: they have the same mesh, are rigid and without
/// morph targets, and their matrices follow one another.
fn alike(model: &Model, draws: &[InstanceId]) -> usize {
    let instance = |id: &InstanceId| &model.instances[id.index()];
    let fits = |pair: &[InstanceId]| {
        let (a, b) = (instance(&pair[0]), instance(&pair[1]));
        let rigid = a.skin.is_none() && b.skin.is_none() && a.morph_weights.is_empty();
        let first_matrix = |id: &InstanceId| model.palette_layout().instances[id.index()];
        a.mesh == b.mesh && rigid && first_matrix(&pair[0]) + a.copy_count() as u32 == first_matrix(&pair[1])
    };
    1 + draws.windows(2).take_while(|pair| fits(pair)).count()
}

/// The winding of back faces; [`Cull::None`] unless it is known that all parts of the surface have kept their winding,
/// or that all have reversed it.
pub(super) fn winding_of_backs(frame: &Frame, item: &Item<'_>) -> Cull {
    let Some(pairs) = &item.primitive.influences.meeting else { return Cull::None };
    // A method that looks at neighbours may turn a triangle over, whatever the matrices do.
    if frame.needs_processor.is_some() && !item.draw.rigid {
        return Cull::None;
    }
    if item.primitive.topology != wgpu::PrimitiveTopology::TriangleList {
        return Cull::None;
    }
    let pairs = if item.draw.rigid { &[(0, 0)][..] } else { pairs };
    let mut common = None;
    for member in item.members.0..item.members.1 {
        let palette = member_palette(frame, member);
        let side = side(palette, item, pairs, frame.method).or_else(|| side_of_vertices(frame, palette, item));
        if side.is_none() || common.is_some_and(|c| Some(c) != side) {
            return Cull::None;
        }
        common = side;
    }
    match common {
        Some(true) => Cull::Clockwise,
        Some(false) => Cull::CounterClockwise,
        None => Cull::None,
    }
}

/// The matrices of one member of the crowd.
fn member_palette(frame: &Frame, member: u32) -> &[Affine3A] {
    let length = frame.palettes.len() / frame.members.max(1) as usize;
    frame.palettes.get(member as usize * length..).map_or(&[], |rest| &rest[..length.min(rest.len())])
}

/// Whether all of the surface has kept its winding (true) or has reversed it (false); `None` where neither is certain.
fn side(palette: &[Affine3A], item: &Item<'_>, pairs: &[(u16, u16)], method: &Method) -> Option<bool> {
    let at = item.draw.joint as usize;
    let is_rigid = item.draw.rigid;
    let matrices = if is_rigid { at + item.copies.0 as usize..at + item.copies.1 as usize } else { at..palette.len() };
    common_side(palette.get(matrices)?, is_rigid, pairs, method)
}

/// The most vertices of a skinned surface that are looked at one by one where its joints leave its side open. That costs less than
/// another pipeline.
const MOST_LOOKED_AT: usize = 2048;

/// The size of a determinant, relative to that of the first vertex, below which the shader might see another sign.
const NEARLY_FLAT: f32 = 1e-3;

/// Does the same as [`side`] by the vertices of a small skinned surface that is drawn once: joints that are turned far from one another
/// may share none that turns over.
fn side_of_vertices(frame: &Frame, palette: &[Affine3A], item: &Item<'_>) -> Option<bool> {
    let model = frame.model.as_ref()?;
    let p = model.primitive(MeshId::from_index(item.key.0), item.key.1);
    let is_one = !item.draw.rigid && item.members.1 - item.members.0 == 1;
    let influences = p.influences.filter(|_| is_one && p.positions.len() <= MOST_LOOKED_AT)?;
    if frame.method.data.is_some() || p.positions.is_empty() {
        return None;
    }
    let first = item.draw.joint as usize;
    let joints = palette.get(first..first + influences.joints_needed())?;
    let input = MethodInput { values: frame.parameters, ..MethodInput::default() };
    PACKED.with_borrow_mut(|packed| {
        pack(frame.method, joints, packed);
        let of = |vertex: usize| {
            let at = Vertex { position: p.positions[vertex], normal: Vec3::ZERO, tangent: Vec3::ZERO };
            frame.method.deform_with(&input, packed, influences.of(vertex), at).determinant
        };
        let first = of(0);
        let is_like_first = |d: f32| d * first > 0.0 && d.abs() > NEARLY_FLAT * first.abs();
        (0..p.positions.len()).all(|vertex| is_like_first(of(vertex))).then_some(first > 0.0)
    })
}

thread_local! {
    /// The joints of the surface that is looked at, so that no picture allocates a list for each.
    static PACKED: RefCell<Vec<Vec4>> = const { RefCell::new(Vec::new()) };
}

/// Whether all of a surface has kept its winding (true) or has reversed it (false); `None` where neither is certain.
/// `matrices` are those of its joints, and `pairs` the joints that share a vertex; for a rigid surface `matrices` are
/// those of its copies.
pub(super) fn common_side(
    matrices: &[Affine3A],
    is_rigid: bool,
    pairs: &[(u16, u16)],
    method: &Method,
) -> Option<bool> {
    if is_rigid {
        let mut sides = matrices.iter().map(|m| m.matrix3.determinant());
        let first = sides.next()?;
        return sides.all(|d| d * first > 0.0).then_some(first > 0.0).filter(|_| first * first > 0.0);
    }
    let matrix = |index: u16| matrices.get(usize::from(index));
    let determinant = |index| matrix(index).map_or(0.0, |m| m.matrix3.determinant());
    let (first, _) = pairs.first()?;
    let side = determinant(*first);
    let alike = pairs.iter().all(|(a, b)| {
        let agree = a == b && determinant(*a) * side > 0.0;
        agree || a != b && matrix(*a).zip(matrix(*b)).is_some_and(|(a, b)| (method.preserves_orientation)(a, b))
    });
    alike.then_some(side > 0.0)
}
