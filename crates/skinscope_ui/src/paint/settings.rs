//! The settings of brushes: how strong and how wide, how they fall off, and within which limits they paint.

use std::ops::RangeInclusive;

use egui::{Label, RichText, Ui, vec2};
use skinscope_base::math::Units;
use skinscope_paint::{Distance, MirrorAxis};
use skinscope_session::{PaintDrag, PaintSettings, Session};
use skinscope_weights::{Brush, FALLOFFS, Need};

use super::fold::{self, Folds, Head};
use super::pictures;
use crate::theme::{self, colors};
use crate::value_row::ValueRow;
use crate::widgets::{NumberField, chip, focus_ring, paint_switch, press, section, segments};

/// The width of the labels, points.
const LABEL: f32 = 66.0;
/// The size of the drawing of a falloff with its edge, points.
const CURVE: egui::Vec2 = vec2(38.0, 28.0);
/// The most joints that a limit can have.
const MOST_JOINTS: f64 = 16.0;

/// Shows the settings of the touch itself, of strokes, and of what a brush leaves alone, each of which can be folded.
pub(super) fn show(ui: &mut Ui, session: &Session, folds: &mut Folds, brush: Option<&Brush>, now: &mut PaintSettings) {
    let help = "How strong and how wide a touch is, how it falls off, and how distances are measured";
    let set = format!("strength {:.2}", now.strength);
    let head = Head { title: "Touch", name: "Settings of the touch", help, set: &set };
    if fold::show(ui, &head, &mut folds.touch) {
        touch(ui, session, brush, now);
    }
    let help = "What a drag paints, how close its touches are, and whether they add up";
    let set = set_of_stroke(now);
    let head = Head { title: "Stroke", name: "Settings of the stroke", help, set: &set };
    if fold::show(ui, &head, &mut folds.stroke) {
        stroke(ui, now);
    }
    let help = "What brushes leave alone, and whether they paint the other side too";
    let set = set_of_limits(now);
    let head = Head { title: "Limits and mirror", name: "Limits of the brush", help, set: &set };
    if fold::show(ui, &head, &mut folds.limits) {
        limits(ui, brush, now);
    }
}

/// Shows the settings that count where a vertex is dragged: how far those around it go along, how that falls off, and how many joints each may have.
pub(super) fn of_drag(ui: &mut Ui, session: &Session, now: &mut PaintSettings) {
    section(ui, "What goes along", |_| {});
    radius(ui, session, now);
    ui.add_space(4.0);
    falloffs(ui, now);
    ui.add_space(6.0);
    most_joints(ui, now);
}

/// Says what of a stroke is set to something else than at first.
fn set_of_stroke(now: &PaintSettings) -> String {
    let drag = match now.drag {
        PaintDrag::Stroke => None,
        PaintDrag::Linear => Some("linear gradient"),
        PaintDrag::Radial => Some("radial gradient"),
    };
    let rows = [drag, (now.accumulate && !now.airbrush).then_some("accumulates"), now.airbrush.then_some("airbrush")];
    rows.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Says what of the limits is set to something else than at first.
fn set_of_limits(now: &PaintSettings) -> String {
    let usual = PaintSettings::default();
    let mirror = now.mirror.map(|axis| match axis {
        MirrorAxis::Auto => "mirrored".to_owned(),
        axis => format!("mirrored across {}", axis.id().to_uppercase()),
    });
    let rows = [
        mirror,
        now.only_marked.then(|| "only marked".to_owned()),
        (now.floor > usual.floor).then(|| format!("floor {:.2}", now.floor)),
        (now.ceiling < usual.ceiling).then(|| format!("ceiling {:.2}", now.ceiling)),
        (now.max_influences != usual.max_influences).then(|| match now.max_influences {
            Some(most) => format!("at most {most} joints"),
            None => "any number of joints".to_owned(),
        }),
        (!now.normalise).then(|| "sums let go".to_owned()),
        (!now.front_only).then(|| "back faces too".to_owned()),
    ];
    rows.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn touch(ui: &mut Ui, session: &Session, brush: Option<&Brush>, now: &mut PaintSettings) {
    let needs = |need| brush.is_some_and(|brush| brush.needs.contains(&need));
    let help = "How much of the change a touch does in its middle: 1 does all of it";
    number(ui, ("Strength", help), &mut now.strength, 0.0..=1.0, 2);
    radius(ui, session, now);
    if needs(Need::Value) {
        let help = "The weight that the joint gets; Alt and a click take the one under the pointer";
        number(ui, ("Value", help), &mut now.value, 0.0..=1.0, 3);
    }
    if needs(Need::Factor) {
        number(ui, ("Factor", "The weight of the joint is multiplied by this"), &mut now.factor, 0.0..=2.0, 2);
    }
    ui.add_space(4.0);
    falloffs(ui, now);
    ui.add_space(6.0);
    let surface = "Along the surface as it is posed, so that nothing is painted that only lies near";
    let volume = "Straight through space: what lies near is painted, whatever surface it is of";
    let screen = "In the picture: what you see within the circle is painted, whatever surface it is of; without Front faces only, what is hidden too";
    let rows = [
        ("Surface", Distance::Surface, surface),
        ("Space", Distance::Volume, volume),
        ("Screen", Distance::Screen, screen),
    ];
    let choices = rows.map(|(name, distance, help)| (name, now.distance == distance, help.to_owned()));
    if let Some((_, distance, _)) = segments(ui, &choices).and_then(|chosen| rows.get(chosen)) {
        now.distance = *distance;
    }
}

fn stroke(ui: &mut Ui, now: &mut PaintSettings) {
    let rows = [
        ("Strokes", PaintDrag::Stroke, "A drag paints along its way"),
        (
            "Linear",
            PaintDrag::Linear,
            "A drag paints a gradient from the strength where it begins to none where it ends",
        ),
        ("Radial", PaintDrag::Radial, "A drag paints a gradient around its first place, as far as its last one"),
    ];
    let choices = rows.map(|(name, drag, help)| (name, now.drag == drag, help.to_owned()));
    if let Some((_, drag, _)) = segments(ui, &choices).and_then(|chosen| rows.get(chosen)) {
        now.drag = *drag;
    }
    ui.add_space(4.0);
    let help = "How far touches of a stroke are from each other, as a part of the radius";
    number(ui, ("Spacing", help), &mut now.spacing, 0.05..=1.0, 2);
    now.spacing = now.spacing.max(0.01);
    ui.add_space(4.0);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(6.0, 6.0);
        let help = "Each touch changes what those before it have left; else a vertex changes once in a stroke, by its strongest touch";
        if chip(ui, "Accumulate", now.accumulate).on_hover_text(help).clicked() {
            now.accumulate = !now.accumulate;
            now.airbrush &= now.accumulate;
        }
        let help = "Touches go on while the pointer rests; they accumulate";
        if chip(ui, "Airbrush", now.airbrush).on_hover_text(help).clicked() {
            now.airbrush = !now.airbrush;
            now.accumulate |= now.airbrush;
        }
    });
}

fn limits(ui: &mut Ui, brush: Option<&Brush>, now: &mut PaintSettings) {
    if brush.is_none_or(|brush| brush.is_of_joint() && !brush.needs.contains(&Need::To)) {
        number(ui, ("Floor", "The brush takes no weight below this"), &mut now.floor, 0.0..=1.0, 2);
        number(ui, ("Ceiling", "The brush takes no weight above this"), &mut now.ceiling, 0.0..=1.0, 2);
        now.ceiling = now.ceiling.max(now.floor);
        ui.add_space(4.0);
    }
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(6.0, 6.0);
        let help = "The other joints of a vertex make room, so that its sum stays; else sums are let go";
        if chip(ui, "Keep sums", now.normalise).on_hover_text(help).clicked() {
            now.normalise = !now.normalise;
        }
        let help = "Vertices that look away from you are not painted by strokes; Flood and gradients paint them too";
        if chip(ui, "Front faces only", now.front_only).on_hover_text(help).clicked() {
            now.front_only = !now.front_only;
        }
        let help = "Vertices that are not marked are not painted; K marks them by boxes";
        if chip(ui, "Only marked", now.only_marked).on_hover_text(help).clicked() {
            now.only_marked = !now.only_marked;
        }
    });
    if now.front_only {
        ui.add_space(4.0);
        let help = "The greatest angle between the surface and your view at which it is painted: 90 paints all that looks towards you";
        row(ui, ("Angle", help), &mut now.front_angle, (5.0..=90.0, 0), "°");
        now.front_angle = now.front_angle.clamp(1.0, 180.0);
    }
    ui.add_space(4.0);
    most_joints(ui, now);
    ui.add_space(4.0);
    mirror(ui, now);
}

/// Shows how many joints a vertex may keep.
fn most_joints(ui: &mut Ui, now: &mut PaintSettings) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        let help = "A changed vertex keeps its largest joints; without a limit as many as the file has room for";
        if chip(ui, "Limit joints", now.max_influences.is_some()).on_hover_text(help).clicked() {
            now.max_influences = if now.max_influences.is_some() { None } else { Some(4) };
        }
        let Some(most) = now.max_influences else { return };
        let field = NumberField {
            name: "Most joints of a vertex",
            help,
            value: most as f32,
            range: 1.0..=MOST_JOINTS as f32,
            is_bounded: true,
            per_point: 0.1,
            decimals: 0,
            is_short: false,
            unit: "",
            width: 48.0,
            edited: false,
        };
        if let Some(value) = field.show(ui).value {
            now.max_influences = Some(f64::from(value).round().clamp(1.0, MOST_JOINTS) as usize);
        }
    });
}

/// Shows across which plane the other side is painted too.
fn mirror(ui: &mut Ui, now: &mut PaintSettings) {
    let text = "Mirrored across";
    ui.add(Label::new(RichText::new(text).font(theme::regular(12.0)).color(colors(ui).dim)));
    let rows = [
        ("Off", None, "Only what is touched is painted"),
        ("Auto", Some(MirrorAxis::Auto), "The other side is painted too, across the plane that the model has"),
        ("X", Some(MirrorAxis::X), "The other side is painted too, across the plane at right angles to X"),
        ("Y", Some(MirrorAxis::Y), "The other side is painted too, across the plane at right angles to Y"),
        ("Z", Some(MirrorAxis::Z), "The other side is painted too, across the plane at right angles to Z"),
    ];
    let choices = rows.map(|(name, axis, help)| (name, now.mirror == axis, help.to_owned()));
    if let Some((_, axis, _)) = segments(ui, &choices).and_then(|chosen| rows.get(chosen)) {
        now.mirror = *axis;
    }
}

/// Shows the falloffs as curves.
fn falloffs(ui: &mut Ui, now: &mut PaintSettings) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 4.0);
        for falloff in FALLOFFS {
            let (c, on) = (colors(ui), now.falloff == falloff.id);
            let (rect, response) = press(ui, CURVE, &format!("Falloff: {}", falloff.label), Some(on));
            paint_switch(ui, rect, on, response.hovered(), c.raised);
            let ink = if on { c.text } else { c.dim };
            pictures::falloff(ui.painter(), falloff, rect.shrink2(vec2(6.0, 7.0)), ink);
            focus_ring(ui, rect, &response);
            let help = format!("{}: how a touch becomes weaker from its middle to its rim", falloff.label);
            if response.on_hover_text(help).clicked() {
                falloff.id.clone_into(&mut now.falloff);
            }
        }
    });
}

/// Shows the radius, in the units that the user has chosen.
fn radius(ui: &mut Ui, session: &Session, now: &mut PaintSettings) {
    let (unit, metres) = Units::of_columns();
    let size = f64::from(session.pose().opened_bounds.diagonal()).max(1e-6);
    let decimals = (3.0 - (size / metres).log10().floor()).clamp(0.0, 6.0) as usize;
    let value = session.paint_radius();
    let mut shown = value / metres;
    let before = shown;
    let help = "How far a touch reaches; Ctrl and the wheel change it, and [ and ]";
    row(ui, ("Radius", help), &mut shown, (0.0..=(0.25 * size / metres) as f32, decimals), &format!(" {unit}"));
    if shown != before {
        now.radius = (shown * metres).max(1e-6);
    }
}

/// Shows a number with a slider.
fn number(ui: &mut Ui, texts: (&str, &str), value: &mut f64, range: RangeInclusive<f32>, decimals: usize) {
    // A factor that is typed may be greater than the slider reaches; a share may not.
    let (least, most): (f64, f64) = (f64::from(*range.start()), if *range.end() > 1.0 { 1e3 } else { 1.0 });
    let before = *value;
    row(ui, texts, value, (range, decimals), "");
    if *value != before {
        *value = (*value).clamp(least.min(before), most.max(before));
    }
}

/// Shows a number with a slider and its unit; what is typed may lie beyond the slider.
fn row(
    ui: &mut Ui,
    (name, help): (&str, &str),
    value: &mut f64,
    (range, decimals): (RangeInclusive<f32>, usize),
    unit: &str,
) {
    let color = colors(ui).dim;
    let shown = *value as f32;
    let row = ValueRow {
        name,
        help,
        label: name,
        label_width: LABEL,
        color,
        value: shown,
        range: range.start().min(shown)..=range.end().max(shown),
        home: 0.0,
        decimals,
        unit,
        edited: false,
    };
    // A number that was typed is meant as it reads, and not as the nearest of 32 bits.
    let meant = |typed: f32| typed.to_string().parse().unwrap_or(f64::from(typed));
    if let Some(changed) = row.show(ui).value {
        *value = meant(changed);
    }
}
