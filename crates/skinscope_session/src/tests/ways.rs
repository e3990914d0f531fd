//! Random ways out of a session and in again, after which every edit is on the right vertices, in a file, offered, or set aside. What is
//! right is known from positions and names alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::Vec3;
use skinscope_base::math::test_random::Random;
use skinscope_model::test_shapes::{Tube, tube, with_vertices};
use skinscope_model::{MeshId, ModelParts, NodeId, WeightChange};

use crate::files::session_file::{WeightsRecord, WorkRecord, values};
use crate::*;

/// The exact position of a vertex at rest.
type Position = [u32; 3];

/// What a vertex follows: joints by name, with the bits of their weights.
type Row = BTreeSet<(String, u32)>;

/// What is on the disk, what is open, and what was made.
struct World {
    random: Random,
    /// What the file `model.glb` has.
    disk: Model,
    session: Session,
    /// Session files, and what killed programs have left: each with the name of its model.
    files: Vec<(String, String)>,
    /// What each edited vertex is to follow, by position.
    wanted: BTreeMap<Position, Row>,
    /// All that it ever was to follow, and what it had followed before.
    ever: BTreeMap<Position, BTreeSet<Row>>,
    /// The joints whose pose was edited, with the translation.
    posed: BTreeMap<String, Vec3>,
}

fn named(model: &Model, name: &str) -> Model {
    let mut parts: ModelParts = (**model).clone();
    parts.source.name = name.into();
    Model::build(parts).unwrap()
}

fn position(model: &Model, vertex: u32) -> Position {
    model.meshes[0].primitives[0].positions[vertex as usize].to_array().map(f32::to_bits)
}

fn joint_name(model: &Model, joint: u16) -> String {
    model.skeleton.names[model.skins[0].joints[usize::from(joint)].index()].clone()
}

fn row_of((joints, weights): (&[u16], &[f32]), name: impl Fn(u16) -> String) -> Row {
    let used = joints.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
    used.map(|(joint, weight)| (name(*joint), weight.to_bits())).collect()
}

/// What a vertex of a model follows.
fn row(model: &Model, vertex: u32) -> Row {
    row_of(model.influences(MeshId(0), 0).unwrap().of(vertex as usize), |joint| joint_name(model, joint))
}

/// What the vertices at each position of a model follow, where some of them are edited.
fn edited_rows(model: &Model) -> BTreeMap<Position, Row> {
    model.weight_edits().vertices(MeshId(0), 0).map(|v| (position(model, v), row(model, v))).collect()
}

impl World {
    fn new(seed: u32) -> Self {
        let disk = named(&tube(Tube { joints: 6, rings: 5, sides: 8, ..Tube::default() }), "model.glb");
        let mut world = Self {
            random: Random(seed * 7919 + 1),
            disk,
            session: Session::default(),
            files: Vec::new(),
            wanted: BTreeMap::new(),
            ever: BTreeMap::new(),
            posed: BTreeMap::new(),
        };
        let document = world.document("model.glb");
        world.session.open(document);
        world
    }

    fn below(&mut self, end: usize) -> usize {
        ((self.random.unit() * end as f32) as usize).min(end - 1)
    }

    /// What another program may have made of the file: the same, or with its vertices and joints in another order, split, or decimated, or
    /// another model altogether.
    fn version(&mut self) -> Model {
        let count = self.disk.meshes[0].primitives[0].stored_vertices as u32;
        let mut vertices: Vec<u32> = (0..count).collect();
        match self.below(6) {
            0 => return named(&self.disk, "model.glb"),
            1 => {
                return named(
                    &tube(Tube { joints: 3, rings: 4, sides: 5, radius: 0.6, ..Tube::default() }),
                    "model.glb",
                );
            }
            2 => {
                let gone = self.below(5);
                vertices.retain(|v| *v as usize % 5 != gone);
            }
            3 => (0..6).for_each(|_| vertices.push(self.random.unit() as u32 * 3 + 1)),
            _ => {}
        }
        for i in (1..vertices.len()).rev() {
            let j = self.below(i + 1);
            vertices.swap(i, j);
        }
        let mut parts: ModelParts = (*with_vertices(&self.disk, &vertices)).clone();
        if self.below(2) == 0 {
            let last = parts.skins[0].joints.len() as u16 - 1;
            parts.skins[0].joints.reverse();
            parts.skins[0].inverse_bind.reverse();
            let stored = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
            stored.joints.iter_mut().for_each(|joint| *joint = last - *joint);
        }
        Model::build(parts).unwrap()
    }

    fn document(&mut self, name: &str) -> Document {
        let model = match name {
            "model.glb" => self.version(),
            _ => named(&tube(Tube { joints: 4, rings: 4, sides: 7, radius: 0.4, ..Tube::default() }), name),
        };
        Document::new(Arc::new(model), Vec::new(), Some(name.into()))
    }

    fn name(&self) -> String {
        self.session.model().unwrap().source.name.clone()
    }

    fn edit(&mut self) {
        let model = Arc::clone(self.session.model().unwrap());
        let count = model.meshes[0].primitives[0].stored_vertices;
        let joints = model.skins[0].joints.len();
        let mut rows = BTreeMap::new();
        for _ in 0..=self.below(4) {
            let (vertex, joint) = (self.below(count) as u32, self.below(joints) as u16);
            let at = position(&model, vertex);
            let wanted: Row = [(joint_name(&model, joint), 1.0_f32.to_bits())].into();
            self.ever.entry(at).or_default().insert(wanted.clone());
            self.wanted.insert(at, wanted);
            // Vertices at one position are edited together, as tools do.
            for v in (0..count as u32).filter(|v| position(&model, *v) == at) {
                self.ever.entry(at).or_default().insert(row(&model, v));
                rows.insert(v, joint);
            }
        }
        let mut change = WeightChange::new(MeshId(0), 0, 1);
        rows.iter().for_each(|(v, joint)| change.push(*v, &[*joint], &[1.0]));
        self.session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
        // What has these weights in the file already is no edit.
        let stored = self.session.document().unwrap().stored();
        let pairs = stored.influences(MeshId(0), 0).unwrap();
        for (v, joint) in rows {
            let (joints, weights) = pairs.of(v as usize);
            if joints[0] == joint && weights[0] == 1.0 {
                self.wanted.remove(&position(&model, v));
            }
        }
    }

    fn pose(&mut self) {
        let model = Arc::clone(self.session.model().unwrap());
        let node = NodeId::from_index(1 + self.below(model.skeleton.len() - 1));
        let at = Vec3::new(self.random.unit(), self.random.unit(), 0.5);
        self.session.apply(EditCommand::Edit(node, ChannelValue::Translation(at)));
        self.session.apply(EditCommand::EndEdit);
        self.posed.insert(model.skeleton.names[node.index()].clone(), at);
    }

    /// Saves the model: its file has the edited weights now.
    fn save(&mut self) {
        let model = Arc::clone(self.session.model().unwrap());
        if self.name() != "model.glb" {
            return;
        }
        let mut parts: ModelParts = (**model).clone();
        let stored = parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
        let now = model.influences(MeshId(0), 0).unwrap();
        let slots = stored.per_vertex;
        for v in 0..now.vertices() {
            let (joints, weights) = now.of(v);
            stored.joints[v * slots..(v + 1) * slots].copy_from_slice(&joints[..slots]);
            stored.weights[v * slots..(v + 1) * slots].copy_from_slice(&weights[..slots]);
        }
        self.disk = Model::build(parts).unwrap();
        self.session.files_mut().note_model_saved("model.glb".into(), Arc::clone(&model));
        let document = Document::new(Arc::new(named(&self.disk, "model.glb")), Vec::new(), Some("model.glb".into()));
        let edited: Vec<Position> = model.weight_edits().vertices(MeshId(0), 0).map(|v| position(&model, v)).collect();
        self.session.open(document);
        assert_eq!(self.session.unsaved().unsaved_vertices(), 0);
        edited.iter().for_each(|at| _ = self.wanted.remove(at));
    }

    /// Goes back or forward a step. What that takes away is wanted no more, and what it brings back is wanted again.
    fn go(&mut self, command: EditCommand) {
        let edited = |session: &Session| (edited_rows(session.model().unwrap()), session.edits().nodes.clone());
        let (rows, nodes) = edited(&self.session);
        self.session.apply(command);
        let (rows_now, nodes_now) = edited(&self.session);
        for at in rows.keys().chain(rows_now.keys()).filter(|at| rows.get(*at) != rows_now.get(*at)) {
            match rows_now.get(at) {
                Some(row) => _ = self.wanted.insert(*at, row.clone()),
                None => _ = self.wanted.remove(at),
            }
        }
        let model = Arc::clone(self.session.model().unwrap());
        for node in nodes.keys().chain(nodes_now.keys()).filter(|node| nodes.get(node) != nodes_now.get(node)) {
            let name = model.skeleton.names[node.index()].clone();
            match nodes_now.get(node).and_then(|edit| edit.translation) {
                Some(at) => _ = self.posed.insert(name, at),
                None => _ = self.posed.remove(&name),
            }
        }
    }

    fn text(&self) -> String {
        self.session.unsaved().snapshot().unwrap().file().line().unwrap()
    }

    /// What a person answers before the open model is left: it is saved in a session file, or given up.
    fn answer(&mut self) {
        if !self.session.unsaved().has_unsaved_work() {
            return;
        }
        if self.below(3) > 0 {
            self.files.push((self.name(), self.text()));
            return;
        }
        let model = Arc::clone(self.session.model().unwrap());
        for v in model.weight_edits().vertices(MeshId(0), 0) {
            self.wanted.remove(&position(&model, v));
        }
        for node in self.session.edits().nodes.keys() {
            self.posed.remove(&model.skeleton.names[node.index()]);
        }
    }

    fn leave(&mut self, name: &str) {
        let document = self.document(name);
        if self.name() != name {
            self.answer();
        }
        self.session.open(document);
    }

    /// The program is killed; what it had written down is offered when it starts again, and taken or not.
    fn kill(&mut self) {
        let left = self.session.unsaved().has_work().then(|| (self.name(), self.text()));
        self.session = Session::default();
        let name = left.as_ref().map_or("model.glb".to_owned(), |(name, _)| name.clone());
        let document = self.document(&name);
        self.session.open(document);
        match left {
            Some((_, text)) if self.below(3) > 0 => {
                self.session.restore(&SessionFile::parse(text.as_bytes()).unwrap());
            }
            Some(later) => self.files.push(later),
            None => {}
        }
    }

    fn open_session(&mut self) {
        if self.files.is_empty() {
            return;
        }
        self.answer();
        let at = self.below(self.files.len());
        let (name, text) = self.files[at].clone();
        let document = self.document(&name);
        self.session.open_with_session(document, &SessionFile::parse(text.as_bytes()).unwrap());
    }

    fn step(&mut self) -> &'static str {
        match self.below(15) {
            0..=2 => (self.edit(), "edit").1,
            3 => (self.pose(), "pose").1,
            4 | 5 => (self.leave("model.glb"), "the model").1,
            6 => (self.leave("other.glb"), "another model").1,
            7 => (self.kill(), "kill").1,
            8 => (self.open_session(), "session").1,
            9 => (self.save(), "save").1,
            10 | 11 => (self.go(EditCommand::Undo), "undo").1,
            12 => (self.go(EditCommand::Redo), "redo").1,
            _ => {
                let name = self.name();
                (self.leave(&name), "reload").1
            }
        }
    }

    /// All records of work that is not on the open model: set aside, or in a file.
    fn elsewhere(&self) -> Vec<WorkRecord> {
        let read = |(name, text): &(String, String)| {
            let file = SessionFile::parse(text.as_bytes()).unwrap();
            let mut all = file.set_aside.clone();
            all.push(file.work(name, None));
            all
        };
        self.session.files().set_aside().iter().cloned().chain(self.files.iter().flat_map(read)).collect()
    }

    fn check(&self, way: &[&str]) {
        let model = self.session.model().unwrap();
        for v in model.weight_edits().vertices(MeshId(0), 0) {
            let right = self.ever.get(&position(model, v)).is_some_and(|made| made.contains(&row(model, v)));
            assert!(right, "{way:?}: vertex {v} was never made to follow {:?}", row(model, v));
        }
        let elsewhere = self.elsewhere();
        let mut stored: BTreeSet<(Position, Row)> = BTreeSet::new();
        for edited in elsewhere.iter().flat_map(|work| &work.weights).filter_map(WeightsRecord::edited) {
            for (i, at) in edited.list.positions.iter().enumerate() {
                let row = row_of(edited.row(i), |joint| edited.skin[usize::from(joint)].clone());
                stored.insert((at.to_array().map(f32::to_bits), row));
            }
        }
        let count = model.meshes[0].primitives[0].stored_vertices as u32;
        for (at, wanted) in &self.wanted {
            let mut there = (0..count).filter(|v| position(model, *v) == *at).peekable();
            let is_on_model = there.peek().is_some() && there.all(|v| row(model, v) == *wanted);
            let is_kept = is_on_model || stored.contains(&(*at, wanted.clone()));
            assert!(is_kept, "{way:?}: what was made to follow {wanted:?} is lost");
        }
        for (joint, at) in &self.posed {
            let node = model.skeleton.names.iter().position(|name| name == joint).map(NodeId::from_index);
            let edit = node.and_then(|node| self.session.edits().nodes.get(&node));
            let is_there = edit.is_some_and(|edit| edit.translation == Some(*at));
            let same = |work: &WorkRecord| {
                let record = work.joints.get(joint).and_then(|record| record.translation);
                record.is_some_and(|t| Vec3::from(values(t)) == *at)
            };
            assert!(is_there || elsewhere.iter().any(same), "{way:?}: the pose of {joint} is lost");
        }
    }
}

#[test]
fn every_edit_is_on_its_vertex_in_a_file_or_offered_after_random_ways_out_and_in() {
    let (mut aside, mut taken) = (0, 0);
    for seed in 0..300 {
        let mut world = World::new(seed);
        let mut way = vec!["start"];
        for _ in 0..12 {
            let before = world.session.files().set_aside().len();
            way.push(world.step());
            world.check(&way);
            let now = world.session.files().set_aside().len();
            aside += usize::from(now > before);
            taken += usize::from(now < before);
        }
    }
    assert!(aside > 50 && taken > 20, "{aside} {taken}");
}
