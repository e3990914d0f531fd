//! Morph targets that a mesh of a file gains, loses or gets other names for, and the keys of their weights.

use glam::Vec3;
use skinscope_model::{Interpolation, Model, MorphTarget, Path, Primitive, Retargeted, Values};

/// What becomes of the morph targets of a mesh of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AddedShapes {
    /// The index of the mesh in the file.
    pub mesh: usize,
    /// The targets of the file that go, by their indices, rising.
    pub removed: Vec<usize>,
    /// The names of all its morph targets from then on, those that stay first.
    pub names: Vec<String>,
    /// How many of those that stay have other names than in the file.
    pub renamed: usize,
    /// By primitive of the mesh, then by new target: what is added to the position of each vertex of the file. Primitives that share the
    /// vertices of another one have an empty list.
    pub offsets: Vec<Vec<Vec<Vec3>>>,
    /// The same for what is added to normals. A target with an empty list says nothing of them.
    pub normals: Vec<Vec<Vec<Vec3>>>,
    /// The same for xyz of the tangents, where the file has them.
    pub tangents: Vec<Vec<Vec<Vec3>>>,
    /// The weights of all its morph targets in clips of the file, where they are others than there.
    pub keys: Vec<ShapeKeys>,
}

/// Keys of the weights of all morph targets of a mesh, at a node that shows it, in a clip of the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShapeKeys {
    /// The index of the animation in the file.
    pub animation: usize,
    /// The index of the node in the file.
    pub node: u32,
    /// The times of the keys, seconds, rising.
    pub times: Vec<f32>,
    /// How values between keys are found.
    pub interpolation: Interpolation,
    /// The weights of all targets, key after key; with splines in-tangents, values and out-tangents of each key.
    pub values: Vec<f32>,
}

impl AddedShapes {
    /// Returns what is to be written of the morph targets of a model.
    pub fn all_of(model: &Model) -> Vec<Self> {
        model.retargeted.iter().map(|of| Self::of(model, of)).collect()
    }

    /// Returns how many targets are new.
    pub fn new_targets(&self) -> usize {
        self.offsets.iter().map(Vec::len).max().unwrap_or_default()
    }

    fn of(model: &Model, of: &Retargeted) -> Self {
        let mesh = &model.meshes[of.mesh.index()];
        let kept: Vec<usize> = of.from.iter().filter_map(|from| *from).collect();
        let new = |list: fn(&MorphTarget) -> &Vec<Vec3>| -> Vec<Vec<Vec<Vec3>>> {
            let of_primitive = |primitive: &Primitive| -> Vec<Vec<Vec3>> {
                let morphs = primitive.morphs.iter().skip(kept.len()).filter(|_| primitive.shares.is_none());
                morphs.map(|morph| list(morph).iter().take(primitive.stored_vertices).copied().collect()).collect()
            };
            mesh.primitives.iter().map(of_primitive).collect()
        };
        let mut offsets = new(|morph| &morph.positions);
        for (primitive, targets) in mesh.primitives.iter().zip(&mut offsets) {
            // Those of a target that moves no vertex of the primitive are written all the same.
            targets.iter_mut().for_each(|list| list.resize(primitive.stored_vertices, Vec3::ZERO));
        }
        Self {
            mesh: of.mesh.index(),
            removed: (0..of.names.len()).filter(|at| !kept.contains(at)).collect(),
            names: mesh.morph_names.clone(),
            renamed: kept.iter().zip(&mesh.morph_names).filter(|(at, name)| of.names.get(**at) != Some(*name)).count(),
            offsets,
            normals: new(|morph| &morph.normals),
            tangents: new(|morph| &morph.tangents),
            keys: if of.has_other_keys { keys(model, of) } else { Vec::new() },
        }
    }
}

/// Returns the keys of the weights of a mesh in the clips of the file.
fn keys(model: &Model, of: &Retargeted) -> Vec<ShapeKeys> {
    let mut out = Vec::new();
    for instance in model.instances.iter().filter(|instance| instance.mesh == of.mesh) {
        for (animation, clip) in model.clips[..model.file_clips()].iter().enumerate() {
            // Of several channels with one target the last one counts.
            let is_own =
                |channel: &&skinscope_model::Channel| channel.node == instance.node && channel.path == Path::Weights;
            let Some(channel) = clip.channels.iter().rev().find(is_own) else { continue };
            let sampler = &clip.samplers[channel.sampler];
            let Values::Weights { values, .. } = &sampler.values else { continue };
            let node = model.skeleton.file_index[instance.node.index()];
            let (times, values) = (clip.times[sampler.times].clone(), values.clone());
            out.push(ShapeKeys { animation, node, times, interpolation: sampler.interpolation, values });
        }
    }
    out
}
