//! Dragging the pinned vertex to where it should be: its weights follow, and those of the vertices around it. The same vertex may be pinned in
//! several poses, for all of which its weights are found at once.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::DVec3;
use skinscope_anim::pose::Mirror;
use skinscope_edit::Sheet;
use skinscope_inspect::VertexRef;
use skinscope_model::{LocalPose, Model, PrimitiveId, SkinningChange, WeightChange, WeightEdits};
use skinscope_paint::{LayerDrag, LayerDragged, written};
use skinscope_solve::{Pin, PullField, PullSettings, Pulled, SolveSettings};
use skinscope_weights::brush::falloff;
use skinscope_weights::{FALLOFFS, RestSurface, Table, TableRow};

use super::drag_in_layer::{self, InLayer};
use super::drag_joints::DragJoints;
use super::drag_pin::{DragPin, Following, PinMoment};
use super::{PaintNote, Painter, Painting, notes, stroke};

/// In so many poses a vertex can be pinned.
const MOST_PINS: usize = 8;
/// So many moments are kept for undo and redo to go back to.
const MOST_MOMENTS: usize = 1001;

/// Where a move puts the vertex in each pose, with how far that and the hull of its joints are from where it should be, metres.
type Places = Vec<(DVec3, [f64; 2])>;

/// Commands about a vertex that is dragged.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum VertexDragCommand {
    /// Let the pointer drag vertices (`true`), or not.
    Use(bool),
    /// Say among which joints the weights are looked for.
    SetJoints(DragJoints),
    /// The pinned vertex should be here in the pose that is shown: scene's space of the file, metres. Its weights are found for this pose and
    /// for all in which it was dragged before. Within a gesture ([`crate::EditCommand::BeginEdit`]) all of these are one step.
    To(#[serde(with = "crate::command::shared_lists::place")] [f64; 3]),
    /// Forget a pose in which the vertex is held, by its number; the weights stay.
    Forget(usize),
    /// Forget all of them; the weights stay.
    ForgetAll,
}

/// The vertex that is dragged, with the poses in which it is held.
#[derive(Clone, Debug, Default)]
pub struct VertexDrag {
    is_on: bool,
    joints: DragJoints,
    vertex: Option<VertexRef>,
    pins: Vec<DragPin>,
    /// The weights that the pins have made, and those from before them.
    made: Option<Made>,
    /// The vertices that were dragged before, the first one first.
    earlier: Vec<Earlier>,
    /// The drag that is under way.
    open: Option<Box<Open>>,
    /// The surfaces of a model that has the same ones as the open one.
    surfaces: Option<(Arc<Model>, Arc<Vec<RestSurface>>)>,
    /// What the pinned vertex alone takes along, and what it was found from.
    reach: Option<Reach>,
    moments: Vec<Moment>,
    /// The model that was looked at last.
    seen: Option<Arc<Model>>,
}

/// The weights from before the pins, and what the pins have made of them.
#[derive(Clone, Debug)]
struct Made {
    base: Arc<Model>,
    of: MadeOf,
}

/// What the pins have changed.
#[derive(Clone, Debug)]
enum MadeOf {
    /// The weights themselves, by how they differ from those from before.
    Weights(Vec<WeightChange>),
    /// A layer, by the rows that it was given.
    Layer(Arc<InLayer>, Vec<TableRow>),
}

impl Made {
    /// Whether a drag that would begin now changes the same, so that it can go back to the weights from before this one.
    fn goes_on(&self, painting: &Painting) -> bool {
        match &self.of {
            MadeOf::Weights(_) => painting.layers().is_empty(),
            MadeOf::Layer(layer, _) => layer.is_in_hand(painting),
        }
    }
}

/// A vertex that was dragged before another one was.
#[derive(Clone, Debug)]
struct Earlier {
    vertex: VertexRef,
    pins: Vec<DragPin>,
    /// What its pins have made, before those of the later ones.
    made: Option<Made>,
}

/// A drag that is under way.
#[derive(Clone, Debug)]
struct Open {
    field: PullField,
    base: Arc<Model>,
    /// The weights of the base.
    tables: Vec<Table>,
    settings: PullSettings,
    locked: BTreeSet<u32>,
    /// The layer that it goes into; `None` where there are no layers.
    in_layer: Option<Arc<InLayer>>,
}

/// What the pinned vertex alone takes along.
#[derive(Clone, Debug)]
struct Reach {
    of: (VertexRef, DragJoints),
    model: Arc<Model>,
    field: PullField,
}

/// Weights that the model has had, with the pins of then.
#[derive(Clone, Debug)]
struct Moment {
    edits: WeightEdits,
    vertex: Option<VertexRef>,
    pins: Vec<DragPin>,
    made: Option<Made>,
    earlier: Vec<Earlier>,
}

impl VertexDrag {
    /// Returns whether the pointer drags vertices.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Returns among which joints the weights are looked for.
    #[must_use]
    pub fn joints(&self) -> DragJoints {
        self.joints
    }

    /// Returns the poses in which the vertex is held.
    #[must_use]
    pub fn pins(&self) -> &[DragPin] {
        &self.pins
    }

    /// Returns how many vertices that were dragged before are held in poses too.
    #[must_use]
    pub fn others(&self) -> usize {
        self.earlier.iter().filter(|earlier| !earlier.pins.is_empty()).count()
    }

    /// Returns the poses in which any vertex is held, each with its vertex.
    pub(super) fn all_pins(&self) -> impl Iterator<Item = (VertexRef, &DragPin)> {
        let earlier = self.earlier.iter().flat_map(|of| of.pins.iter().map(move |pin| (of.vertex, pin)));
        let own = self.vertex.into_iter().flat_map(move |vertex| self.pins.iter().map(move |pin| (vertex, pin)));
        earlier.chain(own)
    }

    /// Returns the model with the weights from before all drags, where these can be taken back.
    pub(super) fn model_before<'a>(&'a self, now: &'a Arc<Model>) -> &'a Arc<Model> {
        let mut all = self.earlier.iter().filter_map(|of| of.made.as_ref()).chain(&self.made);
        let first = all.next().map(|made| &made.base);
        first.filter(|base| base.shares_all_but_edits(now)).unwrap_or(now)
    }

    /// Goes on with another vertex. The one from before stays held as it is; where the other one was held, it begins anew.
    fn turn_to(&mut self, vertex: VertexRef) {
        self.earlier.iter_mut().filter(|of| of.vertex == vertex).for_each(|of| of.pins.clear());
        let (pins, made) = (std::mem::take(&mut self.pins), self.made.take());
        if let Some(before) = self.vertex.replace(vertex).filter(|_| made.is_some() || !pins.is_empty()) {
            self.earlier.push(Earlier { vertex: before, pins, made });
        }
    }

    /// What follows begins with the weights as they are.
    fn forget_made(&mut self) {
        self.made = None;
        self.earlier.iter_mut().for_each(|of| of.made = None);
    }

    /// Returns whether a drag is under way.
    pub(super) fn is_dragging(&self) -> bool {
        self.open.is_some()
    }

    /// Returns where each joint that the pinned vertex may have would take it alone in a pose: scene's space of the file, metres.
    #[must_use]
    pub fn ghosts(&self, model: &Model, pose: &LocalPose) -> Vec<DVec3> {
        let reach = self.reach.as_ref().filter(|_| self.is_on);
        let field = self.open.as_ref().map(|open| &open.field).or(reach.map(|reach| &reach.field));
        field.map(|field| field.ghosts(model, pose)).unwrap_or_default()
    }

    /// Lets the pointer drag no vertex any more.
    pub(super) fn put_down(&mut self) {
        (self.is_on, self.reach) = (false, None);
    }

    /// The drag that is under way is given up: the pins are those of the weights that come back.
    pub(super) fn give_up(&mut self) {
        (self.open, self.seen) = (None, None);
    }

    /// Forgets all but the choice of joints.
    pub(super) fn forget(&mut self) {
        *self = Self { joints: self.joints, ..Self::default() };
    }

    /// Lets the pins follow a model whose nodes or morph targets are others than those of the one before.
    pub(super) fn follow_layout(&mut self, before: &Model, now: &Model) {
        let following = Following::new(before, now);
        let known = self
            .moments
            .iter_mut()
            .flat_map(|moment| moment.pins.iter_mut().chain(moment.earlier.iter_mut().flat_map(|of| &mut of.pins)));
        let earlier = self.earlier.iter_mut().flat_map(|of| &mut of.pins);
        self.pins.iter_mut().chain(earlier).chain(known).for_each(|pin| following.follow(pin));
        (self.open, self.reach) = (None, None);
    }

    /// Notes the pins of the weights that a model has.
    fn note(&mut self, model: &Arc<Model>) {
        self.moments.retain(|moment| moment.edits != *model.weight_edits());
        if self.moments.len() >= MOST_MOMENTS {
            self.moments.remove(0);
        }
        self.moments.push(Moment {
            edits: model.weight_edits().clone(),
            vertex: self.vertex,
            pins: self.pins.clone(),
            made: self.made.clone(),
            earlier: self.earlier.clone(),
        });
        self.seen = Some(Arc::clone(model));
    }

    /// Takes the pins that belong to the weights of a model, where they are known.
    fn go_to(&mut self, model: &Arc<Model>) {
        if self.seen.as_ref().is_some_and(|seen| Arc::ptr_eq(seen, model)) {
            return;
        }
        self.seen = Some(Arc::clone(model));
        // Others have changed the weights: what follows begins with theirs.
        self.forget_made();
        if let Some(moment) = self.moments.iter().rev().find(|moment| moment.edits == *model.weight_edits()) {
            // The weights from before the pins are those of a model with these nodes and morph targets.
            let is_of_layout = |made: &Made| made.base.shares_all_but_edits(model);
            let made = moment.made.clone().filter(is_of_layout);
            self.earlier = moment.earlier.clone();
            self.earlier.iter_mut().for_each(|of| of.made = of.made.take().filter(is_of_layout));
            (self.vertex, self.pins, self.made) = (moment.vertex, moment.pins.clone(), made);
        }
    }

    /// Returns the surfaces of a model.
    fn surfaces_of(&mut self, model: &Arc<Model>) -> Arc<Vec<RestSurface>> {
        if let Some((_, surfaces)) = self.surfaces.as_ref().filter(|(of, _)| of.shares_all_but_edits(model)) {
            return Arc::clone(surfaces);
        }
        let surfaces = Arc::new(Sheet::parts_of(model).1);
        self.surfaces = Some((Arc::clone(model), Arc::clone(&surfaces)));
        surfaces
    }
}

/// Carries out a command about dragging a vertex.
pub(super) fn apply(painter: &mut Painter<'_>, command: &VertexDragCommand) {
    match command {
        VertexDragCommand::Use(is_on) => take_up(painter, *is_on),
        VertexDragCommand::SetJoints(joints) => painter.painting.vertex_drag.joints = *joints,
        VertexDragCommand::To(at) => {
            let done = drag_to(painter, DVec3::from_array(at.map(written)));
            painter.painting.note = done.err();
        }
        VertexDragCommand::Forget(number) => forget(painter, |place| place == *number),
        VertexDragCommand::ForgetAll => {
            painter.painting.vertex_drag.earlier.clear();
            forget(painter, |_| true);
        }
    }
}

/// Lets the pointer drag vertices, or not. Who does sees the weights that are edited, and holds no brush.
fn take_up(painter: &mut Painter<'_>, is_on: bool) {
    stroke::end(painter.painting);
    let is_possible = painter.model().is_some_and(|model| !model.skins.is_empty());
    painter.painting.note = None;
    if !is_on || !is_possible {
        return painter.painting.vertex_drag.put_down();
    }
    painter.painting.vertex_drag.is_on = true;
    painter.painting.brush = None;
    painter.painting.hover_at(None);
    painter.marking.tool = None;
    if painter.skinning.tools.operation.is_some() {
        painter.skinning.choose(None);
    }
}

/// Forgets pins. What follows begins with the weights as they are.
fn forget(painter: &mut Painter<'_>, is_one: impl Fn(usize) -> bool) {
    let model = painter.skinning.edited().edited_model().map(Arc::clone);
    let drag = &mut painter.painting.vertex_drag;
    let mut place = 0..;
    drag.pins.retain(|_| !place.next().is_some_and(&is_one));
    drag.open = None;
    drag.forget_made();
    if let Some(model) = model {
        drag.note(&model);
    }
}

/// Finds the weights that put the pinned vertex here in the pose that is shown. The error says why there are none, or why they do not put it there.
fn drag_to(painter: &mut Painter<'_>, target: DVec3) -> Result<(), PaintNote> {
    if !target.is_finite() {
        return Ok(());
    }
    let is_of_second = painter.skinning.view.pinned_second;
    let pinned = painter.skinning.view.pinned.filter(|_| !is_of_second);
    let Some(vertex) = pinned else { return Err(notes::refused("no vertex of the open model is pinned")) };
    let Some(model) = painter.skinning.edited().edited_model().map(Arc::clone) else { return Ok(()) };
    let pose = painter.skinning.pose.local.clone();
    begin(painter, vertex, &model)?;
    let is_known = painter.painting.vertex_drag.pins.iter().any(|pin| pin.is_of(&pose));
    let moment = if is_known { PinMoment::default() } else { PinMoment::of(painter.brushwork()) };
    let drag = &mut painter.painting.vertex_drag;
    let Some(open) = &mut drag.open else { return Ok(()) };
    let mut pins: Vec<Pin> = drag.pins.iter().map(|pin| pin.pin.clone()).collect();
    match drag.pins.iter().position(|pin| pin.is_of(&pose)) {
        Some(place) => pins[place] = Pin { pose, target },
        None if pins.len() >= MOST_PINS => {
            return Err(notes::refused("the vertex is held in eight poses already: forget one of them"));
        }
        None => pins.push(Pin { pose, target }),
    }
    let (places, why) = match open.in_layer.clone() {
        Some(layer) => put_in_layer(painter, layer, &pins)?,
        None => {
            let pulled = open.field.pull(&open.base, &pins, &open.locked, &open.settings);
            put(painter, &pulled);
            (places_of([&pulled.away, &pulled.outside], &pulled.landed), None)
        }
    };
    let now = painter.skinning.edited().edited_model().map(Arc::clone);
    let drag = &mut painter.painting.vertex_drag;
    let told = |(pin, (landed, [away, outside])): (Pin, (DVec3, [f64; 2]))| DragPin {
        pin,
        landed,
        away,
        outside,
        by_joints: false,
        moment: moment.clone(),
    };
    let mut pins: Vec<DragPin> = pins.into_iter().zip(places).map(told).collect();
    for (pin, before) in pins.iter_mut().zip(&drag.pins) {
        (pin.by_joints, pin.moment) = (before.by_joints, before.moment.clone());
    }
    (drag.pins, drag.seen) = (pins, now);
    why.map_or(Ok(()), Err)
}

/// Puts together where the vertex is in each pose, and how far that and the hull of its joints are from where it should be.
fn places_of([away, outside]: [&[f64]; 2], landed: &[DVec3]) -> Places {
    let distances = away.iter().zip(outside).map(|(away, outside)| [*away, *outside]);
    landed.iter().copied().zip(distances).collect()
}

/// Gives the model the weights that a drag has found.
fn put(painter: &mut Painter<'_>, pulled: &Pulled) {
    let drag = &mut painter.painting.vertex_drag;
    let Some(open) = &drag.open else { return };
    let changes = pulled.changes(&open.tables);
    let mut all = SkinningChange { weights: changes.clone(), binds: Vec::new() };
    if let Some(Made { base, of: MadeOf::Weights(before) }) = &drag.made
        && !are_of_same_vertices(before, &changes)
    {
        // What the drag reaches no more has its weights from before the pins again.
        let before = SkinningChange { weights: before.clone(), binds: Vec::new() };
        all.add_absent(base.skinning_before(&before));
    }
    drag.made = Some(Made { base: Arc::clone(&open.base), of: MadeOf::Weights(changes) });
    painter.skinning.change_weights(&all.weights);
}

/// Returns whether two lists of changes name the same vertices, as those of one move after the other do.
fn are_of_same_vertices(a: &[WeightChange], b: &[WeightChange]) -> bool {
    let is_same = |(a, b): (&WeightChange, &WeightChange)| {
        (a.mesh, a.primitive) == (b.mesh, b.primitive) && a.vertices == b.vertices
    };
    a.len() == b.len() && a.iter().zip(b).all(is_same)
}

/// Lets the layer in hand make the weights that put the vertex where it should be in some poses. Returns where it is then, and why it is not as
/// near as its joints could take it.
fn put_in_layer(
    painter: &mut Painter<'_>,
    layer: Arc<InLayer>,
    pins: &[Pin],
) -> Result<(Places, Option<PaintNote>), PaintNote> {
    let model = painter.skinning.edited().edited_model();
    let Painting { easel, vertex_drag: drag, .. } = &mut *painter.painting;
    let (Some(canvas), Some(open)) = (drag_in_layer::current(easel, model), drag.open.as_deref_mut()) else {
        return Err(notes::refused("something else has changed the weights: let the vertex go, and drag it again"));
    };
    let reached = match &drag.made {
        // What the drag reaches no more has its weights from before the pins again.
        Some(Made { of: MadeOf::Layer(_, rows), .. }) => &rows[..],
        _ => &[],
    };
    let Open { field, base, tables, settings, locked, .. } = open;
    let before = layer.before();
    let mut asked = LayerDrag { field, base, tables, pins, locked, settings, before, reached };
    let done = canvas.drag(&mut asked).map_err(|why| notes::refused(&why.to_string()))?;
    let LayerDragged { changes, rows, landed, away, outside, fit } = done;
    drag.made = Some(Made { base: Arc::clone(base), of: MadeOf::Layer(layer, rows) });
    drag_in_layer::take(painter, &changes);
    Ok((places_of([&away, &outside], &landed), drag_in_layer::why_not(painter.painting, fit)))
}

/// Gives the weights back from before the pins, which stay. Where others have changed the weights since, they are as they are. The error says why
/// they cannot be had.
pub(super) fn take_back(painter: &mut Painter<'_>) -> Result<(), PaintNote> {
    if !painter.painting.layers.is_empty() {
        stroke::put_up(painter);
    }
    let Some(model) = painter.skinning.edited().edited_model().map(Arc::clone) else { return Ok(()) };
    painter.painting.vertex_drag.go_to(&model);
    let painting: &Painting = painter.painting;
    let drag = &painting.vertex_drag;
    let mut all = drag.made.iter().chain(drag.earlier.iter().filter_map(|of| of.made.as_ref()));
    if all.any(|made| !made.goes_on(painting)) {
        return Err(notes::refused("the vertex was dragged in another layer than the one in hand"));
    }
    let drag = &mut painter.painting.vertex_drag;
    drag.open = None;
    // The last change first, since each has the weights from before it.
    let last = drag.made.take().into_iter();
    let all: Vec<Made> = last.chain(drag.earlier.iter_mut().rev().filter_map(|of| of.made.take())).collect();
    all.into_iter().try_for_each(|made| take_one_back(painter, made))?;
    if let Some(now) = painter.skinning.edited().edited_model().map(Arc::clone) {
        painter.painting.vertex_drag.note(&now);
    }
    Ok(())
}

fn take_one_back(painter: &mut Painter<'_>, made: Made) -> Result<(), PaintNote> {
    match made.of {
        MadeOf::Weights(changes) => {
            let before = made.base.skinning_before(&SkinningChange { weights: changes, binds: Vec::new() });
            painter.skinning.change_weights(&before.weights);
        }
        MadeOf::Layer(layer, rows) => {
            layer.give_back(painter, &rows)?;
            let strokes = painter.painting.recorded_count();
            painter.painting.easel.note_change(strokes);
        }
    }
    Ok(())
}

/// Begins a drag of a vertex, where none is under way.
fn begin(painter: &mut Painter<'_>, vertex: VertexRef, model: &Arc<Model>) -> Result<(), PaintNote> {
    let is_known = painter.painting.vertex_drag.vertex == Some(vertex);
    if is_known && painter.painting.vertex_drag.open.is_some() {
        return Ok(());
    }
    let settings = settings_of(painter);
    let locked = painter.skinning.tools.locked.iter().map(|node| node.0).collect();
    let in_layer = InLayer::begin(painter)?;
    painter.painting.vertex_drag.go_to(model);
    let painting: &Painting = painter.painting;
    let goes_on = painting.vertex_drag.made.as_ref().is_some_and(|made| made.goes_on(painting));
    let drag = &mut painter.painting.vertex_drag;
    if !goes_on && drag.made.is_some() {
        drag.forget_made();
    }
    if drag.vertex != Some(vertex) {
        drag.turn_to(vertex);
    }
    // The pins from before come back where the drag is given up or undone.
    drag.note(model);
    let in_layer = match &drag.made {
        Some(Made { of: MadeOf::Layer(layer, _), .. }) => Some(Arc::clone(layer)),
        _ => in_layer.map(Arc::new),
    };
    let base = drag.made.as_ref().map_or(model, |made| &made.base);
    let base = Arc::clone(base);
    let surfaces = drag.surfaces_of(&base);
    let tables = Sheet::of(&base).tables;
    let mirror = mirror_of(painter, &base);
    let at = place_of(&base, vertex);
    let found = at.and_then(|at| PullField::new(&base, (&surfaces, &tables), at, &settings, mirror));
    let Some(field) = found else { return Err(notes::refused("no skin moves this vertex")) };
    let drag = &mut painter.painting.vertex_drag;
    drag.open = Some(Box::new(Open { field, base, tables, settings, locked, in_layer }));
    Ok(())
}

/// Returns the partners of the nodes of a model, where it has those of the open one and joints are looked for near the vertex.
fn mirror_of<'a>(painter: &'a Painter<'_>, model: &Model) -> Option<&'a Mirror> {
    let counts = painter.painting.vertex_drag.joints != DragJoints::Kept;
    let document = painter.skinning.document.as_ref().filter(|_| counts)?;
    let is_of = document.stored().skeleton.len() == model.skeleton.len();
    is_of.then(|| painter.rules.own_pairs().unwrap_or_else(|| document.mirror()))
}

/// Returns what the settings of brushes say of a drag.
pub(super) fn settings_of(painter: &Painter<'_>) -> PullSettings {
    let brushes = &painter.painting.settings;
    PullSettings {
        most: brushes.max_influences.unwrap_or(usize::MAX),
        joints: painter.painting.vertex_drag.joints.joints(),
        keep: SolveSettings::default().keep,
        radius: written(painter.brushwork().paint_radius()),
        falloff: falloff(&brushes.falloff).unwrap_or(FALLOFFS[0]),
    }
}

/// Returns the primitive of a vertex, and its number in the file.
pub(super) fn place_of(model: &Model, vertex: VertexRef) -> Option<(PrimitiveId, usize)> {
    let mesh = model.instances.get(vertex.instance.index())?.mesh;
    let primitive = model.meshes.get(mesh.index())?.primitives.get(vertex.primitive)?;
    Some((PrimitiveId::new(mesh, vertex.primitive), vertex.stored(primitive)))
}

/// Lets the drag follow the weights of the model and the pinned vertex, after anything may have changed them.
pub(super) fn follow(painter: &mut Painter<'_>) {
    let drag = &painter.painting.vertex_drag;
    if !drag.is_on && drag.moments.is_empty() {
        return;
    }
    let Some(model) = painter.skinning.edited().edited_model().map(Arc::clone) else { return };
    let (pinned, has_gesture) = (painter.skinning.view.pinned, painter.has_gesture);
    let drag = &mut painter.painting.vertex_drag;
    if drag.open.is_some() {
        if has_gesture {
            return;
        }
        let was_in_layer = drag.open.take().is_some_and(|open| open.in_layer.is_some());
        drag.note(&model);
        if was_in_layer && painter.painting.easel.is_of(&model) {
            let strokes = painter.painting.recorded_count();
            painter.painting.easel.note_change(strokes);
        }
    }
    let drag = &mut painter.painting.vertex_drag;
    drag.go_to(&model);
    let Some(vertex) = pinned.filter(|_| drag.is_on) else {
        drag.reach = None;
        return;
    };
    let of = (vertex, drag.joints);
    let is_found = |reach: &Reach| reach.of == of && Arc::ptr_eq(&reach.model, &model);
    if !drag.reach.as_ref().is_some_and(is_found) {
        let reach = find_reach(painter, of, &model);
        painter.painting.vertex_drag.reach = reach;
    }
}

/// Finds where the joints of a vertex can take it.
fn find_reach(painter: &mut Painter<'_>, of: (VertexRef, DragJoints), model: &Arc<Model>) -> Option<Reach> {
    let settings = PullSettings { radius: 0.0, ..settings_of(painter) };
    let surfaces = painter.painting.vertex_drag.surfaces_of(model);
    let tables = Sheet::of(model).tables;
    let mirror = mirror_of(painter, model);
    let field = PullField::new(model, (&surfaces, &tables), place_of(model, of.0)?, &settings, mirror)?;
    Some(Reach { of, model: Arc::clone(model), field })
}
