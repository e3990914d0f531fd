//! Framing: the camera moves so that a box fills the picture, or the part of it that nothing covers.

use glam::Vec2;
use skinscope_base::math::Aabb;

use super::{Framed, View};

impl View {
    /// Fills the picture with `bounds`. Until the camera is moved, that is so in every viewport.
    pub fn frame(&mut self, bounds: Aabb) {
        self.orbit.frame(bounds, self.aspect());
        self.framed = Some(Framed { orbit: self.orbit, bounds, in_clear: false });
    }

    /// Fills the part of the picture that nothing covers with `bounds`. Until the camera is moved, that is so whatever covers the picture.
    pub(crate) fn frame_in_clear(&mut self, bounds: Aabb) {
        let is_within = |[least, greatest]: &[Vec2; 2]| {
            least.cmpge(Vec2::ZERO).all()
                && greatest.cmple(self.viewport).all()
                && (*greatest - *least).cmpge(Vec2::ONE).all()
        };
        match self.clear.filter(is_within) {
            Some(part) => self.orbit.frame_in(bounds, self.viewport, part),
            None => self.orbit.frame(bounds, self.aspect()),
        }
        self.framed = Some(Framed { orbit: self.orbit, bounds, in_clear: true });
    }

    /// Sets the size of the viewport, in pixels.
    pub(crate) fn set_viewport(&mut self, size: Vec2) {
        self.viewport = size.max(Vec2::ONE);
        match self.framed.filter(|framed| framed.orbit == self.orbit) {
            Some(Framed { bounds, in_clear: true, .. }) => self.frame_in_clear(bounds),
            Some(Framed { bounds, in_clear: false, .. }) => self.frame(bounds),
            None => {}
        }
    }

    /// Sets the part of the viewport that nothing over the picture covers ([`View::clear_part`]).
    pub(crate) fn set_clear_part(&mut self, part: Option<[Vec2; 2]>) {
        self.clear = part;
        if self.is_framed_in_clear()
            && let Some(framed) = self.framed
        {
            self.frame_in_clear(framed.bounds);
        }
    }

    /// Returns the part of the viewport that nothing over the picture covers, by its least and its greatest corner, pixels from the top
    /// left; `None`: all of it, or it is not known.
    #[must_use]
    pub fn clear_part(&self) -> Option<[Vec2; 2]> {
        self.clear
    }

    /// Returns whether what is seen was framed in that part, and the camera was not moved since.
    #[must_use]
    pub fn is_framed_in_clear(&self) -> bool {
        self.framed.is_some_and(|framed| framed.in_clear && framed.orbit == self.orbit)
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    #[test]
    fn what_is_framed_beside_plates_is_within_the_part_that_they_leave() {
        let bounds = Aabb { min: Vec3::new(-1.0, 0.0, -1.0), max: Vec3::new(1.0, 2.0, 3.0) };
        let part = [Vec2::new(500.0, 300.0), Vec2::new(890.0, 590.0)];
        for orthographic in [false, true] {
            let mut view = View::default();
            view.orbit.orthographic = orthographic;
            view.set_viewport(Vec2::new(900.0, 600.0));
            view.frame_in_clear(bounds);
            let whole = view.orbit;
            view.set_clear_part(Some(part));
            assert!(view.is_framed_in_clear() && view.orbit != whole);
            let mut reach = 0.0_f32;
            for i in 0..8 {
                let pick = |bit: u32, a: usize| if i & bit == 0 { bounds.min[a] } else { bounds.max[a] };
                let at = view.project(Vec3::new(pick(1, 0), pick(2, 1), pick(4, 2))).unwrap();
                let beside = (at - 0.5 * (part[0] + part[1])) / (0.5 * (part[1] - part[0]));
                reach = reach.max(beside.abs().max_element());
            }
            assert!((0.7..1.0).contains(&reach), "{orthographic}: {reach}");
            // Who looks elsewhere is left alone, and what is framed in the whole picture too.
            view.orbit.zoom(1.0);
            let zoomed = view.orbit;
            view.set_clear_part(None);
            assert_eq!(view.orbit, zoomed);
            view.frame(bounds);
            view.set_clear_part(Some(part));
            assert_eq!(view.orbit.target, bounds.center());
        }
    }
}
