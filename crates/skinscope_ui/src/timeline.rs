//! The timeline: transport, clip, time and speed; below them the ruler with the keys.

use std::borrow::Cow;

use egui::accesskit::Role;
use egui::{Align, Layout, PopupCloseBehavior, RichText, Sense, Ui, WidgetInfo, vec2};
use skinscope_model::{ClipId, Model};
use skinscope_session::{Command, LoopMode, Playback, PlaybackCommand, Session};

use super::clip_panel::{self, ClipPanel};
use super::context_menu::{self, About};
use super::search_list::{SearchList, SearchListOptions};
use super::theme::{self, BODY, ROW, colors};
use super::value_row::ValueRow;
use super::widgets::{caret, drop_down, elided, icon_button, number, paint_line, tip};
use super::{UiState, icons, ruler};

/// State of the timeline for the open model.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    clips: SearchList,
    clip_panel: ClipPanel,
    pub(super) lanes: ruler::Lanes,
}

impl Timeline {
    /// Opens the panel of the clip that is shown, with the field for its name.
    pub(super) fn ask_for_name(&mut self) {
        self.clip_panel.ask_for_name();
    }
}

/// The width of speed, loop mode and frame rate, points.
const SETTINGS_WIDTH: f32 = 236.0;
/// The least width of the list of clips, points.
const LEAST_LIST: f32 = 72.0;
/// The least width of the clock, which its seconds need, points.
const LEAST_CLOCK: f32 = 60.0;

/// The height of the row of buttons, with the space around it, points.
const BUTTONS: f32 = 46.0;

/// Returns the height of the timeline, points, which is what its rows need. `None` where there is no clip to show.
pub(super) fn height(session: &Session) -> Option<f32> {
    let (model, clip) = session.model().zip(session.playback().clip)?;
    Some(match nothing_to_scrub(model, session) {
        Some(_) => BUTTONS + ROW + 12.0,
        None => BUTTONS + ruler::height(&model.clips[clip.index()]),
    })
}

pub(super) fn show(ui: &mut Ui, session: &Session, state: &mut UiState, commands: &mut Vec<Command>) {
    let Some(model) = session.model() else { return };
    ui.add_space(7.0);
    ui.horizontal(|ui| {
        ui.set_height(30.0);
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.add_enabled_ui(session.playback().clip.is_some(), |ui| transport(ui, session, commands));
        ui.add_space(8.0);
        if session.playback().clip.is_some() {
            // A narrow window shortens the name of the clip and then the clock; the settings remain where they are.
            let spare = ui.available_width() - SETTINGS_WIDTH - LEAST_CLOCK - 16.0;
            // Where there is no room for the button, the menu makes keys.
            let keys = if spare >= LEAST_LIST + clip_panel::WIDTH { clip_panel::WIDTH } else { clip_panel::CARET };
            clips(ui, model, session, (spare - keys).clamp(LEAST_LIST, 168.0), &mut state.timeline, commands);
            if keys == clip_panel::WIDTH {
                clip_panel::show_key(ui, session, commands);
            }
            clip_panel::show(ui, session, &mut state.timeline.clip_panel, commands);
            ui.add_space(8.0);
            clock(ui, model, session.playback(), ui.available_width() - SETTINGS_WIDTH);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.spacing_mut().item_spacing.x = 6.0;
                settings(ui, session.playback(), commands);
            });
        }
    });
    ui.add_space(5.0);
    match nothing_to_scrub(model, session) {
        Some(why) => {
            ui.separator();
            ui.add_space(4.0);
            ui.label(RichText::new(why).color(colors(ui).dim));
            ui.take_available_space();
        }
        None => ruler::show(ui, model, session, &mut state.timeline.lanes, commands),
    }
}

/// Returns the reason why there is no ruler, in words that help.
fn nothing_to_scrub(model: &Model, session: &Session) -> Option<&'static str> {
    let length = session.playback().timeline_secs(model);
    (length <= 0.0).then_some("This clip is a single pose: all its keys lie at 0 s, so there is nothing to scrub.")
}

fn transport(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let playing = session.playback().playing;
    let (play, verb) = if playing { (icons::PAUSE, "Pause") } else { (icons::PLAY, "Play") };
    let buttons = [
        (icons::TO_START, "To start", Command::Playback(PlaybackCommand::ToStart)),
        (icons::PREVIOUS_KEY, "Previous key", Command::Playback(PlaybackCommand::PreviousKey)),
        (icons::CARET_LEFT, "Previous frame", Command::Playback(PlaybackCommand::StepFrames(-1))),
        (play, verb, Command::Playback(PlaybackCommand::TogglePlay)),
        (icons::CARET_RIGHT, "Next frame", Command::Playback(PlaybackCommand::StepFrames(1))),
        (icons::NEXT_KEY, "Next key", Command::Playback(PlaybackCommand::NextKey)),
        (icons::TO_END, "To end", Command::Playback(PlaybackCommand::ToEnd)),
    ];
    for (icon, name, command) in buttons {
        let is_play = command == Command::Playback(PlaybackCommand::TogglePlay);
        let side = if is_play { 30.0 } else { 26.0 };
        let response = icon_button(ui, icon, name, side, is_play && ui.is_enabled());
        if response.on_hover_text(tip(&command)).clicked() {
            commands.push(command);
        }
    }
}

/// Shows the list of clips, with a search where it is long.
fn clips(
    ui: &mut Ui,
    model: &Model,
    session: &Session,
    width: f32,
    timeline: &mut Timeline,
    commands: &mut Vec<Command>,
) {
    let Some(now) = session.playback().clip else { return };
    let shown = &model.clips[now.index()].name;
    let choice = SearchListOptions {
        id: "clip",
        search: "Search clips",
        none: "No clip has that in its name.",
        width,
        list_width: 260.0,
        count: model.clips.len(),
        now: Some(now.index()),
        shown,
    };
    let name = |i: usize| Cow::Borrowed(model.clips[i].name.as_str());
    let length = |i: usize| {
        let clip = &model.clips[i];
        let same = model.clips.iter().filter(|other| other.name == clip.name).count();
        // Clips of one name are told apart by their numbers, as on the command line.
        let which = if same > 1 { format!("#{i}, ") } else { String::new() };
        Some(format!("{which}{} s", number(clip.duration_secs(), 2)))
    };
    let (response, chosen) = timeline.clips.show(ui, &choice, name, length);
    commands.extend(chosen.map(|i| Command::Playback(PlaybackCommand::SetClip(ClipId::from_index(i)))));
    if let Some((i, row)) = timeline.clips.take_menu() {
        let about = About { clip: Some(ClipId::from_index(i)), ..About::default() };
        context_menu::ask(ui, &row, about, session, commands);
    }
    response.accessible_name(format!("Clip: {shown}")).on_hover_text(shown);
}

/// Shows seconds, length and frame.
fn clock(ui: &mut Ui, model: &Model, playback: &Playback, width: f32) {
    let c = colors(ui);
    let now = format!("{} s", number(playback.time_secs, 3));
    let rest = format!(" / {} s · frame {}", number(playback.duration_secs(model), 3), playback.frame_number());
    let spoken = format!("{now}{rest}");
    let now = ui.painter().layout_no_wrap(now, theme::strong(BODY), c.text);
    let (rest, cut) = elided(ui, &rest, theme::regular(BODY), c.dim, (width - now.size().x).min(220.0));
    let rest_fits = now.size().x + rest.size().x <= width;
    let size = vec2(now.size().x + if rest_fits { rest.size().x } else { 0.0 }, ROW);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &spoken));
    let middle = rect.left() + now.size().x;
    paint_line(ui, now, rect.left(), rect.center().y, c.text);
    if rest_fits {
        paint_line(ui, rest, middle, rect.center().y, c.dim);
    }
    if cut || !rest_fits {
        response.on_hover_text(spoken);
    }
}

/// Shows speed, loop mode and frames per second, from the right.
fn settings(ui: &mut Ui, playback: &Playback, commands: &mut Vec<Command>) {
    speed(ui, playback.speed, commands);
    let modes = [(LoopMode::Once, "Once"), (LoopMode::Loop, "Loop"), (LoopMode::PingPong, "Ping-pong")];
    let now = modes.iter().find(|(mode, _)| *mode == playback.loop_mode).map_or("", |(_, label)| label);
    drop_down(ui, "At the end", now, 84.0, "What happens at the end of the clip", |ui| {
        for (mode, label) in modes {
            if ui.selectable_label(mode == playback.loop_mode, label).clicked() {
                commands.push(PlaybackCommand::SetLoop(mode).into());
            }
        }
    });
    let help = "Of the frame counter and of single steps; the clip plays at its own speed";
    drop_down(ui, "Frame rate", &format!("{} fps", playback.fps), 64.0, help, |ui| {
        for fps in [24.0, 25.0, 30.0, 60.0] {
            if ui.selectable_label(fps == playback.fps, format!("{fps} fps")).clicked() {
                commands.push(PlaybackCommand::SetFps(fps).into());
            }
        }
    });
}

/// What the speed is.
const SPEED: &str = "How fast the clip plays, 1 as it was made; negative plays backwards";

fn speed(ui: &mut Ui, now: f32, commands: &mut Vec<Command>) {
    let shown = format!("{}×", number(now, 2).trim_end_matches('0').trim_end_matches('.'));
    let response = egui::ComboBox::from_id_salt("speed")
        .selected_text(shown.as_str())
        .width(58.0)
        .icon(caret)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
        .show_ui(ui, |ui| {
            ui.set_min_width(236.0);
            let row = ValueRow {
                name: "Speed",
                help: SPEED,
                label: "Speed",
                label_width: 44.0,
                color: colors(ui).text,
                value: now,
                range: -Playback::MAX_SPEED..=Playback::MAX_SPEED,
                home: 0.0,
                decimals: 2,
                unit: "×",
                edited: now != 1.0,
            };
            if let Some(speed) = row.show(ui).value {
                commands.push(PlaybackCommand::SetSpeed(speed).into());
            }
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 4.0;
                for speed in [-1.0, 0.25, 0.5, 1.0, 2.0, 4.0] {
                    let text = format!("{}×", number(speed, 2).trim_end_matches('0').trim_end_matches('.'));
                    if ui.selectable_label(speed == now, text).on_hover_text(SPEED).clicked() {
                        commands.push(PlaybackCommand::SetSpeed(speed).into());
                    }
                }
            });
        })
        .response;
    response.accessible_name(format!("Speed: {shown}")).on_hover_text(SPEED);
}
