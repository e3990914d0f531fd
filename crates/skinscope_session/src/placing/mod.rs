//! Joints that are placed by hand in meshes without a skin, until they are bound: then they are nodes, and the meshes have weights.

pub(crate) mod place_commands;
pub(crate) mod placed_how;
mod plan;

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::{Vec2, Vec3};
use skinscope_base::parallel::JobContext;
use skinscope_edit::{
    BareBinding, BindSettings, BodyFrame, PlacedAxes, PlacedJoint, bare_meshes, bind_placed, has_bare_mesh,
    middle_of_body,
};
use skinscope_model::Model;

pub use self::place_commands::PlaceCommand;
use self::placed_how::PlacedHow;
use crate::{Command, MarkCommand, PaintCommand, Session, ToolCommand, VertexDragCommand, ViewCommand};

/// The ending of files of placed joints.
pub const SKELETON_ENDING: &str = ".skeleton.json";

/// How near to a joint a click has to be to select it, pixels.
const REACH: f32 = 10.0;

/// The joints that are placed, and how.
#[derive(Clone, Debug)]
pub struct Placing {
    /// Whether a click in the picture places a joint.
    is_on: bool,
    joints: Arc<Vec<PlacedJoint>>,
    /// The joint that the next one hangs on.
    selected: Option<usize>,
    /// Whether what is done on one side is done on the other one too.
    mirrors: bool,
    /// Where the figure has its sides, and what tells it.
    frame: Option<BodyFrame>,
    /// What told where the joints of a standing figure are, as long as these stay as they were placed.
    humanoid: Option<(Arc<Vec<PlacedJoint>>, String)>,
    /// How the joints are bound.
    how: PlacedHow,
    /// What is being bound.
    task: Option<PlacedTask>,
    /// Why the last binding was refused.
    refused: Option<String>,
}

impl Default for Placing {
    fn default() -> Self {
        Self {
            is_on: false,
            joints: Arc::default(),
            selected: None,
            mirrors: true,
            frame: None,
            humanoid: None,
            how: PlacedHow::default(),
            task: None,
            refused: None,
        }
    }
}

/// Joints that are to be bound, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedTask {
    /// The joints.
    pub joints: Arc<Vec<PlacedJoint>>,
    /// The method, and what holds for it.
    pub settings: BindSettings,
    /// Which way the axes of the joints point.
    pub axes: PlacedAxes,
    /// The meshes that are bound, by their numbers in the file; where it is empty, all that have no skin.
    pub meshes: BTreeSet<u32>,
}

impl PlacedTask {
    /// Finds the weights of the meshes of a model that have none.
    pub(crate) fn run(&self, model: &Model, context: &JobContext) -> Result<BareBinding, String> {
        let (joints, meshes) = ((&self.joints[..], self.axes), chosen(&self.meshes));
        bind_placed(model, joints, meshes, &self.settings, context).map_err(|why| why.to_string())
    }
}

/// Returns meshes that are chosen; `None` where none is, so that all are meant.
fn chosen(meshes: &BTreeSet<u32>) -> Option<&BTreeSet<u32>> {
    Some(meshes).filter(|meshes| !meshes.is_empty())
}

impl Placing {
    /// Returns whether a click in the picture places a joint.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Returns the joints that are placed.
    #[must_use]
    pub fn joints(&self) -> &Arc<Vec<PlacedJoint>> {
        &self.joints
    }

    /// Returns the joint that is selected, on which the next one hangs.
    #[must_use]
    pub fn selected(&self) -> Option<usize> {
        self.selected
    }

    /// Returns whether what is done on one side is done on the other one too.
    #[must_use]
    pub fn mirrors(&self) -> bool {
        self.mirrors
    }

    /// Returns the method that finds the weights, by its id.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.how.method
    }

    /// Returns which way the axes of the joints point once they are nodes.
    #[must_use]
    pub fn axes(&self) -> PlacedAxes {
        self.how.axes
    }

    /// Returns the meshes of a model that are bound, by their numbers in the file: those that were chosen, as far as they have no skin. Where
    /// it is empty, all that have none are.
    #[must_use]
    pub fn meshes(&self, model: &Model) -> BTreeSet<u32> {
        let bare = bare_meshes(model);
        self.how.meshes.iter().copied().filter(|mesh| bare.contains_key(mesh)).collect()
    }

    /// Returns how the joints are bound.
    pub(crate) fn how(&self) -> &PlacedHow {
        &self.how
    }

    /// Says what tells where joints are: the plane by which the figure has its sides, and the sections that the joints of a standing figure
    /// stand by as long as nobody has moved them. `None` before it is known.
    #[must_use]
    pub fn told(&self) -> Option<String> {
        let placed = self.humanoid.as_ref().filter(|(joints, _)| joints == &self.joints);
        placed.map(|(_, words)| words.clone()).or_else(|| Some(self.frame?.words()))
    }

    /// Returns whether weights are being found.
    #[must_use]
    pub fn is_binding(&self) -> bool {
        self.task.is_some()
    }

    /// Returns why the last binding was refused.
    #[must_use]
    pub fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// Returns what is being bound.
    pub(crate) fn task(&self) -> Option<&PlacedTask> {
        self.task.as_ref()
    }

    /// Shows these joints in place of those that there are. What is being bound is none of them, unless they are the same.
    pub(crate) fn take(&mut self, joints: Arc<Vec<PlacedJoint>>) {
        if *joints != *self.joints {
            self.task = None;
        }
        self.joints = joints;
        self.selected = self.selected.filter(|index| *index < self.joints.len());
    }

    /// Shows these joints, with this one selected, as they were before.
    pub(crate) fn give_back(&mut self, (joints, selected): (Arc<Vec<PlacedJoint>>, Option<usize>)) {
        self.selected = selected;
        self.take(joints);
    }

    /// Follows a model whose meshes without a skin are others than those before.
    pub(crate) fn follow(&mut self, model: &Model) {
        self.frame = None;
        self.is_on &= has_bare_mesh(model);
    }

    /// Forgets everything about the model that was open. How joints are placed stays, but for the meshes.
    pub(crate) fn forget(&mut self) {
        let how = PlacedHow { meshes: BTreeSet::new(), ..std::mem::take(&mut self.how) };
        *self = Self { mirrors: self.mirrors, how, ..Self::default() };
    }

    /// Takes the joints of a session file, and how they are bound; returns whether they can be used.
    pub(crate) fn restore(&mut self, joints: &[PlacedJoint], how: &PlacedHow) -> bool {
        let is_usable = plan::is_usable(joints);
        // A later version may know methods that this one does not.
        self.how = PlacedHow { method: PlacedHow::default().method, ..how.clone() };
        self.how.set_method(&how.method);
        self.frame = None;
        self.selected = None;
        self.take(if is_usable { Arc::new(joints.to_vec()) } else { Arc::default() });
        is_usable
    }
}

impl Session {
    /// Returns the joints that are placed by hand.
    #[must_use]
    pub fn placing(&self) -> &Placing {
        &self.placing
    }

    /// Shows these joints in place of those that are placed.
    pub(crate) fn show_placed(&mut self, joints: Arc<Vec<PlacedJoint>>) {
        self.placing.take(joints);
    }

    /// Returns the placed joint at a point of the viewport, pixels from its top left: the nearest one within reach.
    #[must_use]
    pub fn placed_at(&self, at: Vec2) -> Option<usize> {
        let projector = self.view.projector();
        let seen = self.placing.joints.iter().enumerate();
        let seen = seen.filter_map(|(index, joint)| Some((index, projector.project(joint.position)?.distance(at))));
        seen.filter(|(_, far)| *far <= REACH).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
    }

    /// Returns the middle of the body under a point of the viewport, scene's space, metres; `None` where no mesh without a skin is there.
    #[must_use]
    pub fn middle_at(&self, at: Vec2) -> Option<Vec3> {
        middle_of_body(self.model()?, self.view.ray(at))
    }

    /// Returns the place of a joint that is dragged to a point of the viewport: as far from the eye as it is.
    #[must_use]
    pub fn dragged_to(&self, joint: usize, at: Vec2) -> Option<Vec3> {
        let from = self.placing.joints.get(joint)?.position;
        let (ray, ahead) = (self.view.ray(at), -Vec3::from(self.view.world_from_view().matrix3.z_axis));
        let along = (from - ray.origin).dot(ahead) / ray.direction.dot(ahead);
        let to = ray.origin + along * ray.direction;
        to.is_finite().then_some(to)
    }
}

/// Notes that a command is about to be carried out: one that gives the pointer something else to do, or tries what joints are not placed in,
/// puts the tool down that places them. The joints stay.
pub(crate) fn note(placing: &mut Placing, command: &Command) {
    placing.is_on &= !matches!(
        command,
        Command::Mark(MarkCommand::Use(Some(_)))
            | Command::Paint(PaintCommand::Hold(Some(_)) | PaintCommand::DragVertex(VertexDragCommand::Use(true)))
            | Command::Tool(ToolCommand::Choose(Some(_)) | ToolCommand::Repair { .. })
            | Command::View(ViewCommand::SetPoseTool(_))
    );
}
