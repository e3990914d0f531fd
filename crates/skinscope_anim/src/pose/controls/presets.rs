//! Presets of controls, written for a joint as ordinary lines that can be edited.

use glam::{DAffine3, DVec3};
use skinscope_model::{Model, NodeId};

use super::super::{Keys, world};
use super::reading::AXES;
use super::{Controls, Slider, quoted};

/// A common purpose for which controls are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Preset {
    /// The joint becomes thicker across the limb while the neighbouring joint bends.
    Muscle,
    /// The joint becomes larger and smaller, driven by a slider or by time.
    Breathing,
    /// Helper joints above the joint share its twist; where there are none, the joint above takes half.
    Twist,
    /// The rotation of the joint is shared with the joints after it, none of which rotates by more than 60°.
    Links,
}

/// The sliders and lines that a preset adds to the controls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PresetLines {
    /// The sliders to add at the end of the list.
    pub sliders: Vec<Slider>,
    /// The lines to add.
    pub lines: Vec<String>,
}

/// The most joints that share a turn: with three no half turn needs more than 60° of each.
const LINKS: usize = 3;

skinscope_base::choices! {
    Preset {
        /// Returns the label in the menu.
        label = 0;
        /// Returns a sentence that explains the preset.
        help = 1;
    }
    Muscle: "Muscle", "The selected joint swells across the limb while the joint beside it, or else below it, bends";
    Breathing: "Breathing", "A slider makes the selected joint larger; where a clip is shown, time moves the slider";
    Twist: "Spread twist",
        "Helper joints on the way to the selected joint share its twist; where there are none, the joint above takes half";
    Links: "Bone links", "The turn of the selected joint is shared with the two after it, and none turns more than 60°";
}

impl Preset {
    /// Writes the lines for a joint. `by_time` says that a clip is shown, so that time passes.
    ///
    /// # Errors
    /// The model lacks one of the joints that the preset needs; the message names it.
    pub fn lines(
        self,
        model: &Model,
        controls: &Controls,
        node: NodeId,
        by_time: bool,
    ) -> Result<PresetLines, &'static str> {
        let rig = Rig { model, keys: Keys::of(model), world: world(&model.skeleton, &model.skeleton.rest) };
        match self {
            Self::Muscle => rig.muscle(node),
            Self::Breathing => Ok(rig.breathing(node, &controls.free_name("Breath"), by_time)),
            Self::Twist => rig.twist(node),
            Self::Links => Ok(rig.links(node)),
        }
    }
}

/// A model at rest.
struct Rig<'a> {
    model: &'a Model,
    keys: Keys,
    world: Vec<DAffine3>,
}

impl Rig<'_> {
    fn name(&self, node: NodeId) -> String {
        quoted(self.keys.key(node))
    }

    fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.model.joint_above(node)
    }

    fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        self.model.joints_below(node)
    }

    fn at(&self, node: NodeId) -> DVec3 {
        self.world[node.index()].translation
    }

    /// Returns the axis of a node that lies along a direction of the world best, and whether it points there (1) or back (−1).
    fn along(&self, node: NodeId, direction: DVec3) -> (usize, f64) {
        let axes = self.world[node.index()].matrix3;
        let share = |axis: usize| axes.col(axis).normalize_or_zero().dot(direction.normalize_or_zero());
        let best = (0..3).max_by(|a, b| share(*a).abs().total_cmp(&share(*b).abs())).unwrap_or(0);
        (best, if share(best) < 0.0 { -1.0 } else { 1.0 })
    }

    fn muscle(&self, node: NodeId) -> Result<PresetLines, &'static str> {
        let parent = self.parent(node);
        let beside = || {
            parent.and_then(|parent| {
                self.children(parent).find(|other| *other != node && self.children(*other).count() > 0)
            })
        };
        let any = || parent.and_then(|parent| self.children(parent).find(|other| *other != node));
        let below = || self.children(node).next();
        let hinge = beside().or_else(any).or_else(below).ok_or("No joint is beside or below the selected one")?;
        let from = parent.filter(|parent| self.parent(hinge) == Some(*parent)).unwrap_or(node);
        let (along, _) = self.along(node, self.at(hinge) - self.at(from));
        let across = (0..3).filter(|axis| *axis != along);
        let (name, hinge) = (self.name(node), self.name(hinge));
        let line = |axis: usize| format!("scale({name}, \"{}\") = 1 + 0.5 * smooth(bend({hinge}), 0, 130)", AXES[axis]);
        Ok(PresetLines { sliders: Vec::new(), lines: across.map(line).collect() })
    }

    fn breathing(&self, node: NodeId, slider: &str, by_time: bool) -> PresetLines {
        let (up, _) = self.along(node, DVec3::Y);
        let name = self.name(node);
        let line = |axis: usize| format!("scale({name}, \"{}\") = 1 + 0.05 * slider({})", AXES[axis], quoted(slider));
        let mut lines: Vec<String> = (0..3).filter(|axis| *axis != up).map(line).collect();
        if by_time {
            lines.insert(0, format!("slider({}) = 0.5 - 0.5 * cos(90 * time())", quoted(slider)));
        }
        PresetLines { sliders: vec![Slider::named(slider)], lines }
    }

    fn twist(&self, node: NodeId) -> Result<PresetLines, &'static str> {
        let parent = self.parent(node).ok_or("No joint is above the selected one")?;
        let bone = self.at(node) - self.at(parent);
        let (axis, points) = self.along(node, bone);
        let share = |helper: NodeId| {
            let way = self.at(helper) - self.at(parent);
            let share = way.dot(bone) / bone.length_squared();
            let off = (way - share * bone).length();
            (share > 0.05 && share < 0.95 && off < 0.25 * bone.length()).then_some((helper, share))
        };
        let helpers = self.children(parent).filter(|child| *child != node).filter_map(share);
        let name = self.name(node);
        let mut lines: Vec<String> = helpers
            .map(|(helper, share)| {
                let (of_helper, points_too) = self.along(helper, bone);
                let share = (share * points * points_too * 100.0).round() / 100.0;
                let [to, from] = [of_helper, axis].map(|axis| AXES[axis]);
                format!("angle({}, \"{to}\") = {share} * twist({name}, \"{from}\")", self.name(helper))
            })
            .collect();
        if lines.is_empty() {
            let (of_parent, points_too) = self.along(parent, bone);
            let sign = if points * points_too < 0.0 { "-" } else { "+" };
            let [to, from] = [of_parent, axis].map(|axis| AXES[axis]);
            let above = format!("angle({}, \"{to}\")", self.name(parent));
            lines.push(format!("{above} = posed({above}) {sign} 0.5 * posed(angle({name}, \"{from}\"))"));
            lines.push(format!("angle({name}, \"{from}\") = 0.5 * posed(angle({name}, \"{from}\"))"));
        }
        Ok(PresetLines { sliders: Vec::new(), lines })
    }

    fn links(&self, node: NodeId) -> PresetLines {
        let mut chain = vec![node];
        let mut last = node;
        while chain.len() < LINKS {
            // Of several joints the one below which there are most goes on.
            let size = |child: &NodeId| self.model.skeleton.subtree_end(*child) - child.index();
            let Some(next) = self.children(last).max_by_key(size) else { break };
            chain.push(next);
            last = next;
        }
        let bone = chain.get(1).map_or(DVec3::Y, |next| self.at(*next) - self.at(node));
        let (along, _) = self.along(node, bone);
        // A limb along X bends up and down or forward; others bend about X.
        let axis = AXES[usize::from(along == 0)];
        let (first, count) = (self.name(node), chain.len());
        let line = |link: &NodeId| {
            format!(
                "angle({}, \"{axis}\") = clamp(posed(angle({first}, \"{axis}\")) / {count}, -60, 60)",
                self.name(*link)
            )
        };
        PresetLines { sliders: Vec::new(), lines: chain.iter().map(line).collect() }
    }
}
