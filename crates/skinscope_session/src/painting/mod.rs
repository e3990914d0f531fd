//! Painting weights on the surface as it is shown: the brush in the hand, its settings, and the strokes so far.
//!
//! The strokes are carried out by [`skinscope_paint`], as those of a file are, so that the strokes that are recorded
//! ([`Painting::recorded_files`]) give the same weights on the command line.

mod drag_in_layer;
mod drag_joints;
mod drag_pin;
mod drag_shape;
mod easel;
#[cfg(test)]
mod effect_tests;
#[cfg(test)]
mod erase_tests;
#[cfg(test)]
mod file_layer_tests;
pub(crate) mod file_layers;
#[cfg(test)]
mod gradient_tests;
mod hand;
mod hit;
mod layer_copy;
mod layer_steps;
#[cfg(test)]
mod layer_tests;
mod layer_weights;
pub(crate) mod layers;
mod mask;
#[cfg(test)]
mod mask_tests;
#[cfg(test)]
mod note_tests;
mod notes;
pub(crate) mod paint_commands;
mod painter;
mod record;
#[cfg(test)]
mod record_tests;
mod screen;
#[cfg(test)]
mod screen_tests;
mod settings;
mod stance;
mod stroke;
#[cfg(test)]
mod tests;
pub(crate) mod vertex_drag;
#[cfg(test)]
mod vertex_drag_effect_tests;
#[cfg(test)]
mod vertex_drag_layer_tests;
#[cfg(test)]
mod vertex_drag_tests;
mod vertex_grip;
mod whole;
mod written_form;

pub use self::drag_joints::{DRAG_JOINTS, DragJoints};
pub use self::drag_pin::DragPin;
pub use self::hit::{PaintHit, PaintPlace};
pub(crate) use self::layer_copy::LayerCopy;
pub use self::layers::LayerCommand;
pub use self::paint_commands::{PaintCommand, PaintDab};
pub(crate) use self::painter::{Brushwork, Painter};
pub use self::settings::{PaintDrag, PaintSettings};
pub use self::vertex_drag::{VertexDrag, VertexDragCommand};
pub use self::vertex_grip::VertexGrip;

use std::sync::Arc;

use glam::Vec2;
use skinscope_anim::pose::PoseFile;
use skinscope_model::{Model, NodeId};
use skinscope_paint::{Canvas, Layer, LayerId, LayerStack, Painted, StrokeForm, StrokeReport, StrokesFile};
use skinscope_weights::Brush;

use self::easel::Easel;
use self::file_layers::FileLayers;
use self::record::{IntoLayer, Record};
use crate::{Command, EditedWeights, MarkCommand, Session, ToolCommand, ViewCommand};

/// The ending of files of strokes.
pub const STROKES_ENDING: &str = ".strokes.json";

/// The share of the size of the model that a brush is wide where nothing else is said.
const USUAL_RADIUS: f64 = 0.05;

/// The brush in the hand, its settings, and what was painted.
#[derive(Clone, Debug, Default)]
pub struct Painting {
    brush: Option<&'static Brush>,
    settings: PaintSettings,
    /// The place of the picture that the pointer is over.
    hover: Option<Vec2>,
    note: Option<PaintNote>,
    last: Option<StrokeReport>,
    easel: Easel,
    /// The layers that make the weights of the model together.
    layers: LayerStack,
    file_layers: FileLayers,
    /// The mask that the overlay has shown last.
    shown_mask: mask::ShownMask,
    /// The weights of the layer that the overlay has shown last.
    shown_weights: layer_weights::ShownWeights,
    /// What the last copy of a layer has done.
    copied: Option<String>,
    /// The copies of layers that are asked for and not there yet, in the order in which they are made.
    copying: Vec<LayerCopy>,
    record: Record,
    /// The layers that have become a part of others or of the weights themselves, with their names: strokes into them still count.
    merged: Vec<(LayerId, String)>,
    /// The vertex that is dragged.
    vertex_drag: VertexDrag,
    /// The pose files that strokes name.
    poses: Vec<(String, PoseFile)>,
    /// Counts how often other strokes were recorded.
    revision: u64,
}

/// What is said at the pointer: why a dab has changed nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaintNote {
    /// The reason, such as "Hips is locked".
    pub text: String,
    /// What can be done about it: a label for each command.
    pub ways: Vec<(String, Command)>,
}

impl Painting {
    /// Returns the brush in the hand; `None`: the pointer paints nothing.
    #[must_use]
    pub fn brush(&self) -> Option<&'static Brush> {
        self.brush
    }

    /// Returns the settings of all brushes.
    #[must_use]
    pub fn settings(&self) -> &PaintSettings {
        &self.settings
    }

    /// Returns the place of the picture that the pointer is over, pixels from its top left.
    #[must_use]
    pub fn hover(&self) -> Option<Vec2> {
        self.hover
    }

    /// Returns what the last dab has to say at the pointer.
    #[must_use]
    pub fn note(&self) -> Option<&PaintNote> {
        self.note.as_ref()
    }

    /// Returns whether a stroke has begun and has not ended.
    #[must_use]
    pub fn is_painting(&self) -> bool {
        self.easel.stroke.is_some()
    }

    /// Returns the vertex that is dragged.
    #[must_use]
    pub fn vertex_drag(&self) -> &VertexDrag {
        &self.vertex_drag
    }

    /// Returns what the last stroke has done.
    #[must_use]
    pub fn last_stroke(&self) -> Option<&StrokeReport> {
        self.last.as_ref()
    }

    /// Returns the layers of weights, which make those of the model together; none where brushes paint those themselves.
    #[must_use]
    pub fn layers(&self) -> &LayerStack {
        &self.layers
    }

    /// Says what the last copy of a layer to another model has done.
    #[must_use]
    pub fn layer_copied(&self) -> Option<&str> {
        self.copied.as_deref()
    }

    /// Returns the strokes that have painted the weights themselves so far, without those that were undone. What other tools have changed between
    /// them is not among them, and no stroke into a layer or into the base below layers.
    #[must_use]
    pub fn recorded(&self) -> &StrokesFile {
        self.record.base()
    }

    /// Returns how many strokes were recorded, with those into layers, those on masks of layers and those into the base below layers.
    #[must_use]
    pub fn recorded_count(&self) -> usize {
        self.record.count()
    }

    /// Returns the pose files that recorded strokes name, by their names: they stand in the folder of the strokes.
    #[must_use]
    pub fn recorded_poses(&self) -> &[(String, PoseFile)] {
        &self.poses
    }

    /// Returns the files that keep the recorded strokes, in one folder, each with its text: the pose files that strokes name, which begin with the
    /// same `name`, those of strokes into layers and into the base below them in their order, and last the strokes that have painted the weights
    /// themselves.
    #[must_use]
    pub fn recorded_files(&self, name: &str) -> Vec<(String, String)> {
        let text = |mut file: StrokesFile| {
            for pose in file.strokes.iter_mut().filter_map(|stroke| stroke.pose.as_mut()) {
                *pose = format!("{name}.{pose}");
            }
            file.text()
        };
        let is_named = |pose: &str| self.record.all().any(|stroke| stroke.pose.as_deref() == Some(pose));
        let poses = self.poses.iter().filter(|(pose, _)| is_named(pose));
        let mut out: Vec<_> = poses.map(|(pose, file)| (format!("{name}.{pose}"), file.text())).collect();
        for (number, (into, file)) in (1..).zip(self.record.of_layers()) {
            let layer = into.layer.map(|id| self.name_of_layer(id));
            // Strokes into a layer that was removed change nothing.
            if layer == Some(None) {
                continue;
            }
            out.push((format!("{name}.{}{STROKES_ENDING}", into.part_of_name(number, layer.flatten())), text(file)));
        }
        out.push((format!("{name}{STROKES_ENDING}"), text(self.recorded().clone())));
        out
    }

    /// Returns the name of a layer that is there, or was merged with what lies below it; `None` where it was removed.
    fn name_of_layer(&self, id: LayerId) -> Option<&str> {
        let merged = || self.merged.iter().find(|(merged, _)| *merged == id).map(|(_, name)| name.as_str());
        self.layers.layer(id).map(Layer::name).or_else(merged)
    }

    /// Notes which of the layers go while their weights stay.
    pub(crate) fn note_merged(&mut self, goes: impl Fn(LayerId) -> bool) {
        for layer in self.layers.layers().iter().filter(|layer| goes(layer.id())) {
            self.merged.retain(|(id, _)| *id != layer.id());
            self.merged.push((layer.id(), layer.name().to_owned()));
        }
    }

    /// Returns how often other strokes were recorded.
    #[must_use]
    pub fn recorded_revision(&self) -> u64 {
        self.revision
    }

    /// Adds a stroke to those that were recorded.
    fn record(&mut self, into: Option<IntoLayer>, stroke: StrokeForm) {
        self.revision += 1;
        self.record.add(into, stroke);
    }

    /// Returns the number of the last stroke that was recorded. Those that were forgotten have had numbers too.
    pub(crate) fn last_recorded(&self) -> usize {
        self.record.last()
    }

    /// Takes strokes back, or brings them back, until the last one that is recorded is that of this number.
    pub(crate) fn go_to_recorded(&mut self, number: usize) {
        self.go_to_stroke(self.record.count_until(number));
    }

    /// Takes strokes back, or brings them back, until so many are recorded.
    fn go_to_stroke(&mut self, count: usize) {
        self.revision += u64::from(self.record.go_to(count));
    }

    /// Returns the name of a pose file that a stroke names.
    fn name_of_pose(&mut self, pose: &PoseFile) -> String {
        if let Some((name, _)) = self.poses.iter().find(|(_, known)| known == pose) {
            return name.clone();
        }
        let name = format!("pose-{}.pose.json", self.poses.len() + 1);
        self.poses.push((name.clone(), pose.clone()));
        name
    }

    /// Forgets the strokes that were recorded; the weights stay.
    fn forget_recorded(&mut self) {
        self.revision += u64::from(self.recorded_count() > 0);
        self.record.forget();
        (self.poses, self.merged) = (Vec::new(), Vec::new());
        self.easel.forget_recorded();
    }

    /// Forgets what belongs to a model that is no longer open. A newer version of its file keeps the strokes that were recorded.
    pub(crate) fn forget(&mut self, is_newer_version: bool) {
        (self.copied, self.copying) = (None, Vec::new());
        (self.hover, self.note, self.last, self.easel) = (None, None, None, Easel::default());
        self.vertex_drag.forget();
        if !is_newer_version {
            (self.layers, self.file_layers) = (LayerStack::default(), FileLayers::default());
            (self.brush, self.settings.to) = (None, None);
            self.forget_recorded();
        }
    }

    /// Lets settings that name nodes name those that they have become in a newer version of the file.
    pub(crate) fn follow_nodes(&mut self, find: impl Fn(NodeId) -> Option<NodeId>) {
        self.settings.to = self.settings.to.and_then(find);
    }

    /// Lets the poses in which a vertex is held follow a model whose nodes or morph targets are others than those of the one before.
    pub(crate) fn follow_layout(&mut self, before: &Model, now: &Model) {
        self.vertex_drag.follow_layout(before, now);
    }

    /// Goes back to the settings of brushes and to the layers from before a drag that was given up, and to what was known of those in the file.
    pub(crate) fn give_back(&mut self, settings: PaintSettings, layers: LayerStack, file_layers: FileLayers) {
        (self.settings, self.layers, self.file_layers) = (settings, layers, file_layers);
    }

    /// Takes the layers that a step of the history or a session file has.
    pub(crate) fn take_layers(&mut self, layers: LayerStack) {
        self.layers = layers;
    }

    /// Tells that the pointer is over a point of the viewport, pixels from its top left, or over nothing that could be painted: the ring of
    /// the brush is drawn there.
    fn hover_at(&mut self, at: Option<Vec2>) {
        self.hover = at.filter(|at| at.is_finite() && self.brush.is_some());
    }

    /// Gives up the copies of layers that are not there yet, as where another model stands beside this one by now.
    pub(crate) fn give_up_copies(&mut self) {
        self.copying.clear();
    }

    /// Takes the brush from the hand of another session, whose model was the active one, and the copies of layers that it waits for. A stroke
    /// there ends.
    pub(crate) fn take_brush(&mut self, other: &mut Self) {
        stroke::end(other);
        other.vertex_drag.put_down();
        (self.brush, other.hover) = (other.brush.take(), None);
        self.copying = other.copying.drain(..).map(LayerCopy::turned).collect();
        self.settings = PaintSettings { to: None, ..other.settings.clone() };
    }
}

impl Session {
    /// Returns the brush in the hand, its settings, and what was painted.
    #[must_use]
    pub fn painting(&self) -> &Painting {
        &self.painting
    }

    /// Returns the weights that were painted, in double precision, so that saving them rounds them once; `None` where none were, or others
    /// have changed them since.
    #[must_use]
    pub fn painted_weights(&self) -> Option<&Painted> {
        self.painting.easel.painted(self.edited_weights().edited_model()?)
    }

    /// Returns how far a dab reaches, metres: the radius of the settings or, where that is 0, a share of the size of the model.
    #[must_use]
    pub fn paint_radius(&self) -> f64 {
        self.brushwork().paint_radius()
    }
}

impl Brushwork<'_> {
    /// Returns how far a dab reaches, metres.
    pub(super) fn paint_radius(self) -> f64 {
        match self.painting.settings.radius {
            radius if radius > 0.0 => radius,
            _ => USUAL_RADIUS * f64::from(self.pose.opened_bounds.diagonal().max(1e-6)),
        }
    }
}

/// Notes that a command is about to be carried out: one that gives the pointer something else to do takes the brush out of the hand, and what
/// ends a gesture ends its stroke.
pub(crate) fn note(painting: &mut Painting, command: &Command) {
    use crate::EditCommand::{
        BeginEdit, Bind, CancelEdit, ChangeWeights, EndEdit, InsertLinks, NormaliseWeights, Redo, Shape, Undo,
    };
    match command {
        Command::Edit(
            BeginEdit | EndEdit | Undo | Redo | ChangeWeights(_) | NormaliseWeights | Bind(_) | InsertLinks(..)
            | Shape(_),
        )
        | Command::Keying(_)
        | Command::Tool(_) => stroke::end(painting),
        // The weights from before it come back with all else.
        Command::Edit(CancelEdit) => {
            painting.note = None;
            painting.vertex_drag.give_up();
        }
        _ => {}
    }
    if matches!(command, Command::Edit(Undo)) {
        // What the stroke has done may be what is taken back, and its figures would speak of what is no longer there.
        painting.last = None;
    }
    if matches!(
        command,
        Command::Mark(MarkCommand::Use(Some(_)))
            | Command::Tool(ToolCommand::Choose(Some(_)) | ToolCommand::Repair { .. })
            | Command::View(ViewCommand::SetPoseTool(_))
    ) {
        stroke::end(painting);
        painting.vertex_drag.put_down();
        (painting.brush, painting.hover) = (None, None);
    }
}

/// Lets the canvas follow the weights of the model, after anything may have changed them. Costs nothing where there is no canvas.
pub(crate) fn follow(painter: &mut Painter<'_>) {
    vertex_drag::follow(painter);
    // A canvas takes what a drag of a vertex has done once it ends.
    if painter.painting.easel.canvas.is_none() || painter.painting.vertex_drag.is_dragging() {
        return;
    }
    let Some(model) = painter.skinning.edited().edited_model().map(Arc::clone) else { return };
    let painting = &mut *painter.painting;
    if !painting.easel.is_of(&model) || painting.easel.has_other_layers(&painting.layers) {
        let strokes = painting.easel.go_to(&model, &painting.layers, painting.record.count());
        painting.go_to_stroke(strokes);
        layers::follow(painter);
    } else if !painter.has_gesture {
        // A gesture may end in other ways than by its command.
        stroke::end(painter.painting);
    }
}

/// Returns the model for which a canvas is to be made: a brush is in the hand, and there is none yet.
pub(crate) fn wanted_canvas(painting: &Painting, weights: EditedWeights<'_>) -> Option<Arc<Model>> {
    painting.brush?;
    let model = weights.edited_model()?;
    painting.easel.canvas.is_none().then(|| Arc::clone(model))
}

/// Takes a canvas that was made in the background, where it is still of use.
pub(crate) fn take_canvas(painter: &mut Painter<'_>, canvas: Canvas) {
    follow(painter);
    if wanted_canvas(painter.painting, painter.skinning.edited()).is_some() {
        stroke::put_up_made(painter, canvas);
    }
}
