//! Symmetric sparse equations with many right sides.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use faer::sparse::{SparseColMat, SymbolicSparseColMat};

use crate::BindError;
use crate::factor::{Factor, LANES, Lanes};
use crate::progress::Progress;

/// The equations, of which the half below the diagonal is stored.
pub(crate) struct Equations {
    count: usize,
    /// Column and row, the column no larger, and a number that is added there.
    entries: Vec<(u32, u32, f64)>,
}

/// How often it is asked whether anybody still waits.
const PATIENCE: Duration = Duration::from_millis(20);

impl Equations {
    /// Makes equations for so many unknowns, with room for entries.
    pub(crate) fn with_room(count: usize, entries: usize) -> Self {
        Self { count, entries: Vec::with_capacity(entries) }
    }

    /// Adds a number at (a, b) and (b, a).
    pub fn add(&mut self, a: u32, b: u32, value: f64) {
        self.entries.push((a.min(b), a.max(b), value));
    }

    /// Solves for each right side, a list of places and numbers, and returns of each the first `most` unknowns, as far as they are greater than
    /// `least`. Single precision is enough for what is rounded to a file later, and half as much.
    pub fn solve(
        self,
        right: &[Vec<(u32, f64)>],
        (most, least): (usize, f64),
        progress: Progress,
    ) -> Result<Vec<Vec<(u32, f32)>>, BindError> {
        let count = self.count;
        let matrix = self.matrix()?;
        progress.at(0.05)?;
        let factor = factor(matrix, progress)?;
        progress.at(0.5)?;
        // The room of one thread is used again for its next right sides.
        let rooms: Mutex<Vec<Vec<Lanes>>> = Mutex::new(Vec::new());
        let rooms = || rooms.lock().unwrap_or_else(PoisonError::into_inner);
        progress.part(0.5, 1.0).by_chunk(right.len(), LANES, &|range| {
            let mut x = rooms().pop().unwrap_or_default();
            x.clear();
            x.resize(count, [0.0; LANES]);
            let sides = &right[range];
            for (lane, side) in sides.iter().enumerate() {
                side.iter().for_each(|(place, value)| x[factor.row(*place)][lane] = *value);
            }
            factor.solve(&mut x);
            let room = |lane: usize| Vec::with_capacity(x.iter().filter(|values| values[lane] > least).count());
            let mut found: Vec<Vec<(u32, f32)>> = (0..sides.len()).map(room).collect();
            for unknown in 0..most as u32 {
                let values = x[factor.row(unknown)];
                for (found, value) in found.iter_mut().zip(values).filter(|(_, value)| *value > least) {
                    found.push((unknown, value as f32));
                }
            }
            rooms().push(x);
            found
        })
    }

    /// Adds up the entries of each place in the matrix.
    fn matrix(mut self) -> Result<SparseColMat<u32, f64>, BindError> {
        // Those of one place by their values, so that sums do not depend on the order in which they came.
        self.entries.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
        let mut starts = vec![0_u32; self.count + 1];
        let (mut rows, mut values) = (Vec::with_capacity(self.entries.len()), Vec::with_capacity(self.entries.len()));
        for same in self.entries.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            starts[same[0].0 as usize + 1] += 1;
            rows.push(same[0].1);
            values.push(same.iter().map(|(_, _, value)| value).sum::<f64>());
        }
        for column in 0..self.count {
            starts[column + 1] += starts[column];
        }
        if values.iter().any(|value| !value.is_finite()) {
            return Err(BindError::Unsolved("a number is not finite".to_owned()));
        }
        drop(self.entries);
        let symbolic = SymbolicSparseColMat::new_checked(self.count, self.count, starts, None, rows);
        Ok(SparseColMat::new(symbolic, values))
    }
}

/// Factors a matrix. It cannot be interrupted, so that it runs on a thread of its own, which nobody waits for once the job is cancelled.
fn factor(matrix: SparseColMat<u32, f64>, progress: Progress) -> Result<Factor, BindError> {
    let (send, receive) = channel();
    let work = move || {
        let found = Factor::of(&matrix);
        // Before anybody goes on with the factor.
        drop(matrix);
        _ = send.send(found);
    };
    std::thread::Builder::new()
        .name("factor".to_owned())
        .spawn(work)
        .map_err(|error| BindError::Unsolved(format!("no thread could be started: {error}")))?;
    loop {
        match receive.recv_timeout(PATIENCE) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(BindError::Unsolved("the factorisation ended early".to_owned()));
            }
            Err(RecvTimeoutError::Timeout) if progress.is_cancelled() => return Err(BindError::Cancelled),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use skinscope_base::parallel::JobContext;

    use super::*;

    /// Springs between all places of a grid whose numbers differ by 1, `reach` or `reach + 1`, and to the ground.
    fn springs(count: u32, reach: u32) -> Vec<(u32, u32, f64)> {
        let stiffness = |a: u32, b: u32| 0.5 + f64::from((7 * a + 3 * b) % 11);
        let mut out: Vec<(u32, u32, f64)> = (0..count).map(|a| (a, a, 0.1 + f64::from(a % 5))).collect();
        for (a, b) in (0..count).flat_map(|a| [1, reach, reach + 1].map(|step| (a, a + step))).filter(|at| at.1 < count)
        {
            out.push((a, b, stiffness(a, b)));
        }
        out
    }

    fn equations(count: u32, springs: &[(u32, u32, f64)]) -> Equations {
        let mut out = Equations::with_room(count as usize, 4 * springs.len());
        for (a, b, stiffness) in springs.iter().copied() {
            out.add(a, a, stiffness);
            if a != b {
                out.add(b, b, stiffness);
                out.add(a, b, -stiffness);
            }
        }
        out
    }

    fn solved(count: u32, springs: &[(u32, u32, f64)], right: &[Vec<(u32, f64)>]) -> Vec<Vec<f64>> {
        let context = JobContext::of_waiting();
        let all = (count as usize, f64::NEG_INFINITY);
        let found = equations(count, springs).solve(right, all, Progress::new(&context)).unwrap();
        let in_order = |column: Vec<(u32, f32)>| {
            assert!(column.iter().map(|(at, _)| *at).eq(0..count));
            column.into_iter().map(|(_, value)| f64::from(value)).collect()
        };
        found.into_iter().map(in_order).collect()
    }

    #[test]
    fn unknowns_fulfil_the_equations_with_columns_alone_and_in_blocks() {
        // Of the wide grid the factor has blocks of many columns, of the narrow one and the single number it has not.
        for (count, reach) in [(1, 1), (40, 3), (2500, 50)] {
            let springs = springs(count, reach);
            let right: Vec<Vec<(u32, f64)>> = (0..7)
                .map(|side| (0..count).skip(side).step_by(13).map(|at| (at, 1.0 + f64::from(at % 3))).collect())
                .collect();
            for (side, x) in right.iter().zip(solved(count, &springs, &right)) {
                let mut left = vec![0.0; count as usize];
                for (a, b, stiffness) in &springs {
                    let [a, b] = [*a as usize, *b as usize];
                    let pull = if a == b { stiffness * x[a] } else { stiffness * (x[a] - x[b]) };
                    left[a] += pull;
                    left[b] -= if a == b { 0.0 } else { pull };
                }
                side.iter().for_each(|(at, value)| left[*at as usize] -= value);
                let most = left.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
                assert!(most < 1e-4, "{count}: {most}");
            }
        }
    }

    #[test]
    fn a_right_side_is_solved_for_alike_alone_and_among_others() {
        let springs = springs(2500, 50);
        let right: Vec<Vec<(u32, f64)>> = (0..9).map(|side| vec![(271 * side, 1.0), (271 * side + 40, 2.0)]).collect();
        let together = solved(2500, &springs, &right);
        for (side, expected) in right.iter().zip(together) {
            assert_eq!(solved(2500, &springs, std::slice::from_ref(side)), [expected]);
        }
    }

    #[test]
    fn only_what_is_asked_for_is_returned() {
        let context = JobContext::of_waiting();
        let springs = springs(40, 3);
        let right = [vec![(3, 1.0)], Vec::new()];
        let all = solved(40, &springs, &right);
        let some = equations(40, &springs).solve(&right, (9, 0.02), Progress::new(&context)).unwrap();
        let expected: Vec<u32> = (0..9).filter(|at| all[0][*at as usize] > 0.02).collect();
        assert!(some[0].iter().map(|(at, _)| *at).eq(expected.iter().copied()) && !expected.is_empty());
        assert!(some[1].is_empty() && some.len() == 2);
    }
}
