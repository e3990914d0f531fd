//! Carries strokes out on the weights of a model.
//!
//! A canvas keeps the rows that were painted in double precision beside the weights of the file, and rounds nothing until a file is written.
//! The surface that a dab touches is deformed by the weights as they are just then.

mod apply;
mod by_skin;
mod composer;
mod dragged;
#[cfg(test)]
mod effect_tests;
mod effects;
mod everywhere;
mod gradient;
mod group;
mod locator;
mod mask;
mod mirrored;
mod outline;
mod place;
mod posed;
mod rows;
mod scratch;
mod state;
mod stuck;
#[cfg(test)]
mod tests;
mod touched;
mod vicinity;
mod wanted;
mod whole;

pub use self::dragged::{LayerDrag, LayerDragged};
pub use self::outline::Reach;
pub use self::rows::Fit;
pub use self::state::Painted;
pub use self::stuck::StuckPlace;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use glam::Vec3;
use skinscope_base::parallel;
use skinscope_edit::Sheet;
use skinscope_inspect::PickIndex;
use skinscope_model::{InstanceId, MeshId, Model, NodeId, PrimitiveId, WeightChange};
use skinscope_weights::{RestSurface, Stuck, TableRow};

use self::by_skin::by_skin;
use self::locator::Locator;
use self::mirrored::{Images, Mirrors};
use self::posed::{Ground, Moment, PosedSurfaces};
use self::rows::{Place, Rows};
use self::scratch::Scratch;
use self::touched::{Touched, TouchedPlaces};
use super::{Centre, Dab, Distance, Gradient, Stroke, Touch};

/// Weights that are painted.
#[derive(Debug)]
pub struct Canvas {
    model: Arc<Model>,
    surfaces: Arc<Vec<RestSurface>>,
    rows: Rows,
    mirrors: Mirrors,
    locator: Locator,
    scratch: Mutex<Scratch>,
    /// Whether all vertices have finite positions at rest and usual weights, once somebody has asked.
    is_ordinary: OnceLock<bool>,
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
    /// The model has no plane of symmetry, or the joint no partner on the other side.
    #[error("mirror: {0}")]
    NoMirror(String),
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
    /// How many of those touched have no partner on the other side, which is therefore not painted; `None` where one side alone is painted.
    pub unpaired: Option<usize>,
}

/// A stroke that is being painted.
#[derive(Debug)]
pub struct Brushing {
    stroke: Stroke,
    locked: BTreeSet<u32>,
    /// The parts of the surfaces that the stroke can touch.
    regions: Vec<Region>,
    /// What is painted: the joint and the one that is given to, and where both sides are painted their partners on the other side.
    passes: Vec<Pass>,
    /// Whether the mask of a layer is painted, and not weights.
    is_of_mask: bool,
    /// The places on the other side, where both are painted.
    images: Option<Arc<Images>>,
    touched: TouchedPlaces,
    /// The weights before the stroke.
    before: Rows,
    /// The weights before the dab, while the rows of a part of its places are set and others are still painted.
    before_dab: Option<Rows>,
    dabs: usize,
    moment: Option<Moment>,
}

/// The joints that a dab paints on one side.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pass {
    joint: u32,
    to: u32,
    /// Joints that are painted as one with the first.
    with: BTreeSet<u32>,
}

/// A place with the strengths of a dab and of its mirror image.
type Strengths = (Place, [f64; 2]);

/// A surface that a stroke can touch.
#[derive(Clone, Debug)]
struct Region {
    /// The number of the surface.
    surface: usize,
    /// For each of its parts, the instance that shows where it is; `None` for a part that the stroke does not touch.
    shown_by: Vec<Option<InstanceId>>,
}

/// Returns the strength of a stroke over all places at a position, model space, metres.
fn strength_at((stroke, moment): (&Stroke, &Moment), gradient: Option<&Gradient>, at: Vec3) -> f64 {
    stroke.strength * gradient.map_or(1.0, |gradient| gradient.strength(moment.to_scene(at), stroke.falloff))
}

impl Canvas {
    /// Begins with the weights that a model has.
    #[must_use]
    pub fn new(model: Arc<Model>) -> Self {
        let (tables, surfaces) = Sheet::parts_of(&model);
        let surfaces = Arc::new(by_skin(&model, surfaces));
        let rows = Rows::new(tables).with_surfaces(&surfaces);
        let (mirrors, locator, scratch, is_ordinary) = Default::default();
        Self { model, surfaces, rows, mirrors, locator, scratch, is_ordinary }
    }

    /// Does the same as [`Canvas::new`], and makes what finds the surface near a place, so that the first dab does not wait for it.
    #[must_use]
    pub fn prepared(model: Arc<Model>) -> Self {
        let (mut canvas, mut index) = (None, PickIndex::default());
        parallel::both(|| canvas = Some(Self::new(Arc::clone(&model))), || index = PickIndex::of(&model));
        let mut out = canvas.unwrap_or_else(|| Self::new(model));
        let mut locator = Locator::default();
        // Neighbours are found when they are first asked for.
        let neighbours = || {
            for surface in out.surfaces.iter().filter(|surface| surface.mesh.point_count() > 0) {
                _ = (surface.members(0), surface.neighbours(0), surface.mesh.opposite(0));
            }
        };
        parallel::both(|| locator = Locator::with(index, &out.model, &out.surfaces), neighbours);
        out.locator = locator;
        out
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
        let brushing = self.begin(stroke)?;
        self.paint_over(brushing, gradient)
    }

    /// Paints all places at once with a stroke that has begun.
    fn paint_over(&mut self, brushing: Brushing, gradient: Option<&Gradient>) -> Result<StrokeReport, PaintError> {
        match self.paints_by_row(&brushing) {
            true => self.paint_whole(brushing, gradient),
            false => self.paint_listed(brushing, gradient),
        }
    }

    /// Does the same by a list of all places, whatever the stroke.
    fn paint_listed(
        &mut self,
        mut brushing: Brushing,
        gradient: Option<&Gradient>,
    ) -> Result<StrokeReport, PaintError> {
        let stroke = &brushing.stroke;
        let moment = Moment::of(&self.model, stroke, stroke.posing.time);
        let scratch = self.scratch(&brushing.regions);
        let posed = PosedSurfaces::new(self.ground(&self.model, &brushing.regions), &moment, &scratch.seen);
        let strength = |at: Vec3| strength_at((stroke, &moment), gradient, at);
        // Which way a place looks is known from the places around it, one after the other.
        let strengths = match stroke.front_faces {
            Some(_) => {
                let mut out = Vec::new();
                posed.each(&mut |place, at| {
                    if strength(at) > 0.0 && posed.may_change(stroke, &moment, place) {
                        out.push((place, [strength(at), 0.0]));
                    }
                });
                out
            }
            None => posed.strengths(&|place, at| match stroke.may_list(&self.surfaces[place.surface], place.point) {
                true => strength(at),
                false => 0.0,
            }),
        };
        drop(posed);
        drop(scratch);
        let changed = self.apply(&mut brushing, strengths);
        self.change_rows(&changed)?;
        Ok(self.report(&brushing))
    }

    /// Begins a stroke, whose dabs follow one by one.
    ///
    /// # Errors
    /// The joint of the stroke moves no mesh, or there is no other side to be painted too.
    pub fn begin(&self, stroke: &Stroke) -> Result<Brushing, PaintError> {
        let regions = self.regions(stroke.joint);
        if regions.is_empty() {
            return Err(PaintError::NoMesh);
        }
        let key = |node: Option<NodeId>| node.map_or(u32::MAX, |node| node.0);
        let with = stroke.with.iter().map(|node| node.0).collect();
        let mut passes = vec![Pass { joint: key(stroke.joint), to: key(stroke.to), with }];
        let images = stroke.mirror.map(|axis| self.mirrors.across(&self.model, &self.surfaces, axis)).transpose()?;
        if let Some(images) = &images {
            let partner = |node: Option<NodeId>| node.map(|node| images.partner(&self.model, node)).transpose();
            let with = stroke.with.iter().map(|node| images.partner(&self.model, *node).map(|node| node.0));
            let with = with.collect::<Result<_, _>>()?;
            passes.push(Pass { joint: key(partner(stroke.joint)?), to: key(partner(stroke.to)?), with });
        }
        Ok(Brushing {
            stroke: stroke.clone(),
            locked: stroke.locked.iter().map(|node| node.0).collect(),
            regions,
            passes,
            is_of_mask: false,
            images,
            touched: TouchedPlaces::default(),
            before: self.rows.clone(),
            before_dab: None,
            dabs: 0,
            moment: None,
        })
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

    /// Gives the model the weights of some rows, which rise, and returns what changes.
    fn change_rows(&mut self, rows: &[TableRow]) -> Result<Vec<WeightChange>, PaintError> {
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
        let (rows, is_of_mask) = ((&self.rows, &brushing.before), brushing.is_of_mask);
        let is_at_once = brushing.is_at_once() && !self.rows.is_layered() && self.rows.are_of_one_place(&self.surfaces);
        let out = match is_at_once {
            true => brushing.touched.report_at_once(&self.surfaces),
            false => brushing.touched.report(rows, &self.surfaces, is_of_mask),
        };
        let Some(images) = brushing.images.as_deref() else { return out };
        let is_alone = |place: Place, known: &Touched| known.strengths[0] > 0.0 && images.of(place).is_none();
        StrokeReport { unpaired: Some(brushing.touched.count((&self.rows, &self.surfaces), &is_alone)), ..out }
    }

    /// Returns the surfaces at rest with the parts of them that a stroke can touch.
    fn ground<'a>(&'a self, model: &'a Model, regions: &'a [Region]) -> Ground<'a> {
        Ground { model, surfaces: &self.surfaces, regions, locator: &self.locator }
    }

    /// Returns the memory for a search, which knows no position yet.
    fn scratch(&self, regions: &[Region]) -> MutexGuard<'_, Scratch> {
        let mut out = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        out.begin(&self.surfaces, regions);
        out
    }

    /// Returns the surfaces that a stroke can touch: of all meshes whose skin has the joint, or of all skinned ones. A mesh of the file counts
    /// once, as the first instance draws it with a skin that has the joint.
    fn regions(&self, joint: Option<NodeId>) -> Vec<Region> {
        let mut first_with: BTreeMap<MeshId, InstanceId> = BTreeMap::new();
        for (number, instance) in self.model.instances.iter().enumerate() {
            let skin = instance.skin.and_then(|skin| self.model.skins.get(skin.index()));
            if skin.is_some_and(|skin| joint.is_none_or(|joint| skin.joints.contains(&joint))) {
                let mesh = self.model.file_mesh(instance.mesh);
                first_with.entry(mesh).or_insert(InstanceId::from_index(number));
            }
        }
        let mut seen = BTreeSet::new();
        let mut out = Vec::new();
        for (surface, rest) in self.surfaces.iter().enumerate() {
            let shown_by = rest.parts.iter().map(|part| {
                let PrimitiveId { mesh, .. } = part.primitive;
                let first = *first_with.get(&self.model.file_mesh(mesh))?;
                let draws = self.model.instances[first.index()].mesh == mesh;
                (draws && seen.insert(part.primitive)).then_some(first)
            });
            let region = Region { surface, shown_by: shown_by.collect() };
            if region.shown_by.iter().any(Option::is_some) {
                out.push(region);
            }
        }
        out
    }

    /// Returns the places that a dab touches, each with its strength, on this side alone.
    fn strengths(
        &self,
        brushing: &Brushing,
        moment: &Moment,
        (number, dab): (usize, &Dab),
    ) -> Result<Vec<Strengths>, PaintError> {
        let Brushing { stroke, regions, .. } = brushing;
        let mut scratch = self.scratch(regions);
        let Scratch { distances, seen } = &mut *scratch;
        let posed = PosedSurfaces::new(self.ground(&self.model, regions), moment, seen);
        let full = stroke.strength * dab.pressure;
        let start = match &dab.at {
            Centre::Vertex(primitive, vertex) => {
                posed.at_vertex(*primitive, *vertex).ok_or(PaintError::NotOfSkin(number))?
            }
            Centre::Position(position) => {
                posed.nearest(moment.to_model(*position)).ok_or(PaintError::Nowhere(number))?
            }
            Centre::Listed(touches) => {
                let may_change = |place: &Place| posed.may_change(stroke, moment, *place);
                let shares =
                    posed.shares(touches).into_iter().filter(|(place, share)| full * share > 0.0 && may_change(place));
                return Ok(shares.map(|(place, share)| (place, [full * share, 0.0])).collect());
            }
        };
        if !start.at.is_finite() {
            return Err(PaintError::Nowhere(number));
        }
        let mut out = Vec::new();
        posed.each_within(distances, (stroke.distance, stroke.radius), &start, &mut |place, distance| {
            let falls = stroke.falloff.at(f64::from(distance) / stroke.radius);
            let strength = full * falls;
            if strength > 0.0 && posed.may_change(stroke, moment, place) {
                out.push((place, [strength, 0.0]));
            }
        });
        out.sort_unstable_by_key(|(place, _)| *place);
        Ok(out)
    }
}
