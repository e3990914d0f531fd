//! What the method of *Auto bind* looks at, as it stands in the pose that is shown: capsules around bones, and planes at joints. The radii of
//! the capsules of a joint can be set.

use glam::{DVec3, Vec2};
use skinscope_edit::{
    BoundSkin, Capsule, ENVELOPE_RANGES, JointShape, Settings, ShapeForm, bind_envelopes, bind_method, bind_settings,
    set_bind_envelope,
};
use skinscope_model::NodeId;

use crate::{EditedWeights, Session};

/// The outer radius is larger than the inner one by this at least.
const GAP: f64 = 0.01;
/// The most capsules of a joint that can be dragged in the picture.
const MOST_DRAGGED: usize = 8;

/// A radius of a capsule of the selected joint, which is dragged in the picture. Positions are pixels from the viewport's top left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnvelopeHandle {
    /// The joint.
    pub node: NodeId,
    /// The number of the capsule among those of the joint.
    pub capsule: usize,
    /// Whether it is the outer radius.
    pub is_outer: bool,
    /// The middle of the bone.
    pub middle: Vec2,
    /// The way from there to where the share would be 1.
    pub unit: Vec2,
    /// The inner and the outer radius now, as shares of the distance of the surface.
    pub shares: [f64; 2],
}

impl EnvelopeHandle {
    /// Returns where it is.
    #[must_use]
    pub fn at(&self) -> Vec2 {
        self.middle + self.unit * self.shares[usize::from(self.is_outer)] as f32
    }

    /// Returns both radii for which it would be as near as can be to a pixel, in whole percent of the distance of the surface.
    #[must_use]
    pub fn shares_at(&self, pixel: Vec2) -> [f64; 2] {
        let share = f64::from((pixel - self.middle).dot(self.unit) / self.unit.length_squared());
        if share.is_finite() { with_radius(self.shares, self.is_outer, share) } else { self.shares }
    }
}

/// Returns radii with one of them changed, in whole percent and within what is allowed; the other one moves with it where the inner one would
/// be the larger one.
#[must_use]
pub fn with_radius([inner, outer]: [f64; 2], is_outer: bool, share: f64) -> [f64; 2] {
    let [least, most] = ENVELOPE_RANGES[usize::from(is_outer)];
    let share = (100.0 * share.clamp(least, most)).round() / 100.0;
    match is_outer {
        true => [inner.min(share - GAP).max(0.0), share],
        false => [share, outer.max(share + GAP)],
    }
}

/// How well the capsules of a joint fit the surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EnvelopeScore {
    /// How many points of the surface have no bone nearer.
    pub next: usize,
    /// How many of these are within the outer radius.
    pub within: usize,
}

impl EnvelopeScore {
    /// Returns how many percent of the nearest points are within.
    #[must_use]
    pub fn percent(&self) -> f64 {
        if self.next == 0 { 0.0 } else { 100.0 * self.within as f64 / self.next as f64 }
    }
}

impl<'a> EditedWeights<'a> {
    /// Returns the skins that *Auto bind* tries to bind, or has just bound.
    #[must_use]
    pub fn bound_skins(self) -> &'a [BoundSkin] {
        let tried = self.tools.outcome().map_or(&[][..], |outcome| outcome.bound.as_slice());
        if tried.is_empty() { self.just_bound() } else { tried }
    }

    /// Returns what the chosen method looks at: world space, in the pose that is shown. The radii of capsules are those that are set now, though
    /// weights be not found with them yet.
    #[must_use]
    pub(crate) fn bind_shapes(self) -> Vec<JointShape> {
        let Some(model) = self.model.filter(|_| self.tools.operation.is_some_and(|tool| tool.finds_weights())) else {
            return Vec::new();
        };
        let settings = bind_settings(&self.tools.settings);
        let shapes = self.last_bound().iter().flat_map(|skin| &skin.shapes);
        let posed = |shape: &JointShape| {
            let matrix = self.pose.model.get(shape.node.index())?.as_daffine3();
            let mut form = shape.form.moved(&matrix);
            if let ShapeForm::Capsule(capsule) = &mut form {
                capsule.shares = settings.envelope_of(model.skeleton.names.get(shape.node.index())?);
            }
            Some(JointShape { node: shape.node, form })
        };
        shapes.filter_map(posed).collect()
    }

    /// Returns how well the capsules of a joint fit; `None` where it has none.
    #[must_use]
    pub fn envelope_score(self, node: NodeId) -> Option<EnvelopeScore> {
        let mut out: Option<EnvelopeScore> = None;
        for shape in self.last_bound().iter().flat_map(|skin| &skin.shapes).filter(|shape| shape.node == node) {
            if let ShapeForm::Capsule(Capsule { next, within, .. }) = shape.form {
                let score = out.get_or_insert_default();
                score.next += next;
                score.within += within;
            }
        }
        out
    }

    /// Returns the radii of the capsules of the selected joint that can be dragged, while the method that has capsules is chosen.
    #[must_use]
    pub fn envelope_handles(self) -> Vec<EnvelopeHandle> {
        let Some(node) = self.view.selected.filter(|_| bind_method(&self.tools.settings).id == "envelope") else {
            return Vec::new();
        };
        let capsules = self.bind_shapes().into_iter().filter_map(|shape| match shape.form {
            ShapeForm::Capsule(capsule) if shape.node == node => Some(capsule),
            _ => None,
        });
        let mut out = Vec::new();
        for (number, capsule) in capsules.enumerate().take(MOST_DRAGGED) {
            let Some((middle, unit)) = self.across(&capsule) else { continue };
            for is_outer in [false, true] {
                out.push(EnvelopeHandle { node, capsule: number, is_outer, middle, unit, shares: capsule.shares });
            }
        }
        out
    }

    /// Returns the middle of a capsule, and the way from there across the bone to where the share of the radius is 1, pixels.
    fn across(self, capsule: &Capsule) -> Option<(Vec2, Vec2)> {
        let [from, to] = capsule.ends;
        let middle = 0.5 * (from + to);
        let view = self.view.world_from_view().as_daffine3();
        let sight = view.translation - middle;
        let right = view.matrix3.x_axis;
        // In the plane of the picture, so that the way is seen in its whole length.
        let side = (to - from).cross(sight).try_normalize().unwrap_or(right);
        let seen = |at: DVec3| self.view.project(at.as_vec3());
        let (middle, end) = (seen(middle)?, seen(middle + side * capsule.radius)?);
        let unit = end - middle;
        (unit.length() > 0.5).then_some((middle, unit))
    }
}

impl Session {
    /// Gives the envelopes of a joint radii of their own in some settings, and those of its partner where editing is symmetric; `None`: the
    /// radii of the method.
    pub fn put_envelope(&self, settings: &mut Settings, node: NodeId, radii: Option<[f64; 2]>) {
        let Some(model) = self.model() else { return };
        for node in self.edit_rules().with_partner(node) {
            if let Some(name) = model.skeleton.names.get(node.index()) {
                set_bind_envelope(settings, name, radii);
            }
        }
    }

    /// Returns whether the envelopes of a joint have radii of their own.
    #[must_use]
    pub fn has_own_envelope(&self, settings: &Settings, node: NodeId) -> bool {
        let name = self.model().and_then(|model| model.skeleton.names.get(node.index()));
        name.is_some_and(|name| bind_envelopes(settings).contains_key(name))
    }
}
