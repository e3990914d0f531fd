//! Bone links: puts joints between a joint and the one above it, so that no two neighbours turn far against each other, parts the weights
//! among them, and makes their keys in the clips. For a bend they stand at the joint and make shares of its whole turn; for a twist they stand
//! along the bone above it and make shares of the twist alone.

mod keys;
mod parting;
#[cfg(test)]
mod tests;

use glam::{Affine3A, Quat, Vec3};
use skinscope_model::{BuildError, ClipId, LinkChange, LinkDrive, Model, NewLink, NodeId, SkinId};
use thiserror::Error;

use self::keys::LargestTurn;

/// How links are made.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct LinkSettings {
    /// The most degrees by which one turns against the next.
    pub degrees: f32,
    /// The largest turn of the joint, degrees; `None`: the largest that a clip makes.
    pub angle: Option<f32>,
    /// Whether they are for the twist about the bone above the joint, and not for its bend.
    pub twist: bool,
}

impl LinkSettings {
    /// The least and the largest value of [`LinkSettings::degrees`].
    pub const DEGREES: [f32; 2] = [10.0, 120.0];
}

impl Default for LinkSettings {
    fn default() -> Self {
        Self { degrees: 60.0, angle: None, twist: false }
    }
}

/// The links that a joint is to gain.
#[derive(Clone, Debug)]
pub struct LinkPlan {
    /// The change of the model.
    pub change: LinkChange,
    /// The joint above, with which the links share the weights.
    pub above: NodeId,
    /// The largest turn that was counted on, degrees.
    pub angle: f32,
    /// The clip and the time in it, seconds, at which the joint turns farthest.
    pub moment: Option<(ClipId, f32)>,
    /// The axis about which the joint is best turned to see what the links do, of unit length, in its own space.
    pub axis: Vec3,
    /// How many vertices get other weights.
    pub vertices: usize,
}

/// The reason why a joint cannot gain links.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum LinkRefusal {
    /// No skin has both the joint and one above it.
    #[error("“{0}” shares no vertices with a joint above it, so that there is nothing to part")]
    NothingAbove(String),
    /// The joint has links, or is one.
    #[error("“{0}” has links already, or is one")]
    HasLinks(String),
    /// The joint is where the node above it is.
    #[error("“{0}” stands where the node above it stands, so that there is no bone to twist")]
    NoBone(String),
    /// No clip turns the joint.
    #[error("no clip turns “{0}”: say how far it is to turn")]
    NeverTurns(String),
    /// The joint turns so little that no link is needed.
    #[error("“{joint}” turns by {angle:.0}° at the most, which needs no link of {degrees:.0}°")]
    TurnsLittle {
        /// The joint.
        joint: String,
        /// Its largest turn, degrees.
        angle: f32,
        /// The most degrees of a link.
        degrees: f32,
    },
    /// No vertex would get a share of a link.
    #[error("no vertex follows both “{0}” and the joint above it, so that a link would move none")]
    MovesNothing(String),
    /// The model cannot gain them.
    #[error(transparent)]
    Model(#[from] BuildError),
}

/// A joint that is to gain links.
#[derive(Clone, Copy, Debug)]
struct Site {
    joint: NodeId,
    /// The nearest joint above it that a skin has beside it.
    above: NodeId,
    /// Its rotation as it is bound, from which turns count.
    from: Quat,
    /// The axis of the bone above it, for a twist.
    axis: Option<Vec3>,
}

impl Site {
    fn of(model: &Model, joint: NodeId, twist: bool) -> Result<Self, LinkRefusal> {
        let name = || model.skeleton.names[joint.index()].clone();
        let parents = &model.skeleton.parents;
        let mut above = std::iter::successors(parents[joint.index()], |node| parents[node.index()]);
        let has_both = |node: &NodeId| model.skins.iter().any(|s| s.joints.contains(&joint) && s.joints.contains(node));
        let above = above.find(has_both).ok_or_else(|| LinkRefusal::NothingAbove(name()))?;
        let bound = model.bind_pose().transforms[joint.index()];
        let axis = bound.translation.try_normalize().filter(|_| twist);
        if twist && axis.is_none() {
            return Err(LinkRefusal::NoBone(name()));
        }
        Ok(Self { joint, above, from: bound.rotation, axis })
    }

    /// Returns an axis of the joint to turn it about: that of its twist, or that of the farthest turn of the clips, or one across its bone.
    fn turning_axis(&self, model: &Model, turn: Quat) -> Vec3 {
        let across = || {
            let mut bones =
                model.skeleton.children(self.joint).map(|child| model.skeleton.rest.transforms[child.index()]);
            let bone = bones.find_map(|child| child.translation.try_normalize());
            bone.unwrap_or(Vec3::Y).any_orthonormal_vector()
        };
        match self.axis {
            Some(axis) => (self.from.inverse() * axis).normalize(),
            None => turn.xyz().try_normalize().unwrap_or_else(across),
        }
    }

    /// Returns the drive of a link that makes this share.
    fn drive(&self, share: f32) -> LinkDrive {
        let along = if self.axis.is_some() { share } else { 1.0 };
        LinkDrive { share, along, from: self.from, axis: self.axis }
    }
}

/// Works out the links that a joint is to gain.
///
/// # Errors
/// It can gain none: [`LinkRefusal`].
pub fn plan_links(model: &Model, joint: NodeId, settings: &LinkSettings) -> Result<LinkPlan, LinkRefusal> {
    let name = model.skeleton.names[joint.index()].clone();
    if model.links.iter().any(|link| link.of == joint || link.node == joint) {
        return Err(LinkRefusal::HasLinks(name));
    }
    let site = Site::of(model, joint, settings.twist)?;
    let (shares, angle, largest) = wanted_shares(model, &site, settings)?;
    let word = if settings.twist { "twist" } else { "link" };
    let mut links: Vec<NewLink> = Vec::with_capacity(shares.len());
    for (i, share) in shares.iter().enumerate() {
        let name = free_name(model, &format!("{name}_{word}{}", i + 1));
        links.push(NewLink { name, drive: site.drive(*share) });
    }
    let parted = parting::part(model, &site, links.len());
    if parted.vertices == 0 {
        return Err(LinkRefusal::MovesNothing(name));
    }
    let tracks = keys::tracks(model, site.joint, &links);
    let skins = skins(model, &site, &links);
    let change = LinkChange { of: joint, links, skins, weights: parted.changes, tracks };
    let (above, axis, moment) = (site.above, site.turning_axis(model, largest.turn), largest.moment);
    Ok(LinkPlan { change, above, angle, moment, axis, vertices: parted.vertices })
}

/// Returns the change that gives a joint these links, which it had once: all but the weights.
///
/// # Errors
/// It can have none: [`LinkRefusal`].
pub fn links_again(model: &Model, joint: NodeId, links: Vec<NewLink>) -> Result<LinkChange, LinkRefusal> {
    let is_twist = links.first().is_some_and(|link| link.drive.axis.is_some());
    let site = Site::of(model, joint, is_twist)?;
    let tracks = keys::tracks(model, joint, &links);
    let skins = skins(model, &site, &links);
    Ok(LinkChange { of: joint, links, skins, weights: Vec::new(), tracks })
}

/// Returns how many links a joint would gain, and the farthest turn that was counted on, degrees.
///
/// # Errors
/// It can gain none, for a reason that does not lie in the weights of vertices: [`LinkRefusal`].
pub fn count_links(model: &Model, joint: NodeId, settings: &LinkSettings) -> Result<(usize, f32), LinkRefusal> {
    if model.links.iter().any(|link| link.of == joint || link.node == joint) {
        return Err(LinkRefusal::HasLinks(model.skeleton.names[joint.index()].clone()));
    }
    let site = Site::of(model, joint, settings.twist)?;
    wanted_shares(model, &site, settings).map(|(shares, angle, _)| (shares.len(), angle))
}

/// Returns the shares of the links of a joint, and its farthest turn: that which counts, degrees, and that of the clips.
fn wanted_shares(
    model: &Model,
    site: &Site,
    settings: &LinkSettings,
) -> Result<(Vec<f32>, f32, LargestTurn), LinkRefusal> {
    let name = || model.skeleton.names[site.joint.index()].clone();
    let largest = keys::largest_turn(model, site.joint, &site.drive(1.0));
    let angle = settings.angle.unwrap_or(largest.degrees);
    if settings.angle.is_none() && largest.moment.is_none() {
        return Err(LinkRefusal::NeverTurns(name()));
    }
    let [least, most] = LinkSettings::DEGREES;
    let degrees = settings.degrees.clamp(least, most);
    let shares = shares(angle, degrees, settings.twist);
    if shares.is_empty() {
        return Err(LinkRefusal::TurnsLittle { joint: name(), angle, degrees });
    }
    Ok((shares, angle, largest))
}

/// Returns the shares of the links of a joint that turns by an angle, so that no two neighbours turn against each other by more than `degrees`.
/// Those of a bend leave the last part to the joint itself. The last one of a twist makes all of it, so that only the swing is left to the
/// joint.
fn shares(angle: f32, degrees: f32, twist: bool) -> Vec<f32> {
    let parts = (angle / degrees - 1e-3).ceil().max(1.0);
    let count = if twist { parts as usize } else { parts as usize - 1 };
    (1..=count).map(|i| i as f32 / parts).collect()
}

/// Returns a name that no node has.
fn free_name(model: &Model, wanted: &str) -> String {
    let is_free = |name: &String| model.skeleton.names.iter().all(|other| other != name);
    let numbered = (2..).map(|number| format!("{wanted}_{number}"));
    std::iter::once(wanted.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
}

/// Returns the skins that gain the links, with the inverse bind matrices: as the joint is bound, the links are bound beside it.
fn skins(model: &Model, site: &Site, links: &[NewLink]) -> Vec<(SkinId, Vec<Affine3A>)> {
    let bound = model.bind_pose().transforms[site.joint.index()];
    let joint = model.skeleton.local_matrix(site.joint.index(), bound).as_daffine3();
    let mut out = Vec::new();
    for (index, skin) in model.skins.iter().enumerate().filter(|(_, skin)| skin.joints.contains(&site.above)) {
        let Some(at) = skin.joints.iter().position(|node| *node == site.joint) else { continue };
        let from_mesh = joint * skin.inverse_bind[at].as_daffine3();
        let bind = |link: &NewLink| {
            let local = link.drive.transform(bound, Vec3::ONE).to_affine().as_daffine3();
            let numbers = (local.inverse() * from_mesh).to_cols_array().map(|number| number as f32);
            Affine3A::from_cols_array(&numbers)
        };
        out.push((SkinId::from_index(index), links.iter().map(bind).collect()));
    }
    out
}
