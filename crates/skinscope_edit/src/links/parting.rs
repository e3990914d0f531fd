//! Parts the weights of vertices among links.

use glam::{DAffine3, DVec3};
use skinscope_model::{Model, NodeId, PrimitiveId, WeightChange};

use super::Site;
use crate::Sheet;
use crate::task::{Outcome, changes};

/// New weights.
#[derive(Debug, Default)]
pub(super) struct Parted {
    pub changes: Vec<WeightChange>,
    /// How many vertices get others.
    pub vertices: usize,
}

/// The keys of joints of a table: the one above, the links as they follow each other, and the joint.
#[derive(Clone, Debug)]
pub(super) struct Fan {
    pub above: u32,
    pub links: Vec<u32>,
    pub joint: u32,
}

/// Returns the two neighbours of a row of joints between which a place lies, with their shares of it. 0 is the first joint, and 1 is that of
/// number `last`, which is 1 or more.
pub(super) fn tent(place: f64, last: usize) -> [(usize, f64); 2] {
    let at = place.clamp(0.0, 1.0) * last as f64;
    let first = (at.floor() as usize).min(last.saturating_sub(1));
    let share = at - first as f64;
    [(first, 1.0 - share), (first + 1, share)]
}

/// Returns the weight of a key.
fn weight(shares: &[(u32, f64)], key: u32) -> f64 {
    shares.iter().filter(|(other, _)| *other == key).map(|(_, weight)| *weight).sum()
}

/// Parts what a vertex has of two joints among those of the fan between them that are next to where it stands: a vertex that follows the joint
/// by a third stands a third of the way. It has no more joints afterwards. `None` where it does not follow both.
pub(super) fn bent(shares: &[(u32, f64)], fan: &Fan) -> Option<Vec<(u32, f64)>> {
    let [above, joint] = [fan.above, fan.joint].map(|key| weight(shares, key));
    if above <= 0.0 || joint <= 0.0 {
        return None;
    }
    let row: Vec<u32> = [fan.above].into_iter().chain(fan.links.iter().copied()).chain([fan.joint]).collect();
    let whole = above + joint;
    let mut out: Vec<(u32, f64)> =
        shares.iter().copied().filter(|(key, _)| *key != fan.above && *key != fan.joint).collect();
    let parts = tent(joint / whole, row.len() - 1).into_iter().filter(|(_, share)| *share > 0.0);
    out.extend(parts.filter_map(|(at, share)| Some((*row.get(at)?, share * whole))));
    Some(out)
}

/// Parts what a vertex has of the joint above among that and the links, by its place along the bone, 0…1. Where it would have more joints than
/// there is room for, the nearer one takes all. `None` where nothing changes.
pub(super) fn twisted(shares: &[(u32, f64)], fan: &Fan, place: f64, room: usize) -> Option<Vec<(u32, f64)>> {
    let above = weight(shares, fan.above);
    if above <= 0.0 || place <= 0.0 || fan.links.is_empty() {
        return None;
    }
    let row: Vec<u32> = [fan.above].into_iter().chain(fan.links.iter().copied()).collect();
    let mut out: Vec<(u32, f64)> = shares.iter().copied().filter(|(key, _)| *key != fan.above).collect();
    let mut parts: Vec<(usize, f64)> =
        tent(place, fan.links.len()).into_iter().filter(|(_, share)| *share > 0.0).collect();
    if out.len() + parts.len() > room {
        parts.sort_by(|a, b| b.1.total_cmp(&a.1));
        parts.truncate(1);
        parts.iter_mut().for_each(|(_, share)| *share = 1.0);
    }
    out.extend(parts.into_iter().filter_map(|(at, share)| Some((*row.get(at)?, share * above))));
    Some(out)
}

/// The bone above a joint, as it is bound, in the space of a mesh.
struct Bone {
    head: DVec3,
    along: DVec3,
}

impl Bone {
    /// Returns the bone of the joint of a site in the skin whose joints have these keys.
    fn of(model: &Model, site: &Site, keys: &[u32]) -> Option<Self> {
        let has_keys = |joints: &[NodeId]| joints.iter().map(|joint| joint.0).eq(keys.iter().copied());
        let skin = model.skins.iter().find(|skin| has_keys(&skin.joints))?;
        let at = skin.joints.iter().position(|node| *node == site.joint)?;
        let bound: DAffine3 = skin.inverse_bind[at].as_daffine3().inverse();
        let local = model.bind_pose().transforms[site.joint.index()];
        let local = model.skeleton.local_matrix(site.joint.index(), local).as_daffine3();
        let head = (bound * local.inverse()).translation;
        let along = bound.translation - head;
        (along.is_finite() && along.length_squared() > 0.0).then_some(Self { head, along })
    }

    /// Returns where a point is along the bone: 0 at its head, 1 at the joint.
    fn place(&self, point: DVec3) -> f64 {
        (point - self.head).dot(self.along) / self.along.length_squared()
    }
}

/// Parts the weights of all vertices of a model that follow a joint and the one above it among so many links.
pub(super) fn part(model: &Model, site: &Site, links: usize) -> Parted {
    let sheet = Sheet::of(model);
    let mut out = Outcome::default();
    for before in &sheet.tables {
        let mut old = before.clone();
        let [above, joint] = [site.above.0, site.joint.0];
        // The numbers of a mesh that no skin moves mean no joints.
        let is_shown = |id: &PrimitiveId| model.instances.iter().any(|i| i.mesh == id.mesh && i.skin.is_some());
        let is_moved = before.primitives.iter().any(is_shown);
        if !is_moved || !old.keys.contains(&above) || !old.keys.contains(&joint) {
            continue;
        }
        let bone = Bone::of(model, site, &before.keys);
        // No node has these numbers.
        let fan = Fan { above, links: (0..links as u32).map(|i| u32::MAX / 2 + i).collect(), joint };
        old.keys.extend_from_slice(&fan.links);
        let mut new = old.clone();
        let mut is_parted = vec![false; new.vertices()];
        let positions = before.primitives.first().map_or(&[][..], |id| {
            let primitive = &model.meshes[id.mesh.index()].primitives[id.primitive];
            &primitive.positions[..]
        });
        let mut shares = Vec::new();
        for (row, is_parted) in is_parted.iter_mut().enumerate() {
            new.shares(row, &mut shares);
            let parted = match (site.axis, &bone, positions.get(row)) {
                (None, ..) => bent(&shares, &fan),
                (Some(_), Some(bone), Some(point)) => {
                    twisted(&shares, &fan, bone.place(point.as_dvec3()), new.per_vertex)
                }
                _ => None,
            };
            if let Some(parted) = parted {
                _ = new.put(row, &parted);
                *is_parted = true;
            }
        }
        changes(&old, &new, true, &|row| is_parted.get(row).copied().unwrap_or_default(), &mut out);
    }
    Parted { changes: out.changes, vertices: out.vertices }
}
