//! A pointer that lies where a window opens: it points at nothing until it is moved.

use egui::{Event, Pos2};

/// How far a pointer may be shaken without being moved, points.
const SHAKEN: f32 = 2.0;

/// Whether the pointer was moved since the window was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum PointerRest {
    /// It has not been seen.
    #[default]
    Unseen,
    /// It lies where it was when it was first seen.
    At(Pos2),
    /// It was moved or pressed.
    Over,
}

impl PointerRest {
    /// Takes out of new events what tells of a pointer that has not been moved.
    pub(crate) fn filter(&mut self, events: &mut Vec<Event>) {
        if *self != Self::Over {
            events.retain(|event| self.passes(event));
        }
    }

    fn passes(&mut self, event: &Event) -> bool {
        match event {
            Event::PointerMoved(at) => match *self {
                Self::Unseen => *self = Self::At(*at),
                Self::At(first) if first.distance(*at) > SHAKEN => *self = Self::Over,
                Self::At(_) | Self::Over => {}
            },
            Event::PointerButton { .. } | Event::MouseWheel { .. } | Event::Touch { .. } => *self = Self::Over,
            // Where it comes in again, it was moved.
            Event::PointerGone => *self = Self::Over,
            _ => return true,
        }
        *self == Self::Over
    }
}

#[cfg(test)]
mod tests {
    use egui::{Modifiers, PointerButton, pos2};

    use super::*;

    fn passed(rest: &mut PointerRest, mut events: Vec<Event>) -> usize {
        rest.filter(&mut events);
        events.len()
    }

    #[test]
    fn a_pointer_that_was_not_moved_points_at_nothing() {
        let mut rest = PointerRest::default();
        let at = |x: f32| Event::PointerMoved(pos2(x, 10.0));
        assert_eq!(passed(&mut rest, vec![at(5.0), at(5.0), at(6.5), Event::Copy]), 1, "other events pass");
        assert_eq!(passed(&mut rest, vec![at(6.0), at(9.0), at(6.0)]), 2);
        assert_eq!(passed(&mut rest, vec![at(5.0)]), 1, "back where it was it has been moved");
    }

    #[test]
    fn a_press_counts_where_the_pointer_lies() {
        let (pos, modifiers) = (pos2(5.0, 10.0), Modifiers::NONE);
        let press = Event::PointerButton { pos, button: PointerButton::Primary, pressed: true, modifiers };
        let mut rest = PointerRest::default();
        assert_eq!(passed(&mut rest, vec![Event::PointerMoved(pos), press, Event::PointerMoved(pos)]), 2);
    }
}
