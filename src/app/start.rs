//! What the options of the program ask for: before anything is open, and once the first file is.

use std::sync::Arc;

use winit::event_loop::ActiveEventLoop;

use super::App;
use crate::pose::resolve;
use crate::session::{
    ControlCommand, EditCommand, FileCommand, MeasureCommand, PlaybackCommand, PoseSource, Source, ViewCommand,
    WindowCommand,
};

impl App {
    /// Begins with what the options say, and reads the first file.
    pub(super) fn begin(&mut self) {
        // A session file and an example have a look of their own, which the options replace once they are open.
        if self.options.session.is_none() && !matches!(self.options.source, Source::Example(_) | Source::Page(_)) {
            self.apply_view_options();
        }
        if !self.pace.is_benchmark() {
            self.session.defer_work();
        }
        if let Some(layout) = self.options.layout.take() {
            self.ui.carry_out(&WindowCommand::ChooseLayout(layout));
        }
        if self.options.present {
            self.ui.carry_out(&WindowCommand::TogglePresentation);
        }
        self.change(ViewCommand::SetCrowd(self.options.crowd));
        self.change(ViewCommand::SetAntialiasing(self.options.antialiasing));
        self.change(ViewCommand::SetPaletteBuffer(self.options.palette_buffer));
        self.change(ViewCommand::SetPaletteRows(self.options.palette_rows));
        // The file is read while window and GPU start.
        match self.options.session.clone() {
            Some(path) => self.open_session(path),
            None if self.options.opens_nothing => {}
            None => self.load(self.options.source.clone()),
        }
        if !self.pace.is_benchmark() {
            // What an earlier run has left behind.
            self.status.recovery = self.autosave.find_leftover();
        }
        self.read_recent_pictures();
    }

    /// Chooses method, parameters, overlay and panel as the options say, once: after the session file or example that they were given with.
    pub(super) fn apply_view_options(&mut self) {
        if let Some(method) = self.options.method.take() {
            self.change(ViewCommand::SetMethod(method));
        }
        if let Some(pass) = self.options.pass.take() {
            self.change(ViewCommand::SetPass(Some(pass)));
        }
        if let Some(normals) = self.options.normals.take() {
            self.change(ViewCommand::SetNormals(normals));
        }
        for (id, value) in std::mem::take(&mut self.options.parameters) {
            self.change(ViewCommand::SetParameter(id, value));
        }
        if let Some(look) = self.options.look.take() {
            self.change(ViewCommand::SetLook(look));
        }
        for command in std::mem::take(&mut self.options.environment) {
            self.change(ViewCommand::Environment(command));
        }
        if let Some(map) = self.options.tone_map.take() {
            self.change(ViewCommand::SetToneMap(map));
        }
        if let Some(overlay) = self.options.overlay.take() {
            self.change(ViewCommand::SetOverlay(Some(overlay)));
        }
        if std::mem::take(&mut self.options.deformation) {
            self.change(MeasureCommand::TogglePanel);
        }
    }

    /// Normalises weights, poses the first model, and reads the files that go with it, as the options say, once.
    pub(super) fn apply_model_options(&mut self, event_loop: &ActiveEventLoop) {
        if std::mem::take(&mut self.options.normalise_weights) {
            self.change(EditCommand::NormaliseWeights);
        }
        // What a benchmark needs before its first picture is done by now; poses are measured beside its pictures, as in any window.
        self.session.defer_work();
        if let (Some(pose), Some(model)) = (self.options.pose.take(), self.session.model()) {
            let resolved = resolve(model, &pose);
            let unmatched = resolved.unmatched.iter();
            let lines: Vec<String> =
                unmatched.map(|key| format!("The model has nothing for \"{key}\" of the pose.")).collect();
            self.change(PlaybackCommand::SetPlaying(false));
            self.change(PlaybackCommand::SetPose(PoseSource::Rest));
            self.change(EditCommand::SetPose(Arc::new(resolved)));
            self.session.warn(&lines);
        }
        for (name, value) in std::mem::take(&mut self.options.sliders) {
            let index = self.session.edits().controls.sliders.iter().position(|slider| slider.name == name);
            match index {
                Some(index) => _ = self.change(ControlCommand::SetSlider(index, value)),
                None => _ = self.session.warn(&[format!("The session has no slider \"{name}\".")]),
            }
        }
        self.change(EditCommand::EndEdit);
        if let Some(path) = self.options.clips_from.take() {
            let map = std::mem::take(&mut self.options.map);
            if let Some(effect) = self.change(FileCommand::TakeClipsBy(path, map)) {
                self.carry_out(event_loop, effect);
            }
        }
        if let Some(path) = self.options.compare_file.take() {
            self.compare_file(path);
        }
        if let Some(path) = self.options.beside.take() {
            self.open_beside(event_loop, path);
        }
    }
}
