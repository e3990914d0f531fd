//! Weights that are typed in: for one joint of many vertices, or for single cells of a table. The other joints of a vertex follow.

use std::collections::{BTreeMap, BTreeSet};

use skinscope_model::{MeshId, Model, NodeId, PrimitiveId, WeightChange};

use skinscope_weights::{Amount, Change, kernels, set_row};

use super::parameter::JOINT;
use super::refusal::is_joint;
use super::{Group, JointNumbers, Operation, Parameter, ParameterKind, Refusal, Settings, Sheet, Stays, by_row, sheet};

/// The weight that the joint gets.
static AMOUNT: Parameter = Parameter {
    id: "amount",
    label: "Weight",
    help: "The weight that the joint gets: 0.3 or 30% sets it, +0.1 and *2 change it",
    kind: ParameterKind::Amount,
    ..Parameter::ROW
};

/// The operation that sets the weight of a joint.
pub(crate) static SET: Operation = Operation {
    id: "set",
    label: "Set weight",
    tool: "Set weight",
    icon: "PENCIL",
    group: Group::Joint,
    place: 0,
    help: "Set the weight of a joint: 0.3 or 30%, +0.1, -0.1, *2; the other joints of a vertex follow, so that its sum stays",
    argument: "JOINT=VALUE",
    parameters: &[&JOINT, &AMOUNT],
    refuse: |sheet, settings| is_joint(sheet, settings.joint),
    numbers: JointNumbers::Named,
    stays: Some(&SET_STAYS),
    by_result: true,
    run: set,
    ..Operation::ROW
};

/// What is said of vertices that do not have the weight.
static SET_STAYS: Stays = Stays {
    is_as_asked: |weight, settings| (settings.amount.of(weight) - weight).abs() <= SAME,
    refusal: Refusal::NoSuchWeight,
    why: "no other joint can take what is left, or it is locked",
};

/// Weights that differ by no more than this are equal: it is what rounding to 32 bits makes of a number below one.
const SAME: f64 = 1e-6;

/// A new weight for one joint of one vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellEdit {
    /// The mesh of the vertex.
    pub mesh: MeshId,
    /// The number of its primitive in the mesh.
    pub primitive: usize,
    /// Its number in the primitive.
    pub vertex: u32,
    /// The joint whose weight is set.
    pub joint: NodeId,
    /// The new weight, or the change of the present one.
    pub amount: Amount,
}

/// The result of weights that were typed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellOutcome {
    /// The new weights, for every primitive that has the vertices.
    pub changes: Vec<WeightChange>,
    /// Vertices that stay as they are, because their joints are locked, or no other joint can take what is left.
    pub unchanged: usize,
    /// Vertices that change, but get another weight than was asked for: the other joints have no more to give, or are locked.
    pub unmet: usize,
    /// Vertices that lose a joint, since they have no pair left for it.
    pub without_pair: usize,
}

/// The new amounts of the joints of each vertex of a primitive.
type PartEdits = BTreeMap<u32, Vec<(u32, Amount)>>;

/// Computes new weights for single cells. Where `follow` is set, the joints of a vertex that were not given a weight share what is
/// left of its sum in the proportions that they have; where too much was asked for, the given weights are scaled down to the sum.
/// Weights of `locked` joints stay. A vertex that has no free pair gives up its smallest one.
#[must_use]
pub fn set_cells(model: &Model, cells: &[CellEdit], follow: bool, locked: &BTreeSet<NodeId>) -> CellOutcome {
    let locked: BTreeSet<u32> = locked.iter().map(|node| node.0).collect();
    // Primitives that share their weights in the file stay alike: the first one stands for all of them.
    let mut by_part: BTreeMap<PrimitiveId, PartEdits> = BTreeMap::new();
    let mut sharing: BTreeMap<PrimitiveId, Vec<PrimitiveId>> = BTreeMap::new();
    for cell in cells {
        // The vertices of a primitive may be in another one.
        let holder = model.meshes.get(cell.mesh.index()).map(|mesh| mesh.holder(cell.primitive));
        let part = PrimitiveId::new(cell.mesh, holder.unwrap_or(cell.primitive));
        let all = sharing.entry(part).or_insert_with(|| sheet::sharing(model, part));
        let first = all.first().copied().unwrap_or(part);
        by_part.entry(first).or_default().entry(cell.vertex).or_default().push((cell.joint.0, cell.amount));
    }
    let mut out = CellOutcome::default();
    for (part, vertices) in by_part {
        let rows: Vec<u32> = vertices.keys().copied().collect();
        let Some(mut table) = sheet::rows(model, part, &rows) else { continue };
        let mut change = WeightChange::new(part.mesh, part.primitive, table.per_vertex);
        for (row, (vertex, given)) in vertices.iter().enumerate().take(table.vertices()) {
            let wish = set_row(&mut table, row, given, follow, &locked);
            match wish.change {
                Change::Same => {}
                Change::Stuck => out.unchanged += 1,
                Change::Changed => {
                    out.unmet += usize::from(wish.is_unmet);
                    out.without_pair += usize::from(wish.has_lost);
                    let slots = table.slots(row);
                    let weights: Vec<f32> = table.weights[slots.clone()].iter().map(|w| *w as f32).collect();
                    change.push(*vertex, &table.joints[slots], &weights);
                }
            }
        }
        if !change.vertices.is_empty() {
            for PrimitiveId { mesh, primitive } in sheet::sharing(model, part) {
                out.changes.push(WeightChange { mesh, primitive, ..change.clone() });
            }
        }
    }
    out
}

fn set(sheet: &mut Sheet, settings: &Settings) {
    let Some(joint) = settings.joint else { return };
    let arguments = kernels::set_arguments(joint.0, settings.amount, settings.follow);
    by_row::run(&kernels::SET, sheet, arguments);
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;

    #[test]
    fn cells_of_a_model_change_those_vertices_alone() {
        let model = tube(Tube { joints: 12, ..Tube::default() });
        let cell = |vertex, joint, text| CellEdit {
            mesh: MeshId(0),
            primitive: 0,
            vertex,
            joint: model.skins[0].joints[joint],
            amount: Amount::parse(text).unwrap(),
        };
        let none = BTreeSet::new();
        let out = set_cells(&model, &[cell(4, 11, "0.25"), cell(9, 11, "1")], true, &none);
        assert_eq!((out.unchanged, out.changes.len(), &out.changes[0].vertices), (0, 1, &vec![4, 9]));
        let edited = model.with_weights(&out.changes).unwrap();
        let weight = |vertex: usize, joint: u16| {
            let (joints, weights) = edited.influences(MeshId(0), 0).unwrap().of(vertex);
            joints.iter().zip(weights).filter(|(j, _)| **j == joint).map(|(_, w)| *w).sum::<f32>()
        };
        assert!((weight(4, 11) - 0.25).abs() < 1e-6 && (weight(9, 11) - 1.0).abs() < 1e-6);
        let sum: f32 = (0..12).map(|joint| weight(4, joint)).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{sum}");
        let locked = BTreeSet::from([model.skins[0].joints[11]]);
        assert_eq!(
            set_cells(&model, &[cell(4, 11, "0.25")], true, &locked),
            CellOutcome { unchanged: 1, ..Default::default() }
        );
        assert_eq!(set_cells(&model, &[cell(99_999, 11, "0.25")], true, &none), CellOutcome::default());
    }
}
