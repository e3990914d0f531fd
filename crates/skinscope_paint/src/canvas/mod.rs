//! Carries strokes out on the weights of a model.
//!
//! A canvas keeps the rows that were painted in double precision beside the weights of the file, and rounds nothing until a file is written.
//! The surface that a dab touches is deformed by the weights as they are just then.

mod gradient;
mod posed;
mod rows;
mod state;
mod touched;

pub use self::state::Painted;

use std::collections::BTreeSet;
use std::sync::Arc;

use skinscope_deform::SurfaceDistances;
use skinscope_edit::Sheet;
use skinscope_model::{InstanceId, Model, NodeId, WeightChange};
use skinscope_weights::brush::{Asked, Task};
use skinscope_weights::{Effect, RestSurface, Stuck, TableRow, Toward};

use self::posed::{Moment, PosedSurfaces};
use self::rows::Rows;
use self::touched::{Place, Touched, TouchedPlaces};
use super::{Centre, Dab, Distance, Gradient, Stroke};

/// Weights that are painted.
#[derive(Debug)]
pub struct Canvas {
    model: Arc<Model>,
    surfaces: Vec<RestSurface>,
    rows: Rows,
    distances: Vec<SurfaceDistances>,
}

/// Why a stroke cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PaintError {
    /// The joint moves no mesh: no mesh has a skin with it.
    #[error("no mesh has a skin that has this joint")]
    NoMesh,
    /// A dab is at a vertex of a mesh whose skins do not have the joint.
    #[error("dabs[{0}]: the skin of this mesh does not have the joint")]
    NotOfSkin(usize),
    /// The surface is nowhere, since a matrix of the pose is not finite.
    #[error("dabs[{0}]: the surface has no finite place in this pose")]
    Nowhere(usize),
    /// New weights were refused by the model.
    #[error("{0}")]
    Refused(String),
}

/// What a stroke has done, in vertices of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StrokeReport {
    /// How many it touched with a strength above zero.
    pub vertices: usize,
    /// How many have other weights after it.
    pub changed: usize,
    /// How many got only a part of what was asked for.
    pub partial: usize,
    /// How many stay as they are although something else was asked for, by the reason.
    pub stuck: Vec<(Stuck, usize)>,
}

/// A stroke that is being painted.
#[derive(Debug)]
pub struct Brushing {
    stroke: Stroke,
    locked: BTreeSet<u32>,
    /// The parts of the surfaces that the stroke can touch.
    regions: Vec<Region>,
    touched: TouchedPlaces,
    dabs: usize,
    moment: Option<Moment>,
}

/// A surface that a stroke can touch.
#[derive(Clone, Debug)]
struct Region {
    /// The number of the surface.
    surface: usize,
    /// For each of its parts, the instance that shows where it is; `None` for a part that the stroke does not touch.
    shown_by: Vec<Option<InstanceId>>,
}

impl Canvas {
    /// Begins with the weights that a model has.
    #[must_use]
    pub fn new(model: Arc<Model>) -> Self {
        let (tables, surfaces) = Sheet::of(&model).into_parts();
        let distances = vec![SurfaceDistances::default(); surfaces.len()];
        Self { model, surfaces, rows: Rows::new(tables), distances }
    }

    /// Returns the model with the weights that were painted, in single precision.
    #[must_use]
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Returns the sheet of the model that the canvas began with, with all weights that were painted.
    #[must_use]
    pub fn sheet<'m>(&self, model: &'m Model) -> Sheet<'m> {
        let mut sheet = Sheet::of(model);
        self.rows.write_into(&mut sheet.tables);
        sheet
    }

    /// Carries a stroke out.
    ///
    /// # Errors
    /// The stroke cannot be carried out on this model. What its dabs before that have done stays.
    pub fn paint(&mut self, stroke: &Stroke) -> Result<StrokeReport, PaintError> {
        let mut brushing = self.begin(stroke)?;
        for dab in &stroke.dabs {
            self.dab(&mut brushing, dab)?;
        }
        Ok(self.report(&brushing))
    }

    /// Changes all vertices of a stroke's mask at once, wherever they are, with its whole strength. Its dabs and its radius do not count.
    ///
    /// # Errors
    /// The joint of the stroke moves no mesh.
    pub fn flood(&mut self, stroke: &Stroke) -> Result<StrokeReport, PaintError> {
        self.paint_all(stroke, None)
    }

    /// Does the same as [`Canvas::flood`] with a strength that falls by the stroke's curve along a gradient, from place to place of the posed
    /// surface.
    ///
    /// # Errors
    /// The joint of the stroke moves no mesh.
    pub fn gradient(&mut self, stroke: &Stroke, gradient: &Gradient) -> Result<StrokeReport, PaintError> {
        self.paint_all(stroke, Some(gradient))
    }

    fn paint_all(&mut self, stroke: &Stroke, gradient: Option<&Gradient>) -> Result<StrokeReport, PaintError> {
        let mut brushing = self.begin(stroke)?;
        let moment = Moment::of(&self.model, stroke, stroke.posing.time);
        let posed = PosedSurfaces::new(&self.model, &self.surfaces, &brushing.regions, &moment);
        let mut strengths = Vec::new();
        posed.each(&mut |place, at| {
            let share = gradient.map_or(1.0, |gradient| gradient.strength(moment.to_scene(at), stroke.falloff));
            let strength = stroke.strength * share;
            if strength > 0.0 && posed.may_change(stroke, &moment, place) {
                strengths.push((place, strength));
            }
        });
        let changed = self.apply(&mut brushing, strengths);
        self.change_rows(&changed)?;
        Ok(self.report(&brushing))
    }

    /// Begins a stroke, whose dabs follow one by one.
    ///
    /// # Errors
    /// The joint of the stroke moves no mesh.
    pub fn begin(&self, stroke: &Stroke) -> Result<Brushing, PaintError> {
        let regions = self.regions(stroke);
        if regions.is_empty() {
            return Err(PaintError::NoMesh);
        }
        let locked = stroke.locked.iter().map(|node| node.0).collect();
        let touched = TouchedPlaces::default();
        Ok(Brushing { stroke: stroke.clone(), locked, regions, touched, dabs: 0, moment: None })
    }

    /// Carries the next dab of a stroke out, and returns the weights that change, in single precision.
    ///
    /// # Errors
    /// The dab is at a vertex that the stroke cannot touch, or the surface is nowhere.
    pub fn dab(&mut self, brushing: &mut Brushing, dab: &Dab) -> Result<Vec<WeightChange>, PaintError> {
        let number = brushing.dabs;
        brushing.dabs += 1;
        let time = dab.time.unwrap_or(brushing.stroke.posing.time);
        let moment = brushing.moment.take().filter(|moment| moment.time.to_bits() == time.to_bits());
        let moment = moment.unwrap_or_else(|| Moment::of(&self.model, &brushing.stroke, time));
        let strengths = self.strengths(brushing, &moment, (number, dab));
        brushing.moment = Some(moment);
        let changed = self.apply(brushing, strengths?);
        self.change_rows(&changed)
    }

    /// Gives the model the weights of some rows, and returns what changes.
    fn change_rows(&mut self, rows: &BTreeSet<TableRow>) -> Result<Vec<WeightChange>, PaintError> {
        let changes = self.rows.changes(rows);
        if !changes.is_empty() {
            let model = self.model.with_weights(&changes).map_err(|why| PaintError::Refused(why.to_string()))?;
            self.model = Arc::new(model);
        }
        Ok(changes)
    }

    /// Says what a stroke has done so far.
    #[must_use]
    pub fn report(&self, brushing: &Brushing) -> StrokeReport {
        brushing.touched.report(&self.rows)
    }

    /// Returns the surfaces that a stroke can touch: of all meshes whose skin has the joint, or of all skinned ones. A mesh counts once, in the
    /// first surface that has it, as the first instance draws it with a skin that has the joint.
    fn regions(&self, stroke: &Stroke) -> Vec<Region> {
        let joints: Vec<NodeId> = stroke.joint.into_iter().collect();
        let mut seen = BTreeSet::new();
        let mut out = Vec::new();
        for (surface, rest) in self.surfaces.iter().enumerate() {
            let shown_by = rest.parts.iter().map(|part| {
                let moves = |instance: &skinscope_model::Instance| {
                    let skin = instance.skin.and_then(|skin| self.model.skins.get(skin.index()));
                    skin.is_some_and(|skin| joints.iter().all(|joint| skin.joints.contains(joint)))
                };
                let instances = self.model.instances.iter();
                let first = instances.enumerate().find(|(_, i)| i.mesh == part.primitive.mesh && moves(i))?.0;
                seen.insert(part.primitive).then(|| InstanceId::from_index(first))
            });
            let region = Region { surface, shown_by: shown_by.collect() };
            if region.shown_by.iter().any(Option::is_some) {
                out.push(region);
            }
        }
        out
    }

    /// Returns the places that a dab touches, each with its strength.
    fn strengths(
        &mut self,
        brushing: &Brushing,
        moment: &Moment,
        (number, dab): (usize, &Dab),
    ) -> Result<Vec<(Place, f64)>, PaintError> {
        let Brushing { stroke, regions, .. } = brushing;
        let posed = PosedSurfaces::new(&self.model, &self.surfaces, regions, moment);
        let start = match dab.at {
            Centre::Vertex(primitive, vertex) => {
                posed.at_vertex(primitive, vertex).ok_or(PaintError::NotOfSkin(number))?
            }
            Centre::Position(position) => {
                posed.nearest(moment.to_model(position)).ok_or(PaintError::Nowhere(number))?
            }
        };
        if !start.at.is_finite() {
            return Err(PaintError::Nowhere(number));
        }
        let mut out = Vec::new();
        let full = stroke.strength * dab.pressure;
        posed.each_within(&mut self.distances, stroke, &start, &mut |place, distance| {
            let falls = stroke.falloff.at(f64::from(distance) / stroke.radius);
            let strength = full * falls;
            if strength > 0.0 && posed.may_change(stroke, moment, place) {
                out.push((place, strength));
            }
        });
        out.sort_unstable_by_key(|(place, _)| *place);
        Ok(out)
    }

    /// Changes the rows of places, and returns those that have other weights now.
    fn apply(&mut self, brushing: &mut Brushing, strengths: Vec<(Place, f64)>) -> BTreeSet<TableRow> {
        let Brushing { stroke, locked, touched, .. } = brushing;
        let mut list: Vec<(Place, f64)> = Vec::with_capacity(strengths.len());
        for (place, strength) in strengths {
            let begun = || Touched::new(&self.rows, &self.surfaces, place);
            let known = touched.places.entry(place).or_insert_with(begun);
            let is_stronger = strength > known.strength;
            known.strength = known.strength.max(strength);
            if stroke.accumulate || is_stronger {
                list.push((place, strength));
            }
        }
        let reads_all = stroke.brush.toward == Toward::Touched;
        if reads_all && !stroke.accumulate && !list.is_empty() {
            // The mean of all that the stroke has touched is another one now.
            list = touched.places.iter().map(|(place, known)| (*place, known.strength)).collect();
        }
        let before = |place: Place| match touched.places.get(&place).filter(|_| !stroke.accumulate) {
            Some(known) => known.before.clone(),
            None => self.rows.of_place(&self.surfaces, place),
        };
        let mean_of_all =
            if reads_all { rows::weighted_mean(list.iter().map(|(at, s)| (before(*at), *s))) } else { Vec::new() };
        let mut painted = Vec::with_capacity(list.len());
        for (place, strength) in &list {
            let own = before(*place);
            let surface = &self.surfaces[place.surface];
            let toward = match stroke.brush.toward {
                Toward::Nothing => Vec::new(),
                Toward::Touched => mean_of_all.clone(),
                Toward::Neighbours => {
                    let around = surface.neighbours(place.point);
                    if around.is_empty() {
                        own.clone()
                    } else {
                        let near = around.iter().map(|point| (before(Place { point: *point, ..*place }), 1.0));
                        rows::weighted_mean(near)
                    }
                }
            };
            let table = self.rows.table_of(surface, place.point);
            let room = self.rows.room(surface, place.point);
            let task = Task {
                brush: stroke.brush,
                locked,
                normalise: stroke.normalise,
                most: stroke.max_influences.map_or(room, |most| most.min(room)),
                is_integer: table.formats.iter().any(|format| format.one().is_some()),
                joints: &table.keys,
            };
            let asked = Asked {
                own: &own,
                toward: &toward,
                strength: *strength,
                joint: stroke.joint.map_or(u32::MAX, |node| node.0),
                to: stroke.to.map_or(u32::MAX, |node| node.0),
                value: stroke.value,
                factor: stroke.factor,
                floor: stroke.floor,
                ceiling: stroke.ceiling,
            };
            painted.push((*place, task.paint(&asked)));
        }
        let mut out = BTreeSet::new();
        for (place, done) in painted {
            let Some(known) = touched.places.get_mut(&place) else { continue };
            known.note(done.effect, stroke.accumulate);
            let changes = matches!(done.effect, Effect::Changed | Effect::Partial(_));
            if changes {
                self.rows.set(&self.surfaces, place, done.row, stroke.normalise);
            } else if !stroke.accumulate && known.is_set {
                // What was asked for before is asked for no more: a stronger dab gets nothing.
                self.rows.give_back(known);
            } else {
                continue;
            }
            known.is_set = changes || stroke.accumulate && known.is_set;
            out.extend(known.members.iter().map(|(row, _)| *row));
        }
        out
    }
}
