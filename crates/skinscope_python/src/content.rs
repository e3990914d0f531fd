//! An open model as the interpreter holds it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use glam::{DAffine3, DVec3};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use skinscope::cli::in_process::{self, Checked};
use skinscope::import::{Limits, Options};
use skinscope::model::{MeshId, Model, NodeId, SkinId};

use crate::posing::{Deformed, deformed, matrices_of};
use crate::primitive::Primitive;
use crate::running::{failed, interruptible, refused};
use crate::views::matrices;
use crate::weights::{Asked, NewWeights};

/// Index in the file, name, parent, mesh, skin, whether it is a joint; the indices are the file's.
type NodeRow = (u32, String, Option<u32>, Option<u32>, Option<u32>, bool);

/// An item of `files` of `check --json`, the line of `--json-lines`, all vertices of each finding, and whether the check fails.
type CheckRow<'py> = (String, String, Vec<Bound<'py, PyArray1<i64>>>, bool);

/// Files, and how many other names (hard links) each has.
type Links = Vec<(PathBuf, u64)>;

/// An open model. It never changes: what edits it makes another one.
#[pyclass(frozen, module = "skinscope._native")]
pub(crate) struct Content(in_process::Content);

fn options(allow_external: bool, max_memory: u64) -> Options {
    Options { limits: Limits::of_memory(max_memory << 20), allow_external, ..Options::default() }
}

impl Content {
    pub(crate) fn of(content: in_process::Content) -> Self {
        Self(content)
    }

    pub(crate) fn inner(&self) -> &in_process::Content {
        &self.0
    }

    fn model(&self) -> &Arc<Model> {
        self.0.document.stored()
    }

    /// Returns the nodes in the order of the file.
    fn in_file_order(&self) -> Vec<NodeId> {
        let skeleton = &self.model().skeleton;
        let mut all: Vec<NodeId> = (0..skeleton.len()).map(NodeId::from_index).collect();
        all.sort_by_key(|node| skeleton.file_index[node.index()]);
        all
    }
}

#[pymethods]
impl Content {
    /// Opens a file.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, allow_external: bool, max_memory: u64) -> PyResult<Self> {
        let options = options(allow_external, max_memory);
        let opened = interruptible(py, move || in_process::Content::open(&path, &options))?;
        opened.map(Self).map_err(failed)
    }

    /// Opens a file in memory.
    #[staticmethod]
    fn of_bytes(
        py: Python<'_>,
        bytes: PyBackedBytes,
        name: String,
        allow_external: bool,
        max_memory: u64,
    ) -> PyResult<Self> {
        let options = options(allow_external, max_memory);
        let opened = interruptible(py, move || in_process::Content::of_bytes(&bytes, &name, &options))?;
        opened.map(Self).map_err(failed)
    }

    /// What reports and errors call it.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// Its file, which has it as it is; `None` where it is in memory.
    #[getter]
    fn file(&self) -> Option<PathBuf> {
        self.0.file().map(PathBuf::from)
    }

    /// Whether all of it is in one file.
    #[getter]
    fn is_one_file(&self) -> bool {
        self.0.is_one_file()
    }

    /// Whether its files are as they were when it was read.
    #[getter]
    fn is_as_read(&self) -> bool {
        self.0.is_as_read()
    }

    /// What import repaired or left out.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0.document.warnings.clone()
    }

    /// Returns the same under another name.
    fn named(&self, name: &str) -> Self {
        Self(self.0.clone().named(name))
    }

    /// Reads it once more, with the pixels of its images.
    fn with_images(&self, py: Python<'_>) -> PyResult<Self> {
        let content = self.0.clone();
        interruptible(py, move || content.with_images())?.map(Self).map_err(failed)
    }

    /// Returns the bytes of the file itself.
    fn bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let content = self.0.clone();
        let bytes = interruptible(py, move || content.bytes())?.map_err(failed)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Writes it into a file as it is.
    fn save(&self, py: Python<'_>, path: PathBuf, keep_links: bool) -> PyResult<Vec<PathBuf>> {
        let content = self.0.clone();
        interruptible(py, move || content.save(&path, keep_links))?.map_err(failed)
    }

    /// Writes it over the file that it was opened from. Returns what it is from then on, the copies of what was there, and the other names of
    /// the files that still have that.
    fn save_in_place(&self, py: Python<'_>, keep_links: bool) -> PyResult<(Self, Vec<PathBuf>, Links)> {
        let content = self.0.clone();
        let (content, saved) = interruptible(py, move || content.save_in_place(keep_links))?.map_err(failed)?;
        let links = if saved.kept_links { Vec::new() } else { saved.links };
        Ok((Self(content), saved.backups, links))
    }

    /// Opens the file that an edit of it has written: what it has become.
    fn become_file(&self, py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let content = self.0.clone();
        interruptible(py, move || content.become_file(&path))?.map(Self).map_err(failed)
    }

    /// Checks it; `words` are the command `check` with its options.
    fn check<'py>(&self, py: Python<'py>, words: Vec<OsString>) -> PyResult<CheckRow<'py>> {
        let content = self.0.clone();
        let checked = interruptible(py, move || in_process::check(&words, content.name(), &content))?;
        let Checked { item, line, vertices, fails } = checked.map_err(failed)?;
        let array = |list: Vec<u32>| list.into_iter().map(i64::from).collect::<Vec<i64>>().into_pyarray(py);
        Ok((item, line, vertices.into_iter().map(array).collect(), fails))
    }

    /// Returns the nodes in the order of the file.
    fn nodes(&self) -> Vec<NodeRow> {
        let model = self.model();
        let skeleton = &model.skeleton;
        let index = |node: NodeId| skeleton.file_index[node.index()];
        let row = |node: NodeId| {
            let shown = model.instances.iter().find(|instance| instance.node == node);
            let mesh = shown.map(|instance| model.file_mesh(instance.mesh).0);
            let skin = shown.and_then(|instance| instance.skin).map(|skin| skin.0);
            let parent = skeleton.parents[node.index()].map(index);
            (index(node), skeleton.names[node.index()].clone(), parent, mesh, skin, model.is_joint(node))
        };
        self.in_file_order().into_iter().map(row).collect()
    }

    /// Returns the stored transforms of all nodes, in the order of the file: parent from node, and scene from node.
    fn rest_matrices<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyArray3<f32>>; 2]> {
        let skeleton = &self.model().skeleton;
        let worlds = skeleton.worlds(&skeleton.rest);
        let order = self.in_file_order();
        let local = |node: &NodeId| {
            let mut matrix = skeleton.local_matrix(node.index(), skeleton.rest.transforms[node.index()]).as_daffine3();
            matrix.translation += skeleton.base(node.index());
            matrix
        };
        let world = |node: &NodeId| DAffine3::from_translation(skeleton.origin_of(*node)) * worlds[node.index()];
        Ok([matrices(py, order.iter().map(local))?, matrices(py, order.iter().map(world))?])
    }

    /// Returns the clips: name, first and last key in seconds, number of channels.
    fn clips(&self) -> Vec<(String, f32, f32, usize)> {
        let row = |clip: &skinscope::model::Clip| {
            (clip.name.clone(), clip.start_secs, clip.end_secs, clip.channels.len() + clip.properties.len())
        };
        self.model().clips.iter().map(row).collect()
    }

    /// Returns the skins: name, and joints as nodes of the file.
    fn skins(&self) -> Vec<(String, Vec<u32>)> {
        let model = self.model();
        let index = |node: &NodeId| model.skeleton.file_index[node.index()];
        model.skins.iter().map(|skin| (skin.name.clone(), skin.joints.iter().map(index).collect())).collect()
    }

    /// Returns the inverse bind matrices of a skin, for positions as the file has them.
    fn inverse_binds<'py>(&self, py: Python<'py>, skin: usize) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let skin = self.model().skins.get(skin).ok_or_else(|| refused(format!("there is no skin {skin}")))?;
        matrices(py, (0..skin.joints.len()).map(|joint| skin.stored_bind(joint)))
    }

    /// Returns the primitives that have vertices of their own, by mesh and primitive of the file.
    fn primitives(&self) -> Vec<Primitive> {
        let model = self.model();
        let of_mesh = |(id, mesh): (MeshId, &skinscope::model::Mesh)| {
            let lists: Vec<usize> = mesh.vertex_lists().map(|(primitive, _)| primitive).collect();
            lists.into_iter().map(move |primitive| Primitive::new(Arc::clone(model), id, primitive)).collect::<Vec<_>>()
        };
        model.file_meshes().flat_map(of_mesh).collect()
    }

    /// Returns the primitive that has the vertices of a primitive of the file.
    fn primitive(&self, mesh: u32, primitive: usize) -> PyResult<Primitive> {
        let model = self.model();
        let found = model.file_meshes().find(|(id, _)| id.0 == mesh);
        let found = found.filter(|(_, mesh)| primitive < mesh.primitives.len());
        let (id, mesh) = found.ok_or_else(|| refused(format!("the file has no primitive {mesh},{primitive}")))?;
        Ok(Primitive::new(Arc::clone(model), id, mesh.holder(primitive)))
    }

    /// Returns scene from node of all nodes in a pose, in the order of the file; `words` are `deform` with options about the pose.
    fn matrices<'py>(&self, py: Python<'py>, words: Vec<OsString>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let content = self.0.clone();
        let posed = interruptible(py, move || matrices_of(&words, &content))?.map_err(failed)?;
        matrices(py, self.in_file_order().into_iter().map(|node| posed[node.index()]))
    }

    /// Deforms what is shown in a pose, or one primitive of the file as one of the nodes has it that show it. Returns positions and normals.
    fn deform<'py>(
        &self,
        py: Python<'py>,
        words: Vec<OsString>,
        at: Option<(u32, usize)>,
        instance: usize,
    ) -> PyResult<[Bound<'py, PyArray2<f32>>; 2]> {
        let content = self.0.clone();
        let done = interruptible(py, move || deformed(&words, &content, at, instance))?.map_err(failed)?;
        let Deformed { positions, normals } = done;
        Ok([crate::views::rows(py, positions)?, crate::views::rows(py, normals)?])
    }

    /// Replaces rows of weights, given as CSR. Returns the result, and the numbers of changed vertices, accessors, bytes and JSON values.
    #[expect(clippy::too_many_arguments, reason = "the keywords of one call of Python, which has the struct of them")]
    fn set_weights(
        &self,
        py: Python<'_>,
        at: (u32, usize, Option<u32>),
        indptr: PyReadonlyArray1<'_, i64>,
        indices: PyReadonlyArray1<'_, i64>,
        data: PyReadonlyArray1<'_, f64>,
        vertices: Option<PyReadonlyArray1<'_, i64>>,
        normalise: bool,
        locks: Vec<u32>,
        out: PathBuf,
    ) -> PyResult<(Self, String)> {
        let content = self.0.clone();
        let asked = Asked { mesh: at.0, primitive: at.1, skin: at.2.map(SkinId), normalise, locks, out };
        let new = NewWeights {
            indptr: indptr.as_slice()?.to_vec(),
            indices: indices.as_slice()?.to_vec(),
            data: data.as_slice()?.to_vec(),
            vertices: vertices.map(|vertices| Ok::<_, PyErr>(vertices.as_slice()?.to_vec())).transpose()?,
        };
        let done = interruptible(py, move || new.set(&content, &asked))?;
        let (content, report) = done.map_err(failed)?;
        Ok((Self(content), report))
    }

    /// How far the origin of the model is from that of its file, metres: zeros but for models that stand far away.
    #[getter]
    fn origin(&self) -> [f64; 3] {
        self.model().skeleton.far.as_ref().map_or(DVec3::ZERO, |far| far.origin).to_array()
    }
}
