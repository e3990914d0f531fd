//! The order in which the triangles of a surface that blends are drawn: the farthest first, as the pose has them. Items
//! are sorted by their middles ([`super::items`]); within one item, a surface that covers itself, such as layers of hair,
//! comes out right only if its triangles are sorted too.

use std::collections::HashMap;

use glam::{Affine3A, Vec3};
use skinscope_deform::ParameterValues;
use skinscope_frame::Frame;
use skinscope_model::{InstanceId, Model, Part, Primitive, Topology};

use super::error::GpuError;
use super::gpu::Gpu;
use super::posed_positions::visit_posed;
use super::primitive::{GpuPrimitive, Indices};
use super::resident::Revision;
use super::scene::{GpuDraw, GpuModel};

/// Primitives with more triangles than this keep their order, since sorting them would hold a picture up.
const MOST_TRIANGLES: usize = 200_000;

/// The sorted index lists of one side of a picture.
#[derive(Debug, Default)]
pub(super) struct TriangleOrder {
    /// The list of each draw, by [`GpuDraw::offset`].
    draws: HashMap<u32, SortedDraw>,
    /// What the middles of triangles were computed from.
    posed: Option<Pose>,
    /// The direction of view and the eye that they were sorted for.
    seen_from: Option<(Vec3, Vec3)>,
}

/// A primitive of an instance whose triangles are sorted.
#[derive(Debug)]
struct SortedDraw {
    /// The middle of each triangle, world space.
    centers: Vec<Vec3>,
    /// The triangles, the farthest first.
    order: Vec<u32>,
    /// The same on the device.
    indices: Indices,
}

/// Everything that the middles of triangles depend on.
#[derive(Clone, Debug, PartialEq)]
struct Pose {
    vertices: Revision,
    palette: u64,
    deformed: usize,
    method: (&'static str, ParameterValues),
    variant: Option<usize>,
    draws: Vec<InstanceId>,
}

impl TriangleOrder {
    /// The sorted index list of a draw; `None` where its triangles keep their order.
    pub fn indices(&self, draw: &GpuDraw) -> Option<&Indices> {
        self.draws.get(&draw.offset).map(|sorted| &sorted.indices)
    }

    /// Sorts the triangles of the surfaces of `frame` that blend, unless they are sorted for its pose and camera. `palette`
    /// and `deformed` count the changes of matrices and of vertices that were deformed ahead.
    ///
    /// # Errors
    /// The device has no memory for an index list.
    pub fn follow(
        &mut self,
        gpu: &Gpu,
        frame: &Frame,
        (model, copy): (&Model, &GpuModel),
        vertices: Revision,
        (palette, deformed): (u64, usize),
    ) -> Result<(), GpuError> {
        let hides_materials = frame.overlay().is_some() || frame.look().is_some();
        if hides_materials || frame.members > 1 || !copy.materials.traits.iter().any(|traits| traits.blends) {
            *self = Self::default();
            return Ok(());
        }
        let method = (frame.method.id, frame.parameters);
        let (variant, draws) = (frame.variant, frame.draws.clone());
        let pose = Pose { vertices, palette, deformed, method, variant, draws };
        let is_posed = self.posed.as_ref() == Some(&pose);
        let camera = &frame.camera.world_from_view;
        let seen_from = (Vec3::from(camera.matrix3.z_axis), Vec3::from(camera.translation));
        if is_posed && self.seen_from == Some(seen_from) {
            return Ok(());
        }
        if !is_posed {
            self.pose(gpu, frame, (model, copy))?;
            self.posed = Some(pose);
        }
        self.seen_from = Some(seen_from);
        for id in &frame.draws {
            let mesh = model.instances[id.index()].mesh.index();
            for (n, draw) in copy.draws[id.index()].iter().enumerate() {
                if let Some(sorted) = self.draws.get_mut(&draw.offset) {
                    sorted.sort(gpu, (&model.meshes[mesh].primitives[n], &copy.meshes[mesh][n]), seen_from.0);
                }
            }
        }
        Ok(())
    }

    /// Computes the middles of the triangles of all surfaces that blend.
    fn pose(&mut self, gpu: &Gpu, frame: &Frame, (model, copy): (&Model, &GpuModel)) -> Result<(), GpuError> {
        let mut before = std::mem::take(&mut self.draws);
        let parts = |id: InstanceId, n: usize| {
            let mesh = model.instances[id.index()].mesh.index();
            (&copy.draws[id.index()][n], &copy.meshes[mesh][n])
        };
        let is_sorted = |id: InstanceId, n, p: &Primitive| {
            let (draw, primitive) = parts(id, n);
            let mesh = &model.meshes[model.instances[id.index()].mesh.index()];
            let material = |part: Part| mesh.primitives[part.primitive].material_in(frame.variant);
            let mut materials = mesh.parts(n).filter_map(material);
            materials.any(|m| copy.materials.traits[m.index()].blends) && draw.copies <= 1 && is_sortable(p, primitive)
        };
        let mut posed = Vec::new();
        visit_posed(frame, model, is_sorted, |id, n, p, positions, copies| {
            let matrix = copies.first().copied().unwrap_or(Affine3A::IDENTITY);
            posed.push((
                id,
                n,
                p,
                centers(p, positions).map(|center| matrix.transform_point3(center)).collect::<Vec<_>>(),
            ));
        });
        for (id, n, p, centers) in posed {
            let (draw, primitive) = parts(id, n);
            let sorted = match before.remove(&draw.offset) {
                Some(sorted) if sorted.order.len() == p.indices.len() / 3 => SortedDraw { centers, ..sorted },
                _ => SortedDraw::new(gpu, (p, primitive), centers)?,
            };
            self.draws.insert(draw.offset, sorted);
        }
        Ok(())
    }
}

impl SortedDraw {
    /// Makes a list in the order of the model.
    fn new(gpu: &Gpu, (p, primitive): (&Primitive, &GpuPrimitive), centers: Vec<Vec3>) -> Result<Self, GpuError> {
        let order: Vec<u32> = (0..centers.len() as u32).collect();
        let list = list(p, primitive, &order);
        Ok(Self { centers, order, indices: Indices::alone(gpu, "sorted triangles", list.as_flattened())? })
    }

    /// Sorts the triangles along `back`, the direction from the scene to the camera, and uploads the list where it differs
    /// from the one before.
    fn sort(&mut self, gpu: &Gpu, (p, primitive): (&Primitive, &GpuPrimitive), back: Vec3) {
        let mut keys: Vec<(u32, u32)> = (0..)
            .zip(&self.centers)
            .map(|(triangle, center)| {
                let bits = center.dot(back).to_bits();
                // As integers, these numbers have the order of `f32::total_cmp`.
                (if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }, triangle)
            })
            .collect();
        // A triangle stays in the part of the list that has its material.
        for part in &primitive.parts {
            keys[part.indices.start / 3..part.indices.end / 3].sort_unstable();
        }
        let order: Vec<u32> = keys.into_iter().map(|(_, triangle)| triangle).collect();
        if order != self.order {
            gpu.write(self.indices.piece.buffer(), bytemuck::cast_slice(&list(p, primitive, &order)));
            self.order = order;
        }
    }
}

/// Whether the triangles of a primitive can be sorted.
fn is_sortable(p: &Primitive, primitive: &GpuPrimitive) -> bool {
    let count = p.indices.len() / 3;
    p.topology == Topology::Triangles && !primitive.is_part && (2..=MOST_TRIANGLES).contains(&count)
}

/// The middle of each triangle of a primitive whose vertices are at `positions`.
fn centers(p: &Primitive, positions: &[Vec3]) -> impl Iterator<Item = Vec3> {
    let at = |v: u32| positions.get(v as usize).copied().unwrap_or_default();
    p.indices.as_chunks::<3>().0.iter().map(move |corners| corners.map(at).into_iter().sum::<Vec3>() / 3.0)
}

/// The indices on the device of some triangles of a primitive.
fn list(p: &Primitive, primitive: &GpuPrimitive, order: &[u32]) -> Vec<[u32; 3]> {
    let triangles = p.indices.as_chunks::<3>().0;
    order.iter().map(|n| triangles[*n as usize].map(|vertex| primitive.order.slot(vertex as usize) as u32)).collect()
}
