//! How the rows of a page are painted, and where they are written.

use std::ops::Range;
use std::sync::Arc;

use skinscope_base::parallel;
use skinscope_model::{Model, PagePiece, PrimitiveId, WeightPages};
use skinscope_weights::brush::{Asked, FewShares, UsualShares};
use skinscope_weights::{Effect, RestSurface, Shares, Stuck, Table, TableRow, Toward};

use super::{Amount, Counts, Painter, Part, Whole};
use crate::canvas::apply::over_length;
use crate::canvas::rows::{
    LEAF, Leaf, PAGE, PaintedRow, PaintedRows, PairSpace, Place, RowPage, WeightedMean, leaf_mut,
};

/// So many leaves one thread paints at a time: some thousand rows.
const PIECE: usize = 4;

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

/// What becomes of the rows of a page: a bit for each that has changed, and one for each of those that has the same joints in the same order as
/// before.
#[derive(Clone, Copy, Default)]
struct Done {
    changed: u16,
    placed: u16,
}

impl Whole<'_> {
    /// Returns the tables whose rows are painted.
    pub(super) fn parts<'p>(&self, amounts: &'p [Option<Amount>]) -> Vec<Part<'p>> {
        let mut out = Vec::new();
        for (surface, (rest, amount)) in self.surfaces.iter().zip(amounts).enumerate() {
            let Some(amount) = amount else { continue };
            let rooms = || rest.parts.iter().map(|part| self.rows.tables[part.table].per_vertex);
            let is_uniform = rooms().all(|room| rooms().next() == Some(room));
            let is_alone = rest.parts.len() == 1;
            let is_plain = is_alone && rest.mesh.point_count() == rest.mesh.vertex_count();
            let part = |table, first| Part { table, surface, first, amount, is_uniform, is_alone, is_plain };
            out.extend(rest.parts.iter().map(|rest| part(rest.table, rest.first)));
        }
        out
    }

    /// Paints the rows of a table, and gives the model their weights. Those that the model takes one by one are added to a list.
    pub(super) fn paint_part(
        &self,
        part: &Part<'_>,
        painted: &mut PaintedRows,
        mut model: Option<(&mut Model, PrimitiveId)>,
        one_by_one: &mut Vec<TableRow>,
    ) -> Result<Counts, String> {
        let table = &self.rows.tables[part.table];
        let mut pages: Option<WeightPages> = match &mut model {
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
        for work in work.iter().filter(|_| !is_direct) {
            let pages = (work.number * LEAF..).zip(work.changed);
            let rows = pages.flat_map(|(page, changed)| {
                (0..PAGE).filter(move |row| changed >> row & 1 == 1).map(move |row| page * PAGE + row)
            });
            one_by_one.extend(rows.map(|row| TableRow { table: part.table, row }));
        }
        drop((work, pieces));
        if let (Some((model, _)), Some(pages)) = (model, pages) {
            model.put_pages(pages).map_err(|why| why.to_string())?;
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
            self.fetch_ahead(part, first + 2 * PAGE);
            // A page that nobody else has is changed where it is.
            let own = work.leaf.as_mut().and_then(Arc::get_mut).and_then(|leaf| leaf[number].as_mut());
            if let Some(page) = own.and_then(Arc::get_mut) {
                let done = self.paint_page(part, rows, page, (&mut work.counts, space));
                work.changed[number] = done.changed;
                self.write_page((part, first, number), (page, done), work.weights.as_mut(), space);
                continue;
            }
            let shared = work.leaf.as_ref().and_then(|leaf| leaf[number].as_deref());
            let mut new = Arc::new(shared.map_or(RowPage::EMPTY, Clone::clone));
            let Some(page) = Arc::get_mut(&mut new) else { continue };
            let done = self.paint_page(part, rows, page, (&mut work.counts, space));
            if done.changed != 0 {
                work.changed[number] = done.changed;
                self.write_page((part, first, number), (page, done), work.weights.as_mut(), space);
                leaf_mut(work.leaf)[number] = Some(new);
            }
        }
    }

    /// Begins to read what the page with a row will read of other pages: they lie apart in memory, and each would be waited for.
    #[inline]
    fn fetch_ahead(&self, part: &Part<'_>, row: usize) {
        let Some(before) = self.before.as_ref().filter(|_| self.toward != Toward::Nothing && part.is_plain) else {
            return;
        };
        let mesh = &self.surfaces[part.surface].mesh;
        if row < mesh.point_count() as usize {
            let pages = &before[part.table];
            let near = mesh.neighbours(row as u32).iter().map(|point| *point as usize / PAGE);
            let mut last = usize::MAX;
            for page in near {
                if page != std::mem::replace(&mut last, page) {
                    pages.get(page).copied().flatten().map(RowPage::fetch);
                }
            }
        }
    }

    /// Gives the model the rows of a page that have changed.
    #[inline]
    fn write_page(
        &self,
        (part, row, number): (&Part<'_>, usize, usize),
        (page, Done { changed, placed }): (&RowPage, Done),
        weights: Option<&mut PagePiece<'_>>,
        space: &mut Space,
    ) {
        if let Some(weights) = weights.filter(|_| changed != 0) {
            let first = TableRow { table: part.table, row };
            weights.change(number, changed, &mut |joints, weights| {
                self.rows.fill_pairs(first, (page, changed, placed), (joints, weights), &mut space.pairs);
            });
        }
    }

    /// Paints the rows of a page, which has those from before.
    #[inline]
    fn paint_page(
        &self,
        part: &Part<'_>,
        rows: Range<usize>,
        page: &mut RowPage,
        (counts, space): (&mut Counts, &mut Space),
    ) -> Done {
        let rest = &self.surfaces[part.surface];
        let mut out = Done::default();
        let base = rows.start;
        for row in rows {
            let point = if part.is_plain { row as u32 } else { rest.mesh.point(part.first + row as u32) };
            let strength = part.amount.at(point);
            // What is no number is not above zero either.
            let is_painted = strength > 0.0;
            if !is_painted {
                continue;
            }
            let place = Place { surface: part.surface, point };
            let effect = self.paint_row(part, (place, strength), (row, row - base), (page, &mut out, space));
            counts.note(effect);
        }
        out
    }

    /// Paints one row, and writes it to its page.
    #[inline]
    fn paint_row(
        &self,
        part: &Part<'_>,
        (place, strength): (Place, f64),
        (row, at): (usize, usize),
        (page, done, space): (&mut RowPage, &mut Done, &mut Space),
    ) -> Effect {
        let own = match &self.before {
            Some(_) => self.first_row(part, place.point),
            None => TableRow { table: part.table, row },
        };
        let less_room;
        let painter = if part.is_uniform {
            &self.painters[own.table]
        } else {
            let (_, room) = self.rows.home(&self.surfaces[place.surface], place.point);
            less_room = self.painters[own.table].with_room(room, self.stroke);
            &less_room
        };
        if painter.lacks {
            return Effect::Stuck(Stuck::OtherSkin);
        }
        let usual = match &self.before {
            Some(before) => before[own.table].get(own.row / PAGE).and_then(|page| (*page)?.usual(own.row % PAGE)),
            None => page.usual(at),
        };
        let mut mean = UsualShares::NONE;
        if let Some(own) = usual
            && let Some(few) = &painter.few
            && self.finds_usual(part, place.point, &own, &mut mean)
        {
            let mut new = own;
            if let Some(effect) = few.paint_usual(&own, &mean, strength, &mut new) {
                if effect.changes() {
                    done.changed |= 1 << at;
                    done.placed |= u16::from(page.set_usual(at, &new, self.stroke.normalise)) << at;
                }
                return effect;
            }
        }
        self.paint_unusual(painter, (place, strength), (own, at), (page, done, space))
    }

    /// Does the same for a row of more joints, or one that gets other joints.
    #[inline(never)]
    fn paint_unusual(
        &self,
        painter: &Painter<'_>,
        (place, strength): (Place, f64),
        (own, at): (TableRow, usize),
        (page, done, space): (&mut RowPage, &mut Done, &mut Space),
    ) -> Effect {
        let known = match &self.before {
            Some(before) => painted(before, own),
            None => page.get(at),
        };
        let is_whole = self.stroke.normalise;
        if let Some(few) = &painter.few
            && let Some(shares) = few_shares(&self.rows.tables[own.table], own.row, known)
        {
            let mut row = FewShares::NONE;
            let effect = match self.toward {
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
                if effect.changes() {
                    done.changed |= 1 << at;
                    done.placed |= u16::from(page.set_few(at, &row, is_whole)) << at;
                }
                return effect;
            }
        }
        let Space { own: own_space, near, row, mean, .. } = space;
        let own = self.shares(own, known, own_space);
        let toward = match self.toward {
            Toward::Neighbours | Toward::NeighboursByLength => self.around(place, (mean, near)).unwrap_or(own),
            Toward::Nothing | Toward::Touched | Toward::Below => &[],
        };
        let effect = painter.task.paint_into(&Asked { own, toward, strength, ..painter.asked }, row);
        if effect.changes() {
            done.changed |= 1 << at;
            page.set_shares(at, row, is_whole);
        }
        effect
    }

    /// Returns the row of the first vertex of a point.
    #[inline]
    fn first_row(&self, part: &Part<'_>, point: u32) -> TableRow {
        if part.is_plain {
            return TableRow { table: part.table, row: point as usize };
        }
        let rest = &self.surfaces[part.surface];
        let vertex = rest.mesh.weld.first[point as usize];
        match part.is_alone {
            true => TableRow { table: part.table, row: (vertex - part.first) as usize },
            false => rest.row(vertex),
        }
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
        match self.toward {
            Toward::NeighboursByLength => over_length(rest, ends),
            Toward::Nothing | Toward::Neighbours | Toward::Touched | Toward::Below => 1.0,
        }
    }

    /// Finds what a row goes towards, if the brush reads anything, with the joints of the row in their order. Returns false where that has others
    /// too, or there is nothing.
    #[inline]
    fn finds_usual(&self, part: &Part<'_>, place: u32, own: &UsualShares, mean: &mut UsualShares) -> bool {
        let Some(before) = self.before.as_ref().filter(|_| self.toward != Toward::Nothing) else {
            return true;
        };
        if own.count == 0 {
            return false;
        }
        let (rest, own_pages) = (&self.surfaces[part.surface], &before[part.table]);
        *mean = UsualShares { weights: [0.0; 4], ..*own };
        let mut whole = 0.0;
        for point in rest.mesh.neighbours(place) {
            let share = self.share_of(rest, [place, *point]);
            if share > 0.0 {
                whole += share;
                let at = self.first_row(part, *point);
                let pages = if part.is_alone { own_pages } else { &before[at.table] };
                let page = pages.get(at.row / PAGE).copied().flatten();
                if !page.is_some_and(|page| page.add_to(at.row % PAGE, share, mean)) {
                    return false;
                }
            }
        }
        mean.weights.iter_mut().for_each(|weight| *weight /= whole);
        whole > 0.0
    }

    /// Returns the mean of the rows around a place, where it has few joints: the inner `None` says that there are no rows.
    fn few_around(&self, place: Place) -> Option<Option<FewShares>> {
        let rest = &self.surfaces[place.surface];
        let before = self.before.as_ref()?;
        let (mut mean, mut whole, mut is_empty) = (FewShares::NONE, 0.0, true);
        for point in rest.mesh.neighbours(place.point) {
            let share = self.share_of(rest, [place.point, *point]);
            if share > 0.0 {
                let at = rest.row(rest.mesh.weld.first[*point as usize]);
                let row = few_shares(&self.rows.tables[at.table], at.row, painted(before, at))?;
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
                mean.add(self.shares(at, painted(before, at), space), share);
            }
        }
        (!is_empty).then(|| mean.mean())
    }
}

/// Returns a row that was painted before the stroke.
fn painted<'a>(before: &[Vec<Option<&'a RowPage>>], at: TableRow) -> Option<PaintedRow<'a>> {
    (*before[at.table].get(at.row / PAGE)?)?.get(at.row % PAGE)
}

/// Returns the weights of a row with few joints; `None` where it has more.
fn few_shares(table: &Table, row: usize, painted: Option<PaintedRow<'_>>) -> Option<FewShares> {
    match painted {
        Some(PaintedRow::Few(keys, weights, count, _)) => {
            Some(UsualShares { keys: *keys, weights: *weights, count }.to_few())
        }
        Some(PaintedRow::Row(row)) => FewShares::of(&row.shares),
        None => table.few_shares(row),
    }
}
