//! Brings what was made on one model to the one that is open: joints by their keys, vertices by what tells them apart. What has no
//! counterpart there is returned.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use glam::{Affine3A, DVec3, Quat, Vec3};
use skinscope_anim::pose::controls::Controls;
use skinscope_anim::pose::{Keys, Limits, target_of};
use skinscope_base::words::counted;
use skinscope_edit::{Carried, EditedVertices, carry, find_nodes};
use skinscope_inspect::VertexSet;
use skinscope_model::{BindChange, Clip, ClipChange, Instance, Model, NodeId, SkinId, WeightChange, is_same_row};

use crate::files::session_file::{BindRecord, ClipRecord, EditRecord, Rebinding, WeightsRecord, WorkRecord, values};
use crate::playback::clips;
use crate::{ChannelValue, Document, Edits, History, Marker, NodeEdit, Playing, PoseRules, Session, Skinning};

/// What finds the nodes of a session file in the open model.
pub(crate) struct Nodes<'f> {
    names: BTreeSet<&'f str>,
    found: HashMap<&'f str, NodeId>,
    /// The keys that were looked for and not found.
    pub lost: BTreeSet<String>,
}

impl<'f> Nodes<'f> {
    pub fn of(model: &Model, names: &BTreeSet<&'f str>, paths: &BTreeMap<String, String>) -> Self {
        let found = find_nodes(model, names.iter().copied(), paths);
        Self { names: names.clone(), found, lost: BTreeSet::new() }
    }

    /// Finds all of them again, in a model that has gained nodes.
    fn find_again(&mut self, model: &Model, paths: &BTreeMap<String, String>) {
        self.found = find_nodes(model, self.names.iter().copied(), paths);
    }

    pub fn find(&mut self, key: &str) -> Option<NodeId> {
        let node = self.found.get(key).copied();
        if node.is_none() {
            self.lost.insert(key.to_owned());
        }
        node
    }
}

/// How work is brought to a model.
pub(crate) struct Bringing<'f> {
    pub nodes: Nodes<'f>,
    /// Sliders and driven joints in place of those that there are.
    pub controls: Option<Controls>,
    /// Whether vertices count that are known by their numbers alone.
    pub by_number: bool,
    /// Whether vertices get their edits whose stored weights are others than when these were made.
    pub repainted: bool,
    /// The messages about it.
    pub lines: Vec<String>,
}

/// Adds work to what there is, in steps that can be undone. What is edited already stays as it is. Returns what does not fit.
pub(crate) fn add_work(session: &mut Session, work: &WorkRecord, by: &mut Bringing<'_>) -> WorkRecord {
    let mut left = WorkRecord { model: work.model.clone(), path: work.path.clone(), ..WorkRecord::default() };
    // All else may name the nodes that come with them.
    session.add_bindings(work, &mut by.nodes, &mut left);
    let Some(model) = session.model().map(Arc::clone) else { return work.clone() };
    if let Some(document) = &session.document {
        let locked = &mut session.tools.locked;
        add_rules(document, &mut session.rules, locked, work, &mut by.nodes, &mut left);
    }
    let Playing { edits, history, .. } = session.playing();
    add_pose((edits, history), &model, work, by, &mut left);
    add_skinning(session.skinning(), &model, work, by, &mut left);
    let own = session.unsaved().own_marks().map(Arc::clone);
    add_marks(session.marker(), own.as_deref(), &model, work, by, &mut left);
    add_clips(session, work, &mut by.nodes, &mut left);
    if !(left.weights.is_empty() && left.marked.is_empty()) {
        left.meshes.clone_from(&work.meshes);
    }
    if !left.is_empty() {
        left.paths.clone_from(&work.paths);
    }
    left
}

impl Session {
    /// Gives meshes the skins that they gained, each in a step that can be undone.
    fn add_bindings(&mut self, work: &WorkRecord, nodes: &mut Nodes<'_>, left: &mut WorkRecord) {
        for record in &work.bindings {
            let Some(model) = self.model().map(Arc::clone) else { return };
            let is_there = match record.on(&model, &work.paths) {
                Rebinding::IsThere => true,
                Rebinding::Change(change) => self.bind(&change).is_ok(),
                Rebinding::Links(change) => self.link(&change).is_ok(),
                Rebinding::Shapes(change) => self.take_shapes(&change).is_ok(),
                Rebinding::Unfit => false,
            };
            if !is_there {
                left.bindings.push(record.clone());
            } else if let Some(bound) = self.model().filter(|bound| !Arc::ptr_eq(bound, &model)) {
                nodes.find_again(bound, &work.paths);
            }
        }
    }
}

fn add_rules(
    document: &Document,
    rules: &mut PoseRules,
    locked: &mut Arc<BTreeSet<NodeId>>,
    work: &WorkRecord,
    nodes: &mut Nodes<'_>,
    left: &mut WorkRecord,
) {
    for (key, record) in &work.limits {
        let (least, most) = (Vec3::from(values(record.least)), Vec3::from(values(record.most)));
        let limits = Limits { least, most: Vec3::select(most.cmplt(least), least, most) };
        match nodes.find(key) {
            Some(node) if !rules.has_own_limits(node) => _ = rules.limits.insert(node, limits),
            Some(node) if rules.limits.get(&node) == Some(&limits) => {}
            _ => _ = left.limits.insert(key.clone(), *record),
        }
    }
    let mut add = |keys: &[String], left: &mut Vec<String>, to: &mut BTreeSet<NodeId>| {
        for key in keys {
            match nodes.find(key) {
                Some(node) => _ = to.insert(node),
                None => left.push(key.clone()),
            }
        }
    };
    add(&work.pins, &mut left.pins, &mut rules.pins);
    if !work.locked.is_empty() {
        add(&work.locked, &mut left.locked, Arc::make_mut(locked));
    }
    let mut pairs = Vec::with_capacity(work.pairs.len());
    for (key, to) in &work.pairs {
        match (nodes.find(key), to.as_ref().map(|partner| nodes.find(partner))) {
            (None, _) | (_, Some(None)) => _ = left.pairs.insert(key.clone(), to.clone()),
            (Some(node), partner) if rules.has_other_pair(document, node, partner.flatten()) => {
                left.pairs.insert(key.clone(), to.clone());
            }
            (Some(node), partner) => pairs.push((node, partner.flatten())),
        }
    }
    pairs.retain(|(node, _)| node.index() < document.model.skeleton.len());
    // All of them are alone before any of them are partners, since each pair ends those before it.
    for (node, _) in &pairs {
        rules.set_partner(document, *node, None);
    }
    for (node, partner) in pairs {
        if partner.is_some() {
            rules.set_partner(document, node, partner);
        }
    }
}

fn add_pose(
    (edits, history): (&mut Arc<Edits>, &mut History),
    model: &Model,
    work: &WorkRecord,
    by: &mut Bringing<'_>,
    left: &mut WorkRecord,
) {
    let mut out = Edits::clone(edits);
    for (key, record) in &work.joints {
        let edit = edit(record);
        let node = by.nodes.find(key);
        match node.map(|node| *out.nodes.get(&node).unwrap_or(&edit) == edit) {
            _ if edit == NodeEdit::default() => {}
            Some(true) => _ = node.map(|node| out.nodes.insert(node, edit)),
            Some(false) | None => _ = left.joints.insert(key.clone(), *record),
        }
    }
    add_morphs(model, work, &mut by.nodes, &mut out, left);
    for (key, record) in &work.held {
        let at = Affine3A::from_cols_array(&values(record.matrix));
        match by.nodes.find(key) {
            Some(node) if *out.held.get(&node).unwrap_or(&at) == at => _ = out.held.insert(node, at),
            _ => _ = left.held.insert(key.clone(), record.clone()),
        }
    }
    if let Some(controls) = by.controls.take() {
        out.controls = Arc::new(controls);
    }
    history.change_edits(edits, out);
}

fn add_skinning(
    mut skinning: Skinning<'_>,
    model: &Arc<Model>,
    work: &WorkRecord,
    by: &mut Bringing<'_>,
    left: &mut WorkRecord,
) {
    let edited = read(&work.weights, by, &mut left.weights);
    let carried = carry(&edited, &work.made_on(), model);
    let mut lost: BTreeSet<(usize, usize)> = carried.aside.iter().map(|(edit, i, _)| (*edit, *i)).collect();
    let doubtful = carried.vertices.iter().filter(|v| v.is_repainted && !by.repainted);
    lost.extend(doubtful.map(|v| (v.edit, v.row)));
    let mut weights = Vec::with_capacity(carried.weights.len());
    for change in &carried.weights {
        let is_own = |i: usize| is_edited_otherwise(model, change, i);
        let fits = model.with_weights(std::slice::from_ref(change)).is_ok();
        let mut fitting = WeightChange::new(change.mesh, change.primitive, change.per_vertex);
        for (i, vertex) in change.vertices.iter().enumerate() {
            let location = (change.mesh, change.primitive, *vertex);
            let from = carried.vertices.partition_point(|v| v.location < location);
            let sources =
                carried.vertices[from..].iter().take_while(|v| v.location == location).map(|v| (v.edit, v.row));
            if fits && !is_own(i) && !sources.clone().any(|source| lost.contains(&source)) {
                let (joints, weights) = change.row(i);
                fitting.push(*vertex, joints, weights);
            } else {
                lost.extend(sources);
            }
        }
        weights.push(fitting);
    }
    weights.retain(|change| !change.vertices.is_empty());
    left.weights.extend(some_of(&edited, &lost));
    let binds = binds_of(model, work, left);
    skinning.change_skinning(&weights, &binds);
    tell(&carried, &mut by.lines);
}

fn add_marks(
    mut marker: Marker<'_>,
    own: Option<&VertexSet>,
    model: &Arc<Model>,
    work: &WorkRecord,
    by: &mut Bringing<'_>,
    left: &mut WorkRecord,
) {
    let marked = read(&work.marked, by, &mut left.marked);
    let carried = carry(&marked, &work.made_on(), model);
    let lost: BTreeSet<(usize, usize)> = carried.aside.iter().map(|(edit, i, _)| (*edit, *i)).collect();
    left.marked.extend(some_of(&marked, &lost));
    if !carried.vertices.is_empty() {
        let found = carried.vertices.iter().map(|v| v.location);
        let all = found.chain(own.into_iter().flat_map(VertexSet::iter)).collect();
        marker.mark_for_good(Arc::new(VertexSet::from_vertices(all)));
    }
}

/// Adds clips. Those that the model has already, since they were saved into its file, are left as they are. One of which the model has only
/// some nodes is added as far as it fits, and stays whole among what does not fit.
fn add_clips(session: &mut Session, work: &WorkRecord, nodes: &mut Nodes<'_>, left: &mut WorkRecord) {
    for record in &work.clips {
        let mut is_whole = true;
        let read = record.clip(&mut |key| {
            let node = nodes.find(key);
            is_whole &= node.is_some();
            node
        });
        if !(is_whole && read.is_some()) {
            left.clips.push(record.clone());
        }
        let Some(model) = session.model().map(Arc::clone) else { return };
        let Some(clip) = read.filter(|clip| !model.clips.iter().any(|own| own.is_same(clip))) else { continue };
        let part = model.added_clips().iter().position(|own| is_part(own, &clip, record, &model));
        let at = part.unwrap_or(model.added_clips().len());
        let own = part.map(|at| skinscope_model::ClipId::from_index(model.file_clips() + at));
        let inserted = vec![Clip { name: model.free_clip_name(&clip.name, own), ..clip }];
        let change = ClipChange { at, removed: usize::from(part.is_some()), inserted };
        let shown = session.playback().clip;
        if !clips::change_clips(session, &change, None, shown) && is_whole {
            left.clips.push(record.clone());
        }
    }
}

fn binds_of(model: &Model, work: &WorkRecord, left: &mut WorkRecord) -> Vec<BindChange> {
    let nodes = find_nodes(model, work.binds.iter().map(|bind| bind.joint.as_str()), &work.paths);
    let mut out = Vec::new();
    for record in &work.binds {
        let found = nodes.get(record.joint.as_str()).and_then(|node| bind(model, *node, record));
        let is_own = |change: &BindChange| {
            let edited =
                model.bind_edits().all().find(|(skin, joint, _)| (*skin, *joint) == (change.skin, change.joint));
            edited.is_some_and(|(.., matrix)| matrix != change.matrix)
        };
        match found.filter(|change| change.matrix.is_finite() && !is_own(change)) {
            Some(change) => out.push(change),
            None => left.binds.push(record.clone()),
        }
    }
    out
}

/// Adds morph weights. Those that have another value already, or no counterpart, are left.
fn add_morphs(model: &Model, work: &WorkRecord, nodes: &mut Nodes<'_>, out: &mut Edits, left: &mut WorkRecord) {
    for (key, targets) in &work.morphs {
        let Some(node) = nodes.find(key) else {
            left.morphs.insert(key.clone(), targets.clone());
            continue;
        };
        for (target, weight) in targets {
            let of = |instance: &Instance| Some(instance.morph_offset + target_of(model, instance, target)?);
            let indices: Vec<usize> = model.instances.iter().filter(|i| i.node == node).filter_map(of).collect();
            if indices.is_empty() {
                nodes.lost.insert(format!("{key}/{target}"));
            }
            let is_other = |index: &usize| out.morphs.get(index).is_some_and(|own| *own != weight.0);
            if indices.is_empty() || indices.iter().any(is_other) {
                left.morphs.entry(key.clone()).or_default().insert(target.clone(), *weight);
            } else {
                out.morphs.extend(indices.into_iter().map(|index| (index, weight.0)));
            }
        }
    }
}

/// Returns whether an added clip is the part of another one, of which it has some nodes.
fn is_part(own: &Clip, whole: &Clip, record: &ClipRecord, model: &Model) -> bool {
    let keys = Keys::of(model);
    let has = |key: &str| own.channels.iter().any(|channel| keys.key(channel.node) == key);
    let part = record.clip(&mut |key| keys.find(key).filter(|_| has(key)));
    own.channels.len() < whole.channels.len() && part.is_some_and(|part| part.is_same(own))
}

/// Reads records of vertices. Those that are known by their numbers alone are left where that does not count.
fn read(records: &[WeightsRecord], by: &mut Bringing<'_>, left: &mut Vec<WeightsRecord>) -> Vec<EditedVertices> {
    let mut out = Vec::with_capacity(records.len());
    let (mut broken, mut doubtful) = (0, 0);
    for record in records {
        match record.edited() {
            None => broken += 1,
            Some(edited) if edited.list.identities.is_empty() && !by.by_number => {
                doubtful += edited.list.vertices.len();
                left.push(record.clone());
            }
            Some(edited) => out.push(edited),
        }
    }
    if broken > 0 {
        by.lines.push(format!("Edited vertices of {} of the session are broken, and were left out.", parts(broken)));
    }
    if doubtful > 0 {
        by.lines.push(format!(
            "The session knows {} by number alone, and the file is another than it was made on: they are set aside.",
            vertices(doubtful)
        ));
    }
    out
}

fn parts(count: usize) -> String {
    counted(count, "part", "parts")
}

fn vertices(count: usize) -> String {
    counted(count, "edited vertex", "edited vertices")
}

fn some_of(edited: &[EditedVertices], rows: &BTreeSet<(usize, usize)>) -> Vec<WeightsRecord> {
    let of = |(number, edit): (usize, &EditedVertices)| {
        let indices: Vec<usize> = rows.range((number, 0)..(number + 1, 0)).map(|(_, i)| *i).collect();
        (!indices.is_empty()).then(|| WeightsRecord::of(&edit.only(&indices)))
    };
    edited.iter().enumerate().filter_map(of).collect()
}

/// Returns whether the vertex has been edited in another way than by the `i`-th row of a change.
fn is_edited_otherwise(model: &Model, change: &WeightChange, i: usize) -> bool {
    let Some(now) = model.influences(change.mesh, change.primitive) else { return false };
    let vertex = change.vertices[i] as usize;
    now.is_edited(vertex) && !is_same_row(now.of(vertex), change.row(i))
}

/// Says what became of edited weights.
fn tell(carried: &Carried, lines: &mut Vec<String>) {
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for (.., why) in &carried.aside {
        *reasons.entry(why.to_string()).or_default() += 1;
    }
    lines.extend(reasons.iter().map(|(why, count)| format!("{} set aside: {why}.", vertices(*count))));
    if carried.repainted > 0 {
        let of = vertices(carried.repainted);
        lines.push(format!("The stored weights of {of} have changed in the file; the edits stay."));
    }
    if carried.elsewhere > 0 {
        let of = vertices(carried.elsewhere);
        lines.push(format!(
            "The mesh of {of} is another than before, and a new mesh has the same vertices: they have the edits too."
        ));
    }
    if carried.by_number > 0 {
        let of = vertices(carried.by_number);
        lines
            .push(format!("The session is of an earlier version and knows vertices by number alone; {of} matched so."));
    }
}

fn edit(record: &EditRecord) -> NodeEdit {
    let mut edit = NodeEdit::default();
    if let Some(angles) = record.angles {
        edit.set(ChannelValue::Rotation(values(angles).into()));
    }
    // A rotation of length 0 is none.
    if let Some(rotation) =
        record.rotation.map(|q| Quat::from_array(values(q))).filter(|q| *q != Quat::from_array([0.0; 4]))
    {
        edit.set(ChannelValue::Quaternion(rotation));
    }
    edit.translation = record.translation.map(|v| values(v).into());
    edit.far = record.far.map(DVec3::from_array).filter(|v| v.is_finite() && edit.translation.is_some());
    edit.scale = record.scale.map(|v| values(v).into());
    edit
}

/// Returns a change of an inverse bind matrix: in the skin of the recorded number where that has the joint, with the matrix that the file had;
/// else in the only one of which both are so; else in that of the number, or the only one, that has the joint. `None`: there is none, or several.
fn bind(model: &Model, node: NodeId, record: &BindRecord) -> Option<BindChange> {
    let stored = record.stored.map(values);
    let place_in = |skin: usize| {
        let joints = &model.stored_skins().get(skin)?.joints;
        let is_it = |index: &usize| joints.get(*index) == Some(&node);
        Some(record.joint_index).filter(is_it).or_else(|| joints.iter().position(|joint| *joint == node))
    };
    let has_stored = |skin: usize, joint: usize| {
        stored.is_some_and(|stored| model.stored_skins()[skin].inverse_bind[joint].to_cols_array() == stored)
    };
    let all: Vec<(usize, usize)> = (0..model.skins.len()).filter_map(|skin| Some((skin, place_in(skin)?))).collect();
    let same: Vec<(usize, usize)> = all.iter().copied().filter(|(skin, joint)| has_stored(*skin, *joint)).collect();
    let own = |of: &[(usize, usize)]| of.iter().copied().find(|(skin, _)| *skin == record.skin as usize);
    let only = |of: &[(usize, usize)]| if let [one] = of { Some(*one) } else { None };
    let (skin, joint) = own(&same).or_else(|| only(&same)).or_else(|| own(&all)).or_else(|| only(&all))?;
    let matrix = Affine3A::from_cols_array(&values(record.matrix));
    Some(BindChange { skin: SkinId::from_index(skin), joint, matrix, restored: false })
}
