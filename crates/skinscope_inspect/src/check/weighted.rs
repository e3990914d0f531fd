//! The data that rules about weights look at, and the texts of their findings.

use glam::Affine3A;
use skinscope_base::words::counted;
use skinscope_model::{InfluencesRef, MeshId, NodeId, Primitive};

use super::{Finding, FindingPose, Measure, Rule, Skinned, Subject};

/// A primitive that has weights, whatever skins move it. Weights that nothing uses are checked too, and so are vertices
/// that no triangle uses: validators and other programs read them.
pub(super) struct Weighted<'a> {
    pub mesh: MeshId,
    pub primitive: usize,
    pub source: &'a Primitive,
    pub influences: InfluencesRef<'a>,
    /// The primitive with each skin that moves it.
    pub skinned: &'a [Skinned<'a>],
}

/// Returns every primitive of the file that has weights, in the file's order.
pub(super) fn weighted<'a>(subject: &'a Subject) -> impl Iterator<Item = Weighted<'a>> {
    let all = subject.model.meshes.iter().enumerate();
    let all = all.flat_map(|(m, mesh)| mesh.primitives.iter().enumerate().map(move |(p, source)| (m, p, source)));
    all.filter_map(|(m, primitive, source)| {
        let mesh = MeshId::from_index(m);
        let first = subject.skinned.partition_point(|s| (s.mesh, s.primitive) < (mesh, primitive));
        let rest = &subject.skinned[first..];
        let skinned = &rest[..rest.partition_point(|s| (s.mesh, s.primitive) == (mesh, primitive))];
        Some(Weighted { mesh, primitive, source, influences: subject.model.influences(mesh, primitive)?, skinned })
    })
    .take_while(|_| !subject.is_cancelled())
}

impl Weighted<'_> {
    /// Returns the stored vertices for which `holds` is true, rising.
    pub(super) fn vertices(&self, holds: impl Fn(usize) -> bool) -> Vec<u32> {
        (0..self.source.stored_vertices as u32).filter(|v| holds(*v as usize)).collect()
    }

    /// Returns whether a weight of the vertex is not finite; such a vertex has no sum, and import has replaced that
    /// weight.
    pub(super) fn is_broken(&self, vertex: usize) -> bool {
        let recorded = &self.influences.not_finite;
        !recorded.is_empty() && recorded.binary_search_by_key(&vertex, |n| n.vertex as usize).is_ok()
    }

    /// Returns the nodes that indices in the skins stand for.
    pub(super) fn nodes(&self, slots: impl Iterator<Item = u16> + Clone) -> Vec<NodeId> {
        let of_skin = |s: &Skinned| slots.clone().map(|slot| s.skin.joints[usize::from(slot)]).collect::<Vec<_>>();
        let mut nodes: Vec<NodeId> = self.skinned.iter().flat_map(of_skin).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Returns the skinning matrices of each of its skins in the stored pose.
    pub(super) fn rest_palettes(&self, subject: &Subject) -> Vec<Vec<Affine3A>> {
        let matrices = |s: &Skinned| {
            s.skin
                .joints
                .iter()
                .zip(&s.skin.inverse_bind)
                .map(|(j, inverse)| subject.rest[j.index()] * *inverse)
                .collect()
        };
        self.skinned.iter().map(matrices).collect()
    }

    /// Makes a finding about vertices of this primitive. A measure that is not finite is left out.
    pub(super) fn finding(
        &self,
        rule: &Rule,
        (vertices, joints): (Vec<u32>, Vec<NodeId>),
        (message, fix): (String, &str),
        measure: Option<Measure>,
    ) -> Finding {
        Finding {
            rule: rule.id,
            severity: rule.severity,
            mesh: Some(self.mesh),
            primitive: Some(self.primitive),
            vertices,
            joints,
            message,
            fix: fix.into(),
            measure: measure.filter(|m| m.value.is_finite()),
            pose: FindingPose::Rest,
        }
    }
}

/// Writes `1 vertex has` or `7 vertices have`.
pub(super) fn vertices_have(count: usize) -> String {
    counted(count, "vertex has", "vertices have")
}
