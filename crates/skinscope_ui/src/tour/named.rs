//! Where the controls are that the first steps name, so that a ring can be drawn around them.

use egui::{Context, Id, Rect, Ui};

/// A control that a step names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Named {
    /// The picture.
    Picture,
    /// The ruler of the timeline.
    Timeline,
    /// The menu of the overlays.
    Overlays,
    /// The sliders that turn the selected joint.
    Rotation,
    /// The button that runs the range of motion.
    Motion,
}

impl Named {
    /// Says where the control is shown in this pass.
    pub(crate) fn is_at(self, ui: &Ui, rect: Rect) {
        let seen = (ui.ctx().cumulative_pass_nr(), rect.intersect(ui.clip_rect()));
        ui.data_mut(|d| d.insert_temp(self.id(), seen));
    }

    /// Returns where the control is shown in this pass; `None` where it is not.
    pub(super) fn place(self, ctx: &Context) -> Option<Rect> {
        let seen: Option<(u64, Rect)> = ctx.data(|d| d.get_temp(self.id()));
        seen.filter(|(pass, rect)| *pass == ctx.cumulative_pass_nr() && rect.is_positive()).map(|(_, rect)| rect)
    }

    fn id(self) -> Id {
        Id::unique(("named by the first steps", self))
    }
}
