//! Events of the window system, and what the window does about each.

use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::ActiveEventLoop;
use winit::window::WindowId;

use super::files::second_model::OtherModel;
use super::jobs::Kind;
use super::next_steps::NextStep;
use super::user_event::UserEvent;
use super::window::Window;
use super::window::screen::DeviceOptions;
use super::{App, Options};
use crate::frame::SceneColors;

impl ApplicationHandler<UserEvent> for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.window.is_some() {
            return;
        }
        let Options { backend, texture_memory, size, .. } = self.options;
        let measured = self.options.benchmark.is_some();
        let device_options = DeviceOptions { backend, measured, texture_memory };
        let palette = if self.ui.is_dark() { SceneColors::DARK } else { SceneColors::LIGHT };
        match Window::open(event_loop, &self.proxy, &self.settings, (size, palette.background), device_options) {
            Ok(mut window) => {
                self.status.adapter = window.adapter_name();
                self.formats.get_or_init(|| window.block_formats());
                window.set_title(&self.session, self.disk.session_name().as_deref());
                if let Some(path) = self.options.controls.take() {
                    window.list_controls(path);
                }
                if let Some(recorder) = &mut self.recorder {
                    recorder.begin(window.size_in_points());
                }
                window.request_redraw();
                self.window = Some(window);
            }
            Err(error) => self.fail(event_loop, error),
        }
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, event: UserEvent) {
        self.is_stirred = true;
        match event {
            UserEvent::Job => self.take_results(event_loop),
            UserEvent::AccessKit(event) => {
                if let Some(window) = &mut self.window {
                    window.on_accesskit(event);
                }
            }
        }
    }

    fn new_events(&mut self, _event_loop: &ActiveEventLoop, cause: winit::event::StartCause) {
        if let winit::event::StartCause::ResumeTimeReached { .. } = cause {
            self.is_stirred = true;
            self.redraw();
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _id: WindowId, event: WindowEvent) {
        self.is_stirred |= event != WindowEvent::RedrawRequested;
        let Some(window) = &mut self.window else { return };
        window.on_event(&event);
        match event {
            WindowEvent::CloseRequested => {
                self.leave(event_loop, NextStep::Quit);
                self.redraw();
            }
            WindowEvent::RedrawRequested => self.paint(event_loop),
            WindowEvent::Resized(size) => window.resize(size),
            WindowEvent::Occluded(covered) => window.cover(covered),
            // Files that are dropped together come one by one.
            WindowEvent::DroppedFile(path) => self.dropping.push(path),
            _ => {}
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        if !self.dropping.is_empty() {
            let paths = std::mem::take(&mut self.dropping);
            self.take_dropped(event_loop, paths);
            self.redraw();
        }
    }

    fn exiting(&mut self, _event_loop: &ActiveEventLoop) {
        if self.failure.is_none() {
            self.autosave.forget();
            OtherModel::forget(&mut self.other);
        }
        self.save_settings();
        self.statistics.close();
        // What is half exported goes with it.
        self.jobs.end(Kind::Export);
        // The surface must be dropped before the window system.
        if let Some(window) = self.window.take() {
            window.close();
        }
    }
}
