//! The operation that finds weights from the mesh and its joints alone, by one of the methods of `skinscope_bind`.
//!
//! All primitives that skins move in one way are one surface, whose points of one place get one row. Joints, inverse bind matrices and the
//! stored form stay; locked joints and vertices out of bounds keep their weights, as with every operation.

mod bare;
mod bones;
mod choices;
mod dress;
mod figure;
mod humanoid;
#[cfg(test)]
mod humanoid_tests;
mod main_body;
mod middle;
mod placed;
mod placed_axes;
mod placed_file;
mod placed_joint;
#[cfg(test)]
mod placed_tests;
mod report;

use std::collections::BTreeSet;

use skinscope_base::parallel::JobContext;
use skinscope_bind::{BINDERS, BindError, BindProblem, BindSettings, Binder, Bound, RULES};
use skinscope_model::{MeshId, Model, NodeId, SkinId};
use skinscope_weights::{RestSurface, Shares, Table, cut};

pub use bare::{BareBinding, BareScope, bare_joints, bind_bare};
pub(crate) use choices::limit_to_meshes;
pub use choices::{
    bare_meshes, bind_envelopes, bind_meshes, bind_method, bind_root, bindable_meshes, clear_bind_envelopes,
    clear_bind_meshes, follow_bind_root, forget_bind_numbers, has_bare_mesh, has_bind_rule, likely_bind_root,
    set_bind_envelope, set_bind_mesh, set_bind_root, set_bind_rule,
};
pub use dress::{
    ALIGNS, Align, Aligned, Deepest, Depths, DressSettings, Dressed, DressedGarment, DressedSkin, LeftOut, REACH,
    dress, dress_align, set_dress_align, words_of_pose,
};
pub use humanoid::{BodyFrame, Humanoid, body_frame, humanoid, humanoid_in, mirrored_name, sided_name};
pub use middle::middle_of_body;
pub use placed::bind_placed;
pub use placed_axes::{PLACED_AXES, PlacedAxes};
pub use placed_file::{placed_from_text, placed_to_text, unfinished_from_text};
pub use placed_joint::PlacedJoint;
pub use report::{BoundSkin, JointShape};

use super::operation_row::Group;
use super::{
    ChoiceKind, ChoiceWord, JointNumbers, NumberKind, Operation, OptionForm, Parameter, ParameterKind, Refusal,
    Settings, Sheet,
};

/// Which method.
static METHOD: Parameter = Parameter {
    id: "bind-method",
    label: "Method",
    help: "How weights are found",
    kind: ParameterKind::Choice(ChoiceKind { words: &WORDS, ..ChoiceKind::ROW }),
    ..Parameter::ROW
};

/// The methods as words, in the order of [`BINDERS`]; a test keeps that none is missing.
static WORDS: [ChoiceWord; 5] = [word(0), word(1), word(2), word(3), word(4)];

const fn word(at: usize) -> ChoiceWord {
    let Binder { id, label, help, .. } = BINDERS[at % BINDERS.len()];
    ChoiceWord { id, label, help }
}

/// The most joints of a vertex.
static MOST: Parameter = Parameter {
    id: "bind-most",
    label: "Influences",
    help: "The most joints of a vertex",
    kind: ParameterKind::Number(NumberKind::INFLUENCES),
    option: OptionForm::Own { name: "bind-influences", value: "N", help: "With --bind: at most N joints for a vertex" },
};

/// How often the result is smoothed.
static SMOOTH: Parameter = Parameter {
    id: "bind-smooth",
    label: "Smooth",
    help: "How often the weights that were found are smoothed over the surface",
    kind: ParameterKind::Number(NumberKind {
        range: [0.0, 1000.0],
        slider: [0.0, 20.0],
        default: 0.0,
        decimals: 0,
        ..NumberKind::ROW
    }),
    option: OptionForm::Own {
        name: "bind-smooth",
        value: "N",
        help: "With --bind: smooth the weights that were found N times",
    },
};

/// Whether loose pieces follow one joint each.
static RIGID: Parameter = Parameter {
    id: "bind-rigid",
    label: "Loose pieces",
    help: "What becomes of pieces of the mesh that hang on no other, as buttons do",
    kind: ParameterKind::Choice(ChoiceKind {
        words: &[
            ChoiceWord { id: "", label: "Pieces bend", help: "A loose piece follows what it lies on" },
            ChoiceWord { id: "rigid", label: "Pieces rigid", help: "A loose piece follows one joint as a whole" },
        ],
        ..ChoiceKind::ROW
    }),
    option: OptionForm::Own {
        name: "bind-rigid-pieces",
        value: "",
        help: "With --bind: let every loose piece follow one joint as a whole",
    },
};

/// The numbers of the chosen method, the rules, and which meshes are bound.
static DETAILS: Parameter = Parameter {
    id: "bind-details",
    label: "Rules",
    help: "What holds for every method",
    kind: ParameterKind::Binding,
    option: OptionForm::None,
};

/// The operation that finds weights from the mesh and its joints.
pub static BIND: Operation = Operation {
    id: "bind",
    label: "Bind automatically",
    tool: "Auto bind",
    icon: "BONE",
    group: Group::Bind,
    place: 2,
    help: "Find the weights of every vertex from the mesh and its joints alone, in place of those that it has",
    more: "; joints and inverse bind matrices stay",
    argument: "METHOD",
    parameters: &[&METHOD, &MOST, &SMOOTH, &RIGID, &DETAILS],
    refuse: |sheet, settings| can_bind(sheet, settings),
    numbers: JointNumbers::Any,
    pairs: Some(|settings| MOST.number(settings) as usize),
    by_result: true,
    run: run_on,
    ..Operation::ROW
};

/// Puts what a binding is asked for into the settings of the operation.
pub fn put_bind_settings(settings: &mut Settings, asked: &BindSettings) {
    let method = BINDERS.iter().position(|binder| binder.id == asked.method).unwrap_or(0);
    METHOD.set_choice(settings, method);
    MOST.set_number(settings, asked.most as f64);
    SMOOTH.set_number(settings, asked.smooth as f64);
    RIGID.set_choice(settings, usize::from(asked.rigid_pieces));
    for rule in RULES {
        set_bind_rule(settings, rule.id, !asked.rules_off.contains(rule.id));
    }
    for parameter in BINDERS.iter().flat_map(|binder| binder.parameters) {
        settings.values.remove(parameter.id);
    }
    settings.values.extend(asked.values.iter().map(|(id, value)| (id.clone(), *value)));
    clear_bind_envelopes(settings);
    for (joint, radii) in &asked.envelopes {
        set_bind_envelope(settings, joint, Some(*radii));
    }
}

/// Returns what the settings of the operation ask a binder for.
#[must_use]
pub fn bind_settings(settings: &Settings) -> BindSettings {
    let numbers = BINDERS.iter().flat_map(|binder| binder.parameters);
    BindSettings {
        method: bind_method(settings).id.to_owned(),
        most: MOST.number(settings) as usize,
        smooth: SMOOTH.number(settings) as usize,
        rigid_pieces: RIGID.choice(settings) == 1,
        rules_off: RULES
            .iter()
            .filter(|rule| !has_bind_rule(settings, rule.id))
            .map(|rule| rule.id.to_owned())
            .collect(),
        values: numbers.filter_map(|p| Some((p.id.to_owned(), *settings.values.get(p.id)?))).collect(),
        envelopes: bind_envelopes(settings),
    }
}

/// Says why there is nothing that could be bound.
fn can_bind(sheet: &Sheet, settings: &Settings) -> Result<(), Refusal> {
    if bind_root(sheet.model, settings).is_some() {
        return Ok(());
    }
    let meshes = bind_meshes(settings);
    let mut tables = sheet.tables.iter().filter(|table| table.vertices() > 0).peekable();
    if tables.peek().is_none() {
        return Err(Refusal::NoSkin);
    }
    match tables.flat_map(|table| &table.primitives).any(|at| choices::is_chosen(sheet.model, &meshes, at)) {
        true => Ok(()),
        false => Err(Refusal::NoChosenSkin),
    }
}

fn run_on(sheet: &mut Sheet, settings: &Settings) {
    let asked = bind_settings(settings);
    if let Some(root) = bind_root(sheet.model, settings) {
        return gain(sheet, root, &bind_meshes(settings), &asked);
    }
    let surfaces = sheet.surfaces().to_vec();
    let (mut bound, mut has_no_skin) = (Vec::new(), false);
    let points = |surface: &RestSurface| surface.positions.len();
    let (all, mut done) = (surfaces.iter().map(points).sum::<usize>().max(1), 0);
    for surface in &surfaces {
        let from = done;
        done += points(surface);
        let is_open = (0..surface.mesh.vertex_count()).map(|vertex| surface.row(vertex));
        if !is_open.into_iter().any(|at| sheet.bounds.has(at.table, at.row)) {
            continue;
        }
        // The stages of all surfaces together are counted once: each has its share of the time by its points.
        let share = |points: usize| 0.2 + 0.6 * points as f32 / all as f32;
        let context = sheet.context.part(share(from), share(done));
        match bind_surface(sheet, surface, &asked, &context) {
            Ok(skins) if skins.is_empty() => has_no_skin = true,
            Ok(skins) => bound.extend(skins),
            Err(Refusal::NotBound(BindError::Cancelled)) => return,
            Err(why) => {
                sheet.not_done = Some(why);
                return;
            }
        }
    }
    if bound.is_empty() && has_no_skin {
        sheet.not_done = Some(Refusal::NoSkin);
    }
    sheet.bound = bound;
}

/// Finds the weights of the meshes that have no skin. The sheet has no rows of theirs: what they would gain stands beside its tables.
fn gain(sheet: &mut Sheet, root: NodeId, meshes: &BTreeSet<u32>, asked: &BindSettings) {
    let scope = BareScope {
        meshes: Some(meshes).filter(|meshes| !meshes.is_empty()),
        within: sheet.within.as_ref(),
        locked: Some(&sheet.bounds.locked),
    };
    let gained = bind_bare(sheet.model, root, scope, asked, &sheet.context.part(0.2, 0.8));
    match gained {
        Ok(BareBinding { change, bound }) => (sheet.gained, sheet.bound) = (Some(change), bound),
        Err(Refusal::NotBound(BindError::Cancelled)) => {}
        Err(why) => sheet.not_done = Some(why),
    }
}

/// Binds a surface, and returns what is reported of each of its skins; there is none where it has no skin.
fn bind_surface(
    sheet: &mut Sheet,
    surface: &RestSurface,
    asked: &BindSettings,
    context: &JobContext,
) -> Result<Vec<BoundSkin>, Refusal> {
    let Some(skeleton) = bones::of_surface(sheet, surface)? else { return Ok(Vec::new()) };
    let Some(first) = skeleton.skins.first().copied() else { return Ok(Vec::new()) };
    let problem = BindProblem {
        joints: skeleton.joints,
        points: surface.positions.iter().map(|point| point.as_dvec3()).collect(),
        triangles: surface.triangles.clone(),
    };
    let bound = skinscope_bind::bind(&problem, asked, context)?;
    let stored: Vec<usize> = (0..bound.rows.len() as u32).map(|welded| surface.members(welded).len()).collect();
    let mut report = BoundSkin::of(first, &stored, (&skeleton.nodes, &problem.joints), &bound);
    let mut folded = Folded::new(sheet.model, &skeleton.nodes);
    let mut is_used = vec![false; sheet.model.skeleton.len()];
    let mut note = |shares: &[(u32, f64)]| {
        for (key, _) in shares {
            is_used.get_mut(*key as usize).into_iter().for_each(|is_used| *is_used = true);
        }
    };
    let mut before = Shares::new();
    for (welded, row) in (0..).zip(&bound.rows) {
        for vertex in surface.members(welded) {
            let at = surface.row(*vertex);
            let table = &mut sheet.tables[at.table];
            table.shares(at.row, &mut before);
            if sheet.bounds.has(at.table, at.row) {
                // What locked joints keep counts too.
                before.retain(|(key, _)| sheet.bounds.locked.contains(key));
                let most = asked.most.saturating_sub(before.len()).max(1);
                let shares = cut(folded.shares(table, at.table, row), most);
                note(&shares);
                table.put_in_order(at.row, &shares);
            }
            note(&before);
        }
    }
    report.joints_used = skeleton.nodes.iter().filter(|node| is_used[node.index()]).count();
    if skeleton.skins.len() < 2 {
        return Ok(vec![report]);
    }
    let parts = skeleton.skins.iter().filter_map(|skin| part_of(sheet, surface, (&report, &bound), *skin));
    let mut parts: Vec<BoundSkin> = parts.collect();
    // Skins share joints, and what was looked at around each is drawn once.
    parts.iter_mut().skip(1).for_each(|part| part.shapes.clear());
    Ok(parts)
}

/// Returns what is reported of one of several skins that move a surface; `None` where none of its vertices may change.
fn part_of(
    sheet: &Sheet,
    surface: &RestSurface,
    (whole, bound): (&BoundSkin, &Bound),
    skin: SkinId,
) -> Option<BoundSkin> {
    let model = sheet.model;
    let shown = model.instances.iter().filter(|instance| instance.skin == Some(skin));
    let meshes: BTreeSet<MeshId> = shown.map(|instance| instance.mesh).collect();
    let (mut used, mut shares, mut is_open) = (BTreeSet::new(), Shares::new(), false);
    let mut stored = vec![0; bound.rows.len()];
    for (welded, stored) in (0..).zip(&mut stored) {
        let own = |vertex: &&u32| meshes.contains(&surface.stored(**vertex).0.primitive.mesh);
        for vertex in surface.members(welded).iter().filter(own) {
            let at = surface.row(*vertex);
            *stored += 1;
            is_open |= sheet.bounds.has(at.table, at.row);
            sheet.tables[at.table].shares(at.row, &mut shares);
            used.extend(shares.iter().map(|(key, _)| *key));
        }
    }
    let joints = &model.skins[skin.index()].joints;
    let joints_used = joints.iter().filter(|joint| used.contains(&joint.0)).count();
    is_open.then(|| BoundSkin { joints_used, ..whole.part((skin, joints), &stored, &bound.island_of) })
}

/// The joints of a surface's problem as the tables of its parts know them. Skins that bind their joints in one way need not have the same
/// joints: what one lacks goes to the nearest joint above that it has, or else to its first.
struct Folded<'m> {
    model: &'m Model,
    nodes: &'m [NodeId],
    /// For each table that was asked for, the key of each joint.
    keys: Vec<(usize, Vec<u32>)>,
}

impl<'m> Folded<'m> {
    fn new(model: &'m Model, nodes: &'m [NodeId]) -> Self {
        Self { model, nodes, keys: Vec::new() }
    }

    /// Returns a row by the keys of a table's joints, the largest share first.
    fn shares(&mut self, table: &Table, number: usize, row: &[(u32, f64)]) -> Shares {
        let found = self.keys.iter().position(|(known, _)| *known == number);
        let at = found.unwrap_or_else(|| {
            self.keys.push((number, self.nodes.iter().map(|node| self.key(table, *node)).collect()));
            self.keys.len() - 1
        });
        let keys = &self.keys[at].1;
        let mut out = Shares::new();
        for (joint, share) in row {
            let key = keys[*joint as usize];
            match out.iter_mut().find(|(known, _)| *known == key) {
                Some((_, sum)) => *sum += share,
                None => out.push((key, *share)),
            }
        }
        // Shares that were added up may be larger than those before them.
        out.sort_by(|a, b| b.1.total_cmp(&a.1));
        out
    }

    fn key(&self, table: &Table, node: NodeId) -> u32 {
        let parents = &self.model.skeleton.parents;
        let mut up = std::iter::successors(Some(node), |node| parents[node.index()]);
        let found = up.find(|node| table.joint_of(node.0).is_some_and(|joint| usize::from(joint) < table.keys.len()));
        found.map_or_else(|| table.keys.first().copied().unwrap_or(node.0), |node| node.0)
    }
}

#[cfg(test)]
mod tests;
