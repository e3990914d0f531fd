//! The layers of weights: the list, the highest one first, and what can be done with the one that brushes paint in.

use egui::accesskit::Role;
use egui::{Align2, Label, Margin, RichText, Sense, TextEdit, Ui, WidgetInfo, vec2};
use skinscope_paint::{KeptChoice, KeptLayers, Layer, LayerId, LayerStack};
use skinscope_session::{Command, LayerCommand, PaintCommand, PaintSettings, Session, ViewCommand};

use crate::icons;
use crate::theme::{self, BODY, ROW, SMALL, colors};
use crate::value_row::ValueRow;
use crate::widgets::{
    chip, chip_width, counted, focus_ring, link, paint_line, press, quiet_text, row_background, section, shortened,
};

/// The width of the switch before a name, and of the figure after it, points.
const SWITCH: f32 = 24.0;
const FIGURE: f32 = 40.0;
/// The width of the labels, points.
const LABEL: f32 = 66.0;
/// So many letters of a name stand on a button.
const LONGEST: usize = 24;

/// What the list of layers keeps from pass to pass.
#[derive(Debug, Default)]
pub(super) struct LayerList {
    /// The name that is being typed for a layer.
    typed: Option<(LayerId, String)>,
}

/// Shows which layers there are, and which one brushes paint in.
pub(super) fn show(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let (layers, asked) = (session.painting().layers(), session.painting().asked_layers());
    section(ui, "Layers", |ui| {
        // A layer would take the place of those that the file keeps before anybody has said what becomes of them.
        if asked.is_some() {
            return;
        }
        let help = "Add a layer over the one that is painted in: brushes change its weights, which lie over those below and can be switched off again";
        if link(ui, "Add", "Add a layer").on_hover_text(help).clicked() {
            push(commands, LayerCommand::Add(String::new()));
        }
    });
    if let Some(kept) = asked {
        ask(ui, kept, commands);
        return;
    }
    if layers.is_empty() {
        return quiet_text(ui, "None: brushes paint the weights themselves.");
    }
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
        for layer in layers.layers().iter().rev() {
            row(ui, layers, layer, commands);
        }
        base(ui, layers, commands);
    });
}

/// Shows what can be done with the layer that brushes paint in, and the layers of the model beside.
pub(super) fn in_hand(ui: &mut Ui, session: &Session, list: &mut LayerList, commands: &mut Vec<Command>) {
    let layers = session.painting().layers();
    if let Some(layer) = layers.active().and_then(|id| layers.layer(id)) {
        section(ui, "Layer in hand", |_| {});
        name(ui, layer, list, commands);
        opacity(ui, layer, commands);
        ui.add_space(4.0);
        mask(ui, session, (layers, layer), commands);
        ui.add_space(4.0);
        deeds(ui, session, layer, commands);
        if let Some(copied) = session.painting().layer_copied() {
            ui.add(Label::new(RichText::new(copied).font(theme::regular(12.0)).color(colors(ui).dim)).wrap());
        }
    }
    if session.painting().asked_layers().is_none() {
        of_other(ui, session, commands);
    }
}

/// Offers copies of the layers that the model beside this one has.
fn of_other(ui: &mut Ui, session: &Session, commands: &mut Vec<Command>) {
    let layers = session.beside().map_or(&[][..], |beside| beside.other().painting().layers().layers());
    if layers.is_empty() {
        return;
    }
    section(ui, "Layers of the second model", |_| {});
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(6.0, 6.0);
        for layer in layers.iter().rev() {
            let name: String = layer.name().chars().take(LONGEST).collect();
            let text = format!("Copy {name} here");
            if ui.available_size_before_wrap().x < chip_width(ui, &text) {
                ui.end_row();
            }
            let help =
                "Copy it to this model: what it changes goes to the nearest surface here, by the names of joints";
            if chip(ui, &text, false).on_hover_text(help).clicked() {
                push(commands, LayerCommand::CopyFromOther(layer.id()));
            }
        }
    });
}

/// Asks what becomes of layers that the file keeps although another program has changed the weights that they make.
fn ask(ui: &mut Ui, kept: &KeptLayers, commands: &mut Vec<Command>) {
    let layers = counted(kept.layers.layers().len(), "layer", "layers");
    let text = format!("The file keeps {layers}, but another program has changed it since: {}.", kept.difference());
    ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).amber)).wrap());
    ui.add_space(4.0);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(6.0, 6.0);
        for (text, help, choice) in [
            (
                "Take the change as a layer",
                "The weights stay as they are: what was changed becomes a layer over those that the file keeps",
                KeptChoice::Changes,
            ),
            (
                "Lay over the change",
                "The layers lie over the weights that the file has now, and cover what was changed below them",
                KeptChoice::Bottom,
            ),
            ("Drop the layers", "The weights stay as they are, in no layers", KeptChoice::Drop),
        ] {
            if ui.available_size_before_wrap().x < chip_width(ui, text) {
                ui.end_row();
            }
            if chip(ui, text, false).on_hover_text(help).clicked() {
                push(commands, LayerCommand::Kept(choice));
            }
        }
    });
}

fn push(commands: &mut Vec<Command>, command: LayerCommand) {
    commands.push(PaintCommand::Layer(command).into());
}

/// Shows a layer with the switch that shows or hides it; a press on its name lets brushes paint in it.
fn row(ui: &mut Ui, layers: &LayerStack, layer: &Layer, commands: &mut Vec<Command>) {
    let c = colors(ui);
    ui.horizontal(|ui| {
        let text = format!("{} {}", if layer.is_on() { "Hide" } else { "Show" }, layer.name());
        let (rect, response) = press(ui, vec2(SWITCH, ROW), &text, Some(layer.is_on()));
        let icon = if layer.is_on() { icons::FILLED_CIRCLE } else { icons::CIRCLE };
        let ink = if layers.is_shown(layer) { c.text } else { c.dim };
        ui.painter().text(rect.center(), Align2::CENTER_CENTER, icon, theme::icon(11.0), ink);
        focus_ring(ui, rect, &response);
        if response
            .on_hover_text("Switch the layer on or off: without it the weights are as if it had never been")
            .clicked()
        {
            push(commands, LayerCommand::SetOn(layer.id(), !layer.is_on()));
        }
        let figure = format!("{:.0}%", 100.0 * layer.opacity());
        let help = match layer.has_mask() {
            true => "Paint in this layer, which is where its mask says",
            false => "Paint in this layer",
        };
        let is_active = layers.active() == Some(layer.id());
        if named(ui, (layer.name(), &figure), is_active, layers.is_shown(layer), help) {
            push(commands, LayerCommand::Select(Some(layer.id())));
        }
    });
}

/// Shows the base, which lies below all layers.
fn base(ui: &mut Ui, layers: &LayerStack, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.add_space(SWITCH);
        let help = "Paint in the base: the weights below all layers";
        if named(ui, ("Base", ""), layers.active().is_none(), true, help) {
            push(commands, LayerCommand::Select(None));
        }
    });
}

/// Shows a name over the rest of a row, with a figure at its end; returns whether it was pressed.
fn named(ui: &mut Ui, (name, figure): (&str, &str), is_active: bool, is_shown: bool, help: &str) -> bool {
    let c = colors(ui);
    let size = vec2(ui.available_width().max(60.0), ROW);
    let (rect, response) = press(ui, size, &format!("Paint in {name}"), Some(is_active));
    row_background(ui.painter(), rect, is_active, response.hovered(), is_active, c);
    let ink = if is_shown { c.text } else { c.dim };
    let (galley, _) = shortened(ui, name, theme::regular(BODY), ink, rect.width() - FIGURE - 8.0);
    paint_line(ui, galley, rect.left() + 8.0, rect.center().y, ink);
    let at = rect.right_center() - vec2(6.0, 0.0);
    ui.painter().text(at, Align2::RIGHT_CENTER, figure, theme::regular(SMALL), c.dim);
    focus_ring(ui, rect, &response);
    response.on_hover_text(format!("{name}\n{help}")).clicked()
}

/// Shows the name of the layer to type another.
fn name(ui: &mut Ui, layer: &Layer, list: &mut LayerList, commands: &mut Vec<Command>) {
    let typed = list.typed.take().filter(|(of, _)| *of == layer.id());
    let mut name = typed.map_or_else(|| layer.name().to_owned(), |(_, name)| name);
    let row = ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        let ink = colors(ui).dim;
        let (rect, _) = ui.allocate_exact_size(vec2(LABEL, ROW), Sense::hover());
        let (galley, _) = shortened(ui, "Name", theme::regular(BODY), ink, LABEL);
        paint_line(ui, galley, rect.left(), rect.center().y, ink);
        let field = TextEdit::singleline(&mut name).desired_width(ui.available_width()).margin(Margin::symmetric(6, 3));
        ui.push_id(("layer", layer.id().0), |ui| ui.add(field)).inner
    });
    let response = row.inner;
    response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Name of the layer"));
    let response = response.on_hover_text("The name of the layer");
    if response.has_focus() {
        list.typed = Some((layer.id(), name));
    } else if response.lost_focus() && name != layer.name() && !ui.input(|i| i.key_pressed(egui::Key::Escape)) {
        push(commands, LayerCommand::Rename(layer.id(), name));
    }
}

/// Shows how much of the layer there is.
fn opacity(ui: &mut Ui, layer: &Layer, commands: &mut Vec<Command>) {
    let row = ValueRow {
        name: "Opacity",
        help: "How much of the layer there is: 0 leaves what lies below, 100 covers it",
        label: "Opacity",
        label_width: LABEL,
        color: colors(ui).dim,
        value: (100.0 * layer.opacity()) as f32,
        range: 0.0..=100.0,
        home: 0.0,
        decimals: 0,
        unit: "%",
        edited: false,
    };
    if let Some(percent) = row.show(ui).value {
        // A number that was typed is meant as it reads, and not as the nearest of 32 bits.
        let percent = percent.to_string().parse().unwrap_or(f64::from(percent));
        push(commands, LayerCommand::SetOpacity(layer.id(), (percent / 100.0).clamp(0.0, 1.0)));
    }
}

/// The overlay that shows the mask, and the one that shows what brushes paint else.
const MASK_OVERLAY: &str = "layer-mask";
const WEIGHTS_OVERLAY: &str = "weights";

/// Shows whether brushes paint the mask of the layer, which the overlay shows then, and says where the mask leaves nothing of the layer.
fn mask(ui: &mut Ui, session: &Session, (layers, layer): (&LayerStack, &Layer), commands: &mut Vec<Command>) {
    let settings = session.painting().settings();
    let help = "Let brushes paint where the layer is, from 0 to 1, and not weights; the skin shows the mask";
    if chip(ui, "Paint the mask", settings.mask).on_hover_text(help).clicked() {
        commands.push(PaintCommand::Set(PaintSettings { mask: !settings.mask, ..settings.clone() }).into());
        let shown = session.view().overlay.map(|overlay| overlay.id);
        match settings.mask {
            false => commands.push(ViewCommand::SetOverlay(Some(MASK_OVERLAY)).into()),
            true if shown == Some(MASK_OVERLAY) => {
                commands.push(ViewCommand::SetOverlay(Some(WEIGHTS_OVERLAY)).into());
            }
            true => {}
        }
    }
    if layers.is_masked_out(layer) {
        let text = RichText::new("The mask is empty: the layer does nothing.").font(theme::regular(12.0));
        ui.add(Label::new(text.color(colors(ui).amber)).wrap());
    }
}

/// Shows what can be done with the layer.
fn deeds(ui: &mut Ui, session: &Session, layer: &Layer, commands: &mut Vec<Command>) {
    let (layers, id) = (session.painting().layers(), layer.id());
    let at = layers.layers().iter().position(|other| other.id() == id).unwrap_or(0);
    let is_alone = layers.solo() == Some(id);
    let has_marks = !session.view().marked.is_empty();
    let rows: [(&str, bool, bool, &str, LayerCommand); 9] = [
        (
            "Alone",
            is_alone,
            true,
            "Show this layer without the others, over the base",
            LayerCommand::Solo((!is_alone).then_some(id)),
        ),
        match layer.has_mask() {
            true => {
                let help = "Take the mask away: the layer is everywhere";
                ("Remove the mask", false, true, help, LayerCommand::RemoveMask(id))
            }
            false => {
                let help = "Let the layer be at the marked vertices alone; K marks some by boxes";
                ("Mask marked", false, has_marks, help, LayerCommand::MaskMarked(id))
            }
        },
        (
            "Erase marked",
            false,
            has_marks,
            "Take the weights of the marked vertices out of the layer, so that what lies below shows there",
            LayerCommand::EraseMarked(id),
        ),
        ("Up", false, at + 1 < layers.layers().len(), "Move it over the next layer", LayerCommand::Move(id, at + 1)),
        ("Down", false, at > 0, "Move it below the next layer", LayerCommand::Move(id, at.saturating_sub(1))),
        ("Duplicate", false, layers.can_duplicate(id), "Put a copy over it", LayerCommand::Duplicate(id)),
        (
            "Copy to other",
            false,
            session.beside().is_some(),
            "Copy it to the second model beside this one: what it changes goes to the nearest surface there, by the names of joints",
            LayerCommand::CopyToOther(id),
        ),
        (
            "Merge down",
            false,
            layers.merges_down(id),
            "Make one layer of it and of what lies below it; both have to be on, and effects of all layers hold the lowest one back",
            LayerCommand::MergeDown(id),
        ),
        ("Remove", false, true, "Remove the layer with its weights", LayerCommand::Remove(id)),
    ];
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(6.0, 6.0);
        for (text, is_on, can, help, command) in rows {
            // What is switched off stands in a place of its own, which does not go to the next line by itself.
            if ui.available_size_before_wrap().x < chip_width(ui, text) {
                ui.end_row();
            }
            let response = ui.add_enabled_ui(can, |ui| chip(ui, text, is_on)).inner;
            if response.on_hover_text(help).on_disabled_hover_text(help).clicked() {
                push(commands, command);
            }
        }
    });
}
