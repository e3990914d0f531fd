//! Panels that are shown again as they were. While a clip plays, the window asks for its panels with every picture, though in most of
//! them nothing changes: those are not laid out again as long as nothing has happened but that time has passed. What they painted is
//! painted again, and their widgets are where they were, so that the next click finds them.

use egui::epaint::ClippedShape;
use egui::{Id, IdSet, LayerId, Rect, Ui, UiBuilder, WidgetRect};
use skinscope_session::{DockPanel, Session};

use super::{Status, UiState, focus};

/// The panels of the last pass that laid them out.
#[derive(Debug, Default)]
pub(super) struct KeptPanels {
    /// Whether nothing has happened since the last pass.
    pub is_quiet: bool,
    panels: Vec<KeptPanel>,
    /// How many panels of this pass are shown as they were.
    pub shown_again: usize,
}

#[derive(Debug)]
struct KeptPanel {
    panel: DockPanel,
    place: Place,
    shapes: Vec<ClippedShape>,
    widgets: Vec<WidgetRect>,
    /// The widgets that Tab skips.
    passed_over: IdSet,
    /// The room that the contents took.
    used: Rect,
}

/// Everything but its contents that decides on how a panel looks.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    layer: LayerId,
    room: Rect,
    clip: Rect,
    pixels_per_point: f32,
    is_dark: bool,
}

impl Place {
    fn of(ui: &Ui) -> Self {
        Self {
            layer: ui.layer_id(),
            room: ui.available_rect_before_wrap(),
            clip: ui.clip_rect(),
            pixels_per_point: ui.pixels_per_point(),
            is_dark: ui.visuals().dark_mode,
        }
    }
}

impl UiState {
    /// Says whether nothing has happened since the last pass but that time has passed; without this call something may have. Panels that
    /// do not change by themselves are then shown as they were.
    pub fn note_quiet(&mut self, is_quiet: bool) {
        (self.kept.is_quiet, self.kept.shown_again) = (is_quiet, 0);
    }

    /// Returns how many panels the last pass has shown as they were.
    #[cfg(test)]
    fn shown_again(&self) -> usize {
        self.kept.shown_again
    }
}

impl Status {
    /// Returns whether something is under way whose progress the panels tell.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        let measures = self.rom.is_some() || self.curves.is_some() || self.worst.is_some() || self.links.is_some();
        measures || self.loading.is_some() || self.work.is_some() || self.checking
    }
}

/// Returns whether a panel looks the same at each time of the clip that plays.
pub(super) fn is_still(session: &Session, status: &Status, panel: DockPanel) -> bool {
    let view = session.view();
    let has_morphs = || session.model().is_some_and(|m| m.instances.iter().any(|i| !i.morph_weights.is_empty()));
    match panel {
        DockPanel::Outliner | DockPanel::Tools => true,
        // While frames are measured it says how long they take.
        DockPanel::Inspector => {
            view.selected.is_none() && view.pinned.is_none() && status.costs.is_none() && !has_morphs()
        }
        DockPanel::Timeline
        | DockPanel::Tables
        | DockPanel::Deformation
        | DockPanel::Statistics
        | DockPanel::Page
        | DockPanel::Manual
        | DockPanel::Paint => false,
    }
}

impl KeptPanels {
    /// Shows the contents of a panel, as they were where that is the same. `is_still`: they depend on nothing that changes by itself.
    pub(super) fn show(&mut self, ui: &mut Ui, (panel, is_still): (DockPanel, bool), contents: impl FnOnce(&mut Ui)) {
        let place = Place::of(ui);
        let at = self.panels.iter().position(|kept| kept.panel == panel);
        if let Some(at) = at {
            if is_still && self.is_quiet && self.panels[at].place == place && nobody_is_at(ui, place.clip) {
                self.panels[at].show(ui);
                self.shown_again += 1;
                return;
            }
            self.panels.swap_remove(at);
        }
        let (shapes, widgets) = (shape_count(ui, place.layer), widget_count(ui, place.layer));
        let before = focus::passed_over_by_tab(ui);
        let start = ui.cursor().min;
        ui.scope_builder(own(panel), contents);
        if !is_still {
            return;
        }
        let used = Rect::from_min_max(start, ui.min_rect().max);
        let shapes: Vec<ClippedShape> = ui.ctx().graphics(|graphics| {
            graphics.get(place.layer).map_or(Vec::new(), |list| list.all_entries().skip(shapes).cloned().collect())
        });
        let widgets =
            ui.ctx().viewport(|v| v.this_pass.widgets.get_layer(place.layer).skip(widgets).copied().collect());
        let passed_over = focus::passed_over_by_tab(ui).difference(&before).copied().collect();
        self.panels.push(KeptPanel { panel, place, shapes, widgets, passed_over, used });
    }
}

/// Returns whether neither the pointer nor the keyboard is at a place, and nothing lies open over the window.
fn nobody_is_at(ui: &Ui, place: Rect) -> bool {
    let ctx = ui.ctx();
    let is_pointer_away =
        ui.input(|i| !i.pointer.any_down() && i.pointer.latest_pos().is_none_or(|at| !place.contains(at)));
    let is_read_aloud = || ctx.accesskit_node_builder(ui.unique_id(), |_| ()).is_some();
    is_pointer_away && ctx.memory(|m| m.focused()).is_none() && !ctx.any_popup_open() && !is_read_aloud()
}

fn shape_count(ui: &Ui, layer: LayerId) -> usize {
    ui.ctx().graphics(|graphics| graphics.get(layer).map_or(0, |list| list.next_idx().0))
}

fn widget_count(ui: &Ui, layer: LayerId) -> usize {
    ui.ctx().viewport(|v| v.this_pass.widgets.get_layer(layer).count())
}

/// Returns the scope of the contents of a panel: what they remember, such as how far they are scrolled, goes with the panel wherever it
/// is moved.
fn own(panel: DockPanel) -> UiBuilder {
    UiBuilder::new().scope_id(Id::unique(("contents of a panel", panel.id())))
}

impl KeptPanel {
    /// Shows it as it was.
    fn show(&self, ui: &mut Ui) {
        ui.scope_builder(own(self.panel), |ui| {
            ui.ctx().graphics_mut(|graphics| {
                let list = graphics.entry(self.place.layer);
                for ClippedShape { clip_rect, shape, .. } in &self.shapes {
                    list.add(*clip_rect, shape.clone());
                }
            });
            let mut off = None;
            for widget in &self.widgets {
                let ui = match widget.enabled {
                    true => &mut *ui,
                    false => off.get_or_insert_with(|| ui.new_child(UiBuilder::new().disabled())),
                };
                ui.set_clip_rect(widget.interact_rect);
                _ = ui.interact(widget.rect, widget.id, widget.sense);
            }
            focus::pass_over_all(ui, &self.passed_over);
            ui.expand_to_include_rect(self.used);
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use egui::{Context, Event, FullOutput, Modifiers, PointerButton, Pos2, RawInput, Shape, pos2, vec2};
    use skinscope_model::NodeId;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_session::{Command, Document, SelectionCommand};

    use super::*;

    struct Window {
        ctx: Context,
        session: Session,
        state: UiState,
        time: f64,
    }

    impl Window {
        fn pass(&mut self, is_quiet: bool, events: Vec<Event>) -> (FullOutput, Vec<Command>) {
            self.time += 0.2;
            let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, vec2(1600.0, 900.0)));
            let input = RawInput { screen_rect, time: Some(self.time), events, ..RawInput::default() };
            let mut commands = Vec::new();
            self.state.note_quiet(is_quiet);
            let mut output = self.ctx.run_ui(input, |ui| {
                crate::show(ui, &self.session, &mut self.state, &Status::default(), &mut commands);
            });
            output.textures_delta.clear();
            for command in &commands {
                if let Command::Camera(_) = command {
                    self.session.apply(command.clone());
                }
            }
            (output, commands)
        }
    }

    /// Where the words are painted.
    fn place_of(output: &FullOutput, words: &str) -> Pos2 {
        let found = output.shapes.iter().find_map(|s| match &s.shape {
            Shape::Text(text) if text.galley.text() == words => Some(text.visual_bounding_rect().center()),
            _ => None,
        });
        found.unwrap_or_else(|| panic!("no {words}"))
    }

    #[test]
    fn what_is_shown_again_looks_the_same_and_takes_the_next_click() {
        let mut session = Session::default();
        let model = tube(Tube { joints: 4, rings: 12, ..Tube::default() });
        session.open(Document::new(Arc::new(model), vec![], None));
        session.update_pose();
        assert!(session.plays());
        let ctx = Context::default();
        crate::install(&ctx);
        let mut window = Window { ctx, session, state: UiState::default(), time: 0.0 };
        for _ in 0..6 {
            window.pass(false, Vec::new());
        }
        let (before, _) = window.pass(false, Vec::new());
        assert_eq!(window.state.shown_again(), 0, "something may have happened");
        let (again, commands) = window.pass(true, Vec::new());
        assert_eq!(window.state.shown_again(), 2, "outliner and inspector");
        assert!(commands.is_empty(), "{commands:?}");
        assert!(before.shapes == again.shapes, "they look the same");
        window.pass(true, Vec::new());
        // A click on a row of a panel that was shown again selects its joint.
        let at = place_of(&again, "joint 2");
        let button = |pressed| Event::PointerButton {
            pos: at,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        let mut selected = Vec::new();
        for events in [vec![Event::PointerMoved(at)], vec![button(true)], vec![button(false)], Vec::new()] {
            selected.extend(window.pass(false, events).1);
        }
        let node = NodeId(3);
        assert!(selected.contains(&SelectionCommand::Select(Some(node)).into()), "{selected:?}");
        // While the pointer is over it, a panel is laid out: it may have to show a tooltip.
        window.pass(true, Vec::new());
        assert_eq!(window.state.shown_again(), 1, "the inspector alone");
        window.pass(true, vec![Event::PointerMoved(pos2(800.0, 450.0))]);
        window.session.apply(skinscope_session::PlaybackCommand::SetPlaying(false));
        window.pass(true, Vec::new());
        assert_eq!(window.state.shown_again(), 0, "nothing is kept while nothing plays");
    }
}
