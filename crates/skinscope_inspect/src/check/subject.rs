//! The model that is checked, with data that several rules need, computed once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use glam::Affine3A;
use skinscope_anim::local_to_model;
use skinscope_model::{InfluencesRef, InstanceId, MeshId, Model, Primitive, Skin, SkinId};

use super::{CheckOptions, SkinSurface};
use crate::PerVertex;
use crate::symmetry::{Comparison, comparisons, differences_of};

/// A primitive and a skin that moves it. A mesh that is drawn several times with one skin counts once.
#[derive(Clone, Copy, Debug)]
pub struct Skinned<'a> {
    /// The first instance that draws it with this skin.
    pub instance: InstanceId,
    /// The mesh's number in the file.
    pub mesh: MeshId,
    /// The primitive's number in the mesh.
    pub primitive: usize,
    /// The skin's number in the file.
    pub skin_id: SkinId,
    /// The skin that moves it.
    pub skin: &'a Skin,
    /// The primitive as stored: its vertices and triangles.
    pub source: &'a Primitive,
    /// The joints and weights of its vertices.
    pub influences: InfluencesRef<'a>,
}

/// A model with the data that rules need.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The model with the weights that it has now.
    pub model: &'a Model,
    /// The most influences that the runtime can use; see [`CheckOptions::limit`].
    pub limit: usize,
    /// Every primitive with each skin that moves it, by mesh, primitive and skin.
    pub skinned: Vec<Skinned<'a>>,
    /// `model_from_node` of every node in the stored pose.
    pub rest: Vec<Affine3A>,
    pub(super) cancel: &'a AtomicBool,
    surfaces: OnceLock<Vec<SkinSurface>>,
    comparisons: OnceLock<Vec<Comparison>>,
}

impl<'a> Subject<'a> {
    pub(super) fn new(model: &'a Model, options: &CheckOptions, cancel: &'a AtomicBool) -> Self {
        let mut rest = Vec::new();
        local_to_model(&model.skeleton, &model.skeleton.rest, &mut rest);
        Self {
            model,
            limit: options.limit,
            skinned: skinned(model),
            rest,
            cancel,
            surfaces: OnceLock::new(),
            comparisons: OnceLock::new(),
        }
    }

    /// Returns the welded surfaces that the skins move; they are made when the first rule asks.
    #[must_use]
    pub fn surfaces(&self) -> &[SkinSurface] {
        self.surfaces.get_or_init(|| SkinSurface::all(self))
    }

    /// Returns the symmetric bodies, compared with their mirror images; they are made when the first rule asks.
    pub(super) fn comparisons(&self) -> &[Comparison] {
        self.comparisons.get_or_init(|| comparisons(self.model, self.cancel))
    }

    /// Returns the difference between each vertex and its mirror image, if a rule has asked for it.
    pub(super) fn differences(&self) -> Option<PerVertex> {
        self.comparisons.get().map(|all| differences_of(self.model, all))
    }

    /// Returns whether the check was cancelled; long rules ask now and then, and return.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}

fn skinned(model: &Model) -> Vec<Skinned<'_>> {
    let mut out = Vec::new();
    for (i, instance) in model.instances.iter().enumerate() {
        let Some(skin_id) = instance.skin else { continue };
        for (primitive, source) in model.meshes[instance.mesh.index()].primitives.iter().enumerate() {
            let Some(influences) = model.influences(instance.mesh, primitive) else { continue };
            let skin = &model.skins[skin_id.index()];
            let instance_id = InstanceId::from_index(i);
            out.push(Skinned {
                instance: instance_id,
                mesh: instance.mesh,
                primitive,
                skin_id,
                skin,
                source,
                influences,
            });
        }
    }
    let key = |s: &Skinned| (s.mesh, s.primitive, s.skin_id);
    out.sort_by_key(key);
    out.dedup_by_key(|s| key(s));
    out
}
