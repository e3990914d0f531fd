//! Computes how far two models of the same vertices differ: in their weights, and in the positions to which these take the surface.
//! Where both are one file with other edits, only vertices that are edited are looked at.

use glam::Vec4;
use skinscope_deform::{self as deform, Surface, SurfaceInput, VertexDeformer};
use skinscope_model::{MeshId, Model};

use super::{PerVertex, distances};

/// Returns why the vertices of two models cannot be compared one by one; `None` where they may be: they have the same nodes,
/// instances and skins. [`super::compare::arranged`] finds which vertices correspond.
#[must_use]
pub fn why_not_comparable(a: &Model, b: &Model) -> Option<String> {
    if a.skeleton.names != b.skeleton.names || a.instances.len() != b.instances.len() {
        return Some("they have other nodes".to_owned());
    }
    if a.skins.iter().map(|s| &s.joints).ne(b.skins.iter().map(|s| &s.joints)) {
        return Some("their skins have other joints".to_owned());
    }
    let order = |model: &Model| model.instances.iter().map(|i| (i.mesh, i.skin)).collect::<Vec<_>>();
    let is_same = a.meshes.len() == b.meshes.len() && order(a) == order(b);
    (!is_same).then(|| "they have other meshes".to_owned())
}

/// Computes for each vertex the share of its weight that stands for another joint in `b`: half of the sum of the differences
/// over all joints, 0…1 where weights sum to one. A vertex has −1 where nothing differs but the rounding of a sum, and 1 where a skin moves it
/// in `a` alone.
#[must_use]
pub fn changed_weights(a: &Model, b: &Model) -> PerVertex {
    let mut out = PerVertex::empty(a);
    let mut sums: Vec<(u16, f64)> = Vec::new();
    for (m, mesh) in a.meshes.iter().enumerate() {
        let id = MeshId::from_index(m);
        for (p, primitive) in mesh.primitives.iter().enumerate() {
            let has = b.meshes.get(m).and_then(|mesh| mesh.primitives.get(p)).is_some();
            let (Some(now), true) = (a.influences(id, p), has) else { continue };
            let Some(then) = b.influences(id, p) else {
                out.values[m][p].resize(primitive.stored_vertices, 1.0);
                continue;
            };
            let mut of = |vertex: usize| {
                let (new, old) = (now.of(vertex), then.of(vertex));
                sums.clear();
                for ((joints, weights), sign) in [(new, 1.0), (old, -1.0)] {
                    for (joint, weight) in joints.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
                        match sums.iter_mut().find(|(known, _)| known == joint) {
                            Some((_, sum)) => *sum += sign * f64::from(*weight),
                            None => sums.push((*joint, sign * f64::from(*weight))),
                        }
                    }
                }
                let moved = 0.5 * sums.iter().map(|(_, sum)| sum.abs()).sum::<f64>();
                if moved == 0.0 { -1.0 } else { moved as f32 }
            };
            let vertices = primitive.stored_vertices.min(then.vertices());
            let values = &mut out.values[m][p];
            if a.shares_all_but_edits(b) {
                values.resize(vertices, -1.0);
                now.changed_vertices(then).take_while(|v| *v < vertices).for_each(|v| values[v] = of(v));
                continue;
            }
            let differs = |vertex: usize| now.of(vertex) != then.of(vertex);
            values.extend((0..vertices).map(|vertex| if differs(vertex) { of(vertex) } else { -1.0 }));
        }
    }
    out
}

/// Computes for each stored vertex of `model` how far apart two surfaces of it are, millimetres; the largest of the instances
/// that are drawn. A vertex has −1 where both are at one position; meshes that no skin moves have no values.
#[must_use]
pub fn changed_surface(model: &Model, a: &Surface, b: &Surface) -> PerVertex {
    let mut out = distances(model, a, b);
    for (m, values) in out.values.iter_mut().enumerate() {
        if !model.instances.iter().any(|instance| instance.mesh.index() == m && instance.skin.is_some()) {
            values.iter_mut().for_each(Vec::clear);
        }
    }
    for value in out.values.iter_mut().flatten().flatten() {
        *value = if *value > 0.0 { 1000.0 * *value } else { -1.0 };
    }
    out
}

/// Does the same as [`changed_surface`] for a posed model and `other`, the same file with other weights. Only vertices that have
/// other weights there are deformed. `None` where that does not do: the models differ in more, or a vertex depends on more than its own
/// weights ([`deform::Deformation::needs_surface`]).
#[must_use]
pub fn changed_positions(posed: &SurfaceInput<'_>, other: &Model) -> Option<PerVertex> {
    let SurfaceInput { model, draws, palettes, morph_weights, method } = *posed;
    let is_bound_alike = model.bind_edits() == other.bind_edits();
    if method.needs_surface() || !model.shares_all_but_edits(other) || !is_bound_alike {
        return None;
    }
    let (mut packed, mut out): (Vec<Vec4>, _) = (Vec::new(), PerVertex::empty(model));
    deform::pack(&method, palettes, &mut packed);
    let (mut here, mut there) = (Vec::new(), Vec::new());
    for id in draws {
        let instance = &model.instances[id.index()];
        if instance.skin.is_none() {
            continue;
        }
        let mesh = instance.mesh.index();
        for (p, primitive) in model.meshes[mesh].primitives.iter().enumerate() {
            let values = &mut out.values[mesh][p];
            values.resize(primitive.stored_vertices, -1.0);
            // All copies of an instance are rigid, and stand alike in both.
            let both = model.influences(instance.mesh, p).zip(other.influences(instance.mesh, p));
            let Some((now, then)) = both.filter(|_| instance.copies.is_empty()) else {
                continue;
            };
            let is_stored = |vertex: &usize| *vertex < primitive.stored_vertices;
            let vertices: Vec<u32> = now.changed_vertices(then).take_while(is_stored).map(|v| v as u32).collect();
            let deform_into = |model, out: &mut _| {
                VertexDeformer::new(model, (*id, p), &packed, morph_weights, method).positions(&vertices, out);
            };
            deform_into(model, &mut here);
            deform_into(other, &mut there);
            for (vertex, (a, b)) in vertices.iter().zip(here.iter().zip(&there)) {
                let distance = a.as_dvec3().distance(b.as_dvec3()) as f32;
                if distance.is_finite() && distance > 0.0 {
                    let value = &mut values[*vertex as usize];
                    *value = value.max(1000.0 * distance);
                }
            }
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{Instance, InstanceId, ModelParts, WeightChange};

    use super::*;

    #[test]
    fn what_moved_is_the_share_of_the_weight_that_is_for_another_joint() {
        let stored = tube(Tube { joints: 12, ..Tube::default() });
        let i = stored.influences(MeshId(0), 0).unwrap();
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        // All of it to another joint; a quarter of it; the same in other slots.
        change.push(3, &[11], &[1.0]);
        let (joints, weights) = i.of(7);
        let heaviest = (0..4).max_by(|a, b| weights[*a].total_cmp(&weights[*b])).unwrap();
        let mut quarter = weights.to_vec();
        quarter[heaviest] -= 0.25;
        let mut joint = joints.to_vec();
        let free = (0..4).find(|slot| weights[*slot] == 0.0).unwrap();
        (joint[free], quarter[free]) = (11, 0.25);
        change.push(7, &joint, &quarter);
        let mut turned = (i.of(9).0.to_vec(), i.of(9).1.to_vec());
        turned.0.reverse();
        turned.1.reverse();
        change.push(9, &turned.0, &turned.1);
        let edited = stored.with_weights(&[change]).unwrap();
        let moved = changed_weights(&edited, &stored);
        let values = moved.of(MeshId(0), 0);
        assert_eq!(values.len(), i.vertices());
        assert!((values[3] - 1.0).abs() < 1e-6 && (values[7] - 0.25).abs() < 1e-6 && values[9] == -1.0, "{values:?}");
        assert_eq!(moved.missing(), i.vertices() - 2);
        assert_eq!(why_not_comparable(&edited, &stored), None);
        let mut other = ModelParts::clone(&stored);
        other.instances.clear();
        assert!(why_not_comparable(&edited, &Model::build(other).unwrap()).unwrap().contains("nodes"));
        let other = tube(Tube { joints: 11, ..Tube::default() });
        assert!(why_not_comparable(&edited, &other).unwrap().contains("nodes"));
    }

    #[test]
    fn what_no_skin_moves_is_not_among_what_stands_still() {
        // The tube hangs on a node a second time, as another mesh.
        let mut parts = ModelParts::clone(&tube(Tube { joints: 3, ..Tube::default() }));
        parts.meshes.push(parts.meshes[0].clone());
        parts.instances.push(Instance { mesh: MeshId(1), skin: None, ..parts.instances[0].clone() });
        let model = Model::build(parts).unwrap();
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        change.push(0, &[2], &[1.0]);
        let edited = model.with_weights(&[change]).unwrap();
        let (mut pose, mut palettes) = (Vec::new(), Vec::new());
        skinscope_anim::local_to_model(&model.skeleton, &model.skeleton.rest, &mut pose);
        deform::palettes(&model, &pose, &mut palettes);
        let draws: Vec<InstanceId> = (0..2).map(InstanceId).collect();
        let input = |model| {
            let method = deform::Deformation::with(deform::METHODS[0], &deform::ParameterSettings::default());
            SurfaceInput { model, draws: &draws, palettes: &palettes, morph_weights: &[], method }
        };
        let vertices = model.meshes[0].primitives[0].stored_vertices;
        let whole = changed_surface(&edited, &Surface::of(&input(&edited)), &Surface::of(&input(&model)));
        for found in [changed_positions(&input(&edited), &model).unwrap(), whole] {
            assert_eq!((found.of(MeshId(0), 0).len(), found.of(MeshId(1), 0).len()), (vertices, 0));
            assert!(found.missing() <= vertices);
        }
    }
}
