//! Fills numbers in on a surface, from vertices that have some, as smoothly as the surface allows.
//!
//! The numbers minimise `½ wᵀ (K + K M⁻¹ K) w`, where `K` is the cotangent Laplacian (positive semidefinite) and `M` the lumped mass, a third
//! of the area around each vertex: Abdrashitov, Raichstat, Monsen and Hill, "Robust Skin Weights Transfer via Weight Inpainting" (2023).
//! Areas are counted in their mean, so that the result does not depend on the unit of length.

use std::collections::BTreeMap;

use glam::DVec3;

use crate::Shares;

/// The steps that the solver takes at most, and the share of the first residual at which it ends.
const STEPS: usize = 4000;
const ENOUGH: f64 = 1e-10;
/// Cotangents beyond this come from triangles without area, as far as numbers go.
const STEEPEST: f64 = 1e4;
/// Shares below this are left out.
const NOTHING: f64 = 1e-6;

/// The Laplacian and the mass of a surface.
#[derive(Clone, Debug)]
pub struct Laplacian {
    /// For each vertex its neighbours with their weights.
    rows: Vec<Vec<(u32, f64)>>,
    /// The sum of the weights of each row.
    diagonal: Vec<f64>,
    mass: Vec<f64>,
}

impl Laplacian {
    /// Computes both from the positions of vertices and from triangles, three indices of vertices each.
    #[must_use]
    pub fn of(positions: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let mut rows: Vec<BTreeMap<u32, f64>> = vec![BTreeMap::new(); positions.len()];
        let mut mass = vec![0.0; positions.len()];
        for triangle in triangles {
            let at = triangle.map(|vertex| positions[vertex as usize]);
            let twice = (at[1] - at[0]).cross(at[2] - at[0]).length();
            for corner in 0..3 {
                let [here, a, b] = [corner, (corner + 1) % 3, (corner + 2) % 3];
                mass[triangle[here] as usize] += twice / 6.0;
                // Half the cotangent of the angle at a corner is the weight of the edge across.
                let cotangent = (at[a] - at[here]).dot(at[b] - at[here]) / twice;
                if cotangent.is_finite() && cotangent.abs() < STEEPEST {
                    *rows[triangle[a] as usize].entry(triangle[b]).or_default() += 0.5 * cotangent;
                    *rows[triangle[b] as usize].entry(triangle[a]).or_default() += 0.5 * cotangent;
                }
            }
        }
        let mean = mass.iter().sum::<f64>() / mass.len().max(1) as f64;
        mass.iter_mut().for_each(|mass| *mass = if mean > 0.0 { (*mass / mean).max(1e-6) } else { 1.0 });
        let rows: Vec<Vec<(u32, f64)>> = rows.into_iter().map(|row| row.into_iter().collect()).collect();
        let diagonal = rows.iter().map(|row| row.iter().map(|(_, weight)| weight).sum()).collect();
        Self { rows, diagonal, mass }
    }

    /// Returns a row of `K x`.
    fn at(&self, x: &[f64], vertex: usize) -> f64 {
        let around: f64 = self.rows[vertex].iter().map(|(next, weight)| weight * x[*next as usize]).sum();
        self.diagonal[vertex] * x[vertex] - around
    }

    /// Returns the shares of the vertices of `unknown`, from those of all vertices that have some in `known`; an empty list where no such
    /// vertex is joined with it.
    #[must_use]
    pub fn fill(&self, known: &[Option<Shares>], unknown: &[u32]) -> Vec<Shares> {
        let system = System::new(self, unknown);
        let mut keys: Vec<u32> = Vec::new();
        let near = system.near.iter().filter_map(|vertex| known[*vertex as usize].as_ref());
        near.for_each(|shares| keys.extend(shares.iter().map(|(key, _)| *key)));
        keys.sort_unstable();
        keys.dedup();
        let mut out: Vec<Shares> = vec![Vec::new(); unknown.len()];
        for key in keys {
            let of = |shares: &Shares| shares.iter().filter(|(k, _)| *k == key).map(|(_, share)| *share).sum();
            let values = system.solve(&|vertex| known[vertex].as_ref().map_or(0.0, of));
            let used = out.iter_mut().zip(values).filter(|(_, value)| *value > NOTHING);
            used.for_each(|(shares, value)| shares.push((key, value)));
        }
        for shares in &mut out {
            let sum: f64 = shares.iter().map(|(_, share)| share).sum();
            shares.iter_mut().for_each(|(_, share)| *share /= sum);
        }
        out
    }
}

/// The equations of some vertices.
struct System<'l> {
    laplacian: &'l Laplacian,
    unknown: &'l [u32],
    /// The vertices whose values count in the equations of the unknown ones: those, their neighbours and the neighbours of these.
    near: Vec<u32>,
    /// The unknown vertices and their neighbours, the rows of the inner Laplacian.
    inner: Vec<u32>,
}

impl<'l> System<'l> {
    fn new(laplacian: &'l Laplacian, unknown: &'l [u32]) -> Self {
        let around = |vertices: &[u32]| {
            let next =
                vertices.iter().flat_map(|vertex| laplacian.rows[*vertex as usize].iter().map(|(next, _)| *next));
            let mut all: Vec<u32> = vertices.iter().copied().chain(next).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let inner = around(unknown);
        Self { near: around(&inner), inner, laplacian, unknown }
    }

    /// Writes the rows of the unknown vertices of `(K + K M⁻¹ K) x`. `middle` is as long as `x`, and 0.
    fn apply(&self, x: &[f64], middle: &mut [f64], out: &mut [f64]) {
        let Laplacian { mass, .. } = self.laplacian;
        for vertex in &self.inner {
            let vertex = *vertex as usize;
            middle[vertex] = self.laplacian.at(x, vertex) / mass[vertex];
        }
        for (out, vertex) in out.iter_mut().zip(self.unknown) {
            let vertex = *vertex as usize;
            *out = middle[vertex] * mass[vertex] + self.laplacian.at(middle, vertex);
        }
    }

    /// Solves for the unknown vertices by conjugate gradients, with the diagonal as preconditioner; `known` gives the value of every
    /// other vertex (Hestenes and Stiefel, "Methods of Conjugate Gradients for Solving Linear Systems", 1952).
    fn solve(&self, known: &dyn Fn(usize) -> f64) -> Vec<f64> {
        let (all, count) = (self.laplacian.rows.len(), self.unknown.len());
        let (mut x, mut middle) = (vec![0.0; all], vec![0.0; all]);
        let is_unknown = |vertex: &u32| self.unknown.binary_search(vertex).is_ok();
        self.near
            .iter()
            .filter(|vertex| !is_unknown(vertex))
            .for_each(|vertex| x[*vertex as usize] = known(*vertex as usize));
        let mut residual = vec![0.0; count];
        self.apply(&x, &mut middle, &mut residual);
        residual.iter_mut().for_each(|value| *value = -*value);
        let steep: Vec<f64> = self.unknown.iter().map(|vertex| self.diagonal(*vertex as usize)).collect();
        let eased = |residual: &[f64]| -> Vec<f64> { residual.iter().zip(&steep).map(|(r, d)| r / d).collect() };
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (mut values, mut z) = (vec![0.0; count], eased(&residual));
        let mut direction = z.clone();
        let mut rest = dot(&residual, &z);
        let end = rest * ENOUGH * ENOUGH;
        let mut product = vec![0.0; count];
        x.fill(0.0);
        for _ in 0..STEPS {
            if !(rest > end && rest > 0.0) {
                break;
            }
            self.unknown.iter().zip(&direction).for_each(|(vertex, value)| x[*vertex as usize] = *value);
            self.apply(&x, &mut middle, &mut product);
            let curved = dot(&direction, &product);
            if curved <= 0.0 || !curved.is_finite() {
                break;
            }
            let step = rest / curved;
            values.iter_mut().zip(&direction).for_each(|(value, d)| *value += step * d);
            residual.iter_mut().zip(&product).for_each(|(r, p)| *r -= step * p);
            z = eased(&residual);
            let before = std::mem::replace(&mut rest, dot(&residual, &z));
            direction.iter_mut().zip(&z).for_each(|(d, z)| *d = z + rest / before * *d);
        }
        values
    }

    /// Returns the diagonal of the matrix at a vertex; 1 where it is 0, as at a vertex that no edge leads to.
    fn diagonal(&self, vertex: usize) -> f64 {
        let Laplacian { rows, diagonal, mass } = self.laplacian;
        let around: f64 = rows[vertex].iter().map(|(next, weight)| weight * weight / mass[*next as usize]).sum();
        let out = diagonal[vertex] + diagonal[vertex] * diagonal[vertex] / mass[vertex] + around;
        if out > 0.0 { out } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip of two rows of vertices, one unit apart.
    fn strip(columns: u32, unit: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let at = |vertex: u32| DVec3::new(f64::from(vertex / 2), f64::from(vertex % 2), 0.0) * unit;
        let quad = |column: u32| {
            let a = 2 * column;
            [[a, a + 2, a + 1], [a + 2, a + 3, a + 1]]
        };
        ((0..2 * columns).map(at).collect(), (0..columns - 1).flat_map(quad).collect())
    }

    #[test]
    fn between_two_ends_that_run_straight_numbers_run_straight() {
        for unit in [1.0, 1e-3, 100.0] {
            let (positions, triangles) = strip(12, unit);
            let share = |vertex: usize| vertex as f64 / 2.0;
            let known = |vertex: usize| {
                let column = (vertex / 2) as f64 / 11.0;
                (vertex / 2 < 3 || vertex / 2 > 8).then(|| vec![(7, 1.0 - column), (9, column)])
            };
            let known: Vec<Option<Shares>> = (0..24).map(known).collect();
            let unknown: Vec<u32> = (6..18).collect();
            let out = Laplacian::of(&positions, &triangles).fill(&known, &unknown);
            for (vertex, shares) in unknown.iter().zip(&out) {
                let wanted = (share(*vertex as usize).floor()) / 11.0;
                assert!(
                    matches!(shares[..], [(7, a), (9, b)] if (a - 1.0 + wanted).abs() < 1e-3 && (b - wanted).abs() < 1e-3),
                    "{unit}: {vertex}: {shares:?}, not {wanted}"
                );
            }
        }
    }

    #[test]
    fn where_all_around_agree_numbers_are_those_and_where_nothing_leads_there_are_none() {
        let (positions, triangles) = strip(6, 1.0);
        let known: Vec<Option<Shares>> = (0..12).map(|vertex| (vertex < 4).then(|| vec![(3, 1.0)])).collect();
        let laplacian = Laplacian::of(&positions, &triangles[..8]);
        let out = laplacian.fill(&known, &(4..12).collect::<Vec<u32>>());
        assert!(
            out[..6].iter().all(|shares| matches!(shares[..], [(3, share)] if (share - 1.0).abs() < 1e-6)),
            "{out:?}"
        );
        assert!(out[6..].iter().all(Vec::is_empty), "{out:?}");
    }
}
