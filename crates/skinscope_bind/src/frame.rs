//! Axes that move with the body, so that a rigid motion of it changes nothing.

use glam::{DMat3, DVec3};

use crate::shape::Shape;

/// Axes along which the body is as wide, to this share of its longest width, are alike: rounding would decide which way they point.
const ALIKE: f64 = 1e-4;
/// A moment of a smaller share than this is nothing.
const UNEVEN: f64 = 1e-4;

/// Returns the axes as the rows that a point is multiplied with: those of the moments of the surface, the longest first. Which way round each
/// one points means nothing. Where the surface is as wide in several directions, its shape around the remaining axis says how to turn.
pub fn axes(shape: &Shape) -> DMat3 {
    let mut moments = DMat3::ZERO;
    for (point, area) in shape.points.iter().zip(&shape.areas) {
        moments += DMat3::from_cols(*point * point.x, *point * point.y, *point * point.z) * *area;
    }
    let [(long, a), (middle, b), (short, c)] = eigen(moments);
    let are_alike = |x: f64, y: f64| x - y <= ALIKE * long;
    match [are_alike(long, middle), are_alike(middle, short)] {
        [false, false] => rows(a, b),
        [false, true] => rows(a, turned(shape, a)),
        [true, false] => rows(turned(shape, c), c),
        [true, true] => {
            let far = shape
                .heads
                .iter()
                .fold(DVec3::ZERO, |far, head| if head.length() > far.length() + ALIKE { *head } else { far });
            let along = far.normalize_or(DVec3::Y);
            rows(along, turned(shape, along))
        }
    }
}

/// Returns the matrix with two rows at right angles, and the third that goes with them.
fn rows(first: DVec3, second: DVec3) -> DMat3 {
    let second = (second - first * second.dot(first)).normalize_or(first.any_orthonormal_vector());
    DMat3::from_cols(first, second, first.cross(second)).transpose()
}

/// Returns the eigenvalues of a symmetric matrix, the largest first, with their directions, by turning away what is beside the diagonal
/// (Jacobi, 1846).
fn eigen(mut matrix: DMat3) -> [(f64, DVec3); 3] {
    let mut directions = DMat3::IDENTITY;
    // Each sweep squares what is left beside the diagonal.
    for _ in 0..12 {
        for [p, q] in [[0, 1], [0, 2], [1, 2]] {
            let beside = matrix.col(q)[p];
            if beside == 0.0 {
                continue;
            }
            let angle = 0.5 * (2.0 * beside).atan2(matrix.col(q)[q] - matrix.col(p)[p]);
            let mut turn = DMat3::IDENTITY;
            (turn.col_mut(p)[p], turn.col_mut(q)[q]) = (angle.cos(), angle.cos());
            (turn.col_mut(q)[p], turn.col_mut(p)[q]) = (angle.sin(), -angle.sin());
            matrix = turn.transpose() * matrix * turn;
            directions *= turn;
        }
    }
    let mut out = [0, 1, 2].map(|axis| (matrix.col(axis)[axis], directions.col(axis)));
    out.sort_by(|a, b| b.0.total_cmp(&a.0));
    out
}

/// Returns a direction across a line through the middle that follows the surface: that of the first moment around the line that is not even.
fn turned(shape: &Shape, line: DVec3) -> DVec3 {
    let x = line.any_orthonormal_vector();
    let y = line.cross(x);
    for moment in 1..=6 {
        let (mut sum, mut size) = ([0.0, 0.0], 0.0);
        for (point, area) in shape.points.iter().zip(&shape.areas) {
            let (a, b) = (point.dot(x), point.dot(y));
            let (radius, angle) = (a.hypot(b), b.atan2(a) * f64::from(moment));
            sum[0] += area * radius * angle.cos();
            sum[1] += area * radius * angle.sin();
            size += area * radius;
        }
        if sum[0].hypot(sum[1]) > UNEVEN * size {
            let angle = sum[1].atan2(sum[0]) / f64::from(moment);
            return x * angle.cos() + y * angle.sin();
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;

    #[test]
    fn eigenvalues_and_directions_are_those_of_the_matrix() {
        for angle in [0.0, 0.3, 1.5, 3.0] {
            let turn = DMat3::from_quat(DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -3.0).normalize(), angle));
            let matrix = turn * DMat3::from_diagonal(DVec3::new(2.0, 5.0, 0.5)) * turn.transpose();
            for ((value, direction), wanted) in eigen(matrix).into_iter().zip([5.0, 2.0, 0.5]) {
                assert!((value - wanted).abs() < 1e-12, "{value}");
                assert!((matrix * direction).distance(direction * value) < 1e-12, "{direction}");
            }
        }
    }
}
