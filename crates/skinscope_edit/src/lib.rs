//! Operations that change weights: one file and one row of [`OPERATIONS`] each.
//!
//! An operation works on a [`Sheet`], a plain copy of all weights in double precision beside the rest surface, and knows
//! nothing of files, windows or sessions. What is stored is rounded once, when all operations are done ([`Stored`]).

#![forbid(unsafe_code)]

mod added_shapes;
mod average;
mod bake;
mod baked;
mod best;
mod bind;
mod binds;
mod by_row;
mod carry;
mod closest;
mod from_examples;
mod hammer;
mod joints;
mod layers_in_file;
mod limbs;
mod limit;
mod links;
mod locks;
mod matching;
mod mesh_binding;
mod mirror;
#[cfg(test)]
mod mirror_tests;
mod mirrored;
mod normalise;
mod operation_row;
mod parameter;
#[cfg(test)]
mod parting_tests;
mod partly;
#[cfg(test)]
mod partly_tests;
mod places;
mod prune;
mod quantise;
mod refusal;
mod rogues;
mod rules;
mod runtime;
mod search;
mod set;
mod sheet;
mod smooth;
mod solved_examples;
mod stuck;
mod surface;
mod task;
mod text_form;
mod transfer;
mod transferred;
mod weld;
pub mod writeback;

use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) use added_shapes::{AddedShapes, ShapeKeys};
pub use average::mean_of;
pub use bake::bakes_kept_poses;
pub use baked::{Baked, BakedWeights, Baking, left_values, nothing_left};
pub use bind::{
    ALIGNS, Align, Aligned, BIND, BareBinding, BareScope, BodyFrame, BoundSkin, Deepest, Depths, DressSettings,
    Dressed, DressedGarment, DressedSkin, Humanoid, JointShape, LeftOut, PLACED_AXES, PlacedAxes, PlacedJoint, REACH,
    bare_joints, bare_meshes, bind_bare, bind_envelopes, bind_meshes, bind_method, bind_placed, bind_root,
    bind_settings, bindable_meshes, body_frame, clear_bind_envelopes, clear_bind_meshes, dress, dress_align,
    follow_bind_root, forget_bind_numbers, has_bare_mesh, has_bind_rule, humanoid, humanoid_in, likely_bind_root,
    middle_of_body, mirrored_name, placed_from_text, placed_to_text, put_bind_settings, set_bind_envelope,
    set_bind_mesh, set_bind_root, set_bind_rule, set_dress_align, sided_name, unfinished_from_text, words_of_pose,
};
pub use carry::{
    Carried, CarriedVertex, Copies, EditedVertices, Identities, MadeOn, MeshIdentity, SetAside, VertexIdentity,
    VertexList, carry, find_nodes, is_same_order, paths_of, skin_of,
};
pub use from_examples::SOLVE;
pub use layers_in_file::LayersInFile;
pub use links::{LinkPlan, LinkRefusal, LinkSettings, count_links, links_again, plan_links};
pub use mesh_binding::MeshBinding;
pub use mirrored::{MirrorPlane, Mirroring};
use operation_row::{AfterRow, JointNumbers, Left, Stays};
pub use operation_row::{Changes, Group, Operation};
pub use parameter::{ChoiceKind, ChoiceWord, JointKind, Kept, NumberKind, OptionForm, Parameter, ParameterKind};
pub use refusal::{Refusal, check, check_joint, check_moves};
pub use rules::REPAIRED;
pub use runtime::{PackedFigures, Packing, RUNTIMES, Runtime, Sets, SkinOfCopies, Sums, packed};
pub use set::{CellEdit, CellOutcome, set_cells};
pub use sheet::Sheet;
pub use skinscope_anim::pose::Axis;
use skinscope_anim::pose::NameMap;
pub use skinscope_bind::{
    BINDERS, BindSettings, Capsule, ENVELOPE_RANGES, JointPlane, RULES as BIND_RULES, Rule as BindRule, ShapeForm,
    stage as bind_stage,
};
use skinscope_model::{LocalPose, NodeId, WeightFormat};
pub use skinscope_solve::{Deviation, ExampleMesh, MeshPoints, Solved};
use skinscope_weights::Lacks;
pub use skinscope_weights::{Amount, Bounds, Partly, RestPart, RestSurface, Stored, Table, TableRow, value};
pub use solved_examples::{ComparedExample, SolvedExamples};
pub use stuck::{check_applied, explain_unchanged};
pub use task::{Figures, Outcome, Task, compute_outcome, stage_of_binding};
pub use transfer::{CarriedChange, Donor, TRANSFER, carry_change, transfer_pairs};
pub use transferred::Transferred;

/// Every operation, in the order in which `skinscope fix` carries them out.
pub static OPERATIONS: &[&Operation] = &[
    &BIND,
    &bake::BAKE_METHOD,
    &normalise::NORMALISE,
    &prune::PRUNE,
    &limit::LIMIT,
    &quantise::QUANTISE,
    &rogues::REMOVE_ROGUES,
    &weld::WELD_SEAMS,
    &mirror::MIRROR,
    &smooth::SMOOTH,
    &hammer::HAMMER,
    &binds::INVERSE_BINDS,
    &rules::RULES,
    &joints::REMOVE_JOINT,
    &joints::REPLACE_JOINT,
    &average::AVERAGE,
    &average::PASTE,
    &set::SET,
    &TRANSFER,
    &SOLVE,
    &binds::BIND_HERE,
];

/// The values of the parameters of all operations; each operation reads those that it needs. A new operation needs no field here: its
/// numbers and choices are in `values`.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Prune: weights below this are removed.
    #[serde(with = "skinscope_weights::exact")]
    pub threshold: f64,
    /// Limit: the most joints of a vertex.
    pub limit: usize,
    /// Limit: whether to choose the joints and weights that keep the surface nearest, instead of the largest weights.
    pub best: bool,
    /// Quantise: the format in which weights are to be stored.
    pub format: WeightFormat,
    /// Mirror: the axis of mesh space that is perpendicular to the mirror plane.
    pub axis: Axis,
    /// Mirror: whether the negative side is copied to the positive one; else it is the other way round.
    pub from_negative: bool,
    /// Mirror: joints that are partners whatever their names say. A joint that is its own partner keeps its weights.
    pub pairs: Vec<[NodeId; 2]>,
    /// Smooth: the number of steps.
    pub times: usize,
    /// Smooth: the share of the way to the mean of its neighbours that a vertex goes in each step, 0 to 1.
    #[serde(with = "skinscope_weights::exact")]
    pub strength: f64,
    /// Set: the weight.
    pub amount: Amount,
    /// Set: whether the other joints of a vertex follow, so that its sum stays.
    pub follow: bool,
    /// Remove joint, replace joint, set: the joint that is removed, replaced or given a weight.
    pub joint: Option<NodeId>,
    /// Remove joint: whether its weight goes to the other joints of a vertex instead of to the joint above it.
    pub spread: bool,
    /// Replace joint: the joint that gets its weight.
    pub other: Option<NodeId>,
    /// Paste: joints and their weights.
    #[serde(with = "text_form::copied")]
    pub copied: Vec<(NodeId, f64)>,
    /// Transfer: the model whose weights are taken. A text does not have it.
    #[serde(skip)]
    pub donor: Option<Donor>,
    /// Transfer: which joints of that model are which here, where their names do not say it.
    pub names: NameMap,
    /// Solve: what the surface should be in some poses. A text does not have it.
    #[serde(skip)]
    pub examples: Arc<Vec<ExampleMesh>>,
    /// Bind here: the pose. One of another number of nodes than the model has is none.
    #[serde(with = "text_form::pose")]
    pub pose: Option<Arc<LocalPose>>,
    /// Bake method: the poses that were kept for it. One of another number of nodes than the model has is none.
    #[serde(with = "text_form::poses", skip_serializing_if = "Vec::is_empty")]
    pub poses: Vec<Arc<LocalPose>>,
    /// Rules: the ids of the checker's rules whose findings are repaired.
    #[serde(deserialize_with = "text_form::rules")]
    pub rules: Vec<&'static str>,
    /// Numbers and choices of other parameters, by [`Parameter::id`].
    #[serde(with = "text_form::values", skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, f64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            threshold: 0.01,
            limit: 4,
            best: false,
            format: WeightFormat::U8,
            axis: Axis::X,
            from_negative: false,
            pairs: Vec::new(),
            times: 1,
            strength: 0.5,
            amount: Amount::default(),
            follow: true,
            joint: None,
            spread: false,
            other: None,
            copied: Vec::new(),
            donor: None,
            names: NameMap::default(),
            examples: Arc::default(),
            pose: None,
            poses: Vec::new(),
            rules: REPAIRED.to_vec(),
            values: BTreeMap::new(),
        }
    }
}

/// Finds the operation with an id.
#[must_use]
pub fn operation(id: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().copied().find(|operation| operation.id == id)
}

/// The effect of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// How many vertices would be stored differently now. Those of primitives that share their weights count once.
    pub vertices: usize,
    /// How many vertices stayed as they are because their locked joints leave nothing to change.
    pub unchanged: usize,
    /// How many other vertices stayed as they are although something else was asked for: the joint that is removed, replaced
    /// or given a weight keeps its own, since no joint can take it, or is locked.
    pub stuck: usize,
    /// How many others got only a part of what was asked for.
    pub partly: Partly,
}

/// Gives every vertex as many pairs as an operation may need, of which the joints of its skin can fill no more than there are.
fn make_room(operation: &Operation, sheet: &mut Sheet, settings: &Settings) {
    if let Some(pairs) = operation.pairs {
        let pairs = pairs(settings);
        sheet.tables.iter_mut().for_each(|table| table.widen(pairs.min(table.keys.len()).next_multiple_of(4)));
    }
}

/// Runs an operation within the bounds of the sheet, and returns its effect.
pub fn apply(operation: &Operation, sheet: &mut Sheet, settings: &Settings) -> Applied {
    make_room(operation, sheet, settings);
    let tables = sheet.tables.clone();
    (sheet.lacks, sheet.not_done) = (Lacks::default(), None);
    (operation.run)(sheet, settings);
    let unchanged = sheet.hold(&tables, !operation.by_result);
    let changed = |(number, (table, before)): (usize, (&Table, &Table))| {
        let is_same = |a: usize, b: usize| sheet.tables[a].has_same(&sheet.tables[b]) && tables[a].has_same(&tables[b]);
        match sheet.is_counted_before(number, &is_same) {
            true => 0,
            false => table.stored().changed_vertices(&before.stored(), table.per_vertex).len(),
        }
    };
    let vertices = sheet.tables.iter().zip(&tables).enumerate().map(changed).sum();
    let rows = stuck::rows(operation, sheet, &tables, settings);
    let is_same = |a: usize, b: usize| tables[a].has_same(&tables[b]) && sheet.tables[a].has_same(&sheet.tables[b]);
    let stuck = sheet.count_once(&rows, &is_same).saturating_sub(unchanged);
    let partly = partly::count(operation, sheet, (&tables, &rows), settings);
    Applied { vertices, unchanged, stuck, partly }
}
