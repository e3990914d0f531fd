//! Symmetric sparse equations with many right sides.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::Llt;
use faer::sparse::{SparseColMat, SymbolicSparseColMat};
use faer::{Mat, Side};

use crate::BindError;
use crate::progress::Progress;

/// The equations, of which the half below the diagonal is stored.
pub(crate) struct Equations {
    count: usize,
    /// Column and row, the column no larger, and a number that is added there.
    entries: Vec<(u32, u32, f64)>,
}

/// So many right sides are solved for at once by one thread.
const BLOCK: usize = 4;
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

    /// Solves for each right side, a list of places and numbers, and hands the numbers of the right sides to `take` in their order.
    pub fn solve(
        self,
        right: &[Vec<(u32, f64)>],
        progress: Progress,
        take: &mut dyn FnMut(usize, &[f64]),
    ) -> Result<(), BindError> {
        let count = self.count;
        let matrix = self.matrix()?;
        progress.at(0.05)?;
        let factor = factor(matrix, progress)?;
        progress.at(0.5)?;
        let blocks = right.len().div_ceil(BLOCK);
        let mut next = 0;
        // A wave of blocks at a time, so that few columns are in memory.
        while next < blocks {
            let wave = (blocks - next).min(skinscope_base::parallel::cores());
            let columns = |block: usize| (next + block) * BLOCK..((next + block + 1) * BLOCK).min(right.len());
            let solved = |block: usize| {
                let sides = &right[columns(block)];
                let mut values = Mat::<f64>::zeros(count, sides.len());
                for (column, side) in sides.iter().enumerate() {
                    side.iter().for_each(|(place, value)| values[(*place as usize, column)] = *value);
                }
                factor.solve_in_place(&mut values);
                values
            };
            let all = progress.map(wave, &solved)?;
            for (block, values) in all.iter().enumerate() {
                for (at, column) in columns(block).enumerate() {
                    let values = values.col(at).try_as_col_major().map(|column| column.as_slice());
                    let values =
                        values.ok_or_else(|| BindError::Unsolved("the columns are not in order".to_owned()))?;
                    take(column, values);
                }
            }
            next += wave;
            progress.at(0.5 + 0.5 * next as f32 / blocks as f32)?;
        }
        Ok(())
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
fn factor(matrix: SparseColMat<u32, f64>, progress: Progress) -> Result<Llt<u32, f64>, BindError> {
    let (send, receive) = channel();
    let work = move || _ = send.send(matrix.sp_cholesky(Side::Lower));
    std::thread::Builder::new()
        .name("factor".to_owned())
        .spawn(work)
        .map_err(|error| BindError::Unsolved(format!("no thread could be started: {error}")))?;
    loop {
        match receive.recv_timeout(PATIENCE) {
            Ok(result) => return result.map_err(|error| BindError::Unsolved(format!("{error:?}"))),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(BindError::Unsolved("the factorisation ended early".to_owned()));
            }
            Err(RecvTimeoutError::Timeout) if progress.is_cancelled() => return Err(BindError::Cancelled),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}
