//! The triangle of a limb of two bones, by the law of cosines.

/// The angles of a limb of two bones with the line from its root to its target, radians. Lengths are in any one unit.
///
/// ```text
///            joint           a, b: the bones; d: from root to target
///           /  θ  \          cos θ = (a² + b² − d²) / (2ab)
///        a /       \ b       cos α = (a² + d² − b²) / (2ad)
///         /α        \        β: the angle of the target, measured from the X axis of the plane
///    root ───── d ── target  φ = β ∓ α: that of the first bone, for either bend
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// The angle between the bones, 0 (folded) to π (straight).
    pub theta: f64,
    /// The angle between the first bone and the line to the target.
    pub alpha: f64,
    /// Whether the target is neither too far nor too near for these bones. If not, the angles are those of the limb
    /// whose end is nearest: straight or folded.
    pub within_reach: bool,
}

impl Triangle {
    /// Computes the triangle of bones of lengths `a` and `b` (more than 0) whose end has the distance `d` from the
    /// root.
    #[must_use]
    pub fn of(a: f64, b: f64, d: f64) -> Self {
        let within_reach = d <= a + b && d >= (a - b).abs();
        let d = d.clamp((a - b).abs(), a + b);
        let cos_theta = (a * a + b * b - d * d) / (2.0 * a * b);
        // Only bones of one length reach the distance 0, where every direction is as good.
        let cos_alpha = if d > 0.0 { (a * a + d * d - b * b) / (2.0 * a * d) } else { 0.0 };
        Self { theta: cos_theta.clamp(-1.0, 1.0).acos(), alpha: cos_alpha.clamp(-1.0, 1.0).acos(), within_reach }
    }

    /// Returns the two possible angles `φ` of the first bone for a target at angle `beta` in the plane of the limb,
    /// radians, one for each bend: `[β − α, β + α]`.
    #[must_use]
    pub fn first_bone(&self, beta: f64) -> [f64; 2] {
        [beta - self.alpha, beta + self.alpha]
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use super::*;

    #[test]
    fn both_bends_end_at_the_target() {
        for (a, b, d) in [(3.0, 4.0, 5.0), (1.0, 1.0, 0.3), (0.4, 0.9, 0.6), (1.0, 1.0, 1e-6)] {
            let triangle = Triangle::of(a, b, d);
            assert!(triangle.within_reach);
            let beta = 0.7_f64;
            for (phi, side) in triangle.first_bone(beta).into_iter().zip([1.0, -1.0]) {
                // The second bone turns back by π − θ.
                let second = phi + side * (PI - triangle.theta);
                let end = [a * phi.cos() + b * second.cos(), a * phi.sin() + b * second.sin()];
                assert!((end[0] - d * beta.cos()).hypot(end[1] - d * beta.sin()) < 1e-6, "{a} {b} {d}: {end:?}");
            }
        }
        assert!((Triangle::of(3.0, 4.0, 5.0).theta - FRAC_PI_2).abs() < 1e-12);
    }

    #[test]
    fn what_is_out_of_reach_is_straight_or_folded() {
        assert_eq!(Triangle::of(1.0, 2.0, 3.5), Triangle { theta: PI, alpha: 0.0, within_reach: false });
        assert_eq!(Triangle::of(1.0, 2.0, 0.5), Triangle { theta: 0.0, alpha: PI, within_reach: false });
        assert!(Triangle::of(1.0, 1.0, 0.0).within_reach);
    }
}
