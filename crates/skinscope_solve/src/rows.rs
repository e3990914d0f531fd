//! The weights of a whole surface, from examples.

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DVec3;
use skinscope_base::parallel::{JobContext, map};
use skinscope_model::Model;
use skinscope_weights::{Bounds, RestSurface, Table, TableRow, difference, share_of};

use crate::candidates::{Candidates, Kin};
use crate::example::Example;
use crate::motion::{Posed, diagonal, shown_by};
use crate::row::{RowRules, RowSolver};
use crate::{Joints, Outcome};

/// So many welded vertices one thread solves at a time.
const PIECE: usize = 256;
/// Weights that differ by no more count as the same.
const SAME: f64 = 1e-6;
/// A place that would come nearer to where it should be by no more than this share of the size, or of the way from the origin where that is
/// longer, stays as it was: that much is rounding. A number of single precision is off by 2⁻²⁴, which is 6e-8, of itself at most, and a vertex
/// of a mesh that another program, or this one, has written went through about a dozen of them: its place at rest, the matrices of its joints,
/// the products of these with it, its weights, the sum over four joints, and its place in the file. If all go one way, that is 7e-7.
const ROUNDING: f64 = 1e-6;

/// How weights are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveSettings {
    /// The most joints of a vertex.
    pub most: usize,
    /// The joints that it may have.
    pub joints: Joints,
    /// How strongly the weights of before are kept: this times the square of their change is added to the squares of the distances, which
    /// are measured by the size of the surface.
    pub keep: f64,
}

impl Default for SolveSettings {
    fn default() -> Self {
        Self { most: 4, joints: Joints::default(), keep: 1e-6 }
    }
}

/// A surface, and where its vertices should be.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The model.
    pub model: &'a Model,
    /// The surface whose weights are looked for. Vertices that are welded are one place, and get one row.
    pub surface: &'a RestSurface,
    /// The weights of all primitives, as they are before.
    pub tables: &'a [Table],
    /// For each part of the surface, its examples. A part without any gets only the rows of the places that it shares with others.
    pub examples: &'a [&'a [Example<'a>]],
    /// The joints whose weights stay, and the vertices that may change: a place without any stays.
    pub bounds: &'a Bounds,
}

/// The rows that were found for the places of a surface.
#[derive(Debug, Default)]
pub struct Solution {
    pieces: Vec<Piece>,
    /// How many places stay because of locked joints.
    pub stuck: usize,
    /// How many places have a choice of joints that is good, but not proven to be the best to a millionth of the size.
    pub unproven: usize,
}

/// The rows of some places that follow one another.
#[derive(Debug, Default)]
struct Piece {
    shares: Vec<(u32, f64)>,
    /// For each place: what became of it, and where its shares end.
    places: Vec<(Outcome, usize)>,
    unproven: usize,
}

/// Solves all rows of a surface on all cores: the weights of each place are those with the least sum, over the examples and the vertices of
/// the place, of the squares of the distances to where it should be. Returns `None` where the job was cancelled.
#[must_use]
pub fn solve_rows(problem: &Problem, settings: &SolveSettings, context: &JobContext) -> Option<Solution> {
    let Problem { model, surface, tables, .. } = *problem;
    let kin = Kin::new(model, surface, tables);
    let index: Vec<Vec<u16>> = surface.parts.iter().map(|part| index(&tables[part.table], model)).collect();
    let Extent { size, rounding } = extent(problem);
    let places = surface.positions.len();
    let (count, done) = (places.div_ceil(PIECE), AtomicUsize::new(0));
    let work = |piece: usize| {
        let mut solver = PlaceSolver {
            problem,
            rules: RowRules {
                most: settings.most,
                keep: settings.keep,
                prefers_own: false,
                locked: &problem.bounds.locked,
            },
            size,
            rounding,
            index: &index,
            candidates: Candidates::new(settings.joints, surface, tables, &kin),
            solver: RowSolver::default(),
            rows: Vec::new(),
            before: Vec::new(),
            own: Vec::new(),
            joints: Vec::new(),
        };
        let mut out = Piece::default();
        for place in piece * PIECE..((piece + 1) * PIECE).min(places) {
            let outcome = solver.place(place as u32, &mut out);
            out.places.push((outcome, out.shares.len()));
        }
        let share = (done.fetch_add(1, Ordering::Relaxed) + 1) as f32 / count as f32;
        if context.set_fraction(share) {
            context.wake();
        }
        out
    };
    let pieces = map(count, context.cancel_flag(), &work)?;
    let of = |outcome: Outcome| pieces.iter().flat_map(|piece| &piece.places).filter(|(o, _)| *o == outcome).count();
    let (stuck, unproven) = (of(Outcome::Stuck), pieces.iter().map(|piece| piece.unproven).sum());
    Some(Solution { stuck, unproven, pieces })
}

/// The joint of a node that is none.
const NONE: u16 = u16::MAX;

/// Returns the index in the skin of each node; [`NONE`] where it is no joint of it.
fn index(table: &Table, model: &Model) -> Vec<u16> {
    let mut out = vec![NONE; model.skeleton.len()];
    for (joint, key) in table.keys.iter().enumerate().rev() {
        if let Some(at) = out.get_mut(*key as usize) {
            *at = joint as u16;
        }
    }
    out
}

/// How large the parts with examples are as they rest in the scene, metres.
struct Extent {
    /// The diagonal of their bounds.
    size: f64,
    /// How far places may be off by rounding.
    rounding: f64,
}

fn extent(problem: &Problem) -> Extent {
    let Problem { model, surface, tables, examples, .. } = *problem;
    let rest = Posed::new(model, &model.skeleton.rest);
    let parts = surface.parts.iter().zip(examples).filter(|(_, examples)| !examples.is_empty());
    let moved = parts.filter_map(|(part, _)| {
        let motion = rest.motion(shown_by(model, part.primitive)?, part.primitive.primitive)?;
        let table = &tables[part.table];
        Some((0..motion.vertices().min(table.vertices())).map(move |vertex| motion.blended(table, vertex)))
    });
    let points: Vec<DVec3> = moved.flatten().collect();
    let size = diagonal(points.iter().copied());
    let lengths = points.iter().map(|point| point.length()).filter(|length| length.is_finite());
    Extent { size, rounding: ROUNDING * lengths.fold(size, f64::max) }
}

/// Returns where the vertices of a place should be: for each of its rows, with its part, the examples that have it.
fn shown<'a>(
    rows: &'a [(usize, TableRow)],
    examples: &'a [&'a [Example<'a>]],
) -> impl Iterator<Item = (usize, TableRow, &'a Example<'a>)> {
    rows.iter().flat_map(move |(part, at)| {
        let of_part = examples.get(*part).copied().unwrap_or_default();
        let having = of_part.iter().filter(move |example| at.row < example.vertices());
        having.map(move |example| (*part, *at, example))
    })
}

/// Returns where a joint alone would take a vertex. A locked joint with hardly any weight may be one of another vertex of the place alone.
fn ghost(example: &Example, index: &[u16], row: usize, key: u32) -> DVec3 {
    match index[key as usize] {
        NONE => DVec3::NAN,
        joint => example.motion().ghost(usize::from(joint), row),
    }
}

/// Solves places, one after the other.
struct PlaceSolver<'a> {
    problem: &'a Problem<'a>,
    rules: RowRules<'a>,
    size: f64,
    /// How far places may be off by rounding, metres.
    rounding: f64,
    /// For each part: the index in its skin of each node.
    index: &'a [Vec<u16>],
    candidates: Candidates<'a>,
    solver: RowSolver,
    /// The vertices of the place: the part and the row of each.
    rows: Vec<(usize, TableRow)>,
    before: Vec<(u32, f64)>,
    own: Vec<(u32, f64)>,
    joints: Vec<u32>,
}

impl PlaceSolver<'_> {
    /// Solves a place, and adds its shares.
    fn place(&mut self, place: u32, out: &mut Piece) -> Outcome {
        self.look(place);
        if !self.rows.iter().any(|(_, at)| self.problem.bounds.has(at.table, at.row)) {
            return Outcome::Free;
        }
        if self.locks_differ() {
            return Outcome::Stuck;
        }
        self.candidates.of(place, &self.before, &mut self.joints);
        let Self { rows, index, joints, .. } = self;
        joints.retain(|key| rows.iter().all(|(part, _)| index[*part][*key as usize] != NONE));
        if let Some(outcome) = self.solver.begin(&self.before, &self.joints, &self.rules) {
            return outcome;
        }
        for (part, at, example) in shown(&self.rows, self.problem.examples) {
            let index = &self.index[part];
            let ghost = |key: u32| ghost(example, index, at.row, key);
            self.solver.add(&ghost, example.target(at.row), self.size);
        }
        let from = out.shares.len();
        let Some(is_proven) = self.solver.finish(&self.rules, self.rows.len(), &mut out.shares) else {
            return Outcome::Free;
        };
        out.unproven += usize::from(!is_proven);
        if self.stays(&out.shares[from..]) { Outcome::Same } else { Outcome::Changed }
    }

    /// Returns whether a place stays as it is where these shares were found for it: they are its own, or bring it no nearer but by rounding.
    fn stays(&mut self, new: &[(u32, f64)]) -> bool {
        let mut is_same = true;
        for (_, TableRow { table, row }) in &self.rows {
            let table = &self.problem.tables[*table];
            table.shares(*row, &mut self.own);
            let sum: f64 = self.own.iter().map(|(_, weight)| weight).sum();
            // A row that has too many joints is another one even where the least of them hardly count.
            if sum.is_nan() || sum <= 0.0 || self.own.len() > self.rules.most {
                return false;
            }
            self.own.iter_mut().for_each(|(_, weight)| *weight /= sum);
            is_same &= difference(&self.own, new) <= SAME;
        }
        is_same || self.is_as_near(new)
    }

    /// Returns whether the vertices of a place are, but for rounding, as near to where they should be as these shares would bring them. Squares
    /// are compared: the nearest shares are where the distance no longer falls, so that their difference is at least the square of the way
    /// between the two places, also where both stay far from where they should be.
    fn is_as_near(&self, new: &[(u32, f64)]) -> bool {
        let (mut gained, mut count) = (0.0, 0.0);
        for (part, at, example) in shown(&self.rows, self.problem.examples) {
            let target = example.target(at.row);
            let term = |(key, weight): &(u32, f64)| ghost(example, &self.index[part], at.row, *key) * *weight;
            let is = new.iter().map(term).sum::<DVec3>().distance_squared(target);
            // What is no number has not counted.
            if is.is_finite() {
                gained +=
                    example.motion().blended(&self.problem.tables[at.table], at.row).distance_squared(target) - is;
                count += 1.0;
            }
        }
        gained <= count * self.rounding * self.rounding
    }

    /// Returns whether the rows of a place have other weights of a locked joint than each other, so that one row for all would change these.
    fn locks_differ(&mut self) -> bool {
        let Self { problem, rules, rows, before, own, .. } = self;
        if rules.locked.is_empty() {
            return false;
        }
        rows.iter().any(|at| {
            let (_, TableRow { table, row }) = *at;
            problem.tables[table].shares(row, own);
            let sum: f64 = own.iter().map(|(_, weight)| weight).sum();
            let differs = |key: &u32| (share_of(own, *key) / sum - share_of(before, *key)).abs() > SAME;
            sum > 0.0 && rules.locked.iter().any(differs)
        })
    }

    /// Takes the rows of a place, and their weights of before: the mean of them, since the change of each counts.
    fn look(&mut self, place: u32) {
        self.rows.clear();
        self.before.clear();
        let Problem { surface, tables, .. } = *self.problem;
        let mut count = 0.0;
        for member in surface.members(place) {
            let (part, row) = surface.stored(*member);
            let at = TableRow { table: part.table, row };
            let part = surface.parts.iter().position(|other| other.first == part.first).unwrap_or_default();
            if row >= tables[at.table].vertices() {
                continue;
            }
            self.rows.push((part, at));
            tables[at.table].shares(row, &mut self.own);
            let sum: f64 = self.own.iter().map(|(_, weight)| weight).sum();
            if !(sum > 0.0 && sum.is_finite()) {
                continue;
            }
            count += 1.0;
            for (key, weight) in &self.own {
                match self.before.iter_mut().find(|(known, _)| known == key) {
                    Some((_, total)) => *total += weight / sum,
                    None => self.before.push((*key, weight / sum)),
                }
            }
        }
        self.before.iter_mut().for_each(|(_, weight)| *weight /= count);
    }
}

impl Solution {
    /// Writes the rows that have changed into the tables; the others stay to the bit. Returns how many places have changed.
    pub fn apply(&self, surface: &RestSurface, tables: &mut [Table]) -> usize {
        let (mut place, mut changed) = (0_u32, 0);
        for piece in &self.pieces {
            let mut from = 0;
            for (outcome, end) in &piece.places {
                let shares = &piece.shares[from..*end];
                if *outcome == Outcome::Changed {
                    write(surface, place, shares, tables);
                    changed += 1;
                }
                (from, place) = (*end, place + 1);
            }
        }
        changed
    }
}

/// Gives the rows of a place these shares. Where it has several, all have them in the same pairs, so that they are rounded alike.
fn write(surface: &RestSurface, place: u32, shares: &[(u32, f64)], tables: &mut [Table]) {
    let members = surface.members(place);
    for member in members {
        let TableRow { table, row } = surface.row(*member);
        let table = &mut tables[table];
        if row < table.vertices() {
            table.widen(shares.len().next_multiple_of(4));
            match members.len() {
                1 => _ = table.put(row, shares),
                _ => _ = table.put_in_order(row, shares),
            }
        }
    }
}
