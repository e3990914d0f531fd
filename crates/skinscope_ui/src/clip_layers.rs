//! The clips that are blended with the one that plays (a crossfade, and an additive clip), and its onion skins.

use egui::{Button, ScrollArea, Ui};
use skinscope_anim::{Additive, Crossfade};
use skinscope_model::{ClipId, Model};
use skinscope_session::{Command, EditCommand, PlaybackCommand, Session, ViewCommand};

use super::theme::{ROW, colors};
use super::value_row::ValueRow;
use super::widgets::{Change, NumberField, chip, section};

/// How many rows a list of clips shows at once.
const MOST_ROWS: usize = 4;

pub(super) fn show(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let Some(model) = session.model() else { return };
    let now = session.playback().layers;
    let mut wanted = now;
    let mut ended = false;
    section(ui, "Crossfade into", |_| {});
    if let Some(chosen) = clip(ui, model, "Crossfade into", now.fade.map(|fade| fade.clip)) {
        let current = now.fade.unwrap_or(Crossfade { clip: ClipId(0), weight: 0.5, rise: None });
        wanted.fade = chosen.map(|clip| Crossfade { clip, ..current });
        ended = true;
    }
    if let Some(fade) = &mut wanted.fade {
        ended |= share(ui, "Share of the crossfade", &mut fade.weight);
        ended |= rise(ui, session, fade);
    }
    section(ui, "Add", |_| {});
    if let Some(chosen) = clip(ui, model, "Add", now.add.map(|add| add.clip)) {
        wanted.add = chosen.map(|clip| Additive { clip, weight: now.add.map_or(1.0, |add| add.weight) });
        ended = true;
    }
    if let Some(add) = &mut wanted.add {
        ended |= share(ui, "Share that is added", &mut add.weight);
    }
    onion(ui, session, commands);
    if wanted != now {
        commands.push(PlaybackCommand::SetLayers(wanted).into());
    }
    if ended {
        commands.push(EditCommand::EndEdit.into());
    }
}

/// Shows whether there are onion skins, how many, and how far apart.
fn onion(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let mut onion = session.view().onion;
    section(ui, "Onion skins", |ui| {
        let help = "Draw the surface at moments of the clip before (red) and after (green) the one that is shown";
        if chip(ui, "Shown", onion.shown).on_hover_text(help).clicked() {
            onion.shown = !onion.shown;
        }
    });
    let row = |ui: &mut Ui, label, name, value, range, home, decimals, unit| {
        let (label_width, color) = (44.0, colors(ui).text);
        let help =
            "How many onion skins there are on each side of the moment, and how many frames lie between two of them";
        let row = ValueRow { name, help, label, label_width, color, value, range, home, decimals, unit, edited: false };
        row.show(ui).value
    };
    if onion.shown {
        if let Some(count) = row(ui, "Count", "Onion skins on each side", onion.count as f32, 1.0..=10.0, 1.0, 0, "") {
            onion.count = count.max(0.0).round() as u32;
        }
        let step = onion.step_frames;
        if let Some(step) = row(ui, "Step", "Frames between onion skins", step, 1.0..=30.0, 1.0, 1, " fr") {
            onion.step_frames = step;
        }
    }
    if onion != session.view().onion {
        commands.push(ViewCommand::SetOnion(onion).into());
    }
}

/// Shows a list of clips; returns the one that was chosen, or `Some(None)` for none.
fn clip(ui: &mut Ui, model: &Model, name: &str, now: Option<ClipId>) -> Option<Option<ClipId>> {
    let mut chosen = None;
    // A drop-down would close the panel that contains it. The height is given, since a panel that grows has none to
    // spare at first.
    let height = (ROW + ui.spacing().item_spacing.y) * (model.clips.len() + 1).min(MOST_ROWS) as f32;
    let list = ScrollArea::vertical().id_salt(name).max_height(height).min_scrolled_height(height);
    list.show(ui, |ui| {
        ui.set_width(ui.available_width());
        let none = ui.selectable_label(now.is_none(), "No clip");
        if none.accessible_name(format!("{name}: no clip")).clicked() {
            chosen = Some(None);
        }
        for (i, clip) in model.clips.iter().enumerate() {
            let id = ClipId::from_index(i);
            let row = ui.add(Button::selectable(now == Some(id), clip.name.as_str()).truncate());
            let row = row.on_hover_text(&clip.name);
            if row.accessible_name(format!("{name}: {}", clip.name)).clicked() {
                chosen = Some(Some(id));
            }
        }
    });
    chosen
}

/// Shows a share of a clip, 0…1, as percent; returns whether a change of it is over.
fn share(ui: &mut Ui, name: &str, share: &mut f32) -> bool {
    let row = ValueRow {
        name,
        help: "How much of this clip there is in what is shown",
        label: "Share",
        label_width: 44.0,
        color: colors(ui).text,
        value: 100.0 * *share,
        range: 0.0..=100.0,
        home: 0.0,
        decimals: 0,
        unit: "%",
        edited: false,
    };
    let change = row.show(ui);
    if let Some(percent) = change.value {
        *share = percent.clamp(0.0, 100.0) / 100.0;
    }
    change.ended
}

/// Shows a time, and returns how it is changed.
fn secs(ui: &mut Ui, name: &str, help: &str, value: f32) -> Change {
    let field = NumberField {
        name,
        help,
        value,
        range: 0.0..=1e6,
        is_bounded: true,
        per_point: 0.01,
        decimals: 3,
        is_short: true,
        unit: " s",
        width: 62.0,
        edited: false,
    };
    field.show(ui)
}

/// Shows when the share of a crossfade rises; returns whether a change of it is over.
fn rise(ui: &mut Ui, session: &Session, fade: &mut Crossfade) -> bool {
    let mut ended = false;
    ui.horizontal(|ui| {
        ui.set_height(ROW);
        let help = "Let the share rise from nothing, beginning at a time, in place of holding it all the time";
        if chip(ui, "Rises", fade.rise.is_some()).on_hover_text(help).clicked() {
            fade.rise = if fade.rise.is_some() { None } else { Some([session.playback().time_secs, 0.3]) };
            ended = true;
        }
        if let Some([start, length]) = &mut fade.rise {
            for (word, value, help) in [("at", start, "When it begins to rise"), ("in", length, "How long it takes")] {
                ui.label(word);
                let change = secs(ui, &format!("Rises {word}"), help, *value);
                *value = change.value.unwrap_or(*value);
                ended |= change.ended;
            }
        }
    });
    ended
}
