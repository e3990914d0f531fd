//! The way of a stroke over the surface: where on it the brush touches.

use glam::DVec3;

/// How many steps the surface may be away from where it was last, as between two legs, and still be one with it.
const JUMP: f64 = 4.0;

/// The way of a stroke over the surface. The brush touches it once in each step of the way, however far the pointer goes from one event to the
/// next.
#[derive(Clone, Copy, Debug)]
pub(super) struct StrokeWay {
    /// Where the way is now.
    at: DVec3,
    /// How long it is since the last touch.
    since: f64,
}

impl StrokeWay {
    /// Begins with a touch.
    pub fn new(at: DVec3) -> Self {
        Self { at, since: 0.0 }
    }

    /// Goes on to a place of the surface, and adds the places to `touched` that are a step from each other. Where the surface goes on elsewhere,
    /// it is touched there at once.
    pub fn go_to(&mut self, to: DVec3, step: f64, touched: &mut Vec<DVec3>) {
        let way = to - self.at;
        let length = way.length();
        if !(length.is_finite() && step > 0.0) {
            return;
        }
        if length > JUMP * step {
            *self = Self::new(to);
            touched.push(to);
            return;
        }
        let mut along = step - self.since;
        while along <= length {
            touched.push(self.at + way * (along / length.max(f64::MIN_POSITIVE)));
            along += step;
        }
        *self = Self { at: to, since: length - (along - step) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touched(places: &[f64], step: f64) -> Vec<f64> {
        let (first, others) = places.split_first().unwrap();
        let mut way = StrokeWay::new(DVec3::X * *first);
        let mut out = Vec::new();
        others.iter().for_each(|x| way.go_to(DVec3::X * *x, step, &mut out));
        out.iter().map(|at| at.x).collect()
    }

    #[test]
    fn touches_are_a_step_apart_however_often_the_pointer_is_heard_of() {
        let fine: Vec<f64> = (0..=32).map(|i| f64::from(i) * 0.125).collect();
        for places in [&fine[..], &[0.0, 4.0], &[0.0, 0.75, 1.0, 3.5, 4.0]] {
            assert_eq!(touched(places, 1.0), [1.0, 2.0, 3.0, 4.0], "{places:?}");
        }
    }

    #[test]
    fn what_is_left_of_a_step_counts_for_the_next_part_of_the_way() {
        assert_eq!(touched(&[0.0, 1.5, 2.25], 1.0), [1.0, 2.0]);
        assert!(touched(&[0.0, 0.25, 0.0, 0.25], 1.0).is_empty());
        assert_eq!(touched(&[0.0, 0.5, 0.0], 1.0), [0.0], "there and back is a way too");
    }

    #[test]
    fn beyond_a_gap_the_surface_is_touched_at_once_and_nothing_in_between() {
        assert_eq!(touched(&[0.0, 10.0, 11.0], 1.0), [10.0, 11.0]);
        assert!(touched(&[0.0, f64::NAN], 1.0).is_empty() && touched(&[0.0, 1.0], 0.0).is_empty());
    }
}
