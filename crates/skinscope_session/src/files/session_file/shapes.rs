//! Morph targets that meshes have in place of those of their file, as session files hold them: names, the offsets of new ones by value, and what
//! drives them. The keys of clips follow from that.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::Vec3;
use serde::{Deserialize, Serialize};
use skinscope_anim::pose::Keys;
use skinscope_model::{Instance, MeshId, Model, MorphTarget, NodeId, Primitive, Retargeted, ShapeChange, ShapeTarget};

use super::vertices::hash_of;

/// The morph targets of a mesh.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ShapesRecord {
    /// The key of a node that shows the mesh.
    pub node: String,
    /// The names of the targets that its file has.
    pub before: Vec<String>,
    /// The targets that it has.
    pub targets: Vec<TargetRecord>,
    /// A hash of the positions of each part's vertices, in their order.
    pub positions: Vec<String>,
    /// What drives the shapes of the whole model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drivers: Option<String>,
}

/// A morph target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TargetRecord {
    pub name: String,
    /// Its number among those of the file, where it is one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<usize>,
    /// What another one adds to positions, normals and tangents of each part, in the order of the file: little-endian numbers in base64.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub offsets: Vec<[String; 3]>,
}

impl ShapesRecord {
    /// Makes the records of all meshes of a model.
    pub(crate) fn all_of(model: &Model, keys: &Keys) -> Vec<Self> {
        model.retargeted.iter().filter_map(|of| Self::of(model, keys, of)).collect()
    }

    fn of(model: &Model, keys: &Keys, of: &Retargeted) -> Option<Self> {
        let shown = model.instances.iter().find(|instance| instance.mesh == of.mesh)?;
        let mesh = &model.meshes[of.mesh.index()];
        let offsets = |target: usize| -> Vec<[String; 3]> {
            mesh.primitives.iter().map(move |primitive| texts(primitive, &primitive.morphs[target])).collect()
        };
        let target = |(at, name): (usize, &String)| {
            let from = of.from.get(at).copied().flatten();
            let offsets = if from.is_none() { offsets(at) } else { Vec::new() };
            TargetRecord { name: name.clone(), from, offsets }
        };
        Some(Self {
            node: keys.key(shown.node).to_owned(),
            before: of.names.clone(),
            targets: mesh.morph_names.iter().enumerate().map(target).collect(),
            positions: mesh.primitives.iter().map(hash_of).collect(),
            drivers: model.source.kept_shapes.as_deref().map(str::to_owned),
        })
    }

    /// Returns the targets that its mesh has to get in a model; `None` where they do not fit that.
    fn on(&self, model: &Model, find: &dyn Fn(&str) -> Option<NodeId>) -> Option<(MeshId, Vec<ShapeTarget>)> {
        let node = find(&self.node)?;
        let shown: &Instance = model.instances.iter().find(|instance| instance.node == node)?;
        let mesh = &model.meshes[shown.mesh.index()];
        if !mesh.primitives.iter().map(hash_of).eq(self.positions.iter().cloned()) {
            return None;
        }
        let place = |name: &String| mesh.morph_names.iter().position(|own| own == name);
        let mut kept: Vec<(usize, &TargetRecord)> = Vec::new();
        let mut new = Vec::new();
        for target in &self.targets {
            let of_file = || self.before.get(target.from?).and_then(place);
            match place(&target.name).or_else(of_file) {
                Some(at) => kept.push((at, target)),
                None => new.push(ShapeTarget { name: target.name.clone(), from: None, offsets: target.offsets(mesh)? }),
            }
        }
        kept.sort_by_key(|(at, _)| *at);
        // Another program may have given the mesh more of them.
        let is_known =
            |at: usize| kept.iter().any(|(kept, _)| *kept == at) || self.before.contains(&mesh.morph_names[at]);
        if !(0..mesh.morph_names.len()).all(is_known) {
            return None;
        }
        let kept = kept.into_iter().map(|(at, target)| ShapeTarget {
            name: target.name.clone(),
            from: Some(at),
            ..ShapeTarget::default()
        });
        Some((shown.mesh, kept.chain(new).collect()))
    }

    /// Returns what becomes of some records in a model; `None` where it has all of them, an error where they do not fit it.
    pub(crate) fn change(
        all: &[Self],
        model: &Model,
        find: &dyn Fn(&str) -> Option<NodeId>,
    ) -> Result<Option<ShapeChange>, ()> {
        let meshes: Option<Vec<_>> = all.iter().map(|record| record.on(model, find)).collect();
        let meshes = meshes.ok_or(())?;
        let is_there = |(mesh, targets): &(MeshId, Vec<ShapeTarget>)| {
            let names = &model.meshes[mesh.index()].morph_names;
            targets.iter().map(|target| (&target.name, target.from)).eq(names.iter().zip((0..).map(Some)))
        };
        if meshes.iter().all(is_there) {
            return Ok(None);
        }
        let drivers = all.first().and_then(|record| record.drivers.as_deref()).map(Into::into);
        Ok(Some(ShapeChange { meshes, tracks: Vec::new(), drivers }))
    }
}

impl TargetRecord {
    /// Returns the offsets of each part of a mesh; `None` where the record is broken or has none.
    fn offsets(&self, mesh: &skinscope_model::Mesh) -> Option<Vec<MorphTarget>> {
        let of = |[positions, normals, tangents]: &[String; 3]| -> Option<MorphTarget> {
            Some(MorphTarget {
                positions: vectors(positions)?,
                normals: vectors(normals)?,
                tangents: vectors(tangents)?,
            })
        };
        let all: Option<Vec<MorphTarget>> = self.offsets.iter().map(of).collect();
        all.filter(|all| all.len() == mesh.primitives.len())
    }
}

/// Returns the offsets of the vertices of the file as texts.
fn texts(primitive: &Primitive, morph: &MorphTarget) -> [String; 3] {
    [&morph.positions, &morph.normals, &morph.tangents].map(|list| {
        let stored = list.iter().take(primitive.stored_vertices).flat_map(|offset| offset.to_array());
        STANDARD.encode(stored.flat_map(f32::to_le_bytes).collect::<Vec<u8>>())
    })
}

/// Reads offsets again; `None` where the text is broken.
fn vectors(text: &str) -> Option<Vec<Vec3>> {
    let bytes = STANDARD.decode(text).ok()?;
    let (numbers, rest) = bytes.as_chunks::<4>();
    let numbers: Vec<f32> = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let (vectors, others) = numbers.as_chunks::<3>();
    let is_whole = rest.is_empty() && others.is_empty() && numbers.iter().all(|number| number.is_finite());
    is_whole.then(|| vectors.iter().map(|vector| Vec3::from_array(*vector)).collect())
}
