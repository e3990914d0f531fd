//! The posed surface on the CPU, and what lies under a ray.

use glam::{Affine3A, Vec3, Vec4};

use crate::deform::{self, Deformed, Method};
use crate::math::{Aabb, Ray};
use crate::model::{InstanceId, Model, NodeId, Topology};

/// Everything that is drawn, as deformed.
#[derive(Clone, Debug, Default)]
pub struct PosedSurface {
    /// In the order of drawing, then primitive order.
    pub primitives: Vec<PosedPrimitive>,
}

/// A primitive of an instance as deformed.
#[derive(Clone, Debug)]
pub struct PosedPrimitive {
    /// Who draws it.
    pub instance: InstanceId,
    /// Of the instance's mesh.
    pub primitive: usize,
    /// Model space; where there are copies, mesh space.
    pub deformed: Deformed,
    /// `model_from_mesh` of every copy; empty: it stands where `deformed` has it.
    pub copies: Vec<Affine3A>,
}

/// Deforms all that is drawn; what has copies is deformed once.
#[must_use]
pub fn posed_surface(
    model: &Model,
    draws: &[InstanceId],
    palettes: &[Affine3A],
    morph_weights: &[f32],
    method: &Method,
) -> PosedSurface {
    let mut packed: Vec<Vec4> = Vec::new();
    deform::pack(method, palettes, &mut packed);
    let mut out = PosedSurface::default();
    for id in draws {
        let instance = &model.instances[id.index()];
        for primitive in 0..model.meshes[instance.mesh.index()].primitives.len() {
            let mut deformed = Deformed::default();
            let (first, _) = model.binding(*id, primitive);
            let copies = palettes[first as usize..].iter().take(instance.copies.len()).copied().collect();
            if instance.copies.is_empty() {
                deform::deform_primitive(model, *id, primitive, &packed, morph_weights, method, &mut deformed);
            } else {
                let here = &Affine3A::IDENTITY;
                deform::deform_rigid(model, *id, primitive, here, morph_weights, method, &mut deformed);
            }
            out.primitives.push(PosedPrimitive { instance: *id, primitive, deformed, copies });
        }
    }
    out
}

/// Where a ray meets the surface first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Which instance.
    pub instance: InstanceId,
    /// Which primitive of its mesh.
    pub primitive: usize,
    /// The corner of the hit triangle that is nearest to the hit.
    pub vertex: usize,
    /// Model space.
    pub position: Vec3,
    /// From the ray's origin, metres.
    pub distance: f32,
}

/// The nearest hit of `ray`, both sides of a triangle counting.
#[must_use]
pub fn pick(model: &Model, surface: &PosedSurface, ray: Ray) -> Option<Hit> {
    let mut best: Option<Hit> = None;
    for posed in &surface.primitives {
        if posed.copies.is_empty() {
            pick_one(model, posed, ray, ray, &mut best);
            continue;
        }
        let bounds = Aabb::from_points(posed.deformed.positions.iter().copied());
        for mesh_from_model in posed.copies.iter().map(Affine3A::inverse).filter(Affine3A::is_finite) {
            // The direction keeps its length, so that distances along the ray stay what they are.
            let origin = mesh_from_model.transform_point3(ray.origin);
            let local = Ray { origin, direction: mesh_from_model.transform_vector3(ray.direction) };
            if local.hits_box(bounds) {
                pick_one(model, posed, ray, local, &mut best);
            }
        }
    }
    best
}

/// `local` is `ray` in the space of the deformed vertices.
fn pick_one(model: &Model, posed: &PosedPrimitive, ray: Ray, local: Ray, best: &mut Option<Hit>) {
    let PosedPrimitive { instance, primitive, deformed, .. } = posed;
    let p = &model.meshes[model.instances[instance.index()].mesh.index()].primitives[*primitive];
    if p.topology != Topology::Triangles {
        return;
    }
    for corners in p.indices.as_chunks::<3>().0 {
        let [a, b, c] = corners.map(|v| deformed.positions[v as usize]);
        let Some(distance) = local.hit_triangle(a, b, c) else { continue };
        if best.is_some_and(|hit| hit.distance <= distance) {
            continue;
        }
        let at = local.origin + local.direction * distance;
        let nearest = corners.iter().copied().min_by(|x, y| {
            let to = |v: u32| deformed.positions[v as usize].distance_squared(at);
            to(*x).total_cmp(&to(*y))
        });
        let vertex = nearest.map_or(0, |v| v as usize);
        let position = ray.origin + ray.direction * distance;
        *best = Some(Hit { instance: *instance, primitive: *primitive, vertex, position, distance });
    }
}

/// The node that moves a vertex most: its heaviest joint, or the node of a rigid part (its nearest joint above, if any).
#[must_use]
pub fn mover(model: &Model, instance: InstanceId, primitive: usize, vertex: usize) -> Option<NodeId> {
    let source = &model.instances[instance.index()];
    let p = model.meshes[source.mesh.index()].primitives.get(primitive)?;
    let (Some(skin), Some(influences)) = (source.skin, &p.influences) else {
        return Some(carrier(model, source.node));
    };
    let (joints, weights) = influences.of(vertex);
    let heaviest = joints.iter().zip(weights).filter(|(_, w)| **w != 0.0).max_by(|a, b| a.1.total_cmp(b.1))?;
    Some(model.skins[skin.index()].joints[*heaviest.0 as usize])
}

/// The nearest joint at or above `node`, else `node`.
#[must_use]
fn carrier(model: &Model, node: NodeId) -> NodeId {
    std::iter::successors(Some(node), |n| model.skeleton.parents[n.index()])
        .find(|n| model.is_joint(*n))
        .unwrap_or(node)
}

/// The box around the deformed vertices that `node` moves by at least `weight`.
#[must_use]
pub fn moved_bounds(model: &Model, surface: &PosedSurface, node: NodeId, weight: f32) -> Aabb {
    let mut out = Aabb::EMPTY;
    for PosedPrimitive { instance, primitive, deformed, copies } in &surface.primitives {
        let source = &model.instances[instance.index()];
        let p = &model.meshes[source.mesh.index()].primitives[*primitive];
        let (Some(skin), Some(influences)) = (source.skin, &p.influences) else {
            if source.node == node || carrier(model, source.node) == node {
                let points = || deformed.positions.iter().copied();
                out = if copies.is_empty() { out.union(Aabb::from_points(points())) } else { out };
                for matrix in copies {
                    out = out.union(Aabb::from_points(points().map(|p| matrix.transform_point3(p))));
                }
            }
            continue;
        };
        let nodes = &model.skins[skin.index()].joints;
        for (vertex, position) in deformed.positions.iter().enumerate() {
            let (joints, weights) = influences.of(vertex);
            let share: f32 =
                joints.iter().zip(weights).filter(|(j, _)| nodes[**j as usize] == node).map(|(_, w)| *w).sum();
            if share >= weight {
                out.include(*position);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::local_to_model;
    use crate::deform::METHODS;
    use crate::model::shapes::{Tube, tube};

    fn at_rest(model: &Model) -> PosedSurface {
        let (mut pose, mut palettes) = (Vec::new(), Vec::new());
        local_to_model(&model.skeleton, &model.skeleton.rest, &mut pose);
        deform::palettes(model, &pose, &mut palettes);
        posed_surface(model, &crate::anim::drawn_at_rest(model, 0), &palettes, &[], METHODS[0])
    }

    #[test]
    fn a_ray_from_the_front_meets_the_near_wall_and_names_its_joint() {
        let model = tube(Tube { joints: 2, length: 2.0, radius: 0.25, sides: 32, rings: 21, influences: 2 });
        let surface = at_rest(&model);
        for (y, joint) in [(0.4, 1), (1.6, 2)] {
            let ray = Ray { origin: Vec3::new(0.0, y, 3.0), direction: Vec3::NEG_Z };
            let hit = pick(&model, &surface, ray).unwrap();
            assert!((hit.position.z - 0.25).abs() < 0.01 && (hit.distance - 2.75).abs() < 0.01);
            assert_eq!(mover(&model, hit.instance, hit.primitive, hit.vertex), Some(NodeId(joint)));
        }
        let beside = Ray { origin: Vec3::new(1.0, 1.0, 3.0), direction: Vec3::NEG_Z };
        assert!(pick(&model, &surface, beside).is_none());
    }

    #[test]
    fn the_upper_joint_moves_the_upper_half() {
        let model = tube(Tube { joints: 2, length: 2.0, rings: 21, ..Tube::default() });
        let bounds = moved_bounds(&model, &at_rest(&model), NodeId(2), 0.5);
        assert!((bounds.min.y - 1.0).abs() < 0.11 && bounds.max.y == 2.0);
    }
}
