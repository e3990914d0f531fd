//! Dresses all meshes of a garment at once: those that have a skin, and those beside them that have none.
//!
//! Where some meshes have a skin and others do not, the others gain the joints of those, so that no joint is there twice. What hangs on a
//! joint already, as a buckle does, or cannot gain a skin stays as it is, and is named.

use std::collections::{BTreeSet, HashMap};

use skinscope_base::parallel::JobContext;
use skinscope_model::{BindingChange, BuildError, InstanceId, MeshId, Model, PrimitiveId, SkinId, WeightChange};
use skinscope_weights::{Shares, unit_shares};

use super::{DressSettings, Dressed, DressedBare, dress_bare, dress_skinned, own_primitives};
use crate::refusal::{mesh_name, name};
use crate::task::changes;
use crate::{MeshBinding, Outcome, Refusal, Sheet};

/// A mesh of a garment that stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its name.
    pub mesh: String,
    /// Why it stays.
    pub why: String,
}

/// What a garment would gain, and what is reported of it.
#[derive(Clone, Debug)]
pub struct DressedGarment {
    /// The weights of the meshes that have a skin.
    pub weights: Vec<WeightChange>,
    /// The skins that the meshes without one gain, with the weights of their vertices.
    pub gained: Option<BindingChange>,
    /// The report of it.
    pub dressed: Dressed,
}

impl DressedGarment {
    /// Returns the garment with what it gains.
    ///
    /// # Errors
    /// A mesh cannot gain a skin: [`Model::with_bindings`].
    pub fn on(&self, model: &Model) -> Result<Model, BuildError> {
        let weighted = model.with_weights(&self.weights)?;
        match &self.gained {
            Some(change) => weighted.with_bindings(change),
            None => Ok(weighted),
        }
    }
}

/// Gives a garment the weights of a body's surface. Meshes without a skin gain the joints of the body, or those of the garment where other
/// meshes have some, which keep them.
///
/// # Errors
/// The body has no surface that a skin moves, the garment stands too far from it, it cannot gain a skin, or none of its joints has a
/// counterpart.
pub fn dress(
    model: &Model,
    body: &Model,
    settings: &DressSettings,
    context: &JobContext,
) -> Result<DressedGarment, Refusal> {
    let Some(skin) = model.instances.iter().find_map(|instance| instance.skin) else {
        let DressedBare { change, dressed } = dress_bare(model, body, settings, context)?;
        return Ok(DressedGarment { weights: Vec::new(), gained: Some(change), dressed });
    };
    let most = settings.most.clamp(1, 255);
    let (instances, left_out) = joining(model, skin);
    let joined = match instances.is_empty() {
        true => None,
        // To walk on their surface, they are bound to the first joint as a whole.
        false => Some(model.with_bindings(&join(model, (&instances, skin), 1, &|_, _| vec![(0, 1.0)])?)?),
    };
    let mut sheet = Sheet::of(joined.as_ref().unwrap_or(model));
    sheet.context = context.clone();
    sheet.tables.iter_mut().for_each(|table| table.widen(most.next_multiple_of(4)));
    let before = sheet.tables.clone();
    let mut dressed = dress_skinned(&mut sheet, body, settings)?;
    let mesh = |id: &InstanceId| model.instances[id.index()].mesh;
    dressed.skin = skin;
    dressed.joined = instances.iter().map(|id| mesh_name(model, mesh(id).index())).collect();
    dressed.left_out = left_out;
    let mut out = Outcome::default();
    for (old, new) in before.iter().zip(&sheet.tables) {
        changes(old, new, false, &|_| true, &mut out);
    }
    let mut weights = out.changes;
    weights.retain(|change| instances.iter().all(|id| mesh(id) != change.mesh));
    let gained = match instances.is_empty() {
        true => None,
        false => {
            let joints = &model.skins[skin.index()].joints;
            let numbers: HashMap<u32, u32> = joints.iter().zip(0..).map(|(joint, number)| (joint.0, number)).collect();
            let row = |id: PrimitiveId, vertex: usize| -> Shares {
                let table = sheet.table_of(id).map(|table| &sheet.tables[table]);
                let shares = table.map(|table| unit_shares(table, vertex)).unwrap_or_default();
                shares.iter().filter_map(|(node, share)| Some((*numbers.get(node)?, *share))).collect()
            };
            Some(join(model, (&instances, skin), most, &row)?)
        }
    };
    Ok(DressedGarment { weights, gained, dressed })
}

/// Returns the instances without a skin that can gain the joints of one, and the meshes that stay as they are.
fn joining(model: &Model, skin: SkinId) -> (Vec<InstanceId>, Vec<LeftOut>) {
    let bare = model.instances.iter().filter(|instance| instance.skin.is_none());
    let meshes: BTreeSet<MeshId> = bare.map(|instance| instance.mesh).collect();
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    for mesh in meshes {
        match one_joining(model, mesh, skin) {
            Ok(instance) => found.push(instance),
            Err(why) => left_out.push(LeftOut { mesh: mesh_name(model, mesh.index()), why }),
        }
    }
    (found, left_out)
}

/// Returns the instance of a mesh that can gain the joints of a skin, or says why there is none.
fn one_joining(model: &Model, mesh: MeshId, skin: SkinId) -> Result<InstanceId, String> {
    let shown = model.instances.iter().enumerate().filter(|(_, i)| i.mesh == mesh && i.skin.is_none());
    let shown: Vec<InstanceId> = shown.map(|(index, _)| InstanceId::from_index(index)).collect();
    let [one] = shown.as_slice() else {
        let nodes = shown.iter().take(2).map(|id| name(model, model.instances[id.index()].node)).collect();
        return Err(Refusal::ShownTwice { mesh: mesh_name(model, mesh.index()), nodes }.to_string());
    };
    let node = model.instances[one.index()].node;
    let mut above = std::iter::successors(Some(node), |node| model.skeleton.parents[node.index()]);
    if let Some(joint) = above.find(|node| model.is_joint(*node)) {
        return Err(format!("it hangs on the joint “{}”, and follows that as a whole", name(model, joint)));
    }
    let whole = join(model, (&[*one], skin), 1, &|_, _| vec![(0, 1.0)]);
    whole.and_then(|change| model.with_bindings(&change)).map(|_| *one).map_err(|why| why.to_string())
}

/// Returns what gives instances the joints of a skin, and the skin itself where it would show them where they are. `row` has the weights of a
/// vertex by the numbers of the joints.
fn join(
    model: &Model,
    (instances, skin): (&[InstanceId], SkinId),
    most: usize,
    row: &dyn Fn(PrimitiveId, usize) -> Shares,
) -> Result<BindingChange, BuildError> {
    let of = &model.skins[skin.index()];
    let rows = |(id, count): (PrimitiveId, usize)| -> (PrimitiveId, Vec<Shares>) {
        (id, (0..count).map(|vertex| row(id, vertex)).collect())
    };
    let binding = MeshBinding {
        instances: instances.to_vec(),
        name: of.name.clone(),
        joints: of.joints.clone(),
        most,
        parts: own_primitives(model, instances).map(rows).collect(),
        ..MeshBinding::default()
    };
    let mut change = binding.change(model)?;
    if instances.iter().all(|id| model.can_join(*id, skin)) {
        change.skins.clear();
        change.joining = change.instances.drain(..).map(|(id, _)| (id, skin)).collect();
    }
    Ok(change)
}
