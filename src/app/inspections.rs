//! The checker in the window: it looks at the open model, and measures its range of motion, in the background.

use std::sync::Arc;

use super::App;
use super::jobs::{Jobs, Kind};
use crate::deform::METHODS;
use crate::inspect::check::{CheckOptions, GATES};
use crate::inspect::rom::{self, RomOptions};
use crate::inspect::{Inspection, Overlay};
use crate::session::{Document, Examination, InspectionCommand, Session};

impl App {
    /// Inspects the open model. A benchmark is not disturbed by it, unless its overlay needs that.
    pub(super) fn inspect(&mut self) {
        let is_needed = !self.pace.is_benchmark() || self.session.view().overlay.is_some_and(Overlay::needs_inspection);
        let Some(document) = self.session.document().filter(|_| is_needed) else { return };
        let model = Arc::clone(self.session.edited_weights().edited_model().unwrap_or(&document.model));
        self.inspected = Arc::downgrade(&model);
        self.status.checking = true;
        let limit = self.session.view().influence_limit;
        let options = CheckOptions { limit, rules: None, gates: GATES.to_vec() };
        self.jobs.restart(Kind::Inspection, move |context| {
            let inspection = Inspection::of(&model, &options, context.cancel_flag())?;
            Some(Box::new(move |app, _| {
                app.session.inspected(&model, inspection);
                app.status.checking &=
                    !app.session.edited_weights().edited_model().is_some_and(|open| Arc::ptr_eq(open, &model));
            }))
        });
    }

    /// Inspects the open model once more where its weights have changed since; what a tool is tried for is not inspected, and what a gesture
    /// changes only once that has ended. Of a mesh that was bound the range of motion is measured too.
    pub(super) fn inspect_what_changed(&mut self) {
        if self.session.waits_for_commit() {
            return;
        }
        if let Some(examination) = self.session.take_examination() {
            self.inspect();
            if examination == Examination::CheckAndMotion && !self.pace.is_benchmark() {
                measure_motion(&mut self.session, &mut self.jobs, RomOptions::default());
            }
        }
        let is_inspected = |d: &&Document| d.inspection.is_some() || self.status.checking;
        let now =
            self.session.document().filter(is_inspected).and_then(|_| self.session.edited_weights().edited_model());
        if now.is_some_and(|model| !std::ptr::eq(self.inspected.as_ptr(), Arc::as_ptr(model))) {
            self.inspect();
        }
    }

    pub(super) fn carry_out_inspection(&mut self, command: InspectionCommand) {
        match command {
            InspectionCommand::Inspect => self.inspect(),
            InspectionCommand::CancelInspect => {
                self.jobs.stop(Kind::Inspection);
                self.status.checking = false;
            }
            InspectionCommand::RunRom(options) => measure_motion(&mut self.session, &mut self.jobs, options),
            InspectionCommand::CancelRom => self.jobs.stop(Kind::RangeOfMotion),
        }
    }
}

/// Measures the range of motion of the open model; an earlier measurement is cancelled.
fn measure_motion(session: &mut Session, jobs: &mut Jobs, options: RomOptions) {
    let Some(document) = session.document() else { return };
    let model = Arc::clone(&document.model);
    // It moves samples of the surface, for which a method has computed nothing.
    let shown = session.deforming().shown_method();
    let method = if shown.data.is_none() { shown } else { METHODS[0] };
    if !std::ptr::eq(shown, method) {
        let (by, of) = (method.label, shown.label);
        let line = format!("The range of motion is measured by {by}: {of} needs data of each vertex.");
        session.warn(&[line]);
    }
    jobs.restart(Kind::RangeOfMotion, move |context| {
        let progress = |fraction: f32| {
            if context.set_fraction(fraction) {
                context.wake();
            }
        };
        let plan = rom::plan(&model, &options);
        let measured = rom::run(&model, &plan, method, &progress, context.cancel_flag())?;
        Some(Box::new(move |app, _| app.session.measured(&model, measured)))
    });
}
