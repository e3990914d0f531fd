//! The weights of the other side of a comparison: as shown, as stored, or as a runtime would have them; and what the runtime
//! costs and loses.

use egui::{Label, RichText, Ui};
use skinscope_edit::{Packing, RUNTIMES};
use skinscope_model::WeightFormat;
use skinscope_session::{Command, Comparison, ComparisonCommand, Session, SideWeights};

use super::theme::{self, BODY, colors};
use super::value_row::ValueRow;
use super::widgets::{chip, counted, drop_down, figure, grouped, segments};

/// The formats of a weight, as the switch names them.
const FORMATS: [(Option<WeightFormat>, &str, &str); 4] = [
    (None, "stored", "Weights in the format of the file"),
    (Some(WeightFormat::U8), "u8", "Weights of 8 bits"),
    (Some(WeightFormat::U16), "u16", "Weights of 16 bits"),
    (Some(WeightFormat::F32), "f32", "Weights as floats"),
];

/// Shows the choice of the weights of the other side.
pub(super) fn weights(ui: &mut Ui, session: &Session, comparison: &Comparison, commands: &mut Vec<Command>) {
    let now = comparison.weights;
    let mut wanted = now;
    let label = match now {
        SideWeights::Shown => "As shown".to_owned(),
        SideWeights::Stored => session.deforming().compared_file().unwrap_or("Stored weights").to_owned(),
        SideWeights::Packed(packing) => packing.label(),
    };
    ui.horizontal(|ui| {
        ui.label(RichText::new("Weights").font(theme::regular(BODY)).color(colors(ui).dim));
        let help = "Which weights the other side has: those that are shown, the stored ones, or those that a runtime makes of them";
        drop_down(ui, "Weights of the other side", &label, ui.available_width() - 8.0, help, |ui| {
            let mut choice = |ui: &mut Ui, weights: SideWeights, label: &str, help: &str| {
                if ui.selectable_label(now == weights, label).on_hover_text(help).clicked() {
                    wanted = weights;
                }
            };
            choice(ui, SideWeights::Shown, "As shown", "The other side has the same weights");
            let help = "The other side has the weights as the file stores them, without your edits";
            choice(ui, SideWeights::Stored, "Stored weights", help);
            for runtime in RUNTIMES {
                choice(ui, SideWeights::Packed(runtime.packing), runtime.label, runtime.help);
            }
        });
    });
    if let SideWeights::Packed(mut packing) = wanted {
        // They take much room, and most people want a runtime that has a name.
        let id = ui.scope_id().with("numbers of the runtime");
        let mut shown: bool = ui.data(|d| d.get_temp(id)).unwrap_or(false);
        let help = "Show the numbers of the runtime, and change them to those of any other";
        if chip(ui, "Own numbers", shown).on_hover_text(help).clicked() {
            shown = !shown;
            ui.data_mut(|d| d.insert_temp(id, shown));
        }
        if shown {
            numbers(ui, &mut packing);
            wanted = SideWeights::Packed(packing);
        }
    }
    if wanted != now && session.model().is_some() {
        commands.push(ComparisonCommand::SetWeights(wanted).into());
    }
}

/// Shows the numbers of a runtime, which can be changed.
fn numbers(ui: &mut Ui, packing: &mut Packing) {
    let color = colors(ui).dim;
    let number = |ui: &mut Ui, name: &str, label: &str, value: usize, most: usize, home: usize| {
        let row = ValueRow {
            name,
            help: "How many a runtime of this kind has at most",
            label,
            label_width: 74.0,
            color,
            value: value as f32,
            range: 0.0..=most as f32,
            home: home as f32,
            decimals: 0,
            unit: "",
            edited: false,
        };
        row.show(ui).value.map_or(value, |value| value.round().max(0.0) as usize)
    };
    let joints = number(ui, "Joints of a vertex", "Of a vertex", packing.influences, 12, 4);
    let before = *packing;
    packing.influences = joints.clamp(1, Packing::MOST);
    let choices = FORMATS.map(|(format, name, help)| (name, format == packing.format, help.to_owned()));
    if let Some(chosen) = segments(ui, &choices) {
        packing.format = FORMATS[chosen].0;
    }
    let most = number(ui, "Joints of a draw, 0 for any number", "Of a draw", packing.joints.unwrap_or(0), 512, 0);
    packing.joints = Some(most).filter(|most| *most > 0);
    if *packing != before {
        // It is no longer the runtime of that name.
        *packing = Packing::of(packing.influences, packing.format, packing.joints);
    }
}

/// Shows how much memory the weights of the runtime take, and how much of the weights is lost.
pub(super) fn figures(ui: &mut Ui, session: &Session) {
    let Some(figures) = session.deforming().packed_figures() else {
        if session.deforming().wanted_packing().is_some() {
            ui.label(RichText::new("Working it out…").color(colors(ui).dim));
        }
        return;
    };
    let losing = format!("{} of {}", grouped(figures.losing), grouped(figures.vertices));
    figure(ui, "Vertices that lose joints", &losing)
        .on_hover_text(format!("At most {:.4} of a vertex' weight is lost", figures.largest_loss));
    if figures.normalised > 0 {
        figure(ui, "Vertices divided by their sum", &grouped(figures.normalised)).on_hover_text(
            "Their weights do not sum to one in the file, and the runtime divides them when it reads them",
        );
    }
    figure(ui, "Bytes of a vertex", &figures.vertex_bytes.to_string())
        .on_hover_text(format!("{} where the last weight is what the others leave of one", figures.implied_bytes));
    let index =
        format!("Indices of joints have {} bits: {}", figures.index_bits, counted(figures.joints, "joint", "joints"));
    figure(ui, "Bits, last weight implied", &format!("{} → {}", figures.vertex_bits, figures.implied_bits))
        .on_hover_text(index);
    figure(ui, &format!("Mean bits, N in {}", figures.count_bits), &format!("{:.1}", figures.counted_bits))
        .on_hover_text("Each vertex says how many joints it has, and stores those alone, without the last weight");
    figure(ui, "Bytes of the palette", &grouped(figures.palette_bytes))
        .on_hover_text(format!("{} of 3 × 4 floats each", counted(figures.joints, "matrix", "matrices")));
    let mut warn = |text: String| {
        ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).amber)).wrap());
    };
    if figures.unskinned > 0 {
        let nodes = counted(
            figures.unskinned,
            "node with copies of a skinned mesh is",
            "nodes with copies of a skinned mesh are",
        );
        warn(format!("{nodes} drawn without the skin, which the distances do not show."));
    }
    if figures.overflows {
        let text = format!("{} are more than one draw can have.", counted(figures.joints, "joint", "joints"));
        warn(text);
    }
}
