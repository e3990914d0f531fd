//! Strokes as a file has them.

use std::collections::BTreeMap;

use skinscope_anim::pose::Keys;
use skinscope_inspect::VertexSet;
use skinscope_model::{Model, NodeId, PrimitiveId};
use skinscope_paint::{
    Centre, Dab, DabForm, Distance, EyeForm, FrontFaces, Marked, MaskForm, Named, Stroke, StrokeForm, Touch,
};
use skinscope_weights::Need;

/// Returns a stroke as a file has it, with its dabs. Its pose file has no name yet.
pub(super) fn form_of(model: &Model, stroke: &Stroke) -> StrokeForm {
    let keys = Keys::of(model);
    let key = |node: NodeId| keys.key(node).to_owned();
    let needs = |need: Need| stroke.brush.needs.contains(&need);
    let locked: Vec<String> = stroke.locked.iter().map(|node| key(*node)).collect();
    let mut out = StrokeForm {
        brush: Some(stroke.brush.id.to_owned()),
        joint: stroke.joint.map(key),
        with: stroke.with.iter().map(|node| key(*node)).collect(),
        to: stroke.to.map(key),
        value: needs(Need::Value).then_some(stroke.value),
        factor: needs(Need::Factor).then_some(stroke.factor),
        strength: Some(stroke.strength),
        radius: Some(stroke.radius),
        falloff: Some(stroke.falloff.id.to_owned()),
        // Dabs that measure in the picture list what they touch.
        distance: Some(stroke.distance).filter(|way| *way != Distance::Screen).map(|way| way.id().to_owned()),
        accumulate: Some(stroke.accumulate),
        floor: Some(stroke.floor),
        ceiling: Some(stroke.ceiling),
        normalise: Some(stroke.normalise),
        max_influences: stroke.max_influences.and_then(|most| i64::try_from(most).ok()),
        locked: (!locked.is_empty()).then_some(locked),
        mirror: stroke.mirror.map(|axis| axis.id().to_owned()),
        front_faces: stroke.front_faces.map(eye_form),
        mask: stroke.mask.as_ref().map(|mask| mask_form(model, mask)),
        pose: None,
        clip: stroke.posing.clip.map(|clip| Named::Number(clip.index() as u64)),
        time: stroke.posing.clip.map(|_| stroke.posing.time),
        method: Some(stroke.method.id.to_owned()),
        dabs: Some(Vec::new()),
    };
    stroke.dabs.iter().for_each(|dab| add_dab(&mut out, dab));
    out
}

/// Adds a dab to a stroke as a file has it.
pub(super) fn add_dab(form: &mut StrokeForm, dab: &Dab) {
    let place = |at: PrimitiveId, vertex: u32| [at.mesh.index() as u64, at.primitive as u64, u64::from(vertex)];
    let listed = |touch: &Touch| {
        let [mesh, primitive, vertex] = place(touch.primitive, touch.vertex);
        (mesh, primitive, vertex, touch.share)
    };
    let (vertex, position, weights) = match &dab.at {
        Centre::Vertex(at, vertex) => (Some(place(*at, *vertex)), None, None),
        Centre::Position(position) => (None, Some(position.to_array()), None),
        Centre::Listed(touches) => (None, None, Some(touches.iter().map(listed).collect())),
    };
    let time = dab.time.filter(|time| form.time.is_some_and(|stroke| stroke.to_bits() != time.to_bits()));
    let pressure = Some(dab.pressure).filter(|pressure| *pressure != 1.0);
    form.dabs.get_or_insert_default().push(DabForm { vertex, position, weights, pressure, time });
}

fn eye_form(front: FrontFaces) -> EyeForm {
    let angle = Some(front.angle).filter(|angle| *angle != FrontFaces::USUAL_ANGLE);
    EyeForm { eye: front.eye.to_array(), angle }
}

/// Names vertices of the file, each once.
fn mask_form(model: &Model, mask: &VertexSet) -> MaskForm {
    let mut parts: BTreeMap<(u64, u64), Vec<u64>> = BTreeMap::new();
    for (mesh, primitive, vertex) in mask.iter().filter(|(mesh, ..)| model.file_mesh(*mesh) == *mesh) {
        parts.entry((mesh.index() as u64, primitive as u64)).or_default().push(u64::from(vertex));
    }
    let marked = |((mesh, primitive), vertices)| Marked { mesh, primitive, vertices };
    MaskForm { vertices: parts.into_iter().map(marked).collect() }
}
