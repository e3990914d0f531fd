//! Edited inverse bind matrices, which are stored apart from those of the file, and edits of weights and matrices in
//! one step.
//!
//! The stored edits depend only on the current matrices and not on the order of the edits: a joint that has the matrix
//! of the file again counts as not edited.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::Affine3A;

use super::{BuildError, Model, Skin, SkinId, WeightChange};

/// A new inverse bind matrix for one joint of a skin, as an edit gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BindChange {
    /// The skin.
    pub skin: SkinId,
    /// The joint, as its index in [`Skin::joints`].
    pub joint: usize,
    /// The matrix `joint_from_mesh` at bind time, for the positions that the model has
    /// ([`super::Primitive::positions`]).
    pub matrix: Affine3A,
    /// Whether the joint gets back a matrix of the file that is not finite. `matrix` is then the finite one that is
    /// used in its place.
    pub restored: bool,
}

/// One edit of the binding of vertices to joints: new weights and new inverse bind matrices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinningChange {
    /// New weights, by primitive.
    pub weights: Vec<WeightChange>,
    /// New inverse bind matrices.
    pub binds: Vec<BindChange>,
}

impl SkinningChange {
    /// Returns whether it changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty() && self.binds.is_empty()
    }

    /// Adds what `later` has of vertices and joints that it lacks. Where both are changes that undo edits, of which `later` undoes one that
    /// was made after the other, the sum undoes both.
    pub fn add_absent(&mut self, later: Self) {
        for change in later.weights {
            match self.weights.iter_mut().find(|own| (own.mesh, own.primitive) == (change.mesh, change.primitive)) {
                Some(own) => own.add_absent(&change),
                None => self.weights.push(change),
            }
        }
        for bind in later.binds {
            if !self.binds.iter().any(|own| (own.skin, own.joint) == (bind.skin, bind.joint)) {
                self.binds.push(bind);
            }
        }
    }

    /// Returns the size of its lists in memory, bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let weights: usize = self.weights.iter().map(WeightChange::bytes).sum();
        weights + size_of::<BindChange>() * self.binds.capacity()
    }
}

impl From<Vec<WeightChange>> for SkinningChange {
    fn from(weights: Vec<WeightChange>) -> Self {
        Self { weights, binds: Vec::new() }
    }
}

/// The inverse bind matrices that differ from those of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BindEdits {
    matrices: Arc<BTreeMap<(SkinId, usize), Affine3A>>,
}

impl BindEdits {
    /// Returns whether no matrix is edited.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.matrices.is_empty()
    }

    /// Returns how many matrices are edited.
    #[must_use]
    pub fn count(&self) -> usize {
        self.matrices.len()
    }

    /// Returns the edited matrices, `joint_from_mesh`, each with its skin and its index in [`Skin::joints`], in rising
    /// order of skin and index.
    pub fn all(&self) -> impl Iterator<Item = (SkinId, usize, Affine3A)> {
        self.matrices.iter().map(|((skin, joint), matrix)| (*skin, *joint, *matrix))
    }
}

fn bits(matrix: Affine3A) -> [u32; 12] {
    matrix.to_cols_array().map(f32::to_bits)
}

impl Model {
    /// Returns the inverse bind matrices that differ from those of the file.
    #[must_use]
    pub fn bind_edits(&self) -> &BindEdits {
        &self.binds
    }

    /// Returns the skins as the file stores them, whatever was edited since.
    #[must_use]
    pub fn stored_skins(&self) -> &[Skin] {
        &self.shared.parts.skins
    }

    /// Returns whether weights or inverse bind matrices differ from those of the file.
    #[must_use]
    pub fn is_edited(&self) -> bool {
        !self.weight_edits().is_empty() || !self.binds.is_empty()
    }

    /// Returns whether two models have the same inverse bind matrices, joint by joint.
    #[must_use]
    pub fn has_binds_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.skins, &other.skins)
            || self.skins.len() == other.skins.len()
                && self.skins.iter().zip(other.skins.iter()).all(|(a, b)| a.inverse_bind == b.inverse_bind)
    }

    /// Returns the same model with other inverse bind matrices for some joints; where two changes name one joint, the
    /// last one counts.
    ///
    /// # Errors
    /// A change names a joint that does not exist, or has a matrix that is not finite.
    pub fn with_binds(&self, changes: &[BindChange]) -> Result<Self, BuildError> {
        let mut matrices = BTreeMap::clone(&self.binds.matrices);
        for BindChange { skin, joint, matrix, restored } in changes {
            let error = |what: &str| BuildError { location: format!("skin {}", skin.0), what: what.to_owned() };
            let stored = self.stored_skins().get(skin.index()).filter(|stored| *joint < stored.joints.len());
            let stored = stored.ok_or_else(|| error("a change of bind matrices names a joint that is not there"))?;
            if !matrix.is_finite() {
                return Err(error("a change of bind matrices holds numbers that are not finite"));
            }
            let is_same = bits(stored.inverse_bind[*joint]) == bits(*matrix);
            match is_same && (*restored || stored.not_finite.binary_search(joint).is_err()) {
                true => _ = matrices.remove(&(*skin, *joint)),
                false => _ = matrices.insert((*skin, *joint), *matrix),
            }
        }
        let mut out = self.twin();
        if matrices == *self.binds.matrices {
            return Ok(out);
        }
        let mut skins = self.stored_skins().to_vec();
        for ((skin, joint), matrix) in &matrices {
            let skin = &mut skins[skin.index()];
            skin.inverse_bind[*joint] = *matrix;
            skin.not_finite.retain(|other| other != joint);
            skin.binds_missing = false;
        }
        out.bind = Arc::new(super::bind_pose(&self.skeleton, &skins));
        out.skins = skins.into();
        out.binds = BindEdits { matrices: Arc::new(matrices) };
        Ok(out)
    }

    /// Returns the same model with the weights and inverse bind matrices of an edit.
    ///
    /// # Errors
    /// Those of [`Model::with_weights`] and [`Model::with_binds`].
    pub fn with_skinning(&self, change: &SkinningChange) -> Result<Self, BuildError> {
        self.with_weights(&change.weights)?.with_binds(&change.binds)
    }

    /// Returns the change that undoes `change`, which has not been made yet: the weights and matrices that the same
    /// vertices and joints have now.
    #[must_use]
    pub fn skinning_before(&self, change: &SkinningChange) -> SkinningChange {
        let before = |change: &BindChange| {
            let skin = self.skins.get(change.skin.index())?;
            let matrix = *skin.inverse_bind.get(change.joint)?;
            let restored = skin.not_finite.binary_search(&change.joint).is_ok();
            Some(BindChange { matrix, restored, ..*change })
        };
        let binds = change.binds.iter().filter_map(before).collect();
        SkinningChange { weights: self.weights_before(&change.weights), binds }
    }

    /// Returns all edits in one change: made on the model without edits, it gives this model.
    #[must_use]
    pub fn edited_skinning(&self) -> SkinningChange {
        let change = |(skin, joint, matrix)| BindChange { skin, joint, matrix, restored: false };
        SkinningChange { weights: self.edited_weights(), binds: self.binds.all().map(change).collect() }
    }

    /// Returns the model with the weights and inverse bind matrices of the file.
    #[must_use]
    pub fn without_edits(&self) -> Self {
        Self::of_shared(Arc::clone(&self.shared))
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::test_shapes::{Tube, tube};
    use crate::{MeshId, ModelParts};

    fn moved(joint: usize, by: f32) -> BindChange {
        let matrix = Affine3A::from_translation(Vec3::splat(by));
        BindChange { skin: SkinId(0), joint, matrix, restored: false }
    }

    #[test]
    fn edited_matrices_alone_differ_and_come_back_to_the_bit() {
        let model = tube(Tube { joints: 5, ..Tube::default() });
        let edit = SkinningChange { weights: Vec::new(), binds: vec![moved(1, 0.5), moved(3, 0.25)] };
        let edited = model.with_skinning(&edit).unwrap();
        assert!(edited.shares_all_but_edits(&model) && edited.is_edited() && !edited.has_binds_of(&model));
        assert_eq!(edited.skins[0].inverse_bind[3], moved(3, 0.25).matrix);
        assert_eq!(edited.skins[0].inverse_bind[2], model.skins[0].inverse_bind[2]);
        assert_eq!(edited.stored_skins()[0].inverse_bind, model.skins[0].inverse_bind);
        // The bind pose is that of the new matrices.
        let mut parts: ModelParts = (*model).clone();
        parts.skins[0].inverse_bind.clone_from(&edited.skins[0].inverse_bind);
        assert_eq!(edited.bind_pose(), Model::build(parts).unwrap().bind_pose());
        assert_ne!(edited.bind_pose(), model.bind_pose());
        // Weights are edited beside them.
        let mut weights = WeightChange::new(MeshId(0), 0, 4);
        weights.push(3, &[1], &[1.0]);
        let both = edited.with_weights(&[weights]).unwrap();
        assert!(both.bind_edits() == edited.bind_edits() && both.has_binds_of(&edited));
        let back = both.with_skinning(&model.skinning_before(&edit)).unwrap();
        assert!(back.bind_edits().is_empty() && !back.weight_edits().is_empty() && back.has_binds_of(&model));
        assert_eq!(both.edited_skinning().binds, edit.binds);
    }

    #[test]
    fn a_matrix_that_was_none_is_mended_and_comes_back() {
        let mut parts: ModelParts = (*tube(Tube { joints: 5, ..Tube::default() })).clone();
        (parts.skins[0].inverse_bind[2], parts.skins[0].not_finite) = (Affine3A::IDENTITY, vec![2]);
        let model = Model::build(parts).unwrap();
        // The identity is shown instead, and yet it is an edit.
        let edit: SkinningChange = SkinningChange { binds: vec![moved(2, 0.0)], ..SkinningChange::default() };
        let edited = model.with_skinning(&edit).unwrap();
        assert!(edited.bind_edits().count() == 1 && edited.skins[0].not_finite.is_empty());
        let back = edited.with_skinning(&model.skinning_before(&edit)).unwrap();
        assert!(!back.is_edited() && back.skins[0].not_finite == [2]);
    }

    #[test]
    fn what_is_not_there_or_not_finite_is_refused() {
        let model = tube(Tube { joints: 5, ..Tube::default() });
        let error = |change: BindChange| model.with_binds(&[change]).unwrap_err().what;
        assert!(error(moved(5, 0.0)).contains("not there"));
        assert!(error(BindChange { skin: SkinId(1), ..moved(0, 0.0) }).contains("not there"));
        assert!(error(moved(0, f32::NAN)).contains("not finite"));
    }
}
