//! Colours, sizes and fonts, by role. This is the only place that defines a colour.

use std::sync::Arc;

use egui::style::ScrollAnimation;
use egui::{
    Color32, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Margin, Shadow, Stroke, Style, TextStyle,
    Theme, Vec2, Visuals,
};

use super::icons;

/// Colours by role.
#[derive(Clone, Copy, Debug)]
pub struct Colors {
    /// The background, and the inside of fields.
    pub background: Color32,
    /// Panels.
    pub panel: Color32,
    /// Buttons and plates on panels.
    pub raised: Color32,
    /// A button under the pointer.
    pub hovered: Color32,
    /// Hairlines and rails.
    pub line: Color32,
    /// Text that is read first.
    pub text: Color32,
    /// Text that is read second.
    pub dim: Color32,
    /// Signs and marks that are seen last, such as open eyes and the ticks of a scale. It is not for text.
    pub faint: Color32,
    /// What is selected, playing or active.
    pub accent: Color32,
    /// Text on accent.
    pub on_accent: Color32,
    /// The selected row.
    pub selection: Color32,
    /// A switch that is on.
    pub active: Color32,
    /// Edits and warnings.
    pub amber: Color32,
    /// Errors only.
    pub red: Color32,
    /// The axes X, Y, Z.
    pub axes: [Color32; 3],
    /// Translucent plates over the picture.
    pub plate: Color32,
}

const fn rgb(hex: u32) -> Color32 {
    Color32::from_rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

/// The dark theme.
pub const DARK: Colors = Colors {
    background: rgb(0x16181d),
    panel: rgb(0x1c1f26),
    raised: rgb(0x252932),
    hovered: rgb(0x2f3440),
    line: rgb(0x2d323d),
    text: rgb(0xd7dbe3),
    dim: rgb(0x8b93a3),
    faint: rgb(0x6b7383),
    accent: rgb(0x4da3ff),
    on_accent: rgb(0x0b121c),
    selection: rgb(0x1f3d5c),
    active: rgb(0x2c5a8c),
    amber: rgb(0xe5b567),
    red: rgb(0xf27a80),
    axes: [rgb(0xf0616d), rgb(0x7bc96f), rgb(0x5aa9f8)],
    plate: Color32::from_rgba_premultiplied(19, 21, 26, 224),
};

/// The light theme: the same roles.
pub const LIGHT: Colors = Colors {
    background: rgb(0xffffff),
    panel: rgb(0xf3f5f8),
    raised: rgb(0xe6e9ef),
    hovered: rgb(0xdbe0e8),
    line: rgb(0xd3d8e1),
    text: rgb(0x1d222b),
    dim: rgb(0x565e6d),
    faint: rgb(0x747c8c),
    accent: rgb(0x0b62cc),
    on_accent: rgb(0xffffff),
    selection: rgb(0xc9def7),
    active: rgb(0x7fb0ec),
    amber: rgb(0x855700),
    red: rgb(0xb82835),
    axes: [rgb(0xbe303d), rgb(0x2c7428), rgb(0x1669ba)],
    plate: Color32::from_rgba_premultiplied(227, 229, 232, 232),
};

/// The colours of the theme that `visuals` shows.
#[must_use]
pub fn colors(ui: &egui::Ui) -> &'static Colors {
    if ui.visuals().dark_mode { &DARK } else { &LIGHT }
}

/// The height of rows, buttons and fields, points.
pub const ROW: f32 = 24.0;
/// The gap between controls that belong together, points.
pub const GAP: f32 = 8.0;
/// The margin inside of panels, points.
pub const MARGIN: i8 = 12;
/// The radius of corners, points.
pub const RADIUS: u8 = 6;

/// The size of body text, points.
pub const BODY: f32 = 13.0;
/// The size of captions, section heads and ticks, points.
pub const SMALL: f32 = 11.0;

/// Returns the font of regular text of `size` points.
#[must_use]
pub fn regular(size: f32) -> FontId {
    FontId::new(size, FontFamily::Proportional)
}

/// Returns the font of emphasised text of `size` points.
#[must_use]
pub fn strong(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name("strong".into()))
}

/// Returns the font of an icon of `size` points.
#[must_use]
pub fn icon(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name(icons::FAMILY.into()))
}

/// The typeface of text: regular and semi-bold.
pub(super) const INTER: &[u8] = include_bytes!("../../../assets/fonts/Inter-Regular.otf");
pub(super) const INTER_STRONG: &[u8] = include_bytes!("../../../assets/fonts/Inter-SemiBold.otf");

/// Returns the fonts: Inter with tabular figures for everything that is read; icons in their own family and after the
/// text fonts.
pub(super) fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::empty();
    let files: [(&str, &[u8]); 3] = [
        ("Inter", INTER),
        ("Inter SemiBold", INTER_STRONG),
        (icons::FAMILY, include_bytes!("../../../assets/fonts/Phosphor-subset.ttf")),
    ];
    for (name, bytes) in files {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
    }
    let families = [
        (FontFamily::Proportional, ["Inter", icons::FAMILY]),
        (FontFamily::Monospace, ["Inter", icons::FAMILY]),
        (FontFamily::Name("strong".into()), ["Inter SemiBold", icons::FAMILY]),
        (FontFamily::Name(icons::FAMILY.into()), [icons::FAMILY, "Inter"]),
    ];
    for (family, names) in families {
        fonts.families.insert(family, names.map(str::to_owned).to_vec());
    }
    fonts
}

/// Installs fonts and both styles.
pub(super) fn install(ctx: &egui::Context) {
    ctx.set_fonts(fonts());
    ctx.set_style_of(Theme::Dark, style(&DARK, Visuals::dark()));
    ctx.set_style_of(Theme::Light, style(&LIGHT, Visuals::light()));
}

/// How long what opens and closes fades, seconds.
const FADE_SECS: f32 = 0.06;

/// Lets what opens, closes and scrolls fade and slide, or be there at once.
pub(super) fn set_fading(ctx: &egui::Context, is_on: bool) {
    let (secs, scrolling) = match is_on {
        true => (FADE_SECS, ScrollAnimation::default()),
        false => (0.0, ScrollAnimation::none()),
    };
    if ctx.global_style().animation_time != secs {
        ctx.all_styles_mut(|style| (style.animation_time, style.scroll_animation) = (secs, scrolling));
    }
}

fn style(c: &Colors, visuals: Visuals) -> Style {
    let mut style = Style { visuals, ..Style::default() };
    style.text_styles = [
        (TextStyle::Small, regular(SMALL)),
        (TextStyle::Body, regular(BODY)),
        (TextStyle::Button, regular(BODY)),
        (TextStyle::Monospace, regular(12.0)),
        (TextStyle::Heading, strong(15.0)),
    ]
    .into();
    style.drag_value_text_style = TextStyle::Body;
    style.explanation_tooltips = false;
    style.interaction.selectable_labels = false;
    style.animation_time = FADE_SECS;
    let spacing = &mut style.spacing;
    spacing.item_spacing = Vec2::new(GAP, 4.0);
    spacing.button_padding = Vec2::new(10.0, 4.0);
    spacing.interact_size = Vec2::new(40.0, ROW);
    spacing.menu_margin = Margin::same(6);
    spacing.window_margin = Margin::same(16);
    spacing.icon_spacing = 6.0;
    spacing.combo_height = 420.0;
    spacing.tooltip_width = 320.0;
    spacing.scroll.bar_width = 8.0;
    paint(&mut style.visuals, c);
    style
}

fn paint(v: &mut Visuals, c: &Colors) {
    let radius = CornerRadius::same(RADIUS);
    let shadow = Shadow { offset: [0, 8], blur: 24, spread: 0, color: Color32::from_black_alpha(96) };
    v.panel_fill = c.panel;
    v.window_fill = c.panel;
    v.window_stroke = Stroke::new(1.0, c.line);
    v.window_corner_radius = CornerRadius::same(8);
    v.menu_corner_radius = CornerRadius::same(8);
    v.window_shadow = shadow;
    v.popup_shadow = shadow;
    v.extreme_bg_color = c.background;
    v.text_edit_bg_color = Some(c.background);
    v.faint_bg_color = c.raised;
    v.code_bg_color = c.background;
    v.weak_text_color = Some(c.dim);
    v.warn_fg_color = c.amber;
    v.error_fg_color = c.red;
    v.hyperlink_color = c.accent;
    v.selection.bg_fill = c.selection;
    v.selection.stroke = Stroke::new(1.0, c.text);
    v.text_cursor.stroke = Stroke::new(2.0, c.accent);
    // A cursor that blinks would redraw an idle window.
    v.text_cursor.blink = false;
    v.button_frame = true;
    let text = Stroke::new(1.0, c.text);
    let w = &mut v.widgets;
    let looks = [
        (&mut w.noninteractive, c.panel, Stroke::new(1.0, c.line)),
        (&mut w.inactive, c.raised, Stroke::NONE),
        (&mut w.hovered, c.hovered, Stroke::NONE),
        (&mut w.active, c.hovered, Stroke::new(1.0, c.accent)),
        (&mut w.open, c.hovered, Stroke::NONE),
    ];
    for (look, fill, outline) in looks {
        look.bg_fill = fill;
        look.weak_bg_fill = fill;
        look.bg_stroke = outline;
        look.fg_stroke = text;
        look.corner_radius = radius;
        look.expansion = 0.0;
    }
}

/// Makes text and controls of egui `scale` times as large as usual in what is shown from now on.
pub(super) fn magnify(ui: &mut egui::Ui, scale: f32) {
    if scale == 1.0 {
        return;
    }
    let style = ui.style_mut();
    for text in [TextStyle::Body, TextStyle::Button] {
        style.text_styles.insert(text, regular(BODY * scale));
    }
    let spacing = &mut style.spacing;
    spacing.button_padding *= scale;
    spacing.interact_size *= scale;
    spacing.icon_width *= scale;
    spacing.icon_spacing *= scale;
}

/// Returns a premultiplied colour as it looks over black, without any of what is behind it.
pub fn opaque(color: Color32) -> Color32 {
    Color32::from_rgb(color.r(), color.g(), color.b())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the contrast of two opaque colours by WCAG 2.1, 1.4.3.
    fn contrast(a: Color32, b: Color32) -> f64 {
        let luminance = |c: Color32| {
            let linear = |v: u8| {
                let v = f64::from(v) / 255.0;
                if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * linear(c.r()) + 0.7152 * linear(c.g()) + 0.0722 * linear(c.b())
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn what_opens_is_there_at_once_while_nothing_may_fade() {
        let ctx = egui::Context::default();
        install(&ctx);
        // A second of it in four frames: how far it has opened in each.
        let opened = |id: &str| -> Vec<f32> {
            let mut values = Vec::new();
            for frame in 0..4 {
                let time = Some(f64::from(frame) * 0.02);
                let input = egui::RawInput { time, predicted_dt: 0.02, ..egui::RawInput::default() };
                let is_open = frame > 0;
                let mut output =
                    ctx.run_ui(input, |ui| values.push(ui.ctx().animate_bool(egui::Id::unique(id), is_open)));
                output.textures_delta.clear();
            }
            values
        };
        assert!(opened("fading").iter().any(|value| (0.1..0.9).contains(value)), "it opens little by little");
        set_fading(&ctx, false);
        assert_eq!(opened("at once"), [0.0, 1.0, 1.0, 1.0]);
        set_fading(&ctx, true);
        assert!(opened("fading again").iter().any(|value| (0.1..0.9).contains(value)));
    }

    #[test]
    fn contrast_of_black_and_white_is_21() {
        assert!((contrast(Color32::BLACK, Color32::WHITE) - 21.0).abs() < 1e-9);
        // An example of the WCAG working group: #767676 is the lightest grey that passes on white.
        assert!((contrast(rgb(0x767676), Color32::WHITE) - 4.54).abs() < 0.01);
    }

    #[test]
    fn text_is_readable_on_whatever_it_stands_on() {
        for (name, c) in [("dark", DARK), ("light", LIGHT)] {
            let pairs = [
                ("text on panel", c.text, c.panel),
                ("text on raised", c.text, c.raised),
                ("text on hovered", c.text, c.hovered),
                ("text on background", c.text, c.background),
                ("text on selection", c.text, c.selection),
                ("text on what is on", c.text, c.active),
                ("dim on panel", c.dim, c.panel),
                ("dim on background", c.dim, c.background),
                ("dim on raised", c.dim, c.raised),
                ("accent on panel", c.accent, c.panel),
                ("on accent", c.on_accent, c.accent),
                ("amber on panel", c.amber, c.panel),
                ("amber on background", c.amber, c.background),
                ("amber on selection", c.amber, c.selection),
                ("red on panel", c.red, c.panel),
                ("x on panel", c.axes[0], c.panel),
                ("y on panel", c.axes[1], c.panel),
                ("z on panel", c.axes[2], c.panel),
            ];
            for (role, front, back) in pairs {
                let got = contrast(front, back);
                assert!(got >= 4.5, "{name}: {role} has a contrast of {got:.2}");
            }
        }
    }

    /// WCAG 2.1, 1.4.11: what is needed to understand a control or a drawing.
    #[test]
    fn signs_and_marks_are_seen_on_whatever_they_stand_on() {
        for (name, c) in [("dark", DARK), ("light", LIGHT)] {
            let pairs = [
                ("a quiet sign on panel", c.faint, c.panel),
                ("a quiet sign on background", c.faint, c.background),
                ("a quiet sign on raised", c.faint, c.raised),
                ("a quiet sign on a plate", c.faint, opaque(c.plate)),
                ("a sign in a row under the pointer", c.dim, c.hovered),
                ("a sign in the selected row", c.dim, c.selection),
                ("a mark of an edit in the selected row", c.amber, c.selection),
                ("a chosen sign in the selected row", c.text, c.selection),
            ];
            for (role, front, back) in pairs {
                let got = contrast(front, back);
                assert!(got >= 3.0, "{name}: {role} has a contrast of {got:.2}");
            }
        }
    }

    #[test]
    fn switches_that_are_on_differ_from_those_that_are_off() {
        for (name, c) in [("dark", DARK), ("light", LIGHT)] {
            let plate = opaque(c.plate);
            for (role, off) in [("plate", plate), ("button", c.raised)] {
                let fill = contrast(c.active, off);
                assert!(fill >= 1.6, "{name}: on a {role} what is on has a contrast of {fill:.2} to what is off");
            }
            let edge = contrast(c.accent, c.panel);
            assert!(edge >= 3.0, "{name}: its edge has {edge:.2}");
        }
    }

    #[test]
    fn plates_keep_text_readable_over_any_picture() {
        for (name, c) in [("dark", DARK), ("light", LIGHT)] {
            for behind in [Color32::BLACK, Color32::WHITE, Color32::from_gray(128)] {
                let keep = 1.0 - f32::from(c.plate.a()) / 255.0;
                let over = |p: u8, b: u8| (f32::from(p) + f32::from(b) * keep).round() as u8;
                let p = c.plate;
                let back = Color32::from_rgb(over(p.r(), behind.r()), over(p.g(), behind.g()), over(p.b(), behind.b()));
                let got = contrast(c.text, back);
                assert!(got >= 4.5, "{name}: text on a plate over {behind:?} has a contrast of {got:.2}");
            }
        }
    }
}
