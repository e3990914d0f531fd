//! Questions about the picture: which vertex lies under a point, and why the pinned one is where it is.

use std::sync::Arc;

use glam::Vec2;
use skinscope_inspect::{self as inspect, Explanation, Hit, PosedModel, TexelDensity, VertexDirections, VertexRef};
use skinscope_model::NodeId;

use crate::{Bones, Command, Deforming, Document, MarkCommand, Model, Pose, SelectionCommand, Surfaces, Toggle, View};

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

/// What lies under a point of the picture, and why the pinned vertex is where it is.
#[derive(Clone, Copy, Debug)]
pub struct Picking<'a> {
    pub(crate) document: Option<&'a Document>,
    pub(crate) model: Option<&'a Arc<Model>>,
    pub(crate) deforming: Deforming<'a>,
    pub(crate) surfaces: Surfaces<'a>,
    pub(crate) bones: Bones<'a>,
    pub(crate) view: &'a View,
    pub(crate) pose: &'a Pose,
}

impl View {
    pub(crate) fn select(&mut self, node: Option<NodeId>, count: usize) {
        self.selected = node.filter(|n| n.index() < count);
    }
}

impl Picking<'_> {
    /// Returns the node whose weights *Weights* shows, and the reason. `None` where nothing moves any vertex.
    #[must_use]
    pub fn weights_joint(self) -> Option<(NodeId, WeightsJointSource)> {
        let stats = self.document?.stats();
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
    pub(crate) fn vertex_at(self, at: Vec2) -> Option<Hit> {
        self.hit(at, self.document?.pick_index())
    }

    /// Returns whether a click must wait for the index that finds a vertex under it, which
    /// [`Document::prepare`] makes: the click hits no bone, and the model is large.
    ///
    /// [`Document::prepare`]: crate::Document::prepare
    #[must_use]
    pub fn must_wait_for(self, click: &Command) -> bool {
        let asks = match click {
            Command::Selection(SelectionCommand::PickAt(at)) => self.bones.bone_at(*at).is_none(),
            Command::Selection(SelectionCommand::PinAt(_)) | Command::Mark(MarkCommand::In(..)) => true,
            _ => false,
        };
        let shown = self.view.is_on(Toggle::Mesh) || self.view.is_on(Toggle::Wireframe);
        asks && shown && self.document.is_some_and(|d| d.pick_index_at_hand().is_none())
    }

    /// Returns what lies at a point of the picture, for every move of the pointer: `None` as long as a large model is not
    /// ready for it.
    #[must_use]
    pub fn vertex_near_at_hand(self, at: Vec2) -> Option<Hit> {
        self.hit(at, self.document?.pick_index_at_hand()?)
    }

    fn hit(self, at: Vec2, index: &inspect::PickIndex) -> Option<Hit> {
        let shown = self.view.is_on(Toggle::Mesh) || self.view.is_on(Toggle::Wireframe);
        let pick = |posed: &PosedModel| index.pick(posed, &self.pose.draws, self.view.ray(at));
        shown.then(|| self.surfaces.on_side(self.deforming.is_second_at(at), pick)).flatten().flatten()
    }

    /// Explains why the pinned vertex is where it is, in the side of a comparison in which it was pinned.
    #[must_use]
    pub fn explanation(self) -> Option<Explanation> {
        let pinned = self.view.pinned?;
        self.surfaces
            .on_side(self.deforming.explains_second(), |posed| Explanation::of(posed, pinned, self.view.pinned_copy))
            .flatten()
    }

    /// Returns the normal and the tangent of a vertex as one side of the picture has them; `None` where the file stores no normal for it and the
    /// triangles around it were not deformed.
    #[must_use]
    pub fn directions(self, vertex: VertexRef, is_second: bool) -> Option<VertexDirections> {
        self.surfaces.on_side(is_second, |posed| VertexDirections::of(posed, vertex, 0)).flatten()
    }

    /// Says how many texels lie on a metre of the surface, where the look that shows texture coordinates is on.
    #[must_use]
    pub fn texel_density_note(self) -> Option<String> {
        let document = self.document.filter(|_| self.view.look.id == "uv-checker" && self.view.overlay.is_none())?;
        let Some(TexelDensity { median, range: [least, most] }) = document.texel_density() else {
            let model = self.deforming.shown_model()?;
            let has_uv =
                model.meshes.iter().flat_map(|mesh| &mesh.primitives).any(|p| p.uvs.iter().any(|set| !set.is_empty()));
            return Some(match has_uv {
                true => "No texel density: the base colour has no texture".to_owned(),
                false => "This model has no texture coordinates".to_owned(),
            });
        };
        let rounded = |texels: f32| if texels < 10.0 { format!("{texels:.1}") } else { format!("{texels:.0}") };
        let [median, least, most] = [median, least, most].map(rounded);
        Some(format!("{median} texels a metre; 90 % of the surface: {least} to {most}"))
    }

    /// Says where the tangents come from that are drawn, where the file has none of some; `None` where they are not drawn, or the
    /// file has all.
    #[must_use]
    pub fn tangents_note(self) -> Option<&'static str> {
        let (document, model) = (self.document?, self.deforming.shown_model()?);
        if !self.view.is_on(Toggle::Tangents) {
            return None;
        }
        let (mut computed, mut missing) = (false, false);
        for instance in self.pose.draws.iter().map(|id| &model.instances[id.index()]) {
            for (p, primitive) in model.meshes[instance.mesh.index()].vertex_lists() {
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

    /// Returns the joint that moves most what was hit.
    #[must_use]
    pub fn mover(self, hit: Hit) -> Option<NodeId> {
        inspect::mover(self.model?, hit.instance, hit.primitive, hit.vertex)
    }
}

impl Deforming<'_> {
    /// Returns whether the pinned vertex is explained as the second side of a comparison has it.
    #[must_use]
    pub fn explains_second(self) -> bool {
        self.view.pinned_second && self.comparison().is_some()
    }
}

impl Bones<'_> {
    /// Returns the joint whose bone is near a point of the viewport (pixels from its top left), where bones are shown.
    /// It is cheap enough for every move of the pointer, since the surface is not deformed.
    #[must_use]
    pub fn bone_at(self, at: Vec2) -> Option<NodeId> {
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
