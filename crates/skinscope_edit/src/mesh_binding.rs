//! Makes of joints and of rows of weights the change of a model that gives a mesh a skin, as it is stored: so many pairs for each vertex as
//! make whole sets, largest first, in the format that is asked for.

use glam::DAffine3;
use skinscope_base::math::Transform;
use skinscope_model::{
    BindingChange, BuildError, Influences, InstanceId, Model, NewNode, NewSkin, NodeId, PrimitiveId, WeightFormat,
};
use skinscope_weights::{Shares, Table, clean, cut, value};

/// Nodes closer than this are at one place, and what they show can have one skin.
const SAME_PLACE: f64 = 1e-9;

/// Meshes that are to gain a skin, with its joints and their weights.
#[derive(Clone, Debug, Default)]
pub struct MeshBinding {
    /// The nodes with the meshes, which show them at rest where they did. Those at several places get a skin each, with the same joints.
    pub instances: Vec<InstanceId>,
    /// The name of the skin; it may be empty.
    pub name: String,
    /// Nodes that are made, parents first, depth first; they have the ids that follow those of the model's nodes.
    pub nodes: Vec<NewNode>,
    /// The joints, in the order in which weights name them.
    pub joints: Vec<NodeId>,
    /// A node that all joints are at or below, for `skin.skeleton`.
    pub root: Option<NodeId>,
    /// What brings the meshes to where they are worn ([`NewSkin::worn`]).
    pub worn: Option<Transform>,
    /// How many joints a vertex follows at most; the largest weights stay, and share what the others had.
    pub most: usize,
    /// The format in which weights are stored.
    pub format: WeightFormat,
    /// The parts of the meshes that are bound, each with the weights of its vertices in the order of the file. The key of a share is the index
    /// of its joint in `joints`. Weights need not sum to one, and a joint that is named twice counts with both.
    pub parts: Vec<(PrimitiveId, Vec<Shares>)>,
}

impl MeshBinding {
    /// Returns the change that binds the meshes of a model so. Inverse bind matrices follow from the rest pose of joints and meshes
    /// ([`Model::with_bindings`]).
    ///
    /// # Errors
    /// A vertex has no weight, or one of a joint that is not there, and the message says which. What the model refuses is found by
    /// [`Model::with_bindings`].
    pub fn change(&self, model: &Model) -> Result<BindingChange, BuildError> {
        let worlds = model.skeleton.worlds(&model.skeleton.rest);
        let mut places: Vec<DAffine3> = Vec::new();
        let mut instances = Vec::with_capacity(self.instances.len());
        for id in &self.instances {
            let instance = model.instances.get(id.index());
            let instance = instance.ok_or_else(|| error(format!("instance {}", id.0), "it is not there"))?;
            let place = worlds[instance.node.index()];
            let known = places.iter().position(|other| other.abs_diff_eq(place, SAME_PLACE));
            instances.push((*id, known.unwrap_or(places.len())));
            if known.is_none() {
                places.push(place);
            }
        }
        let skin = NewSkin { name: self.name.clone(), joints: self.joints.clone(), root: self.root, worn: self.worn };
        let mut primitives = Vec::with_capacity(self.parts.len());
        for (id, rows) in &self.parts {
            primitives.push((*id, self.influences(*id, rows)?));
        }
        Ok(BindingChange {
            nodes: self.nodes.clone(),
            skins: vec![skin; places.len()],
            primitives,
            instances,
            ..BindingChange::default()
        })
    }

    fn influences(&self, id: PrimitiveId, rows: &[Shares]) -> Result<Influences, BuildError> {
        let mut arranged = Vec::with_capacity(rows.len());
        for (vertex, row) in rows.iter().enumerate() {
            let location = || format!("mesh {}, primitive {}, vertex {vertex}", id.mesh.0, id.primitive);
            if row.iter().any(|(joint, _)| *joint as usize >= self.joints.len() || *joint > u32::from(u16::MAX)) {
                return Err(error(location(), "it names a joint that is not there"));
            }
            let row = arrange(row, self.most.max(1));
            if row.is_empty() {
                return Err(error(location(), "it has no weights"));
            }
            arranged.push(row);
        }
        let per_vertex = arranged.iter().map(Vec::len).max().unwrap_or(1).next_multiple_of(4);
        let mut table = Table {
            per_vertex,
            formats: vec![self.format; per_vertex / 4],
            // Integers are to sum to one exactly.
            touched: vec![true; rows.len()],
            ..Table::default()
        };
        for row in &arranged {
            for slot in 0..per_vertex {
                let (joint, weight) = row.get(slot).copied().unwrap_or_default();
                table.joints.push(joint as u16);
                table.weights.push(weight);
            }
        }
        let stored = table.stored();
        let weights = stored.numbers.iter().map(|number| value(*number, self.format) as f32).collect();
        Ok(Influences { per_vertex, joints: stored.joints, weights, format: self.format, ..Influences::default() })
    }
}

/// Returns the largest shares of a row, each joint once, which sum to one, the largest first; of equal ones the one that came first.
fn arrange(row: &[(u32, f64)], most: usize) -> Shares {
    let mut out: Shares = Vec::with_capacity(row.len());
    for (joint, weight) in row.iter().map(|(joint, weight)| (*joint, clean(*weight))).filter(|(_, w)| *w > 0.0) {
        match out.iter_mut().find(|(known, _)| *known == joint) {
            Some((_, sum)) => *sum += weight,
            None => out.push((joint, weight)),
        }
    }
    let mut out = cut(out, most);
    out.sort_by(|a, b| b.1.total_cmp(&a.1));
    // Numbers too small to be divided by their sum, or too large to be added up, are scaled first.
    let largest = out.first().map_or(1.0, |(_, weight)| *weight);
    out.iter_mut().for_each(|(_, weight)| *weight /= largest);
    let sum: f64 = out.iter().map(|(_, weight)| weight).sum();
    out.iter_mut().for_each(|(_, weight)| *weight /= sum);
    out
}

fn error(location: String, what: &str) -> BuildError {
    BuildError { location, what: what.to_owned() }
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{Instance, MeshId, ModelParts, SkinId};

    use super::*;

    /// The tube without a skin, and its rows.
    fn bare(change: impl FnOnce(&mut ModelParts)) -> (Model, Vec<Shares>) {
        let mut parts: ModelParts = (*tube(Tube { joints: 4, ..Tube::default() })).clone();
        parts.skins.clear();
        parts.instances[0].skin = None;
        let primitive = &mut parts.meshes[0].primitives[0];
        let influences = primitive.stored_influences.take().unwrap();
        let row = |vertex: usize| {
            let (joints, weights) = influences.of(vertex);
            joints.iter().map(|joint| u32::from(*joint)).zip(weights.iter().map(|w| f64::from(*w))).collect()
        };
        let rows = (0..primitive.stored_vertices).map(row).collect();
        change(&mut parts);
        (Model::build(parts).unwrap(), rows)
    }

    fn bound(rows: Vec<Shares>) -> MeshBinding {
        MeshBinding {
            instances: vec![InstanceId(0)],
            joints: (1..5).map(NodeId).collect(),
            most: 4,
            parts: vec![(PrimitiveId::default(), rows)],
            ..MeshBinding::default()
        }
    }

    #[test]
    fn rows_become_the_weights_of_a_skin_in_each_format() {
        let (model, rows) = bare(|_| {});
        for format in [WeightFormat::U8, WeightFormat::U16, WeightFormat::F32] {
            let change = MeshBinding { format, ..bound(rows.clone()) }.change(&model).unwrap();
            let bound = model.with_bindings(&change).unwrap();
            assert_eq!((bound.skins[0].joints.len(), bound.instances[0].skin), (4, Some(SkinId(0))));
            let influences = bound.influences(MeshId(0), 0).unwrap();
            let step = format.one().map_or(1e-6, |one| 1.0 / one as f32);
            for (vertex, row) in rows.iter().enumerate() {
                let (joints, weights) = influences.of(vertex);
                assert!(weights.is_sorted_by(|a, b| a >= b), "the largest are first");
                if let Some(one) = format.one() {
                    let whole: f32 = weights.iter().map(|weight| (weight * one as f32).round()).sum();
                    assert_eq!(whole, one as f32, "vertex {vertex}");
                }
                for (joint, weight) in joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
                    let given: f64 =
                        row.iter().filter(|(own, _)| *own == u32::from(*joint)).map(|(_, weight)| weight).sum();
                    assert!((given as f32 - weight).abs() <= step, "vertex {vertex}: {weight} for {given}");
                }
            }
        }
    }

    #[test]
    fn rows_of_many_joints_have_more_sets_or_fewer_joints_and_need_not_sum_to_one() {
        let (model, _) = bare(|_| {});
        let count = model.meshes[0].primitives[0].stored_vertices;
        let row: Shares = vec![(0, 2.0), (1, 6.0), (0, 2.0), (2, 1.0), (3, f64::NAN), (2, -1.0)];
        let influences = |most: usize| {
            let change = MeshBinding { most, ..bound(vec![row.clone(); count]) }.change(&model).unwrap();
            change.primitives[0].1.clone()
        };
        assert_eq!(influences(8).of(1), (&[1, 0, 2, 0][..], &[6.0 / 11.0, 4.0 / 11.0, 1.0 / 11.0, 0.0][..]));
        assert_eq!(influences(2).of(1), (&[1, 0, 0, 0][..], &[0.6, 0.4, 0.0, 0.0][..]));
        // Numbers of any size.
        let huge: Shares = vec![(0, f64::MAX), (1, f64::MAX)];
        let change = bound(vec![huge; count]).change(&model).unwrap();
        assert_eq!(change.primitives[0].1.of(0).1, [0.5, 0.5, 0.0, 0.0]);
        let five = MeshBinding {
            joints: (0..5).map(NodeId).collect(),
            most: 8,
            ..bound(vec![(0..5).map(|joint| (joint, 1.0)).collect(); count])
        };
        assert_eq!(five.change(&model).unwrap().primitives[0].1.per_vertex, 8);
    }

    #[test]
    fn what_has_no_weight_or_no_joint_is_refused_with_the_vertex() {
        let (model, rows) = bare(|_| {});
        let said = |vertex: usize, row: Shares| {
            let mut rows = rows.clone();
            rows[vertex] = row;
            bound(rows).change(&model).unwrap_err().to_string()
        };
        assert!(said(7, Vec::new()).contains("vertex 7: it has no weights"));
        assert!(said(5, vec![(1, 0.0), (2, f64::NAN)]).contains("vertex 5: it has no weights"));
        assert!(said(2, vec![(4, 1.0)]).contains("vertex 2: it names a joint that is not there"));
        let missing = MeshBinding { instances: vec![InstanceId(3)], ..bound(rows.clone()) };
        assert!(missing.change(&model).unwrap_err().to_string().contains("instance 3"));
    }

    #[test]
    fn a_mesh_at_two_places_gets_a_skin_for_each() {
        let twice = |parts: &mut ModelParts| {
            parts.instances.push(Instance { node: NodeId(3), ..parts.instances[0].clone() });
        };
        let (model, rows) = bare(twice);
        let both = MeshBinding { instances: vec![InstanceId(0), InstanceId(1)], ..bound(rows) };
        let change = both.change(&model).unwrap();
        assert_eq!((change.skins.len(), &change.instances[..]), (2, &[(InstanceId(0), 0), (InstanceId(1), 1)][..]));
        let bound = model.with_bindings(&change).unwrap();
        assert_eq!([0, 1].map(|i| bound.instances[i].skin), [Some(SkinId(0)), Some(SkinId(1))]);
        assert_ne!(bound.skins[0].inverse_bind[0], bound.skins[1].inverse_bind[0]);
    }
}
