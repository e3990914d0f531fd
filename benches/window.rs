//! The thread of a window as the program runs it, without a window: commands, panels, frame and picture.

use std::sync::Arc;

use egui::{Event, Pos2, Rect, vec2};
use skinscope::app::ui::{self, Saved, Status, UiState};
use skinscope::frame::{Frame, SceneColors};
use skinscope::model::Model;
use skinscope::render::{Gpu, Renderer};
use skinscope::session::{Command, Document, Effect, Session};

const SIZE: [f32; 2] = [1280.0, 720.0];

/// What the thread of the window holds.
pub struct Window {
    pub session: Session,
    pub egui: egui::Context,
    pub frame: Frame,
    pub renderer: Renderer,
    pub gpu: Arc<Gpu>,
    ui: UiState,
    picture: Rect,
    time: f64,
}

impl Window {
    /// Opens a model as the window does: slow work is left to other threads.
    pub fn open(gpu: &Arc<Gpu>, model: &Arc<Model>, saved: Saved) -> Self {
        let mut session = Session::default();
        session.defer_work();
        let document = Document::new(Arc::clone(model), Vec::new(), None);
        document.prepare()();
        _ = document.stats();
        session.open(document);
        let egui = egui::Context::default();
        ui::install(&egui);
        let mut renderer = Renderer::new(gpu);
        renderer.work_beside(gpu, Arc::new(|| ()));
        Self {
            session,
            egui,
            frame: Frame::default(),
            renderer,
            gpu: Arc::clone(gpu),
            ui: UiState::new(saved),
            picture: Rect::ZERO,
            time: 0.0,
        }
    }

    pub fn carry_out(&mut self, effect: &Effect) {
        if let Effect::Window(command) = effect {
            self.ui.carry_out(command);
        }
    }

    /// Lays out the panels and carries out what they ask for.
    pub fn panels(&mut self, events: Vec<Event>) -> egui::FullOutput {
        self.session.update_pose();
        self.time += 1.0 / 60.0;
        let size = vec2(SIZE[0], SIZE[1]);
        let input = egui::RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, size)),
            time: Some(self.time),
            events,
            ..egui::RawInput::default()
        };
        let mut commands: Vec<Command> = Vec::new();
        let mut output = self.egui.run_ui(input, |ui| {
            self.picture = ui::show(ui, &self.session, &mut self.ui, &Status::default(), &mut commands).rect;
        });
        // Nothing paints the glyphs here.
        output.textures_delta.clear();
        for command in commands {
            self.session.apply(command).into_iter().for_each(|effect| self.carry_out(&effect));
        }
        output
    }

    pub fn build(&mut self) {
        self.session.update_pose();
        self.session.build_frame(&mut self.frame, &SceneColors::DARK);
    }

    pub fn draw(&mut self) {
        let size = [self.picture.width(), self.picture.height()].map(|side| side as u32);
        self.renderer.draw(&self.gpu, &self.frame, size).unwrap();
    }
}
