//! What an edit of weights or inverse bind matrices may have changed about findings: while the model is checked again, those that it
//! could not touch are still right.

use std::collections::{BTreeMap, BTreeSet};

use skinscope_model::{Model, NodeId, PrimitiveId};

use super::{DependsOn, Finding, RULES};

/// What differs between a model that was checked and the same file with other edits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// The vertices with other weights, rising, by mesh and primitive.
    vertices: BTreeMap<PrimitiveId, Vec<u32>>,
    /// The joints that these vertices have, or had.
    joints: BTreeSet<NodeId>,
    /// The joints with another inverse bind matrix.
    bound: BTreeSet<NodeId>,
}

impl Touched {
    /// Compares two models of one file. Only vertices that are edited in one of them are looked at. `None` where they come from
    /// different files.
    #[must_use]
    pub fn between(checked: &Model, now: &Model) -> Option<Self> {
        if !checked.shares_all_but_edits(now) {
            return None;
        }
        let mut out = Self::default();
        let edited = [checked, now].into_iter().flat_map(|model| model.weight_edits().primitives());
        for PrimitiveId { mesh, primitive } in edited.collect::<BTreeSet<_>>() {
            let (Some(then), Some(here)) = (checked.influences(mesh, primitive), now.influences(mesh, primitive))
            else {
                continue;
            };
            let stored = now.meshes[mesh.index()].primitives[primitive].stored_vertices;
            let vertices: Vec<u32> =
                here.changed_vertices(then).take_while(|v| *v < stored).map(|v| v as u32).collect();
            let skins = now.instances.iter().filter(|i| i.mesh == mesh).filter_map(|i| i.skin);
            let skins: BTreeSet<_> = skins.collect();
            let pairs = vertices.iter().flat_map(|v| [then.of(*v as usize).0, here.of(*v as usize).0]);
            // There are many pairs of few joints.
            let mut is_there = vec![false; 1 << 16];
            pairs.flatten().for_each(|slot| is_there[usize::from(*slot)] = true);
            for skin in skins {
                let joints = &now.skins[skin.index()].joints;
                out.joints.extend(joints.iter().zip(&is_there).filter(|(_, is)| **is).map(|(joint, _)| *joint));
            }
            if !vertices.is_empty() {
                out.vertices.insert(PrimitiveId { mesh, primitive }, vertices);
            }
        }
        for (a, b) in checked.skins.iter().zip(now.skins.iter()) {
            let differs = |joint: &usize| a.inverse_bind.get(*joint) != b.inverse_bind.get(*joint);
            out.bound.extend((0..b.joints.len()).filter(differs).map(|joint| b.joints[joint]));
        }
        Some(out)
    }

    /// Returns whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.vertices.is_empty() && self.bound.is_empty()
    }

    /// Returns whether another check could say something else about a finding: what its rule reads has changed.
    #[must_use]
    pub fn may_change(&self, finding: &Finding) -> bool {
        let rule = RULES.iter().find(|rule| rule.id == finding.rule);
        match rule.map_or(DependsOn::Surroundings, |rule| rule.depends_on) {
            DependsOn::Nothing => false,
            DependsOn::OwnVertices => self.has_vertex_of(finding),
            DependsOn::ItsJoints => self.has_joint_of(finding, &self.joints),
            DependsOn::ItsBinds => self.has_joint_of(finding, &self.bound),
            DependsOn::Surroundings if finding.joints.is_empty() => {
                let here = |at: &PrimitiveId| finding.mesh.is_none_or(|mesh| mesh == at.mesh);
                !self.bound.is_empty() || self.vertices.keys().any(here)
            }
            DependsOn::Surroundings => {
                self.has_vertex_of(finding)
                    || self.has_joint_of(finding, &self.joints)
                    || self.has_joint_of(finding, &self.bound)
            }
        }
    }

    fn has_vertex_of(&self, finding: &Finding) -> bool {
        let (Some(mesh), Some(primitive)) = (finding.mesh, finding.primitive) else { return false };
        let Some(touched) = self.vertices.get(&PrimitiveId { mesh, primitive }) else { return false };
        let (few, many) = match touched.len() < finding.vertices.len() {
            true => (touched, &finding.vertices),
            false => (&finding.vertices, touched),
        };
        few.iter().any(|vertex| many.binary_search(vertex).is_ok())
    }

    fn has_joint_of(&self, finding: &Finding, joints: &BTreeSet<NodeId>) -> bool {
        finding.joints.iter().any(|joint| joints.contains(joint))
    }
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{BindChange, MeshId, SkinId, WeightChange};

    use super::*;
    use crate::check::{FindingPose, Severity};

    fn finding(rule: &'static str, vertices: &[u32], joints: &[u32]) -> Finding {
        Finding {
            rule,
            severity: Severity::Warning,
            mesh: Some(MeshId(0)),
            primitive: Some(0),
            vertices: vertices.to_vec(),
            joints: joints.iter().map(|joint| NodeId(*joint)).collect(),
            message: String::new(),
            fix: String::new(),
            measure: None,
            pose: FindingPose::Rest,
        }
    }

    #[test]
    fn an_edit_touches_findings_of_its_vertices_and_of_joints_that_they_have_or_had_alone() {
        let model = tube(Tube { joints: 12, rings: 40, influences: 1, ..Tube::default() });
        let near = u32::from(model.influences(MeshId(0), 0).unwrap().of(70).0[0]);
        let mut change = WeightChange::new(MeshId(0), 0, 4);
        change.push(70, &[11], &[1.0]);
        let edited = model.with_weights(&[change]).unwrap();
        let touched = Touched::between(&model, &edited).unwrap();
        assert!(!touched.is_empty() && Touched::between(&model, &model).unwrap().is_empty());
        let may = |rule, vertices: &[u32], joints: &[u32]| touched.may_change(&finding(rule, vertices, joints));
        // Rules about single vertices read no joint.
        assert!(may("weights-sum", &[3, 70, 90], &[]) && !may("weights-sum", &[3, 71, 90], &[12, near + 1]));
        // Node n + 1 is joint n: vertex 70 had one joint and has another.
        for (rule, joint, is_touched) in [
            ("rogue-vertices", 12, true),
            ("rogue-vertices", near + 1, true),
            ("rogue-vertices", near + 2, false),
            ("joint-unused", 12, true),
            ("joint-unused", 9, false),
            ("inverse-bind-mismatch", 12, false),
            ("name-duplicate", 12, false),
        ] {
            assert_eq!(may(rule, &[5], &[joint]), is_touched, "{rule}, {joint}");
        }
        assert!(may("far-influence", &[70], &[9]) && may("asymmetry", &[5], &[]));
        // Whatever the rule, an edit that is taken back touches nothing.
        let back = Touched::between(&edited, &edited.without_edits()).unwrap();
        assert!(RULES.iter().all(|rule| {
            let about = finding(rule.id, &[70], &[12]);
            back.may_change(&about) == touched.may_change(&about)
                && !Touched::between(&model, &edited.without_edits()).unwrap().may_change(&about)
        }));
    }

    #[test]
    fn another_matrix_touches_what_its_joint_carries() {
        let model = tube(Tube { joints: 12, rings: 40, ..Tube::default() });
        let matrix = glam::Affine3A::from_translation(glam::Vec3::X);
        let bound = model.with_binds(&[BindChange { skin: SkinId(0), joint: 4, matrix, restored: false }]);
        let touched = Touched::between(&model, &bound.unwrap()).unwrap();
        let may = |rule, joint: u32| touched.may_change(&finding(rule, &[], &[joint]));
        assert!(may("inverse-bind-mismatch", 5) && may("rogue-vertices", 5) && !may("inverse-bind-mismatch", 6));
        assert!(!may("joint-unused", 5) && !touched.may_change(&finding("weights-sum", &[0, 1, 2], &[])));
    }
}
