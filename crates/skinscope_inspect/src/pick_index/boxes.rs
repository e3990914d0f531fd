//! Boxes around the nodes of clusters that do not come from the joints: around a deformed surface, and what morph targets add to boxes.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use glam::Vec3;
use skinscope_base::math::Aabb;
use skinscope_deform::Surface;
use skinscope_model::{InstanceId, Model};

use crate::pick_clusters::{Clusters, Leaf, levels};

/// Something for each primitive of each instance.
pub(super) type ByPrimitive<T> = HashMap<(InstanceId, usize), T>;

/// The boxes around the nodes of a deformed surface, by instance and primitive: the clusters of the model, refitted to it.
#[derive(Clone, Debug, Default)]
pub(super) struct SurfaceBoxes {
    of: Weak<Surface>,
    /// The boxes by level, the leaves first.
    parts: ByPrimitive<Vec<Vec<Aabb>>>,
}

impl SurfaceBoxes {
    pub fn of(meshes: &[Vec<Clusters>], model: &Model, surface: &Arc<Surface>) -> Self {
        let shown = surface.model(model);
        let mut parts = HashMap::new();
        for part in &surface.parts {
            let mesh = model.instances[part.instance.index()].mesh.index();
            let Some(clusters) = meshes.get(mesh).and_then(|mesh| mesh.get(part.primitive)) else { continue };
            let indices = shown.meshes[mesh].primitives[part.primitive].indices.as_chunks::<3>().0;
            let at = |vertex: u32| part.deformed.positions[vertex as usize];
            let of_leaf = |leaf: &Leaf| match leaf.triangles.is_empty() || surface.split_model().is_none() {
                true => Aabb::from_points(clusters.vertices_of(leaf).iter().map(|vertex| at(*vertex))),
                false => {
                    let corners = clusters.triangles_of(leaf).iter().flat_map(|t| indices[t.number as usize]);
                    Aabb::from_points(corners.map(at))
                }
            };
            let leaves = clusters.leaves.iter().map(of_leaf).collect();
            let around = &mut |below: &[Aabb]| below.iter().fold(Aabb::EMPTY, |all, b| all.union(*b));
            parts.insert((part.instance, part.primitive), levels(leaves, around));
        }
        Self { of: Arc::downgrade(surface), parts }
    }

    /// Returns whether they are those of this surface.
    pub fn is_of(&self, surface: &Arc<Surface>) -> bool {
        self.of.ptr_eq(&Arc::downgrade(surface))
    }

    pub fn node(&self, (instance, primitive): (InstanceId, usize), level: usize, node: usize) -> Option<Aabb> {
        self.parts.get(&(instance, primitive)).map(|levels| levels[level][node])
    }
}

/// The boxes around what active morph targets add to the vertices of each node, by level, the leaves first; there are none while no target is
/// active.
#[derive(Clone, Debug, Default)]
pub(super) struct MorphBounds {
    weights: Vec<f32>,
    levels: Vec<Vec<Aabb>>,
}

impl MorphBounds {
    pub fn of(clusters: &Clusters, weights: &[f32]) -> Self {
        const STAYS: Aabb = Aabb { min: Vec3::ZERO, max: Vec3::ZERO };
        let mut leaves = Vec::new();
        for (displaced, weight) in clusters.morphs.iter().zip(weights).filter(|(d, w)| !d.is_empty() && **w != 0.0) {
            leaves.resize(clusters.leaves.len(), STAYS);
            for (leaf, by) in displaced {
                let (a, b) = (by.min * *weight, by.max * *weight);
                let sum = &mut leaves[*leaf as usize];
                *sum = Aabb { min: sum.min + a.min(b), max: sum.max + a.max(b) };
            }
        }
        let around = &mut |below: &[Aabb]| below.iter().fold(STAYS, |all, b| all.union(*b));
        Self { weights: weights.to_vec(), levels: levels(leaves, around) }
    }

    /// Returns whether they are those of these weights of the targets.
    pub fn is_of(&self, weights: &[f32]) -> bool {
        self.weights == weights
    }

    /// Returns what is added to the vertices of a node; `None` where nothing is.
    pub fn node(&self, level: usize, node: usize) -> Option<Aabb> {
        let by = *self.levels.get(level)?.get(node)?;
        (by.min != Vec3::ZERO || by.max != Vec3::ZERO).then_some(by)
    }
}
