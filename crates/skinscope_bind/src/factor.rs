//! The Cholesky factor `L Lᵀ` of a sparse symmetric matrix, and solving for a few right sides at once.
//!
//! `faer` chooses the order of the unknowns and finds the factor, whose neighbouring columns stand in blocks. Going through it is what solving
//! costs, so that it is gone through once for [`LANES`] right sides, whose numbers stand side by side.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SparseColMat;
use faer::sparse::linalg::cholesky::{
    SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::{Par, Side};
use skinscope_base::memory::prefer_large_pages;

use crate::BindError;

/// So many right sides are solved for at once.
pub(crate) const LANES: usize = 4;

/// A number of each right side.
pub(crate) type Lanes = [f64; LANES];

/// The factor of a matrix.
pub(crate) struct Factor {
    symbolic: SymbolicCholesky<u32>,
    values: Vec<f64>,
}

/// Some neighbouring columns of the factor, which have numbers in the same rows.
struct Block<'f> {
    /// The first column.
    start: usize,
    /// How many columns there are; their own rows come first in each.
    width: usize,
    /// The rows after those.
    below: &'f [u32],
    /// The numbers, column by column; those above the diagonal mean nothing.
    values: &'f [f64],
}

/// So many columns of a block are gone through at once.
const COLUMNS: usize = 4;

impl Factor {
    /// Factors a matrix of which the half below the diagonal is stored.
    pub fn of(matrix: &SparseColMat<u32, f64>) -> Result<Self, BindError> {
        let (order, side) = (SymmetricOrdering::Amd, Side::Lower);
        let symbolic = factorize_symbolic_cholesky(matrix.symbolic(), side, order, Default::default());
        let symbolic = symbolic.map_err(|error| BindError::Unsolved(format!("{error:?}")))?;
        let room = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let too_large = |_| BindError::Unsolved("there is not enough memory".to_owned());
        let mut room = MemBuffer::try_new(room).map_err(too_large)?;
        let mut values: Vec<f64> = Vec::new();
        if values.try_reserve_exact(symbolic.len_val()).is_err() {
            return Err(BindError::Unsolved("there is not enough memory".to_owned()));
        }
        prefer_large_pages(&mut values);
        values.resize(symbolic.len_val(), 0.0);
        let (stack, usual) = (MemStack::new(&mut room), Default::default());
        let (matrix, exact) = (matrix.as_ref(), Default::default());
        let factored = symbolic.factorize_numeric_llt(&mut values, matrix, side, exact, Par::Seq, stack, usual);
        factored.map_err(|error| BindError::Unsolved(format!("{error:?}")))?;
        Ok(Self { symbolic, values })
    }

    /// Returns the row of the factor in which an unknown stands.
    pub fn row(&self, unknown: u32) -> usize {
        self.symbolic.perm().map_or(unknown, |order| order.arrays().1[unknown as usize]) as usize
    }

    /// Solves for some right sides, of which the numbers stand in the rows of the factor, and puts the unknowns in their place.
    pub fn solve(&self, x: &mut [Lanes]) {
        let blocks = match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(columns) => columns.ncols(),
            SymbolicCholeskyRaw::Supernodal(blocks) => blocks.n_supernodes(),
        };
        (0..blocks).for_each(|number| self.block(number).go_down(x));
        (0..blocks).rev().for_each(|number| self.block(number).go_up(x));
    }

    fn block(&self, number: usize) -> Block<'_> {
        let range = |ends: &[u32]| ends[number] as usize..ends[number + 1] as usize;
        match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(columns) => {
                let range = range(columns.col_ptr());
                let below = &columns.row_idx()[range.start + 1..range.end];
                Block { start: number, width: 1, below, values: &self.values[range] }
            }
            SymbolicCholeskyRaw::Supernodal(blocks) => {
                let [start, end] = [blocks.supernode_begin(), blocks.supernode_end()].map(|ends| ends[number] as usize);
                let values = &self.values[range(blocks.col_ptr_for_val())];
                Block { start, width: end - start, below: blocks.supernode(number).pattern(), values }
            }
        }
    }
}

impl Block<'_> {
    fn rows(&self) -> usize {
        self.width + self.below.len()
    }

    /// Solves for the unknowns of the block with `L`, and takes them away from the rows below.
    fn go_down(&self, x: &mut [Lanes]) {
        let own = &mut x[self.start..self.start + self.width];
        // A right side is 0 nearly everywhere, and 0 takes nothing away.
        if own.iter().flatten().all(|value| *value == 0.0) {
            return;
        }
        for (at, column) in self.values.chunks_exact(self.rows()).enumerate() {
            let (known, open) = own.split_at_mut(at + 1);
            let known = &mut known[at];
            known.iter_mut().for_each(|value| *value /= column[at]);
            open.iter_mut().zip(&column[at + 1..]).for_each(|(open, factor)| take(open, *factor, known));
        }
        for first in (0..self.width).step_by(COLUMNS) {
            match self.width - first {
                1 => self.take_from_below::<1>(first, x),
                2 => self.take_from_below::<2>(first, x),
                3 => self.take_from_below::<3>(first, x),
                _ => self.take_from_below::<COLUMNS>(first, x),
            }
        }
    }

    /// Solves for the unknowns of the block with `Lᵀ`; those of the rows below are known.
    fn go_up(&self, x: &mut [Lanes]) {
        for first in (0..self.width).step_by(COLUMNS) {
            match self.width - first {
                1 => self.take_below::<1>(first, x),
                2 => self.take_below::<2>(first, x),
                3 => self.take_below::<3>(first, x),
                _ => self.take_below::<COLUMNS>(first, x),
            }
        }
        let own = &mut x[self.start..self.start + self.width];
        for (at, column) in self.values.chunks_exact(self.rows()).enumerate().rev() {
            let (open, known) = own.split_at_mut(at + 1);
            let open = &mut open[at];
            known.iter().zip(&column[at + 1..]).for_each(|(known, factor)| take(open, *factor, known));
            open.iter_mut().for_each(|value| *value /= column[at]);
        }
    }

    /// Returns those numbers of some columns that stand below the block.
    fn columns<const N: usize>(&self, first: usize) -> [&[f64]; N] {
        std::array::from_fn(|at| &self.values[(first + at) * self.rows() + self.width..][..self.below.len()])
    }

    fn take_from_below<const N: usize>(&self, first: usize, x: &mut [Lanes]) {
        let columns = self.columns::<N>(first);
        let known: [Lanes; N] = std::array::from_fn(|at| x[self.start + first + at]);
        for (at, row) in self.below.iter().enumerate() {
            let mut open = x[*row as usize];
            columns.iter().zip(&known).for_each(|(column, known)| take(&mut open, column[at], known));
            x[*row as usize] = open;
        }
    }

    fn take_below<const N: usize>(&self, first: usize, x: &mut [Lanes]) {
        let columns = self.columns::<N>(first);
        let mut open: [Lanes; N] = std::array::from_fn(|at| x[self.start + first + at]);
        for (at, row) in self.below.iter().enumerate() {
            let known = x[*row as usize];
            columns.iter().zip(&mut open).for_each(|(column, open)| take(open, column[at], &known));
        }
        x[self.start + first..][..N].copy_from_slice(&open);
    }
}

/// Takes a multiple of some numbers away from others.
#[inline(always)]
fn take(from: &mut Lanes, factor: f64, times: &Lanes) {
    from.iter_mut().zip(times).for_each(|(from, times)| *from -= factor * times);
}
