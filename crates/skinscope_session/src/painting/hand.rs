//! What the hand does with a dab: the brush that is held, turned round or smoothing where that is asked for.

use skinscope_model::{Model, NodeId};
use skinscope_weights::brush::{ADD, SHARPEN, SMOOTH, SUBTRACT};
use skinscope_weights::{Brush, Need};

use crate::Session;

/// Brushes that do the opposite of each other.
static OPPOSITES: [[&Brush; 2]; 2] = [[&ADD, &SUBTRACT], [&SMOOTH, &SHARPEN]];

/// What the hand does with a dab: the brush, and what it is told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hand {
    pub brush: &'static Brush,
    pub joint: Option<NodeId>,
    pub to: Option<NodeId>,
    pub factor: f64,
}

impl Hand {
    /// Returns what the brush in the hand does, turned round or smoothing where that is asked for.
    pub fn of(session: &Session, flips: bool, smooths: bool) -> Option<Self> {
        let held = session.painting.brush?;
        let settings = &session.painting.settings;
        let mut out = Self { brush: held, joint: session.view.selected, to: settings.to, factor: settings.factor };
        if smooths {
            out.brush = &SMOOTH;
        } else if flips {
            let is = |brush: &Brush| brush.id == held.id;
            let pair = OPPOSITES.iter().find(|pair| pair.iter().any(|brush| is(brush)));
            out.brush = pair.and_then(|pair| pair.iter().copied().find(|brush| !is(brush))).unwrap_or(held);
            if held.needs.contains(&Need::To) {
                (out.joint, out.to) = (out.to, out.joint);
            }
            if held.needs.contains(&Need::Factor) && out.factor > 0.0 {
                out.factor = 1.0 / out.factor;
            }
        }
        let is_joint = |node: &NodeId| session.model().is_some_and(|model| is_joint(model, *node));
        out.joint = out.joint.filter(is_joint).filter(|_| out.brush.is_of_joint());
        out.to = out.to.filter(is_joint).filter(|_| out.brush.needs.contains(&Need::To));
        Some(out)
    }
}

/// Whether a node is a joint of a skin.
pub(super) fn is_joint(model: &Model, node: NodeId) -> bool {
    node.index() < model.skeleton.len() && model.is_joint(node)
}
