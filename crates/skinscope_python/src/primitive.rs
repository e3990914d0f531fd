//! A part of a mesh with one list of vertices, and its weights as arrays.

use std::sync::Arc;

use bytemuck::NoUninit;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use skinscope::model::{Influences, MeshId, Model, MorphTarget, SkinId, Topology};

use crate::running::{interruptible, refused};
use crate::views::{view, view_rows};

/// Weights as rows of pairs: where each row begins, joints, and weights.
type Csr<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f32>>);

/// Rows of numbers, one for each vertex; `None` where the file has none.
type Rows<'py> = Option<Bound<'py, PyArray2<f32>>>;

/// The name of a morph target, and displacements of positions, normals and tangents.
type Target<'py> = (String, [Rows<'py>; 3]);

/// A primitive that has vertices of its own.
#[pyclass(frozen, module = "skinscope._native")]
pub(crate) struct Primitive {
    model: Arc<Model>,
    /// The mesh of the file.
    mesh: MeshId,
    primitive: usize,
}

/// Returns the skins by which nodes show a mesh of the file, each with the mesh of the model that has the weights for it.
pub(crate) fn skins_of(model: &Model, mesh: MeshId) -> Vec<(SkinId, MeshId)> {
    let of_mesh = model.instances.iter().filter(|instance| model.file_mesh(instance.mesh) == mesh);
    let mut out: Vec<(SkinId, MeshId)> = of_mesh.filter_map(|instance| Some((instance.skin?, instance.mesh))).collect();
    out.sort_unstable();
    out.dedup_by_key(|(skin, _)| *skin);
    out
}

/// Finds the skin that is meant, with the mesh of the model that has the weights for it.
pub(crate) fn find_skin(model: &Model, mesh: MeshId, skin: Option<SkinId>) -> Result<(SkinId, MeshId), String> {
    let all = skins_of(model, mesh);
    let names = || all.iter().map(|(skin, _)| skin.0.to_string()).collect::<Vec<_>>().join(", ");
    match skin {
        Some(skin) => all
            .iter()
            .copied()
            .find(|(known, _)| *known == skin)
            .ok_or_else(|| format!("no node shows mesh {} by skin {}; its skins are: {}", mesh.0, skin.0, names())),
        None if all.is_empty() => Err(format!("mesh {} has no skin", mesh.0)),
        // Skins with the same list of joints share their weights, and mean the same by them.
        None if all.iter().any(|(skin, _)| joints(model, *skin) != joints(model, all[0].0)) => {
            Err(format!("mesh {} is shown by several skins ({}); say which", mesh.0, names()))
        }
        None => Ok(all[0]),
    }
}

fn joints(model: &Model, skin: SkinId) -> &[skinscope::model::NodeId] {
    &model.skins[skin.index()].joints
}

/// The weights of a primitive for one of its skins.
struct Weighted {
    model: Arc<Model>,
    mesh: MeshId,
    primitive: usize,
    joints: usize,
}

impl Weighted {
    fn influences(&self) -> Option<&Influences> {
        self.model.meshes[self.mesh.index()].primitives[self.primitive].stored_influences.as_ref()
    }

    fn vertices(&self) -> usize {
        self.model.meshes[self.mesh.index()].primitives[self.primitive].stored_vertices
    }

    /// Returns rows of pairs: joints rise within each row, each is there once, and no weight is 0.
    fn rows(&self) -> (Vec<i64>, Vec<i32>, Vec<f32>) {
        let vertices = self.vertices();
        let Some(influences) = self.influences() else { return (vec![0; vertices + 1], Vec::new(), Vec::new()) };
        let most = vertices * influences.per_vertex;
        let (mut starts, mut joints, mut weights) =
            (Vec::with_capacity(vertices + 1), Vec::with_capacity(most), Vec::with_capacity(most));
        starts.push(0);
        for vertex in 0..vertices {
            let start = joints.len();
            let (own, values) = influences.of(vertex);
            for (joint, weight) in own.iter().zip(values).filter(|(_, weight)| **weight != 0.0) {
                let mut at = joints.len();
                joints.push(i32::from(*joint));
                weights.push(*weight);
                while at > start && joints[at - 1] > joints[at] {
                    joints.swap(at - 1, at);
                    weights.swap(at - 1, at);
                    at -= 1;
                }
                if at > start && joints[at - 1] == joints[at] {
                    joints.remove(at);
                    weights[at - 1] += weights.remove(at);
                }
            }
            starts.push(joints.len() as i64);
        }
        (starts, joints, weights)
    }

    /// Returns a row for each vertex with a column for each joint, one row after the other.
    fn dense(&self) -> Vec<f32> {
        let mut out = vec![0.0; self.vertices() * self.joints];
        let Some(influences) = self.influences().filter(|_| self.joints > 0) else { return out };
        for (vertex, row) in out.chunks_exact_mut(self.joints).enumerate() {
            let (own, values) = influences.of(vertex);
            for (joint, weight) in own.iter().zip(values) {
                if let Some(sum) = row.get_mut(usize::from(*joint)) {
                    *sum += *weight;
                }
            }
        }
        out
    }
}

impl Primitive {
    pub(crate) fn new(model: Arc<Model>, mesh: MeshId, primitive: usize) -> Self {
        Self { model, mesh, primitive }
    }

    fn own(&self) -> &skinscope::model::Primitive {
        &self.model.meshes[self.mesh.index()].primitives[self.primitive]
    }

    /// Returns a view of a list of vertex data, for the vertices that the file has.
    fn rows<'py, T: NoUninit>(this: &Bound<'py, Self>, list: &[T]) -> PyResult<Rows<'py>> {
        let stored = list.get(..this.get().own().stored_vertices).filter(|stored| !stored.is_empty());
        stored.map(|stored| view_rows(stored, this.as_any())).transpose()
    }

    fn weighted(&self, skin: Option<u32>) -> PyResult<Weighted> {
        let (skin, mesh) = find_skin(&self.model, self.mesh, skin.map(SkinId)).map_err(refused)?;
        let joints = joints(&self.model, skin).len();
        Ok(Weighted { model: Arc::clone(&self.model), mesh, primitive: self.primitive, joints })
    }
}

#[pymethods]
impl Primitive {
    /// The mesh of the file.
    #[getter]
    fn mesh(&self) -> u32 {
        self.mesh.0
    }

    /// Its index in the mesh.
    #[getter]
    fn index(&self) -> usize {
        self.primitive
    }

    /// The name of the mesh.
    #[getter]
    fn mesh_name(&self) -> &str {
        &self.model.meshes[self.mesh.index()].name
    }

    /// The name of its material; `None`: the default material.
    #[getter]
    fn material(&self) -> Option<&str> {
        Some(self.model.materials[self.own().material?.index()].name.as_str())
    }

    /// The skins by which nodes show it.
    #[getter]
    fn skins(&self) -> Vec<u32> {
        skins_of(&self.model, self.mesh).into_iter().map(|(skin, _)| skin.0).collect()
    }

    /// How many vertices the file has.
    #[getter]
    fn vertex_count(&self) -> usize {
        self.own().stored_vertices
    }

    /// What the indices describe.
    #[getter]
    fn topology(&self) -> &'static str {
        match self.own().topology {
            Topology::Points => "points",
            Topology::Lines => "lines",
            Topology::Triangles => "triangles",
        }
    }

    /// What was subtracted from its positions, which are far from the origin of the mesh; zeros for most.
    #[getter]
    fn offset(&self) -> [f64; 3] {
        self.model.meshes[self.mesh.index()].offset.to_array()
    }

    /// Positions, (V, 3).
    #[getter]
    fn positions<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let own = this.get().own();
        view_rows(&own.positions[..own.stored_vertices], this.as_any())
    }

    /// Normals, (V, 3).
    #[getter]
    fn normals<'py>(this: &Bound<'py, Self>) -> PyResult<Rows<'py>> {
        Self::rows(this, &this.get().own().normals)
    }

    /// Tangents, (V, 4).
    #[getter]
    fn tangents<'py>(this: &Bound<'py, Self>) -> PyResult<Rows<'py>> {
        Self::rows(this, &this.get().own().tangents)
    }

    /// Both sets of texture coordinates, (V, 2) each.
    #[getter]
    fn texcoords<'py>(this: &Bound<'py, Self>) -> PyResult<[Rows<'py>; 2]> {
        let [first, second] = &this.get().own().uvs;
        Ok([Self::rows(this, first)?, Self::rows(this, second)?])
    }

    /// Colours, (V, 4).
    #[getter]
    fn colors<'py>(this: &Bound<'py, Self>) -> PyResult<Rows<'py>> {
        Self::rows(this, &this.get().own().colors)
    }

    /// The morph targets, each list (V, 3).
    #[getter]
    fn morph_targets<'py>(this: &Bound<'py, Self>) -> PyResult<Vec<Target<'py>>> {
        let Self { model, mesh, .. } = this.get();
        let names = model.meshes[mesh.index()].morph_names.iter().cloned();
        let lists = |target: &MorphTarget| -> PyResult<[Rows<'py>; 3]> {
            let MorphTarget { positions, normals, tangents } = target;
            Ok([Self::rows(this, positions)?, Self::rows(this, normals)?, Self::rows(this, tangents)?])
        };
        names.zip(&this.get().own().morphs).map(|(name, target)| Ok((name, lists(target)?))).collect()
    }

    /// Indices, (n,).
    #[getter]
    fn indices<'py>(this: &Bound<'py, Self>) -> Bound<'py, PyArray1<u32>> {
        let own = this.get().own();
        if own.split_from.is_empty() {
            return view(&own.indices, this.as_any());
        }
        let stored: Vec<u32> = own.indices.iter().map(|index| own.stored_vertex(*index)).collect();
        let array = stored.into_pyarray(this.py());
        array.readwrite().make_nonwriteable();
        array
    }

    /// The weights with a column for each joint, (V, J).
    fn dense<'py>(&self, py: Python<'py>, skin: Option<u32>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let weighted = self.weighted(skin)?;
        let (vertices, joints) = (weighted.vertices(), weighted.joints);
        interruptible(py, move || weighted.dense())?.into_pyarray(py).reshape([vertices, joints])
    }

    /// The weights as rows of pairs.
    fn csr<'py>(&self, py: Python<'py>, skin: Option<u32>) -> PyResult<Csr<'py>> {
        let weighted = self.weighted(skin)?;
        let (starts, joints, weights) = interruptible(py, move || weighted.rows())?;
        Ok((starts.into_pyarray(py), joints.into_pyarray(py), weights.into_pyarray(py)))
    }
}
