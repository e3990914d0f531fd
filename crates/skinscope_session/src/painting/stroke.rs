//! Dabs and strokes: from the brush in the hand to the weights of the model.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::{DVec3, Vec3};
use skinscope_base::math::Projection;
use skinscope_inspect::VertexSet;
use skinscope_model::{MeshId, Model, NodeId, WeightChange};
use skinscope_paint::{Canvas, Centre, Dab, Distance, FrontFaces, Stroke, StrokeReport, written};
use skinscope_weights::FALLOFFS;
use skinscope_weights::brush::falloff;

use super::easel::OpenStroke;
use super::hand::{Hand, is_joint};
use super::record::IntoLayer;
use super::stance::Stance;
use super::{PaintDab, PaintNote, Painter, Painting, layer_steps, notes, screen, written_form};
use crate::Brushwork;

/// Touches the surface with the brush in the hand. Outside of a gesture that is a stroke of its own.
pub(super) fn dab(painter: &mut Painter<'_>, dab: &PaintDab) {
    if !dab.is_finite() {
        return;
    }
    let before = painter.painting.easel.stroke.as_ref().map(|stroke| stroke.stance.clone());
    let Some(stance) = stand(painter, before.as_ref()) else { return };
    let is_seen = painter.painting.settings.distance == Distance::Screen;
    let at = match is_seen.then(|| screen::listed(painter.brushwork(), dab.position)).transpose() {
        Ok(at) => at,
        Err(note) => {
            painter.painting.note = Some(note);
            return;
        }
    };
    if before.is_some_and(|before| !before.goes_on(&stance)) {
        end(painter.painting);
    }
    if painter.painting.easel.stroke.is_none() {
        let begun = begin(painter, (dab.flips, dab.smooths), stance.clone(), |stroke| stroke);
        if let Err(note) = begun {
            painter.painting.note = Some(note);
            return;
        }
    }
    let at = match at {
        Some(listed) => listed,
        None => Centre::Position(DVec3::from_array(dab.position.map(written))),
    };
    touch(painter, &[Dab { at, pressure: written(dab.pressure), time: Some(stance.posing.time) }]);
    if !painter.has_gesture {
        end(painter.painting);
    }
}

/// Makes ready for a dab: puts a canvas up that has the weights of the model. Returns how the model stands; `None` where nothing is open or
/// held.
pub(super) fn stand(painter: &mut Painter<'_>, before: Option<&Stance>) -> Option<Stance> {
    painter.painting.brush?;
    put_up(painter);
    painter.model()?;
    Some(Stance::of(painter.brushwork(), before))
}

/// Puts a canvas up that has the weights of the model, where none has them.
pub(super) fn put_up(painter: &mut Painter<'_>) {
    super::follow(painter);
    let Some(model) = painter.skinning.edited().edited_model().map(Arc::clone) else { return };
    let painting = &mut *painter.painting;
    if painting.easel.fits(&model) {
        return;
    }
    if !painting.easel.renew(&model, &painting.layers) {
        let mut canvas = Canvas::new(model);
        canvas.adopt_layers(painting.layers.clone());
        painting.easel.put_up(canvas, painting.record.count());
    }
    layer_steps::note(painter, true);
}

/// Puts a canvas up that was made in the background, where there is none yet and it is that of the open model.
pub(super) fn put_up_made(painter: &mut Painter<'_>, mut canvas: Canvas) {
    let is_its = painter.skinning.edited().edited_model().is_some_and(|model| Arc::ptr_eq(model, canvas.model()));
    let painting = &mut *painter.painting;
    if is_its && painting.easel.canvas.is_none() {
        canvas.adopt_layers(painting.layers.clone());
        painting.easel.put_up(canvas, painting.record.count());
        layer_steps::note(painter, true);
    }
}

/// Begins a stroke; `change` changes what the settings say of it. The error says why there is none.
pub(super) fn begin(
    painter: &mut Painter<'_>,
    (flips, smooths): (bool, bool),
    stance: Stance,
    change: impl FnOnce(Stroke) -> Stroke,
) -> Result<(), PaintNote> {
    let brushwork = painter.brushwork();
    let Some(hand) = Hand::of(brushwork, flips, smooths) else { return Err(PaintNote::default()) };
    if let Some(why) = notes::lacks(brushwork, hand) {
        return Err(why);
    }
    let Some(model) = brushwork.model.map(Arc::clone) else { return Err(PaintNote::default()) };
    let stroke = change(stroke_of(brushwork, &model, hand, &stance));
    let Some(canvas) = &brushwork.painting.easel.canvas else { return Err(PaintNote::default()) };
    let is_mask = brushwork.painting.paints_mask();
    let begun = if is_mask { canvas.begin_mask(&stroke) } else { canvas.begin(&stroke) };
    let brushing = begun.map_err(|why| notes::cannot_begin(brushwork, &why))?;
    let form = written_form::form_of(&model, &stroke);
    painter.painting.easel.stroke = Some(OpenStroke { brushing, form, stance, flips, smooths, is_mask });
    Ok(())
}

/// Returns what the settings say of a stroke, without its dabs.
fn stroke_of(brushwork: Brushwork<'_>, model: &Model, hand: Hand, stance: &Stance) -> Stroke {
    let settings = &brushwork.painting.settings;
    let locked: BTreeSet<NodeId> =
        brushwork.tools.locked.iter().copied().filter(|node| is_joint(model, *node)).collect();
    Stroke {
        brush: hand.brush,
        joint: hand.joint,
        to: hand.to,
        with: brushwork.painted_with(hand.joint),
        value: written(settings.value),
        factor: written(hand.factor),
        strength: written(settings.strength),
        radius: written(brushwork.paint_radius()),
        falloff: falloff(&settings.falloff).unwrap_or(FALLOFFS[0]),
        distance: settings.distance,
        accumulate: settings.accumulate,
        floor: written(settings.floor),
        ceiling: written(settings.ceiling),
        normalise: settings.normalise,
        max_influences: settings.max_influences,
        locked,
        mirror: settings.mirror,
        front_faces: settings
            .front_only
            .then(|| FrontFaces { eye: eye(brushwork, model, hand.joint), angle: written(settings.front_angle) }),
        mask: settings.only_marked.then(|| mask_of(model, &brushwork.view.marked)),
        // Data that a method works out for a model is not in a file of strokes.
        method: Some(brushwork.picking.deforming.shown_method())
            .filter(|method| method.data.is_none())
            .unwrap_or(skinscope_deform::METHODS[0]),
        posing: Arc::new(stance.posing.clone()),
        dabs: Vec::new(),
    }
}

/// Returns the place of the eye in the scene of the file, metres. That of a parallel projection is so far away that it makes no difference.
fn eye(brushwork: Brushwork<'_>, model: &Model, joint: Option<NodeId>) -> DVec3 {
    const FAR: f32 = 1e3;
    let from_view = brushwork.view.world_from_view();
    let size = brushwork.pose.opened_bounds.diagonal().max(1e-3);
    let back = match brushwork.view.projection() {
        Projection::Orthographic { .. } => FAR * size * Vec3::from(from_view.matrix3.z_axis),
        Projection::Perspective { .. } => Vec3::ZERO,
    };
    let eye = Vec3::from(from_view.translation) + back;
    let origin = skinscope_paint::scene_origin(model, joint, &brushwork.pose.local);
    DVec3::from_array((eye.as_dvec3() + origin).to_array().map(written))
}

/// Returns marked vertices as a file of strokes names them: of every copy of a mesh.
pub(super) fn mask_of(model: &Model, marked: &VertexSet) -> VertexSet {
    let mut copies: BTreeMap<MeshId, Vec<MeshId>> = BTreeMap::new();
    for mesh in (0..model.meshes.len()).map(MeshId::from_index) {
        copies.entry(model.file_mesh(mesh)).or_default().push(mesh);
    }
    let mut out = Vec::new();
    for (mesh, primitive, vertex) in marked.iter() {
        let of_file = copies.get(&model.file_mesh(mesh)).into_iter().flatten();
        out.extend(of_file.map(|copy| (*copy, primitive, vertex)));
    }
    VertexSet::from_vertices(out)
}

/// Carries dabs of the stroke out that is under way, and says at the pointer why they have changed nothing.
pub(super) fn touch(painter: &mut Painter<'_>, dabs: &[Dab]) {
    for dab in dabs {
        let easel = &mut painter.painting.easel;
        let (Some(canvas), Some(stroke)) = (&mut easel.canvas, &mut easel.stroke) else { return };
        match canvas.dab(&mut stroke.brushing, dab) {
            Ok(changes) => {
                written_form::add_dab(&mut stroke.form, dab);
                take_changes(painter, &changes);
            }
            Err(why) => painter.painting.note = Some(notes::refused(&why.to_string())),
        }
    }
}

/// Gives the open model the weights that the canvas has, as a step of the history.
pub(super) fn take_changes(painter: &mut Painter<'_>, changes: &[WeightChange]) {
    let Some(painted) = painter.painting.easel.canvas.as_ref().map(|canvas| Arc::clone(canvas.model())) else { return };
    if changes.is_empty() {
        painter.painting.note = notes::of_stroke(painter.brushwork());
        let easel = &painter.painting.easel;
        let open = easel.canvas.as_ref().zip(easel.stroke.as_ref());
        match open.map(|(canvas, stroke)| canvas.report(&stroke.brushing).changed) {
            None => {}
            // What was refused is no step, and the stroke goes on.
            Some(0) => put_back_layers(painter.painting),
            // A mask changes no weight where its layer has none, and an effect may hide what the layer has got.
            Some(_) => layer_steps::note(painter, false),
        }
        return;
    }
    painter.painting.note = notes::under_mask(painter.brushwork());
    let is_step = painter.skinning.change_painted(changes, painted);
    follow_shown(painter, is_step);
}

/// Lets the canvas go on with the model that is shown by now, and the session have its layers, as a part of the last step where it is one.
pub(super) fn follow_shown(painter: &mut Painter<'_>, is_step: bool) {
    // Weights that are those of the file again are shown by the model that was read.
    let shown = painter.model().map(Arc::clone);
    if let (Some(canvas), Some(shown)) = (&mut painter.painting.easel.canvas, shown) {
        canvas.adopt(&shown);
    }
    layer_steps::note(painter, is_step);
}

/// Gives the canvas the layers that the session has, after a dab that has changed nothing of them.
fn put_back_layers(painting: &mut Painting) {
    if let Some(canvas) = &mut painting.easel.canvas {
        canvas.put_back_layers(&painting.layers);
    }
}

/// Ends the stroke that is under way, and records it where it has changed something.
pub(super) fn end(painting: &mut Painting) {
    let open = painting.easel.canvas.as_ref().zip(painting.easel.stroke.as_ref());
    match open.map(|(canvas, stroke)| canvas.report(&stroke.brushing)) {
        Some(report) => end_with(painting, report),
        None => painting.easel.stroke = None,
    }
}

/// Does the same for a stroke of which it is known what it has done.
pub(super) fn end_with(painting: &mut Painting, report: StrokeReport) {
    let Some(mut stroke) = painting.easel.stroke.take() else { return };
    if report.changed > 0 {
        // A file of strokes knows no layers: those into a layer and those into the base below layers are in files of their own.
        let into = IntoLayer { layer: painting.layers.active(), is_mask: stroke.is_mask };
        let into = (!painting.layers.is_empty()).then_some(into);
        // A pose has a name where a stroke that stays was painted in it.
        stroke.form.pose = stroke.stance.pose.as_ref().map(|pose| painting.name_of_pose(pose));
        painting.record(into, stroke.form);
        painting.easel.note_stroke(painting.record.count());
    } else {
        let active = painting.layers.active();
        painting.easel.forget_stroke();
        if let Some(canvas) = &mut painting.easel.canvas {
            canvas.select_layer(active);
            painting.layers = canvas.layers().clone();
        }
    }
    painting.last = Some(report);
}
