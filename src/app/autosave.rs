//! Edits that no file has yet, kept beside the user's other state while the program runs: after a crash they are offered
//! again.
//!
//! Each run of the program writes one file, `PROCESS-TIME.edits`, and holds a lock on another, `PROCESS-TIME.lock`. A file
//! of edits whose lock nobody holds is one that a run has left behind. The first line of a file of edits is JSON and says
//! what the edits are of; the second one holds them.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use super::ui::RecoveryOffer;
use crate::model::{MeshId, Model, NodeId, WeightChange};
use crate::output::{self, Lock};
use crate::session::{Edits, NodeEdit, Session, Source};

/// The version that is written, and the only one that is read.
const VERSION: u32 = 1;

/// The first line of a file of edits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Head {
    skinscope_edits: u32,
    /// The name of the model.
    name: String,
    /// Its file; `None`: the built-in character.
    path: Option<PathBuf>,
    /// When the edits were written down, seconds since 1970.
    time: u64,
    /// Vertices with edited weights.
    vertices: usize,
    /// Nodes and morph weights with an edited pose.
    posed: usize,
}

/// The second line.
#[derive(Debug, Serialize, Deserialize)]
struct Body {
    nodes: Vec<Node>,
    /// Place and value of each.
    morphs: Vec<(usize, f32)>,
    weights: Vec<Weights>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Node {
    index: usize,
    name: String,
    translation: Option<[f32; 3]>,
    rotation: Option<[f32; 3]>,
    quaternion: Option<[f32; 4]>,
    scale: Option<[f32; 3]>,
}

/// The lists of a [`WeightChange`] as little-endian bytes in base64.
#[derive(Debug, Serialize, Deserialize)]
struct Weights {
    mesh: u32,
    primitive: usize,
    per_vertex: usize,
    vertices: String,
    joints: String,
    weights: String,
}

/// The edits of a session as they are at one time; cheap to take.
#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    path: Option<PathBuf>,
    model: Arc<Model>,
    edits: Arc<Edits>,
}

impl Snapshot {
    /// What a session has edited; `None` where that is nothing.
    fn of(session: &Session) -> Option<Self> {
        let document = session.document()?;
        let is_edited = session.has_unsaved_weights() || !session.edits().is_empty();
        let (path, model) = (document.path.clone(), Arc::clone(session.edited_model()?));
        is_edited.then(|| Self { path, model, edits: Arc::clone(session.edits()) })
    }

    fn is_same(&self, other: &Self) -> bool {
        let same_weights = self.model.weight_edits().is_same(other.model.weight_edits());
        self.path == other.path && same_weights && (Arc::ptr_eq(&self.edits, &other.edits) || self.edits == other.edits)
    }

    /// The bytes of the file.
    fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let names = &self.model.skeleton.names;
        let node = |(id, edit): (&NodeId, &NodeEdit)| Node {
            index: id.index(),
            name: names.get(id.index()).cloned().unwrap_or_default(),
            translation: edit.translation.map(|v| v.to_array()),
            rotation: edit.rotation.map(|v| v.to_array()),
            quaternion: edit.quaternion.map(|q| q.to_array()),
            scale: edit.scale.map(|v| v.to_array()),
        };
        let weights = |change: WeightChange| Weights {
            mesh: change.mesh.0,
            primitive: change.primitive,
            per_vertex: change.per_vertex,
            vertices: STANDARD.encode(bytemuck::cast_slice::<u32, u8>(&change.vertices)),
            joints: STANDARD.encode(bytemuck::cast_slice::<u16, u8>(&change.joints)),
            weights: STANDARD.encode(bytemuck::cast_slice::<f32, u8>(&change.weights)),
        };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let head = Head {
            skinscope_edits: VERSION,
            name: self.model.source.name.clone(),
            path: self.path.as_deref().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned())),
            time: now.as_secs(),
            vertices: self.model.weight_edits().count(&self.model),
            posed: self.edits.nodes.len() + self.edits.morphs.len(),
        };
        let body = Body {
            nodes: self.edits.nodes.iter().map(node).collect(),
            morphs: self.edits.morphs.iter().map(|(place, weight)| (*place, *weight)).collect(),
            weights: self.model.edited_weights().into_iter().map(weights).collect(),
        };
        let mut out = serde_json::to_vec(&head)?;
        out.push(b'\n');
        serde_json::to_writer(&mut out, &body)?;
        out.push(b'\n');
        Ok(out)
    }

    /// Writes the file, and the folders around it where they are missing.
    ///
    /// # Errors
    /// The disk does not take it; what was there before stays.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        output::write(path, &self.to_bytes()?)
    }
}

/// Edits that an earlier run has left, and that no other run of the program looks at.
#[derive(Debug)]
pub(super) struct Left {
    head: Head,
    path: PathBuf,
    lock: Lock,
}

impl Left {
    pub(super) fn source(&self) -> Source {
        Source::of(self.head.path.clone())
    }

    /// For the dialog that offers them.
    pub(super) fn offer(&self) -> RecoveryOffer {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        let (vertices, posed) = (self.head.vertices, self.head.posed);
        let file = self.head.path.as_ref().map(|path| path.display().to_string());
        RecoveryOffer {
            name: self.head.name.clone(),
            file,
            vertices,
            posed,
            age_secs: now.saturating_sub(self.head.time),
        }
    }

    /// The edits for a model; those of nodes that it does not have are left out.
    ///
    /// # Errors
    /// The file cannot be read or is broken.
    pub(super) fn read(&self, model: &Model) -> io::Result<(Edits, Vec<WeightChange>)> {
        let text = fs::read(&self.path)?;
        let line = text.split(|byte| *byte == b'\n').nth(1).unwrap_or_default();
        let body: Body = serde_json::from_slice(line)?;
        let names = &model.skeleton.names;
        let find = |node: &Node| {
            let same = names.get(node.index) == Some(&node.name);
            if same { Some(node.index) } else { names.iter().position(|name| *name == node.name) }
        };
        let channels = |node: &Node| NodeEdit {
            translation: node.translation.map(Vec3::from_array),
            rotation: node.rotation.map(Vec3::from_array),
            quaternion: node.quaternion.map(Quat::from_array),
            scale: node.scale.map(Vec3::from_array),
        };
        let nodes: BTreeMap<NodeId, NodeEdit> =
            body.nodes.iter().filter_map(|node| Some((NodeId::from_index(find(node)?), channels(node)))).collect();
        let places = model.skeleton.rest.morph_weights.len();
        let morphs = body.morphs.into_iter().filter(|(place, _)| *place < places).collect();
        let changes = body.weights.iter().map(change).collect::<io::Result<Vec<WeightChange>>>()?;
        Ok((Edits { nodes, morphs }, changes))
    }

    /// Removes them: they are taken over, or nobody wants them.
    pub(super) fn remove(self) {
        output::take_back(&self.path);
        self.lock.remove();
    }
}

fn change(weights: &Weights) -> io::Result<WeightChange> {
    let broken = |error: &dyn std::fmt::Display| io::Error::new(io::ErrorKind::InvalidData, error.to_string());
    let bytes = |text: &str| STANDARD.decode(text).map_err(|error| broken(&error));
    let mut out = WeightChange::new(MeshId(weights.mesh), weights.primitive, weights.per_vertex);
    out.vertices = bytes(&weights.vertices)?.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
    out.joints = bytes(&weights.joints)?.as_chunks().0.iter().map(|b| u16::from_le_bytes(*b)).collect();
    out.weights = bytes(&weights.weights)?.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    Ok(out)
}

/// Decides when the edits of a session are written down, and where.
#[derive(Debug)]
pub(super) struct Autosave {
    /// `None`: never.
    every: Option<Duration>,
    folder: Option<PathBuf>,
    lock: Option<Lock>,
    name: String,
    /// What the file holds, or will hold.
    written: Option<Snapshot>,
    /// Since when the session has edits that the file does not have.
    waiting: Option<Instant>,
}

/// A file of edits to be written by another thread.
pub(super) type Todo = (Snapshot, PathBuf);

impl Autosave {
    /// Writes to the user's folder for state, `every` so often at most; `None`: never.
    pub(super) fn new(every: Option<Duration>) -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let name = format!("{}-{}", std::process::id(), since.as_millis());
        Self { every, folder: folder(), lock: None, name, written: None, waiting: None }
    }

    /// The latest edits that a run has left behind, which no other run offers meanwhile.
    pub(super) fn left(&self) -> Option<Left> {
        let folder = self.folder.as_deref().filter(|_| self.every.is_some())?;
        let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
        let mut files: Vec<(Head, PathBuf)> = entries.filter_map(|path| Some((head(&path)?, path))).collect();
        files.sort_by_key(|(head, _)| std::cmp::Reverse(head.time));
        let take = |(head, path): (Head, PathBuf)| {
            let lock = Lock::take(&path.with_extension("lock")).ok()??;
            Some(Left { head, path, lock })
        };
        files.into_iter().filter(|(_, path)| path.file_stem().is_some_and(|stem| *stem != *self.name)).find_map(take)
    }

    /// What is to be written now, or when to ask again.
    pub(super) fn step(&mut self, session: &Session, now: Instant) -> Result<Todo, Option<Instant>> {
        let Some((every, folder)) = self.every.zip(self.folder.clone()) else { return Err(None) };
        let Some(snapshot) = Snapshot::of(session) else {
            self.forget();
            return Err(None);
        };
        if self.written.as_ref().is_some_and(|written| written.is_same(&snapshot)) {
            self.waiting = None;
            return Err(None);
        }
        let due = *self.waiting.get_or_insert(now) + every;
        if now < due {
            return Err(Some(due));
        }
        self.waiting = None;
        self.write_now(snapshot, &folder).ok_or(None)
    }

    /// Has the edits of a session written at once.
    pub(super) fn at_once(&mut self, session: &Session) -> Option<Todo> {
        let folder = self.folder.clone().filter(|_| self.every.is_some())?;
        self.write_now(Snapshot::of(session)?, &folder)
    }

    fn write_now(&mut self, snapshot: Snapshot, folder: &Path) -> Option<Todo> {
        if self.lock.is_none() {
            // Where there is no such folder, writing says so.
            let _said = fs::create_dir_all(folder);
            self.lock = Lock::take(&folder.join(&self.name).with_extension("lock")).ok().flatten();
        }
        self.written = Some(snapshot.clone());
        // Without a lock another run would take these for left behind: it may offer them, and both have them then.
        Some((snapshot, self.file(folder)))
    }

    /// Whether there are edits that its file holds, or is to hold.
    pub(super) fn keeps_file(&self) -> bool {
        self.written.is_some()
    }

    fn file(&self, folder: &Path) -> PathBuf {
        folder.join(&self.name).with_extension("edits")
    }

    /// Nothing is unsaved any more, or nobody wants it: the file goes.
    pub(super) fn forget(&mut self) {
        self.waiting = None;
        if let (Some(folder), Some(_)) = (&self.folder, self.written.take()) {
            output::take_back(&self.file(folder));
        }
        if let Some(lock) = self.lock.take() {
            lock.remove();
        }
    }
}

/// The folder for files of edits.
fn folder() -> Option<PathBuf> {
    let dirs = directories::ProjectDirs::from("", "", "skinscope")?;
    Some(dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir()).join("edits"))
}

fn head(path: &Path) -> Option<Head> {
    if path.extension().is_none_or(|extension| extension != "edits") || !path.is_file() {
        return None;
    }
    let mut line = String::new();
    BufReader::new(fs::File::open(path).ok()?).read_line(&mut line).ok()?;
    serde_json::from_str(&line).ok().filter(|head: &Head| head.skinscope_edits == VERSION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::shapes::{Tube, tube};
    use crate::session::{ChannelValue, Document, EditCommand};

    fn autosave(name: &str, folder: &Path, secs: u64) -> Autosave {
        let (every, folder) = (Some(Duration::from_secs(secs)), Some(folder.to_owned()));
        Autosave { every, folder, lock: None, name: name.to_owned(), written: None, waiting: None }
    }

    fn session() -> Session {
        let mut session = Session::default();
        session.open(Document::new(Arc::new(tube(Tube { joints: 12, ..Tube::default() })), Vec::new(), None));
        session
    }

    fn edit(session: &mut Session, vertex: u32) {
        let mut change = WeightChange::new(MeshId(0), 0, 8);
        change.push(vertex, &[3, 4, 5, 6, 7], &[0.1, 0.2, 0.3, 0.3, 0.1]);
        session.apply(EditCommand::ChangeWeights(Arc::new(vec![change])));
    }

    #[test]
    fn edits_are_written_once_they_are_a_minute_old_and_again_when_they_change() {
        let folder = std::env::temp_dir().join(format!("skinscope_autosave_{}", std::process::id()));
        let mut autosave = autosave("1-1", &folder, 60);
        let (mut session, start) = (session(), Instant::now());
        let at = |secs| start + Duration::from_secs(secs);
        assert!(matches!(autosave.step(&session, at(0)), Err(None)));
        edit(&mut session, 3);
        assert!(matches!(autosave.step(&session, at(10)), Err(Some(due)) if due == at(70)));
        // The pose of a clip that plays is no edit.
        edit(&mut session, 4);
        assert!(matches!(autosave.step(&session, at(60)), Err(Some(due)) if due == at(70)));
        let (snapshot, path) = autosave.step(&session, at(70)).unwrap();
        snapshot.write(&path).unwrap();
        assert!(matches!(autosave.step(&session, at(200)), Err(None)));
        session.apply(EditCommand::Edit(NodeId(1), ChannelValue::Rotation(Vec3::new(1.0, 20.0, 3.0))));
        assert!(matches!(autosave.step(&session, at(300)), Err(Some(due)) if due == at(360)));
        // Its own file is not offered, and that of a run that goes on is not either.
        assert!(autosave.left().is_none());
        let other = self::autosave("2-2", &folder, 60);
        assert!(other.left().is_none());
        // All is taken back.
        (0..3).for_each(|_| _ = session.apply(EditCommand::Undo));
        assert!(matches!(autosave.step(&session, at(400)), Err(None)) && !path.exists());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_a_run_has_left_is_offered_once_and_comes_back_to_the_bit() {
        let folder = std::env::temp_dir().join(format!("skinscope_left_{}", std::process::id()));
        let mut before = session();
        (0..40).for_each(|vertex| edit(&mut before, 3 * vertex));
        before.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::new(1.0, 20.0, 3.3))));
        let mut crashed = autosave("1-1", &folder, 60);
        let (snapshot, path) = crashed.at_once(&before).unwrap();
        snapshot.write(&path).unwrap();
        drop(crashed);
        fs::write(folder.join("7-7.edits"), "no head").unwrap();
        let next = autosave("2-2", &folder, 60);
        let left = next.left().unwrap();
        assert_eq!((left.offer().vertices, left.offer().posed, left.source()), (40, 1, Source::BuiltIn));
        assert!(next.left().is_none(), "two runs would offer it");
        let mut session = session();
        let (edits, changes) = left.read(session.model().unwrap()).unwrap();
        session.restore(edits, &changes);
        assert_eq!(session.edits(), before.edits());
        assert_eq!(session.model().unwrap().weight_edits(), before.model().unwrap().weight_edits());
        left.remove();
        assert!(next.left().is_none() && !path.exists());
        fs::remove_dir_all(&folder).unwrap();
    }
}
