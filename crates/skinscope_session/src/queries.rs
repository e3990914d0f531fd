//! Questions about the picture: which vertex lies under a point, and why the pinned one is where it is.

use glam::Vec2;
use skinscope_inspect::{self as inspect, Explanation, Hit, PosedModel, VertexDirections, VertexRef};
use skinscope_model::NodeId;

use super::{Command, MarkCommand, SelectionCommand, Session, Toggle};

/// The reason why *Weights* shows a certain joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightsJointSource {
    /// The joint is selected.
    Selected,
    /// Nothing is selected, and the pointer is over its bone, its row, or a vertex that it moves most.
    Hovered,
    /// Neither is the case: the weights of the joint have the largest sum over all vertices
    /// ([`inspect::WeightStats::heaviest`]).
    Heaviest,
}

impl Session {
    /// Returns the node whose weights *Weights* shows, and the reason. `None` where nothing moves any vertex.
    #[must_use]
    pub fn weights_joint(&self) -> Option<(NodeId, WeightsJointSource)> {
        let stats = self.document.as_ref()?.stats();
        if let Some(node) = self.view.selected {
            return Some((node, WeightsJointSource::Selected));
        }
        let moves = |n: &NodeId| stats.deforming.get(n.index()).is_some_and(|moves| *moves);
        let hovered = self.view.hovered.filter(moves).map(|n| (n, WeightsJointSource::Hovered));
        hovered.or_else(|| Some((stats.heaviest?, WeightsJointSource::Heaviest)))
    }

    /// Returns the vertex of the skin under a point of the viewport (pixels from its top left), exact on the deformed
    /// surface; `None` where the skin is not shown.
    #[must_use]
    pub fn vertex_at(&self, at: Vec2) -> Option<Hit> {
        self.hit(at, self.document.as_ref()?.pick_index())
    }

    /// Returns whether a click must wait for the index that finds a vertex under it, which
    /// [`Document::prepare`] makes: the click hits no bone, and the model is large.
    ///
    /// [`Document::prepare`]: super::Document::prepare
    #[must_use]
    pub fn must_wait_for(&self, click: &Command) -> bool {
        let asks = match click {
            Command::Selection(SelectionCommand::PickAt(at)) => self.bone_at(*at).is_none(),
            Command::Selection(SelectionCommand::PinAt(_)) => true,
            _ => false,
        };
        let shown = self.view.is_on(Toggle::Mesh) || self.view.is_on(Toggle::Wireframe);
        asks && shown && self.document.as_ref().is_some_and(|d| d.pick_index_at_hand().is_none())
    }

    /// Does the same as [`Session::vertex_at`], for every move of the pointer: `None` as long as a large model is not
    /// ready for it.
    #[must_use]
    pub fn vertex_near_at_hand(&self, at: Vec2) -> Option<Hit> {
        self.hit(at, self.document.as_ref()?.pick_index_at_hand()?)
    }

    fn hit(&self, at: Vec2, index: &inspect::PickIndex) -> Option<Hit> {
        let shown = self.view.is_on(Toggle::Mesh) || self.view.is_on(Toggle::Wireframe);
        let pick = |posed: &PosedModel| index.pick(posed, &self.pose.draws, self.view.ray(at));
        shown.then(|| self.on_side(self.is_second_at(at), pick)).flatten().flatten()
    }

    /// Explains why the pinned vertex is where it is, in the side of a comparison in which it was pinned.
    #[must_use]
    pub fn explanation(&self) -> Option<Explanation> {
        let pinned = self.view.pinned?;
        self.on_side(self.explains_second(), |posed| Explanation::of(posed, pinned, self.view.pinned_copy)).flatten()
    }

    /// Returns whether the pinned vertex is explained as the second side of a comparison has it.
    #[must_use]
    pub fn explains_second(&self) -> bool {
        self.view.pinned_second && self.comparison().is_some()
    }

    /// Returns the normal and the tangent of a vertex as one side of the picture has them; `None` where the file stores no normal for it and the
    /// triangles around it were not deformed.
    #[must_use]
    pub fn directions(&self, vertex: VertexRef, is_second: bool) -> Option<VertexDirections> {
        self.on_side(is_second, |posed| VertexDirections::of(posed, vertex, 0)).flatten()
    }

    /// Says where the tangents come from that are drawn, where the file has none of some; `None` where they are not drawn, or the
    /// file has all.
    #[must_use]
    pub fn tangents_note(&self) -> Option<&'static str> {
        let (document, model) = (self.document()?, self.shown_model()?);
        if !self.view.is_on(Toggle::Tangents) {
            return None;
        }
        let (mut computed, mut missing) = (false, false);
        for instance in self.pose.draws.iter().map(|id| &model.instances[id.index()]) {
            for (p, primitive) in model.meshes[instance.mesh.index()].primitives.iter().enumerate() {
                let is_computed = !document.computed_tangents().of_primitive(instance.mesh, p).is_empty();
                computed |= is_computed;
                missing |= primitive.tangents.is_empty() && !is_computed;
            }
        }
        match (computed, missing) {
            (false, false) => None,
            (true, false) => Some("The file has no tangents; those that are drawn are computed by MikkTSpace"),
            (true, true) => Some(
                "The file has no tangents; those that are drawn are computed by MikkTSpace, where there are normals and texture \
                 coordinates",
            ),
            (false, true) => {
                Some("No tangents: the file has none, and without normals and texture coordinates none can be computed")
            }
        }
    }

    /// Carries out a command of its family.
    pub(super) fn point_at(&mut self, command: SelectionCommand) {
        match command {
            SelectionCommand::Select(node) => self.select(node),
            SelectionCommand::SelectParent => {
                let parent = self.model().zip(self.view.selected).and_then(|(m, n)| m.skeleton.parents[n.index()]);
                if parent.is_some() {
                    self.select(parent);
                }
            }
            SelectionCommand::SelectChild => {
                let child = self.model().zip(self.view.selected).and_then(|(m, n)| m.skeleton.children(n).next());
                if child.is_some() {
                    self.select(child);
                }
            }
            SelectionCommand::Hover(node) => self.view.hovered = node,
            SelectionCommand::PickAt(at) => self.pick_at(at),
            SelectionCommand::PinAt(at) => self.pin_at(at),
            SelectionCommand::Deselect => self.deselect(),
            SelectionCommand::Pin(vertex) => self.pin(vertex),
            SelectionCommand::Mark(vertices) => self.mark(vertices, false),
        }
    }

    /// Carries out a click: selects the bone at a point, if bones are shown and one is near, else pins the vertex of
    /// the skin and selects the joint that moves it most. Where there is nothing, nothing is selected or pinned any
    /// more.
    fn pick_at(&mut self, at: Vec2) {
        match self.bone_at(at) {
            Some(bone) => self.select(Some(bone)),
            None => self.pin_at(at),
        }
    }

    /// Does the same as [`Session::pick_at`], without regard to bones.
    fn pin_at(&mut self, at: Vec2) {
        let hit = self.vertex_at(at);
        self.view.pinned = hit.map(|hit| hit.vertex_ref());
        self.view.pinned_copy = hit.map_or(0, |hit| hit.copy);
        self.view.pinned_second = self.is_second_at(at);
        self.select(hit.and_then(|hit| self.mover(hit)));
    }

    /// Returns the joint that moves most what was hit.
    #[must_use]
    pub fn mover(&self, hit: Hit) -> Option<NodeId> {
        inspect::mover(self.model()?, hit.instance, hit.primitive, hit.vertex)
    }

    /// A tool that is tried goes first, then the pinned vertex, then the finding that is shown, then the selection.
    fn deselect(&mut self) {
        if self.tools.operation.is_some() {
            return self.choose_tool(None);
        }
        if self.marking.tool.is_some() {
            return self.change_marks(&MarkCommand::Use(None));
        }
        if self.view.pinned.take().is_some() {
            return;
        }
        if self.before_finding.is_some() {
            self.leave_finding();
        } else {
            self.view.selected = None;
        }
    }

    pub(super) fn select(&mut self, node: Option<NodeId>) {
        let count = self.model().map_or(0, |m| m.skeleton.len());
        self.view.selected = node.filter(|n| n.index() < count);
    }

    /// Returns the joint whose bone is near a point of the viewport (pixels from its top left), where bones are shown.
    /// It is cheap enough for every move of the pointer, since the surface is not deformed.
    #[must_use]
    pub fn bone_at(&self, at: Vec2) -> Option<NodeId> {
        const REACH_PIXELS: f32 = 6.0;
        if !self.view.is_on(Toggle::Bones) {
            return None;
        }
        let projector = self.view.projector();
        let near = self.pose.bones.iter().filter_map(|bone| {
            let (a, b) = (projector.project(bone.head)?, projector.project(bone.tail)?);
            let along = ((at - a).dot(b - a) / (b - a).length_squared().max(1e-6)).clamp(0.0, 1.0);
            Some((at.distance(a.lerp(b, along)), bone.node))
        });
        let best = near.min_by(|a, b| a.0.total_cmp(&b.0));
        best.filter(|best| best.0 <= REACH_PIXELS).map(|best| best.1)
    }
}
