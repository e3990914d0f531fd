//! Commands about brushes, and carrying them out.

use glam::Vec2;
use skinscope_model::NodeId;
use skinscope_paint::written;
use skinscope_weights::brush::GIVE;
use skinscope_weights::{Brush, exact};

use super::layer_copy::LayerCopy;
use super::layers::LayerCommand;
use super::settings::PaintSettings;
use super::vertex_drag::{self, VertexDragCommand};
use super::{Painter, layers, stroke, whole};
use crate::Session;

/// Commands about brushes that paint weights.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum PaintCommand {
    /// Take the brush with this id ([`skinscope_weights::Brush::id`]) in the hand; `None`: put it down, so that the pointer paints nothing.
    Hold(Option<String>),
    /// Take the brush that moves weight from one joint to another, and let it give to this joint.
    GiveTo(NodeId),
    /// Replace the settings of all brushes.
    Set(PaintSettings),
    /// Touch the surface. Within a gesture ([`crate::EditCommand::BeginEdit`]) the first touch begins a stroke that ends with the gesture; alone it
    /// is a stroke of its own.
    Dab(PaintDab),
    /// Touch every vertex that the brush may change once, with its strength: the marked ones, or all that the joint's skin has, whether they look
    /// towards the eye or not.
    Flood,
    /// Touch every vertex that the brush may change with a strength that falls from that of the brush at the first place to nothing at the second,
    /// scene's space of the file, metres.
    Gradient {
        /// The place with the strength of the brush.
        #[serde(with = "crate::command::shared_lists::place")]
        from: [f64; 3],
        /// The place where nothing is left of it.
        #[serde(with = "crate::command::shared_lists::place")]
        until: [f64; 3],
        /// Whether it falls in all directions around the first place; else along the line between both.
        radial: bool,
    },
    /// Take the painted joint's weight under a point of the viewport (pixels from its top left) as the weight that is set.
    Sample(#[serde(with = "skinscope_base::text_form::vector")] Vec2),
    /// Tell that the pointer is over this point of the viewport, or over nothing that could be painted.
    Hover(#[serde(with = "crate::command::shared_lists::optional_point")] Option<Vec2>),
    /// Forget the strokes that were recorded; the weights stay.
    Forget,
    /// Change the layers of weights.
    Layer(LayerCommand),
    /// Drag the pinned vertex to where it should be, which finds its weights.
    DragVertex(VertexDragCommand),
}

/// One touch of a brush.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PaintDab {
    /// The place: the point of the surface that is nearest to it is touched or, where distances are measured in the picture, what is seen around it.
    /// Scene's space of the file, metres.
    #[serde(with = "crate::command::shared_lists::place")]
    pub position: [f64; 3],
    /// The factor of the strength.
    #[serde(with = "exact")]
    pub pressure: f64,
    /// Whether the brush does the opposite, where it has one: add takes away, smooth sharpens. The first dab of a stroke says it for all.
    pub flips: bool,
    /// Whether the brush smooths, whatever else it does. The first dab of a stroke says it for all.
    pub smooths: bool,
}

impl PaintDab {
    /// Whether all of its numbers are numbers.
    pub(super) fn is_finite(&self) -> bool {
        self.position.iter().chain([&self.pressure]).all(|number| number.is_finite())
    }
}

impl PaintCommand {
    /// Whether the surface is touched, at a place that can be.
    fn touches(&self) -> bool {
        match self {
            Self::Dab(dab) => dab.is_finite(),
            Self::Flood => true,
            Self::Gradient { from, until, .. } => whole::ends_of(*from, *until).is_some(),
            _ => false,
        }
    }
}

/// Carries out a command of its family.
pub(crate) fn apply(session: &mut Session, command: PaintCommand) {
    let drags = matches!(command, PaintCommand::DragVertex(VertexDragCommand::To(_)));
    if drags || command.touches() && session.painting.brush.is_some() {
        // Touched are the weights that are edited and not what a tool would make of them, in the pose of now.
        if session.tools.is_trying() {
            session.choose_tool(None);
        }
        session.update_pose();
    }
    match command {
        PaintCommand::Hold(id) => hold(&mut session.painter(), id.as_deref().and_then(skinscope_weights::brush::brush)),
        PaintCommand::GiveTo(node) => {
            let settings = PaintSettings { to: Some(node), ..session.painting.settings.clone() };
            apply(session, PaintCommand::Set(settings));
            hold(&mut session.painter(), Some(&GIVE));
        }
        PaintCommand::Set(settings) => {
            let nodes = session.model().map_or(0, |model| model.skeleton.len());
            session.painting.settings = settings.usable(&session.painting.settings, nodes);
            session.painting.note = None;
        }
        PaintCommand::Dab(dab) => stroke::dab(&mut session.painter(), &dab),
        PaintCommand::Flood => whole::flood(&mut session.painter()),
        PaintCommand::Gradient { from, until, radial } => {
            whole::gradient(&mut session.painter(), [from, until], radial)
        }
        PaintCommand::Sample(at) => {
            if let Some(hit) = session.paint_hit(at).filter(|hit| hit.weight.is_finite()) {
                session.painting.settings.value = written(f64::from(hit.weight));
            }
        }
        PaintCommand::Hover(at) => session.painting.hover_at(at),
        PaintCommand::Forget => session.painting.forget_recorded(),
        PaintCommand::Layer(LayerCommand::CopyToOther(layer)) => session.copy_layer(LayerCopy { layer, comes: false }),
        PaintCommand::Layer(LayerCommand::CopyFromOther(layer)) => session.copy_layer(LayerCopy { layer, comes: true }),
        PaintCommand::Layer(LayerCommand::CancelCopy) => session.painting.give_up_copies(),
        PaintCommand::Layer(command) => layers::apply(&mut session.painter(), &command),
        PaintCommand::DragVertex(command) => vertex_drag::apply(&mut session.painter(), &command),
    }
}

/// Takes a brush in the hand, or none. Where the session does no work in the background, a canvas is made now, so that the first dab
/// does not wait for it.
fn hold(painter: &mut Painter<'_>, brush: Option<&'static Brush>) {
    stroke::end(painter.painting);
    let is_open = painter.model().is_some();
    painter.painting.brush = brush.filter(|_| is_open);
    painter.painting.note = None;
    if painter.painting.brush.is_none() {
        return painter.painting.hover_at(None);
    }
    // Who paints sees the weights that are painted, marks nothing by a drag, and tries no tool.
    painter.marking.tool = None;
    painter.painting.vertex_drag.put_down();
    if painter.skinning.tools.operation.is_some() {
        painter.skinning.choose(None);
    }
    if !painter.skinning.defers_work || painter.painting.easel.canvas.is_some() {
        stroke::put_up(painter);
    }
}
