//! What the hand does with a dab: the brush that is held, turned round or smoothing where that is asked for.

use std::collections::BTreeSet;

use skinscope_model::{Model, NodeId};
use skinscope_weights::brush::{ADD, SHARPEN, SMOOTH, SUBTRACT};
use skinscope_weights::{Brush, Need};

use crate::{Brushwork, Session, Toggle};

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
    pub fn of(brushwork: Brushwork<'_>, flips: bool, smooths: bool) -> Option<Self> {
        let held = brushwork.painting.brush?;
        let settings = &brushwork.painting.settings;
        let mut out = Self { brush: held, joint: brushwork.view.selected, to: settings.to, factor: settings.factor };
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
        let is_joint = |node: &NodeId| brushwork.model.is_some_and(|model| is_joint(model, *node));
        out.joint = out.joint.filter(is_joint).filter(|_| out.brush.is_of_joint());
        out.to = out.to.filter(is_joint).filter(|_| out.brush.needs.contains(&Need::To));
        // What a joint gives to itself it keeps.
        out.to = out.to.filter(|to| Some(*to) != out.joint);
        if brushwork.painting.paints_mask() {
            (out.joint, out.to) = (None, None);
        }
        Some(out)
    }
}

impl Session {
    /// Returns the joints that a brush paints as one: the selected one and, where it stands for those below it
    /// ([`Toggle::WithChildren`]), all joints below it. None where no joint is selected.
    #[must_use]
    pub fn painted_joints(&self) -> Vec<NodeId> {
        self.brushwork().painted_joints()
    }
}

impl Brushwork<'_> {
    /// Returns the joints that a brush paints as one.
    pub(super) fn painted_joints(self) -> Vec<NodeId> {
        let Some((model, selected)) = self.model.zip(self.view.selected) else { return Vec::new() };
        if !is_joint(model, selected) {
            return Vec::new();
        }
        let end = match self.view.is_on(Toggle::WithChildren) {
            true => model.skeleton.subtree_end(selected),
            false => selected.index() + 1,
        };
        (selected.index()..end).map(NodeId::from_index).filter(|node| model.is_joint(*node)).collect()
    }

    /// Returns the joints that are painted as one with a joint.
    pub(super) fn painted_with(self, joint: Option<NodeId>) -> BTreeSet<NodeId> {
        let is_selected = joint.is_some() && joint == self.view.selected;
        let others = self.painted_joints().into_iter().filter(|node| Some(*node) != joint);
        if is_selected { others.collect() } else { BTreeSet::new() }
    }
}

/// Whether a node is a joint of a skin.
pub(super) fn is_joint(model: &Model, node: NodeId) -> bool {
    node.index() < model.skeleton.len() && model.is_joint(node)
}
