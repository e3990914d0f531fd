//! Floods and gradients: all places painted at once, row by row, each from the rows before the stroke. No list of places, strengths or rows is
//! made, which would cost more than the painting where there are a million.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::Vec3;
use skinscope_base::parallel;
use skinscope_deform::METHODS;
use skinscope_model::{Model, PagePiece, PrimitiveId};
use skinscope_weights::brush::{Asked, FewShares, FewTask, Task};
use skinscope_weights::{Effect, Need, RestSurface, Shares, Stuck, Table, TableRow, Toward};

use super::apply::over_length;
use super::posed::{Moment, PosedSurfaces};
use super::rows::{
    LEAF, Leaf, PAGE, PaintedRow, PaintedRows, PairSpace, Place, RowPage, Rows, WeightedMean, leaf_mut, put_page,
};
use super::{Brushing, Canvas, Gradient, PaintError, Pass, Stroke, StrokeReport, strength_at};

/// So many leaves one thread paints at a time: some thousand rows.
const PIECE: usize = 4;
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
    /// The painted rows before the stroke; none where each place reads its own row alone, which is found where it is written.
    before: Option<Vec<PaintedRows>>,
    surfaces: &'a [RestSurface],
    stroke: &'a Stroke,
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
}

/// What becomes of some rows.
#[derive(Clone, Copy, Default)]
struct Counts {
    vertices: usize,
    changed: usize,
    partial: usize,
    stuck: [usize; Stuck::ALL.len()],
}

/// Some rows that are painted by one thread.
struct Work<'w> {
    number: usize,
    leaf: &'w mut Option<Arc<Leaf>>,
    weights: Option<PagePiece<'w>>,
    /// For each page a bit for each row that has changed.
    changed: [u16; LEAF],
    counts: Counts,
}

/// Memory that is kept from one row to the next.
#[derive(Default)]
struct Space {
    own: Shares,
    near: Shares,
    row: Shares,
    mean: WeightedMean,
    pairs: PairSpace,
}

/// A row that was painted, as its joints are few or not.
enum NewRow {
    Few(FewShares),
    Many,
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
        let mut painted = std::mem::take(&mut self.rows.painted);
        let is_simple = |surface: &RestSurface| surface.mesh.point_count() == surface.mesh.vertex_count();
        let reads_own = brushing.stroke.brush.toward == Toward::Nothing && self.surfaces.iter().all(is_simple);
        let whole = Whole {
            rows: &self.rows,
            before: (!reads_own).then(|| painted.clone()),
            surfaces: &self.surfaces,
            stroke: &brushing.stroke,
            painters: painters(&self.rows, &brushing, pass),
        };
        let shared = match Arc::get_mut(&mut self.model) {
            Some(_) => None,
            None => {
                let twin = self.model.with_weights(&[]).map_err(|why| PaintError::Refused(why.to_string()))?;
                Some(std::mem::replace(&mut self.model, Arc::new(twin)))
            }
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
        drop(whole);
        self.rows.painted = painted;
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

impl<'a> Whole<'a> {
    /// Returns the tables whose rows are painted.
    fn parts<'p>(&self, amounts: &'p [Option<Amount>]) -> Vec<Part<'p>> {
        let mut out = Vec::new();
        for (surface, (rest, amount)) in self.surfaces.iter().zip(amounts).enumerate() {
            let Some(amount) = amount else { continue };
            let rooms = || rest.parts.iter().map(|part| self.rows.tables[part.table].per_vertex);
            let is_uniform = rooms().all(|room| rooms().next() == Some(room));
            out.extend(rest.parts.iter().map(|part| Part {
                table: part.table,
                surface,
                first: part.first,
                amount,
                is_uniform,
            }));
        }
        out
    }

    /// Paints the rows of a table, and gives the model their weights. Those that the model takes one by one are added to a list.
    fn paint_part(
        &self,
        part: &Part<'_>,
        painted: &mut PaintedRows,
        model: Option<(&mut Model, PrimitiveId)>,
        one_by_one: &mut Vec<TableRow>,
    ) -> Result<Counts, String> {
        let table = &self.rows.tables[part.table];
        let mut model = model;
        let mut pages = match &mut model {
            Some((model, at)) => model.take_pages(*at, table.per_vertex),
            None => None,
        };
        let is_direct = pages.is_some();
        let pieces = match (&model, &mut pages) {
            (Some((model, _)), Some(pages)) => model.pieces_of(pages, LEAF),
            _ => Vec::new(),
        };
        let mut pieces = pieces.into_iter();
        let leaves = painted.leaves_mut(table.vertices()).iter_mut().enumerate();
        let work = leaves.map(|(number, leaf)| Work {
            number,
            leaf,
            weights: pieces.next(),
            changed: [0; LEAF],
            counts: Counts::default(),
        });
        let mut work: Vec<Work<'_>> = work.collect();
        parallel::in_pieces(&mut work, PIECE, &|_, work: &mut [Work<'_>]| {
            let mut space = Space::default();
            work.iter_mut().for_each(|work| self.paint_leaf(part, work, &mut space));
        });
        let counts = work.iter().fold(Counts::default(), |all, work| all.with(work.counts));
        if !is_direct {
            for work in &work {
                let pages = (work.number * LEAF..).zip(work.changed);
                let rows = pages.flat_map(|(page, changed)| {
                    (0..PAGE).filter(move |row| changed >> row & 1 == 1).map(move |row| page * PAGE + row)
                });
                one_by_one.extend(rows.map(|row| TableRow { table: part.table, row }));
            }
        }
        drop(work);
        drop(pieces);
        match (model, pages) {
            (Some((model, _)), Some(pages)) => model.put_pages(pages).map_err(|why| why.to_string())?,
            _ => {}
        }
        Ok(counts)
    }

    fn paint_leaf(&self, part: &Part<'_>, work: &mut Work<'_>, space: &mut Space) {
        let vertices = self.rows.tables[part.table].vertices();
        for number in 0..LEAF {
            let first = (work.number * LEAF + number) * PAGE;
            if first >= vertices {
                break;
            }
            let rows = first..(first + PAGE).min(vertices);
            let current = work.leaf.as_ref().and_then(|leaf| leaf[number].as_deref());
            let mut page = current.map_or(RowPage::EMPTY, Clone::clone);
            let (changed, placed) = self.paint_page(part, (rows, current), &mut page, (&mut work.counts, space));
            if changed == 0 {
                continue;
            }
            if let Some(weights) = &mut work.weights {
                let pairs = &mut space.pairs;
                weights.change(number, changed, &mut |row, joints, weights| {
                    let at = TableRow { table: part.table, row: first + row };
                    if let Some(new) = page.get(row) {
                        self.rows.fill_pairs(at, (new, placed >> row & 1 == 1), (joints, weights), pairs);
                    }
                });
            }
            work.changed[number] = changed;
            put_page(&mut leaf_mut(work.leaf)[number], page);
        }
    }

    /// Paints the rows of a page. Returns a bit for each that has changed, and one for each of those that has the same joints in the same order as
    /// before.
    #[inline]
    fn paint_page(
        &self,
        part: &Part<'_>,
        (rows, current): (std::ops::Range<usize>, Option<&RowPage>),
        page: &mut RowPage,
        (counts, space): (&mut Counts, &mut Space),
    ) -> (u16, u16) {
        let rest = &self.surfaces[part.surface];
        let (mut changed, mut placed) = (0_u16, 0_u16);
        let first = rows.start;
        for row in rows {
            let vertex = part.first + row as u32;
            let point = rest.mesh.point(vertex);
            let strength = part.amount.at(point);
            // What is no number is not above zero either.
            let is_painted = strength > 0.0;
            if !is_painted {
                continue;
            }
            let own = match self.before {
                Some(_) => rest.row(rest.mesh.weld.first[point as usize]),
                None => TableRow { table: part.table, row },
            };
            let known = match &self.before {
                Some(before) => before[own.table].get(own.row),
                None => current.and_then(|current| current.get(row - first)),
            };
            let place = Place { surface: part.surface, point };
            let (effect, new) = self.paint_row((part, place), (own, known), strength, space);
            counts.note(effect);
            if !effect.changes() {
                continue;
            }
            let at = row - first;
            changed |= 1 << at;
            match new {
                NewRow::Few(few) => {
                    let is_placed = current.is_some_and(|current| current.has_joints(at, &few));
                    placed |= u16::from(is_placed) << at;
                    page.set_few(at, &few, self.stroke.normalise);
                }
                NewRow::Many => page.set_shares(at, &space.row, self.stroke.normalise),
            }
        }
        (changed, placed)
    }

    /// Paints a row of a place from the row of its first vertex. Where the new row has many joints, it is in `space` afterwards.
    #[inline]
    fn paint_row(
        &self,
        (part, place): (&Part<'_>, Place),
        (own, known): (TableRow, Option<PaintedRow<'_>>),
        strength: f64,
        space: &mut Space,
    ) -> (Effect, NewRow) {
        let usual = &self.painters[own.table];
        let less_room;
        let painter = match part.is_uniform {
            true => usual,
            false => {
                let (_, room) = self.rows.home(&self.surfaces[place.surface], place.point);
                less_room = usual.with_room(room, self.stroke);
                &less_room
            }
        };
        if painter.lacks {
            return (Effect::Stuck(Stuck::OtherSkin), NewRow::Many);
        }
        if let Some(few) = &painter.few
            && let Some(shares) = few_shares(&self.rows.tables[own.table], own.row, known)
        {
            let mut row = FewShares::NONE;
            let effect = match self.stroke.brush.toward {
                Toward::Neighbours | Toward::NeighboursByLength => match self.few_around(place) {
                    Some(Some(mean)) => few.paint(&shares, &mean, strength, &mut row),
                    Some(None) => few.paint(&shares, &shares, strength, &mut row),
                    None => None,
                },
                Toward::Nothing | Toward::Touched | Toward::Below => {
                    few.paint(&shares, &FewShares::NONE, strength, &mut row)
                }
            };
            if let Some(effect) = effect {
                return (effect, NewRow::Few(row));
            }
        }
        let Space { own: own_space, near, row, mean, .. } = space;
        let own = self.shares(own, known, own_space);
        let toward = match self.stroke.brush.toward {
            Toward::Neighbours | Toward::NeighboursByLength => self.around(place, (mean, near)).unwrap_or(own),
            Toward::Nothing | Toward::Touched | Toward::Below => &[],
        };
        let effect = painter.task.paint_into(&Asked { own, toward, strength, ..painter.asked }, row);
        (effect, NewRow::Many)
    }

    /// Returns the weights of a row before the stroke.
    fn shares<'s>(&'s self, at: TableRow, known: Option<PaintedRow<'s>>, space: &'s mut Shares) -> &'s [(u32, f64)] {
        match known {
            Some(painted) => painted.shares(space),
            None => {
                self.rows.tables[at.table].shares(at.row, space);
                space
            }
        }
    }

    /// Returns the share that a neighbour of a place has in the mean around it.
    #[inline]
    fn share_of(&self, rest: &RestSurface, ends: [u32; 2]) -> f64 {
        match self.stroke.brush.toward {
            Toward::NeighboursByLength => over_length(rest, ends),
            _ => 1.0,
        }
    }

    /// Returns the mean of the rows around a place, where it has few joints: the inner `None` says that there are no rows.
    #[inline]
    fn few_around(&self, place: Place) -> Option<Option<FewShares>> {
        let rest = &self.surfaces[place.surface];
        let before = self.before.as_ref()?;
        let (mut mean, mut whole, mut is_empty) = (FewShares::NONE, 0.0, true);
        for point in rest.mesh.neighbours(place.point) {
            let share = self.share_of(rest, [place.point, *point]);
            if share > 0.0 {
                let at = rest.row(rest.mesh.weld.first[*point as usize]);
                let row = few_shares(&self.rows.tables[at.table], at.row, before[at.table].get(at.row))?;
                is_empty = false;
                whole += share;
                if !mean.add(&row, share) {
                    return None;
                }
            }
        }
        mean.divide(whole);
        Some((!is_empty).then_some(mean))
    }

    /// Returns the mean of the rows around a place; `None` where there are none.
    fn around<'s>(&self, place: Place, (mean, space): (&'s mut WeightedMean, &mut Shares)) -> Option<&'s [(u32, f64)]> {
        let rest = &self.surfaces[place.surface];
        let before = self.before.as_ref()?;
        mean.clear();
        let mut is_empty = true;
        for point in rest.mesh.neighbours(place.point) {
            let share = self.share_of(rest, [place.point, *point]);
            if share > 0.0 {
                is_empty = false;
                let at = rest.row(rest.mesh.weld.first[*point as usize]);
                mean.add(self.shares(at, before[at.table].get(at.row), space), share);
            }
        }
        (!is_empty).then(|| mean.mean())
    }
}

/// Returns the weights of a row with few joints; `None` where it has more.
#[inline]
fn few_shares(table: &Table, row: usize, painted: Option<PaintedRow<'_>>) -> Option<FewShares> {
    match painted {
        Some(PaintedRow::Few(keys, weights, count, _)) => Some(FewShares::of_usual(keys, weights, count)),
        Some(PaintedRow::Row(row)) => FewShares::of(&row.shares),
        None => table.few_shares(row),
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
        let stuck: BTreeMap<Stuck, usize> = Stuck::ALL.into_iter().map(|why| (why, self.stuck[why as usize])).collect();
        let stuck = stuck.into_iter().filter(|(_, count)| *count > 0).collect();
        StrokeReport { vertices, changed, partial, stuck, unpaired: None }
    }
}

#[cfg(test)]
mod tests;
