//! Floods and gradients: all places painted at once, row by row, each from the rows before the stroke. No list of places, strengths or rows is
//! made, which would cost more than the painting where there are a million.

mod page;

use std::sync::Arc;

use glam::Vec3;
use skinscope_deform::METHODS;
use skinscope_model::PrimitiveId;
use skinscope_weights::brush::{Asked, FewTask, Task};
use skinscope_weights::{Effect, Need, RestSurface, Stuck, Table, Toward};

use super::posed::{Moment, PosedSurfaces};
use super::rows::{PaintedRows, Place, RowPage, Rows};
use super::{Brushing, Canvas, Gradient, PaintError, Pass, Stroke, StrokeReport, strength_at};

/// Rest positions and matrices whose numbers are all below this pose every vertex at a finite place.
const ORDINARY: f32 = 1e9;
/// The same for weights.
const ORDINARY_WEIGHT: f64 = 1e6;

/// How strongly the places of a surface are painted.
enum Amount {
    /// All alike.
    Even(f64),
    /// Each point by its number; 0 where it is not painted.
    ByPoint(Vec<f64>),
}

impl Amount {
    #[inline]
    fn at(&self, point: u32) -> f64 {
        match self {
            Self::Even(strength) => *strength,
            Self::ByPoint(strengths) => strengths[point as usize],
        }
    }
}

/// What is the same for all rows.
struct Whole<'a> {
    /// Without the rows that were painted.
    rows: &'a Rows,
    /// The pages of each table before the stroke; none where each place reads its own row alone, which is found where it is written.
    before: Option<Vec<Vec<Option<&'a RowPage>>>>,
    surfaces: &'a [RestSurface],
    stroke: &'a Stroke,
    toward: Toward,
    /// For each table, what paints its rows.
    painters: Vec<Painter<'a>>,
}

/// What paints the rows of a table.
struct Painter<'a> {
    task: Task<'a>,
    asked: Asked<'a>,
    few: Option<FewTask<'a>>,
    /// Whether its rows cannot hold what the brush puts there.
    lacks: bool,
}

/// The rows of a table, and where they lie on a surface.
#[derive(Clone, Copy)]
struct Part<'a> {
    table: usize,
    surface: usize,
    /// The number of its first vertex.
    first: u32,
    amount: &'a Amount,
    /// Whether all places of the surface have room for the same number of joints.
    is_uniform: bool,
    /// Whether it is the only one of its surface.
    is_alone: bool,
    /// Whether that is so, and each of its vertices is a point by itself.
    is_plain: bool,
}

/// What becomes of some rows.
#[derive(Clone, Copy, Default)]
struct Counts {
    vertices: usize,
    changed: usize,
    partial: usize,
    stuck: [usize; Stuck::ALL.len()],
}

impl Canvas {
    /// Whether a stroke over all places at once is painted row by row: each is found from rows before the stroke, and belongs to one place.
    pub(super) fn paints_by_row(&self, brushing: &Brushing) -> bool {
        let stroke = &brushing.stroke;
        let reads_rows = match stroke.brush.toward {
            Toward::Nothing | Toward::Neighbours | Toward::NeighboursByLength => true,
            Toward::Touched | Toward::Below => false,
        };
        reads_rows
            && brushing.is_at_once()
            && stroke.front_faces.is_none()
            && !self.rows.is_layered()
            && self.rows.are_of_one_place(&self.surfaces)
    }

    /// Paints all places at once with a stroke that has begun and has no dab yet, row by row, with its whole strength. That takes less time than a
    /// dab that reaches everything, and leaves the same to the bit. Returns what it has done; `None` where such a stroke, or layers, need the dab.
    ///
    /// # Errors
    /// The model has refused the weights.
    pub fn flood_by_row(&mut self, brushing: &Brushing) -> Result<Option<StrokeReport>, PaintError> {
        match self.paints_by_row(brushing) {
            true => self.begin(&brushing.stroke).and_then(|own| self.paint_whole(own, None)).map(Some),
            false => Ok(None),
        }
    }

    /// Paints all places at once, row by row.
    pub(super) fn paint_whole(
        &mut self,
        mut brushing: Brushing,
        gradient: Option<&Gradient>,
    ) -> Result<StrokeReport, PaintError> {
        // Rows that nobody else has are changed where they are.
        brushing.before.painted.clear();
        let amounts = self.amounts(&brushing, gradient);
        let Some(pass) = brushing.passes.first() else { return Ok(StrokeReport::default()) };
        let shared = match Arc::get_mut(&mut self.model) {
            Some(_) => None,
            None => {
                let twin = self.model.with_weights(&[]).map_err(|why| PaintError::Refused(why.to_string()))?;
                Some(std::mem::replace(&mut self.model, Arc::new(twin)))
            }
        };
        let mut painted = std::mem::take(&mut self.rows.painted);
        let is_simple = |surface: &RestSurface| surface.mesh.point_count() == surface.mesh.vertex_count();
        let reads_own = brushing.stroke.brush.toward == Toward::Nothing && self.surfaces.iter().all(is_simple);
        let before = (!reads_own).then(|| painted.clone());
        let whole = Whole {
            rows: &self.rows,
            before: before.as_ref().map(|before| before.iter().map(PaintedRows::all_pages).collect()),
            surfaces: &self.surfaces,
            stroke: &brushing.stroke,
            toward: brushing.stroke.brush.toward,
            painters: painters(&self.rows, &brushing, pass),
        };
        let (mut counts, mut one_by_one, mut refused) = (Counts::default(), Vec::new(), None);
        for part in whole.parts(&amounts) {
            let of_file = self.rows.tables[part.table].primitives.first().copied();
            let model = Arc::get_mut(&mut self.model).zip(of_file);
            let rows = &mut painted[part.table];
            match whole.paint_part(&part, rows, model, &mut one_by_one) {
                Ok(done) => counts = counts.with(done),
                Err(why) => refused = Some(why),
            }
        }
        self.rows.painted = painted;
        before.into_iter().flatten().for_each(PaintedRows::free);
        if let Some(shared) = shared.filter(|_| counts.changed == 0) {
            self.model = shared;
        }
        if let Some(why) = refused {
            return Err(PaintError::Refused(why));
        }
        one_by_one.sort_unstable();
        self.change_rows(&one_by_one)?;
        Ok(counts.report())
    }

    /// Returns how strongly the places of each surface are painted; `None` for one that is not.
    fn amounts(&self, brushing: &Brushing, gradient: Option<&Gradient>) -> Vec<Option<Amount>> {
        let Brushing { stroke, regions, .. } = brushing;
        let moment = Moment::of(&self.model, stroke, stroke.posing.time);
        let mut out: Vec<Option<Amount>> = self.surfaces.iter().map(|_| None).collect();
        let is_shown = regions.iter().all(|region| region.shown_by.iter().all(Option::is_some));
        if gradient.is_none() && stroke.mask.is_none() && is_shown && self.is_seen_everywhere(stroke, &moment) {
            regions.iter().for_each(|region| out[region.surface] = Some(Amount::Even(stroke.strength)));
            return out;
        }
        let scratch = self.scratch(regions);
        let posed = PosedSurfaces::new(self.ground(&self.model, regions), &moment, &scratch.seen);
        let strength = |place: Place, at: Vec3| match stroke.may_list(&self.surfaces[place.surface], place.point) {
            true => strength_at((stroke, &moment), gradient, at),
            false => 0.0,
        };
        for (place, [strength, _]) in posed.strengths(&strength) {
            let count = self.surfaces[place.surface].mesh.point_count() as usize;
            let amount = out[place.surface].get_or_insert_with(|| Amount::ByPoint(vec![0.0; count]));
            if let Amount::ByPoint(strengths) = amount {
                strengths[place.point as usize] = strength;
            }
        }
        out
    }

    /// Whether it is known without posing them that all places have a position.
    fn is_seen_everywhere(&self, stroke: &Stroke, moment: &Moment) -> bool {
        let is_linear = METHODS.first().is_some_and(|linear| std::ptr::eq(*linear, stroke.method));
        is_linear && moment.is_ordinary(ORDINARY) && *self.is_ordinary.get_or_init(|| self.has_ordinary_rest())
    }

    /// Whether all vertices have finite positions at rest and usual weights.
    fn has_ordinary_rest(&self) -> bool {
        let mut parts = self.surfaces.iter().flat_map(|surface| &surface.parts);
        let is_ordinary = |at: &PrimitiveId| {
            let positions = &self.model.meshes[at.mesh.index()].primitives[at.primitive].positions;
            positions.iter().all(|position| position.abs().cmplt(Vec3::splat(ORDINARY)).all())
        };
        let has_weights = |table: &Table| table.weights.iter().all(|weight| weight.abs() < ORDINARY_WEIGHT);
        parts.all(|part| is_ordinary(&part.primitive)) && self.rows.tables.iter().all(has_weights)
    }
}

/// Returns what paints the rows of each table.
fn painters<'a>(rows: &'a Rows, brushing: &'a Brushing, pass: &Pass) -> Vec<Painter<'a>> {
    let Brushing { stroke, locked, .. } = brushing;
    let of_table = |(number, table): (usize, &'a Table)| {
        let room = table.per_vertex;
        let task = Task {
            brush: stroke.brush,
            locked,
            normalise: stroke.normalise,
            most: stroke.max_influences.map_or(room, |most| most.min(room)),
            is_integer: table.formats.iter().any(|format| format.one().is_some()),
            joints: &table.keys,
        };
        let asked = Asked {
            own: &[],
            toward: &[],
            strength: stroke.strength,
            joint: pass.joint,
            to: pass.to,
            value: stroke.value,
            factor: stroke.factor,
            floor: stroke.floor,
            ceiling: stroke.ceiling,
        };
        let lacks = |need: Need, key: u32| stroke.brush.needs.contains(&need) && !rows.table_has(number, key);
        let lacks = lacks(Need::Joint, pass.joint) || lacks(Need::To, pass.to);
        Painter { task, asked, few: task.of_few(asked), lacks }
    };
    rows.tables.iter().enumerate().map(of_table).collect()
}

impl<'a> Painter<'a> {
    /// Does the same for rows that have less room.
    fn with_room(&self, room: usize, stroke: &Stroke) -> Painter<'a> {
        let task = Task { most: stroke.max_influences.map_or(room, |most| most.min(room)), ..self.task };
        Painter { task, few: task.of_few(self.asked), ..*self }
    }
}

impl Counts {
    #[inline]
    fn note(&mut self, effect: Effect) {
        self.vertices += 1;
        self.changed += usize::from(effect.changes());
        match effect {
            Effect::Partial(_) => self.partial += 1,
            Effect::Stuck(why) => self.stuck[why as usize] += 1,
            Effect::Same | Effect::Changed => {}
        }
    }

    fn with(mut self, other: Self) -> Self {
        self.vertices += other.vertices;
        self.changed += other.changed;
        self.partial += other.partial;
        self.stuck.iter_mut().zip(other.stuck).for_each(|(own, other)| *own += other);
        self
    }

    fn report(self) -> StrokeReport {
        let Self { vertices, changed, partial, .. } = self;
        let stuck = Stuck::ALL.into_iter().map(|why| (why, self.stuck[why as usize]));
        let stuck = stuck.filter(|(_, count)| *count > 0).collect();
        StrokeReport { vertices, changed, partial, stuck, unpaired: None }
    }
}

#[cfg(test)]
mod tests;
