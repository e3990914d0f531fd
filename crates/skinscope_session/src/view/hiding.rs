//! Parts that are left out of the picture: nodes that the user hides, and the bones of joints that move nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use skinscope_inspect as inspect;
use skinscope_model::{InstanceId, Model, NodeId};

use crate::pose::pose_sources::PoseSources;
use crate::{Document, Pose, Toggle, View};

/// Everything that decides which bones there are in a pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BoneKey {
    shown: bool,
    deforming_only: bool,
    /// The selected node: a joint that moves nothing has its bone while it is selected.
    selected: Option<NodeId>,
}

/// Removes the instances from `draws` that hang on a hidden node or below one. `unseen` becomes a flag for each node,
/// or stays empty where nothing is hidden.
pub(crate) fn hide(model: &Model, hidden: &BTreeSet<NodeId>, unseen: &mut Vec<bool>, draws: &mut Vec<InstanceId>) {
    unseen.clear();
    if hidden.is_empty() {
        return;
    }
    for (n, parent) in model.skeleton.parents.iter().enumerate() {
        let above = parent.is_some_and(|p| unseen[p.index()]);
        unseen.push(above || hidden.contains(&NodeId::from_index(n)));
    }
    draws.retain(|id| !unseen[model.instances[id.index()].node.index()]);
}

/// The bones of the pose that is shown: which there are, where they lie, and which of them is under the pointer.
#[derive(Clone, Copy, Debug)]
pub struct Bones<'a> {
    pub(crate) document: Option<&'a Document>,
    pub(crate) model: Option<&'a Arc<Model>>,
    pub(crate) view: &'a View,
    pub(crate) pose: &'a Pose,
}

impl View {
    pub(crate) fn toggle_hidden(&mut self, node: NodeId, model: &Model) {
        if node.index() < model.skeleton.len() {
            let hidden = Arc::make_mut(&mut self.hidden);
            if !hidden.remove(&node) {
                hidden.insert(node);
            }
        }
    }

    pub(crate) fn hide_selected(&mut self) {
        if let Some(node) = self.selected {
            Arc::make_mut(&mut self.hidden).insert(node);
        }
    }
}

impl Bones<'_> {
    /// Returns whether the user hides this node, or one above it.
    #[must_use]
    pub fn is_hidden(self, node: NodeId) -> bool {
        let Some(model) = self.model.filter(|_| !self.view.hidden.is_empty()) else { return false };
        let mut up = std::iter::successors(Some(node), |n| model.skeleton.parents.get(n.index()).copied().flatten());
        up.any(|n| self.view.hidden.contains(&n))
    }

    /// Returns whether only joints that move some vertex have bones: as the user wants it, else where many joints move
    /// nothing.
    #[must_use]
    pub fn deforming_only(self) -> bool {
        let many_idle = || self.document.is_some_and(|d| d.stats().many_idle);
        self.view.deforming_only.unwrap_or_else(many_idle)
    }

    pub(crate) fn bone_key(self) -> BoneKey {
        let deforming_only = self.view.is_on(Toggle::Bones) && self.deforming_only();
        let selected = self.view.selected.filter(|_| deforming_only);
        BoneKey { shown: self.view.is_on(Toggle::Bones), deforming_only, selected }
    }

    /// Returns the bones of the shown scene as posed; where none are shown, those of all joints.
    #[must_use]
    pub fn segments(self) -> Vec<inspect::BoneSegment> {
        let mut shown = Vec::new();
        self.choose_bones(&mut shown);
        let choice = inspect::BoneChoice::to_show(&shown, self.bone_stub());
        self.model.map_or_else(Vec::new, |m| inspect::bones(m, self.view.scene, &self.pose.model, choice))
    }

    /// Writes a flag for each node: whether its bone is shown. Empty: all are.
    fn choose_bones(self, shown: &mut Vec<bool>) {
        shown.clear();
        let Some(document) = self.document else { return };
        // Weights are not counted for bones that nobody sees.
        let deforming = (self.view.is_on(Toggle::Bones) && self.deforming_only()).then(|| &document.stats().deforming);
        let unseen = &self.pose.unseen;
        if deforming.is_none() && unseen.is_empty() {
            return;
        }
        let selected = self.view.selected.map(NodeId::index);
        shown.extend((0..document.model.skeleton.len()).map(|n| {
            let moves = deforming.is_none_or(|d| d[n]) || selected == Some(n);
            moves && !unseen.get(n).is_some_and(|unseen| *unseen)
        }));
    }

    /// Returns the length in metres of the bone of a joint whose neighbours do not tell one.
    pub(crate) fn bone_stub(self) -> f32 {
        0.05 * self.pose.opened_bounds.diagonal().max(1e-6)
    }
}

impl Pose {
    /// Computes the bones of the pose, where they are shown.
    pub(crate) fn update_bones(&mut self, from: PoseSources<'_>) {
        self.bones.clear();
        if from.view.is_on(Toggle::Bones) {
            let mut bones = std::mem::take(&mut self.bones);
            let mut scratch = std::mem::take(&mut self.bone_scratch);
            let mut shown = std::mem::take(&mut self.with_bone);
            let document = from.document;
            let all = Bones { document: Some(document), model: Some(&document.model), view: from.view, pose: &*self };
            all.choose_bones(&mut shown);
            let choice = inspect::BoneChoice::to_show(&shown, all.bone_stub());
            let (model, scene) = (&document.model, from.view.scene);
            inspect::bones_into(model, scene, &self.model, choice, &mut scratch, &mut bones);
            (self.bones, self.bone_scratch, self.with_bone) = (bones, scratch, shown);
        }
    }
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::{CameraCommand, Document, SelectionCommand, Session, ViewCommand};

    fn open(joints: usize) -> Session {
        let mut session = Session::default();
        let model = tube(Tube { joints, rings: 5, ..Tube::default() });
        session.open(Document::new(Arc::new(model), Vec::new(), None));
        session.playback.playing = false;
        session
    }

    fn bones_of(session: &mut Session) -> Vec<u32> {
        session.update_pose();
        session.pose.bones.iter().map(|b| b.node.0).collect()
    }

    #[test]
    fn what_is_hidden_is_neither_drawn_nor_picked_with_all_below_it() {
        let mut session = open(4);
        session.apply(CameraCommand::SetViewport(glam::Vec2::splat(400.0)));
        session.apply(CameraCommand::FrameAll);
        assert_eq!(bones_of(&mut session), [1, 2, 3, 4]);
        let last = session.pose.bones[3];
        let at = session.view.project(last.head.lerp(last.tail, 0.6)).unwrap();
        assert_eq!(session.bones().bone_at(at), Some(NodeId(4)));
        session.apply(ViewCommand::ToggleHidden(NodeId(3)));
        assert_eq!(bones_of(&mut session), [1, 2]);
        assert!(session.bones().is_hidden(NodeId(4)) && !session.bones().is_hidden(NodeId(2)));
        assert_ne!(session.bones().bone_at(at), Some(NodeId(4)));
        assert!(session.picking().vertex_at(at).is_some(), "the skin is not hidden by its joints");
        let node = session.model().unwrap().instances[0].node;
        session.apply(ViewCommand::ToggleHidden(node));
        session.update_pose();
        assert!(session.pose.draws.is_empty() && session.picking().vertex_at(at).is_none());
        session.apply(ViewCommand::ShowAll);
        assert_eq!((bones_of(&mut session).len(), session.pose.draws.len()), (4, 1));
        session.apply(SelectionCommand::Select(Some(NodeId(2))));
        session.apply(ViewCommand::HideSelected);
        assert_eq!(bones_of(&mut session), [1]);
        session.open(session.document.clone().unwrap());
        assert!(session.view.hidden.is_empty(), "another file has other nodes");
    }

    /// Opens a model of twelve joints, of which the last eight move nothing.
    fn idle() -> Session {
        let mut parts = (*tube(Tube { joints: 12, rings: 5, ..Tube::default() })).clone();
        for primitive in &mut parts.meshes[0].primitives {
            let influences = primitive.stored_influences.as_mut().unwrap();
            influences.joints.iter_mut().for_each(|j| *j %= 4);
        }
        let mut session = Session::default();
        session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
        session
    }

    #[test]
    fn joints_that_move_nothing_have_no_bones_where_there_are_many() {
        let mut session = idle();
        assert!(session.bones().deforming_only());
        assert_eq!(bones_of(&mut session), [1, 2, 3, 4]);
        session.apply(SelectionCommand::Select(Some(NodeId(9))));
        assert_eq!(bones_of(&mut session), [1, 2, 3, 4, 9], "the selected one has its bone");
        session.apply(ViewCommand::ToggleDeformingOnly);
        assert_eq!(bones_of(&mut session).len(), 12);
        session.apply(ViewCommand::ToggleDeformingOnly);
        assert_eq!(bones_of(&mut session).len(), 5);
        assert!(!open(4).bones().deforming_only(), "all of them move something");
    }
}
