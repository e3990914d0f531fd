//! Bone links of the selected joint: how many it needs, and what putting them there has done.

use std::sync::{Arc, Weak};

use egui::{Label, RichText, Ui};
use skinscope_edit::{LinkRefusal, LinkSettings, count_links};
use skinscope_model::{Model, NodeId};
use skinscope_session::{Command, EditCommand, GainedLinks, LinkVolumes, LinksMade, Session};

use super::Status;
use super::icons;
use super::theme::colors;
use super::value_row::ValueRow;
use super::widgets::{chip, counted, grouped, link, progress_bar, section, text_button};

/// The state of the links in the inspector.
#[derive(Debug, Default)]
pub(super) struct LinksPanel {
    /// Whether the settings are shown.
    is_open: bool,
    settings: LinkSettings,
    counted: Option<Counted>,
}

/// How many links a joint needs, with all that this depends on.
#[derive(Debug)]
struct Counted {
    model: Weak<Model>,
    joint: NodeId,
    settings: LinkSettings,
    found: Result<(usize, f32), LinkRefusal>,
}

impl LinksPanel {
    /// Returns how many links a joint needs, and its farthest turn. That is worked out when something has changed.
    fn found(&mut self, model: &Arc<Model>, joint: NodeId) -> &Result<(usize, f32), LinkRefusal> {
        let settings = self.settings;
        let is_same = |counted: &Counted| {
            std::ptr::eq(counted.model.as_ptr(), Arc::as_ptr(model))
                && (counted.joint, counted.settings) == (joint, settings)
        };
        let known = self.counted.take().filter(is_same);
        let count =
            || Counted { model: Arc::downgrade(model), joint, settings, found: count_links(model, joint, &settings) };
        &self.counted.insert(known.unwrap_or_else(count)).found
    }
}

/// Shows the links of a joint that has another one above it.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    (joint, status): (NodeId, &Status),
    panel: &mut LinksPanel,
    commands: &mut Vec<Command>,
) {
    let Some(model) = session.model() else { return };
    let own = model.links.iter().find(|link| link.node == joint);
    let has = model.links.iter().filter(|link| link.of == joint).count();
    if !model.is_joint(joint) || model.joint_above(joint).is_none() {
        return;
    }
    section(ui, "Bone links", |ui| {
        if own.is_some() || has > 0 {
            return;
        }
        let (text, name) = if panel.is_open { ("Close", "Close bone links") } else { ("Add", "Add bone links") };
        let help = "Joints between this one and the one above, so that the skin keeps its volume where this turns far";
        if link(ui, text, name).on_hover_text(help).clicked() {
            panel.is_open = !panel.is_open;
        }
    });
    if let Some(own) = own {
        let turn = if own.drive.axis.is_some() { "twist" } else { "turn" };
        let (share, name) = (100.0 * own.drive.share, &model.skeleton.names[own.of.index()]);
        return note(ui, format!("It makes {share:.0} % of the {turn} of {name}, whatever its own channels say."));
    }
    if has > 0 {
        note(ui, format!("{} between it and the joint above.", counted(has, "link", "links")));
    }
    let made: Option<&LinksMade> = session.tools().links.as_ref().filter(|made| made.joint == joint);
    match made.map(|made| &made.gained) {
        Some(Ok(gained)) if has > 0 => {
            became(ui, gained, session.measures_links().then(|| status.links.unwrap_or(0.0)));
        }
        Some(Err(why)) if has == 0 && panel.is_open => note(ui, format!("{}.", capital(&why.to_string()))),
        _ => {}
    }
    if has == 0 && panel.is_open {
        choose(ui, model, joint, panel, commands);
    }
}

/// Shows the settings, how many links they make, and what puts them there.
fn choose(ui: &mut Ui, model: &Arc<Model>, joint: NodeId, panel: &mut LinksPanel, commands: &mut Vec<Command>) {
    let c = colors(ui);
    let found = panel.found(model, joint).clone();
    let turn = found.as_ref().map_or(0.0, |(_, angle)| *angle);
    let [least, most] = LinkSettings::DEGREES;
    let settings = &mut panel.settings;
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        let row = ValueRow {
            name: "Most degrees of a link",
            help: "The most degrees by which one turns against the next",
            label: "Most",
            label_width: 64.0,
            color: c.text,
            value: settings.degrees,
            range: least..=most,
            home: least,
            decimals: 0,
            unit: "°",
            edited: settings.degrees != LinkSettings::default().degrees,
        };
        if let Some(degrees) = row.show(ui).value {
            settings.degrees = degrees.clamp(least, most);
        }
        let row = ValueRow {
            name: "Farthest turn",
            help: "The farthest that the joint turns, degrees: what the clips do, until it is set",
            label: "Farthest",
            label_width: 64.0,
            color: c.text,
            value: settings.angle.unwrap_or(turn),
            range: 0.0..=180.0,
            home: 0.0,
            decimals: 0,
            unit: "°",
            edited: settings.angle.is_some(),
        };
        if let Some(angle) = row.show(ui).value {
            settings.angle = Some(angle.clamp(1.0, 180.0));
        }
    });
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        let help = "Links along the bone above, which take shares of the twist about it and nothing of the swing";
        if chip(ui, "Twist", settings.twist).on_hover_text(help).clicked() {
            settings.twist = !settings.twist;
        }
        let help = "Count on the farthest turn that a clip makes";
        if settings.angle.is_some()
            && link(ui, "As in the clips", "Farthest turn of the clips").on_hover_text(help).clicked()
        {
            settings.angle = None;
        }
    });
    let settings = *settings;
    match &found {
        Ok((count, angle)) => note(ui, format!("{} for a turn of {angle:.0}°.", counted(*count, "link", "links"))),
        Err(why) => note(ui, format!("{}.", capital(&why.to_string()))),
    }
    let button = ui.add_enabled_ui(found.is_ok(), |ui| text_button(ui, Some(icons::BONE), "Insert links", false)).inner;
    let help = "Put the links there and part the weights among them, in one step that can be undone, and measure the volume before and after; saving writes them, with keys in the clips";
    if button.on_hover_text(help).clicked() {
        commands.push(EditCommand::InsertLinks(joint, settings).into());
    }
}

/// Shows what links have done. `measured`: how much of what they do to the volume is measured by now, 0…1, as long as that goes on.
fn became(ui: &mut Ui, gained: &GainedLinks, measured: Option<f32>) {
    note(ui, format!("{} vertices have other weights.", grouped(gained.vertices)));
    match (&gained.volumes, measured) {
        (Some(volumes), _) => told(ui, volumes),
        (None, Some(fraction)) => {
            note(ui, "Measuring the volume before and after.".to_owned());
            progress_bar(ui, "Volume around the links measured", fraction);
        }
        (None, None) => {}
    }
}

/// Shows what links have done to the volume.
fn told(ui: &mut Ui, volumes: &LinkVolumes) {
    let part = |part: Option<f64>| part.map(|part| format!("{:.0} %", 100.0 * part));
    let line = |what: &str, [before, after]: [Option<f64>; 2]| {
        Some(format!("Volume {what}: {} before, {} after.", part(before)?, part(after)?))
    };
    let lines = [
        line("turned by 90°", volumes.at_90),
        volumes.at_worst.and_then(|kept| line("where a clip turns it farthest", kept)),
    ];
    let has_lines = lines.iter().any(Option::is_some);
    lines.into_iter().flatten().for_each(|line| note(ui, line));
    if !has_lines {
        note(ui, "The skin encloses no volume around the joint.".to_owned());
    }
}

fn note(ui: &mut Ui, text: String) {
    let text = RichText::new(text).color(colors(ui).dim);
    ui.add(Label::new(text).wrap());
}

/// The same sentence with a capital at its beginning.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
