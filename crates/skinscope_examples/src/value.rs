//! Numbers, vectors and matrices in double precision: what the symbols and formulas of examples are worth.

use glam::{DAffine3, DMat2, DMat3, DVec2, DVec3};

/// A matrix of any size. A number is a matrix of one row and one column, a vector has one column.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    rows: usize,
    columns: usize,
    /// Row by row.
    numbers: Vec<f64>,
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self { rows: 1, columns: 1, numbers: vec![number] }
    }
}

impl From<f32> for Value {
    fn from(number: f32) -> Self {
        f64::from(number).into()
    }
}

impl From<DVec2> for Value {
    fn from(v: DVec2) -> Self {
        Self::column(&v.to_array())
    }
}

impl From<DVec3> for Value {
    fn from(v: DVec3) -> Self {
        Self::column(&v.to_array())
    }
}

impl From<DMat2> for Value {
    fn from(m: DMat2) -> Self {
        Self { rows: 2, columns: 2, numbers: m.transpose().to_cols_array().to_vec() }
    }
}

impl From<DMat3> for Value {
    fn from(m: DMat3) -> Self {
        Self { rows: 3, columns: 3, numbers: m.transpose().to_cols_array().to_vec() }
    }
}

impl Value {
    /// Makes a vector.
    #[must_use]
    pub fn column(numbers: &[f64]) -> Self {
        Self { rows: numbers.len(), columns: 1, numbers: numbers.to_vec() }
    }

    /// Makes a matrix of its rows, all of one length; `None` where they differ or there are none.
    #[must_use]
    pub(crate) fn of_rows(rows: &[Vec<f64>]) -> Option<Self> {
        let columns = rows.first()?.len();
        let fits = columns > 0 && rows.iter().all(|row| row.len() == columns);
        fits.then(|| Self { rows: rows.len(), columns, numbers: rows.concat() })
    }

    /// The matrix by which a transform moves points: 4×4, for points `(x, y, z, 1)`.
    #[must_use]
    pub fn in_space(m: DAffine3) -> Self {
        let m = glam::DMat4::from(m).transpose();
        Self { rows: 4, columns: 4, numbers: m.to_cols_array().to_vec() }
    }

    /// The matrix by which a transform moves points of the plane z = 0 within it: 3×3, for points `(x, y, 1)`.
    #[must_use]
    pub(crate) fn in_plane(m: DAffine3) -> Self {
        let (a, t) = (m.matrix3, m.translation);
        let numbers = vec![a.x_axis.x, a.y_axis.x, t.x, a.x_axis.y, a.y_axis.y, t.y, 0.0, 0.0, 1.0];
        Self { rows: 3, columns: 3, numbers }
    }

    /// How a transform turns and stretches directions of that plane: 2×2.
    #[must_use]
    pub(crate) fn turn_in_plane(m: DAffine3) -> DMat2 {
        DMat2::from_cols(m.matrix3.x_axis.truncate(), m.matrix3.y_axis.truncate())
    }

    /// A point of that plane as such a matrix takes it: `(x, y, 1)`.
    #[must_use]
    pub(crate) fn plane_point(p: DVec3) -> Self {
        Self::column(&[p.x, p.y, 1.0])
    }

    /// Returns the numbers of rows and columns.
    #[must_use]
    pub fn size(&self) -> [usize; 2] {
        [self.rows, self.columns]
    }

    /// Returns the numbers of a row, which is below the number of rows.
    #[must_use]
    pub fn row(&self, row: usize) -> &[f64] {
        &self.numbers[row * self.columns..][..self.columns]
    }

    /// Returns the number where it is one.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        (self.size() == [1, 1]).then(|| self.numbers[0])
    }

    /// Returns whether all numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.numbers.iter().all(|n| n.is_finite())
    }

    /// Returns the largest difference of two numbers in one cell; `None` where the sizes differ.
    #[must_use]
    pub fn distance(&self, other: &Self) -> Option<f64> {
        let differences = self.numbers.iter().zip(&other.numbers).map(|(a, b)| (a - b).abs());
        (self.size() == other.size()).then(|| differences.fold(0.0, f64::max))
    }

    /// Returns the sum; `None` where the sizes differ.
    #[must_use]
    pub(crate) fn plus(&self, other: &Self) -> Option<Self> {
        let numbers = self.numbers.iter().zip(&other.numbers).map(|(a, b)| a + b).collect();
        (self.size() == other.size()).then_some(Self { numbers, ..*self })
    }

    /// Returns this times a number.
    #[must_use]
    pub fn scaled(&self, by: f64) -> Self {
        Self { numbers: self.numbers.iter().map(|n| n * by).collect(), ..*self }
    }

    /// Returns the product, where one is a number or the columns of this are as many as the rows of the other; else `None`.
    #[must_use]
    pub fn times(&self, other: &Self) -> Option<Self> {
        if let Some(number) = self.number() {
            return Some(other.scaled(number));
        }
        if let Some(number) = other.number() {
            return Some(self.scaled(number));
        }
        let cell = |row: usize, column: usize| {
            self.row(row).iter().zip(0..other.rows).map(|(a, k)| a * other.numbers[k * other.columns + column]).sum()
        };
        let cells = (0..self.rows).flat_map(|row| (0..other.columns).map(move |column| (row, column)));
        (self.columns == other.rows).then(|| Self {
            rows: self.rows,
            columns: other.columns,
            numbers: cells.map(|(row, column)| cell(row, column)).collect(),
        })
    }

    /// Returns rows as columns.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let cells = (0..self.columns).flat_map(|row| (0..self.rows).map(move |column| (row, column)));
        let numbers = cells.map(|(row, column)| self.numbers[column * self.columns + row]).collect();
        Self { rows: self.columns, columns: self.rows, numbers }
    }

    /// Returns the inverse by Gauss and Jordan, with the largest pivot of each column; `None` where there is none.
    #[must_use]
    pub fn inverse(&self) -> Option<Self> {
        if self.rows != self.columns {
            return None;
        }
        let n = self.rows;
        let mut left: Vec<Vec<f64>> = (0..n).map(|row| self.row(row).to_vec()).collect();
        let mut right: Vec<Vec<f64>> =
            (0..n).map(|row| (0..n).map(|c| f64::from(u8::from(c == row))).collect()).collect();
        for at in 0..n {
            let pivot = (at..n).max_by(|a, b| left[*a][at].abs().total_cmp(&left[*b][at].abs()))?;
            left.swap(at, pivot);
            right.swap(at, pivot);
            let by = left[at][at];
            if by.abs() < 1e-12 {
                return None;
            }
            left[at].iter_mut().chain(&mut right[at]).for_each(|n| *n /= by);
            for row in (0..n).filter(|row| *row != at) {
                let by = left[row][at];
                for column in 0..n {
                    left[row][column] -= by * left[at][column];
                    right[row][column] -= by * right[at][column];
                }
            }
        }
        Self::of_rows(&right)
    }

    /// Returns the length of a vector: the root of the sum of all squares.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.numbers.iter().map(|n| n * n).sum::<f64>().sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[&[f64]]) -> Value {
        Value::of_rows(&rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn products_and_inverses_are_those_of_matrices() {
        let a = matrix(&[&[0.0, 2.0], &[1.0, 3.0]]);
        let b = matrix(&[&[1.0, 4.0, 0.0], &[-1.0, 5.0, 2.0]]);
        assert_eq!(a.times(&b), Some(matrix(&[&[-2.0, 10.0, 4.0], &[-2.0, 19.0, 6.0]])));
        assert_eq!(b.times(&a), None);
        assert_eq!(b.transposed(), matrix(&[&[1.0, -1.0], &[4.0, 5.0], &[0.0, 2.0]]));
        let inverse = a.inverse().unwrap();
        assert!(a.times(&inverse).unwrap().distance(&matrix(&[&[1.0, 0.0], &[0.0, 1.0]])).unwrap() < 1e-15);
        assert_eq!(matrix(&[&[1.0, 2.0], &[2.0, 4.0]]).inverse(), None);
        assert_eq!(a.times(&2.0.into()), Some(a.scaled(2.0)));
        assert_eq!(Value::column(&[3.0, 4.0]).length(), 5.0);
        assert_eq!(a.plus(&b), None);
    }

    #[test]
    fn a_transform_of_the_plane_moves_its_points() {
        let m = DAffine3::from_rotation_z(0.4) * DAffine3::from_translation(DVec3::new(1.0, 2.0, 0.0));
        let p = DVec3::new(0.3, -0.7, 0.0);
        let moved = Value::in_plane(m).times(&Value::plane_point(p)).unwrap();
        assert!(moved.distance(&Value::plane_point(m.transform_point3(p))).unwrap() < 1e-12);
        let turned = DMat3::from_rotation_y(0.7);
        assert!(Value::from(turned).times(&p.into()).unwrap().distance(&(turned * p).into()).unwrap() < 1e-12);
    }
}
