//! What of a frame is drawn, and in which order. Records nothing itself.

use glam::Affine3A;

use super::material::{Groups, Traits};
use super::pipelines::Cull;
use super::scene::{GpuDraw, GpuModel, GpuPrimitive};
use super::vertices::Shape;
use crate::deform::keep_sides;
use crate::frame::Frame;
use crate::model::{InstanceId, Model};

/// One primitive of one instance, or of several that are drawn at once.
#[derive(Clone, Copy)]
pub(super) struct Item<'a> {
    pub primitive: &'a GpuPrimitive,
    pub source: &'a crate::model::Primitive,
    pub draw: &'a GpuDraw,
    /// Which of its copies; each is moved by the next matrix of the palette.
    copies: (u32, u32),
    /// Which members of the crowd: all, or one of them with one copy.
    members: (u32, u32),
    /// What is drawn at once: all members of a copy before those of the next.
    instances: (u32, u32),
    pub groups: &'a Groups,
    pub traits: &'a Traits,
    /// Mesh, and primitive of it.
    pub place: (usize, usize),
}

impl Item<'_> {
    /// Each of them `times` times.
    pub fn instances(&self, times: u32) -> std::ops::Range<u32> {
        times * self.instances.0..times * self.instances.1
    }

    /// How its vertices are drawn; `windows`: the uniform block may be used.
    pub fn shape(&self, frame: &Frame, windows: bool) -> Shape {
        self.draw.shape(frame, self.copies.1, windows)
    }
}

/// What is drawn when.
pub(super) struct Order<'a, 'b> {
    pub solid: Vec<&'b Item<'a>>,
    /// What shows something behind it, farthest first.
    pub sorted: Vec<&'b Item<'a>>,
}

impl<'a: 'b, 'b> Order<'a, 'b> {
    pub fn of(frame: &Frame, items: &'b [Item<'a>]) -> Self {
        if !frame.display.mesh {
            return Self { solid: Vec::new(), sorted: Vec::new() };
        }
        // Readouts show everything as solid.
        let shows = |i: &&Item<'_>| frame.overlay().is_none() && (i.traits.blends || i.traits.transmits);
        let (sorted, solid): (Vec<_>, Vec<_>) = items.iter().partition(shows);
        Self { solid, sorted: back_to_front(frame, sorted.into_iter()) }
    }
}

/// Every primitive of every instance of `frame`, as few times as can be.
pub(super) fn items<'a>(frame: &Frame, model: &'a Model, copy: &'a GpuModel) -> Vec<Item<'a>> {
    let mut out = Vec::new();
    let mut rest = &frame.draws[..];
    while let Some(id) = rest.first() {
        let (run, after) = rest.split_at(alike(model, rest));
        rest = after;
        let mesh = model.instances[id.index()].mesh.index();
        for (n, draw) in copy.draws[id.index()].iter().enumerate() {
            let source = &model.meshes[mesh].primitives[n];
            let material = source.material_in(frame.variant).map_or(model.materials.len(), |m| m.index());
            let (groups, traits) = (&copy.materials.groups[material], &copy.materials.traits[material]);
            let all = frame.members.max(1);
            let item = |draw: &'a GpuDraw, copies: (u32, u32), members: (u32, u32)| Item {
                primitive: &copy.meshes[mesh][n],
                source,
                draw,
                copies,
                members,
                instances: if all > 1 && members != (0, all) {
                    (copies.0 * all + members.0, copies.0 * all + members.0 + 1)
                } else {
                    (copies.0 * all, copies.1 * all)
                },
                groups,
                traits,
                place: (mesh, n),
            };
            let each = run.iter().map(|id| &copy.draws[id.index()][n]);
            if traits.blends || traits.transmits {
                // What shows something behind it is sorted by depth, one by one.
                for draw in each {
                    if all == 1 {
                        out.push(item(draw, (0, draw.copies), (0, 1)));
                        continue;
                    }
                    let one_by_one = (0..draw.copies * all).map(|i| (i / all, i % all));
                    out.extend(one_by_one.map(|(copy, member)| item(draw, (copy, copy + 1), (member, member + 1))));
                }
            } else {
                out.push(item(draw, (0, each.map(|draw| draw.copies).sum()), (0, all)));
            }
        }
    }
    out
}

/// How many of the first instances of `draws` can be drawn at once: the same mesh, rigid, without morph targets, and their
/// matrices one after the other.
fn alike(model: &Model, draws: &[InstanceId]) -> usize {
    let instance = |id: &InstanceId| &model.instances[id.index()];
    let fits = |pair: &[InstanceId]| {
        let (a, b) = (instance(&pair[0]), instance(&pair[1]));
        let rigid = a.skin.is_none() && b.skin.is_none() && a.morph_weights.is_empty();
        let place = |id: &InstanceId| model.palette_layout().instances[id.index()];
        a.mesh == b.mesh && rigid && place(&pair[0]) + a.copy_count() as u32 == place(&pair[1])
    };
    1 + draws.windows(2).take_while(|pair| fits(pair)).count()
}

/// The winding of back faces, where every part of the surface is known to have kept or changed it alike.
pub(super) fn winding_of_backs(frame: &Frame, item: &Item<'_>) -> Cull {
    let Some(pairs) = &item.primitive.meeting else { return Cull::None };
    if item.primitive.topology != wgpu::PrimitiveTopology::TriangleList {
        return Cull::None;
    }
    let pairs = if item.draw.rigid { &[(0, 0)][..] } else { pairs };
    let mut common = None;
    for member in item.members.0..item.members.1 {
        let side = side(member_palette(frame, member), item, pairs);
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

/// True where all of the surface has kept its winding, false where all of it has changed it.
fn side(palette: &[Affine3A], item: &Item<'_>, pairs: &[(u16, u16)]) -> Option<bool> {
    let matrix = |place: u16| palette.get(item.draw.joint as usize + usize::from(place));
    let determinant = |place| matrix(place).map_or(0.0, |m| m.matrix3.determinant());
    let (first, _) = pairs.first()?;
    if item.draw.rigid {
        let at = item.draw.joint as usize;
        let copies = palette.get(at + item.copies.0 as usize..at + item.copies.1 as usize)?;
        let mut sides = copies.iter().map(|m| m.matrix3.determinant());
        let first = sides.next()?;
        return sides.all(|d| d * first > 0.0).then_some(first > 0.0).filter(|_| first * first > 0.0);
    }
    let side = determinant(*first);
    let alike = pairs.iter().all(|(a, b)| {
        let agree = a == b && determinant(*a) * side > 0.0;
        agree || a != b && matrix(*a).zip(matrix(*b)).is_some_and(|(a, b)| keep_sides(a, b))
    });
    alike.then_some(side > 0.0)
}

/// Farthest first, by where the middle of each has moved.
fn back_to_front<'a, 'b>(frame: &Frame, items: impl Iterator<Item = &'b Item<'a>>) -> Vec<&'b Item<'a>>
where
    'a: 'b,
{
    let view_from_world = frame.camera.world_from_view.inverse();
    let depth = |item: &Item<'_>| {
        let (center, joint) = item.primitive.center;
        let joint = if item.source.influences.is_some() { joint } else { item.copies.0 };
        let palette = member_palette(frame, item.members.0);
        let at = palette.get((item.draw.joint + joint) as usize).map_or(center, |m| m.transform_point3(center));
        view_from_world.transform_point3(at).z
    };
    let mut sorted: Vec<_> = items.map(|i| (depth(i), i)).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    sorted.into_iter().map(|(_, i)| i).collect()
}
