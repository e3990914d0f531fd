//! What is reported of each skin of a garment.

use std::collections::{BTreeMap, BTreeSet};

use skinscope_model::{MeshId, Model, NodeId, SkinId};
use skinscope_weights::Table;

use super::Dressed;
use super::deepest::{DeepestOfMeshes, Depths, greatest};
use crate::refusal::mesh_name;
use crate::transferred::TransferredPart;
use crate::{Sheet, Transferred};

/// What is reported of one skin of a garment; what is said of the garment as a whole is in [`Dressed`].
#[derive(Clone, Debug, PartialEq)]
pub struct DressedSkin {
    /// The skin.
    pub skin: SkinId,
    /// How many vertices of its meshes were compared.
    pub vertices: usize,
    /// How many joints it has.
    pub joints: usize,
    /// How many of them have weight.
    pub joints_used: usize,
    /// How far its meshes lie from the body, and what took its weights from around it. Missing names are those of the whole garment.
    pub transferred: Transferred,
    /// How much deeper its meshes go into the body than at rest.
    pub depths: Depths,
    /// The names of its meshes that had no skin and gained the joints of the garment.
    pub joined: Vec<String>,
}

impl Dressed {
    /// Returns the report of each skin of the garment, by rising numbers. `gained` is the garment with what it gains.
    #[must_use]
    pub fn skins(&self, gained: &Model) -> Vec<DressedSkin> {
        let mut meshes: BTreeMap<SkinId, BTreeSet<MeshId>> = BTreeMap::new();
        for (skin, mesh) in gained.instances.iter().filter_map(|shown| Some((shown.skin?, shown.mesh))) {
            meshes.entry(skin).or_default().insert(mesh);
        }
        let sheet = Sheet::of(gained);
        let own = meshes.iter().filter_map(|(skin, meshes)| self.of_skin(&sheet, *skin, meshes));
        let out: Vec<DressedSkin> = own.collect();
        if out.len() > 1 { out } else { vec![self.whole()] }
    }

    /// Returns the report of a garment with one skin.
    fn whole(&self) -> DressedSkin {
        DressedSkin {
            skin: self.skin,
            vertices: self.vertices,
            joints: self.joints,
            joints_used: self.joints_used,
            transferred: self.transferred.clone(),
            depths: self.depths,
            joined: self.joined.clone(),
        }
    }

    /// Returns the report of a skin that shows these meshes; `None` where none of their vertices was compared.
    fn of_skin(&self, sheet: &Sheet<'_>, skin: SkinId, meshes: &BTreeSet<MeshId>) -> Option<DressedSkin> {
        let is_own = |table: &&Table| table.primitives.iter().any(|id| meshes.contains(&id.mesh));
        let tables: Vec<&Table> = sheet.tables.iter().filter(is_own).collect();
        let all = self.transferred.parts.iter();
        let of_skin = all.filter(|(first, _)| tables.iter().any(|table| table.primitives.contains(first)));
        let parts: Vec<&TransferredPart> = of_skin.map(|(_, part)| part).collect();
        if parts.is_empty() {
            return None;
        }
        let joints = &sheet.model.skins.get(skin.index())?.joints;
        let mut used: BTreeSet<NodeId> = BTreeSet::new();
        for table in &tables {
            let pairs = table.joints.iter().zip(&table.weights).filter(|(_, weight)| **weight > 0.0);
            used.extend(pairs.filter_map(|(joint, _)| joints.get(usize::from(*joint))));
        }
        let deepest = |found: &DeepestOfMeshes| greatest(meshes.iter().filter_map(|mesh| found.get(mesh).copied()));
        let [in_clips, turned] = &self.deepest_of_meshes;
        let transferred = self.transferred.of_parts(&parts);
        let is_its = |name: &&String| meshes.iter().any(|mesh| mesh_name(sheet.model, mesh.index()) == **name);
        Some(DressedSkin {
            skin,
            vertices: transferred.vertices,
            joints: joints.len(),
            joints_used: used.len(),
            transferred,
            depths: Depths { in_clips: deepest(in_clips), turned: deepest(turned), ..self.depths },
            joined: self.joined.iter().filter(is_its).cloned().collect(),
        })
    }
}
