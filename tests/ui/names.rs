//! Names in every script: they are drawn with fonts that are found while the window is open, run in their own
//! direction, and stay the same for search and screen readers.

use std::collections::BTreeSet;
use std::path::Path;

use egui::Shape;
use skinscope::app::ui::fonts::{FallbackFonts, FontFolders, FontSearch, search};

use super::*;

/// Of each script that the fixtures have letters of, what riggers call a left elbow, more or less.
const NAMES: [&str; 9] =
    ["左ひじ", "センター", "左手骨骼", "왼쪽팔", "זרוע שמאל", "ذراع يسرى", "แขนซ้าย", "बाँह क्षेत्र", "🦴💪"];

fn session_with(names: &[&str]) -> Session {
    let mut parts: ModelParts = (*tube(Tube { joints: names.len(), rings: 12, ..Tube::default() })).clone();
    for (i, name) in names.iter().enumerate() {
        parts.skeleton.names[i + 1] = (*name).to_owned();
    }
    for (clip, name) in parts.clips.iter_mut().zip(names) {
        clip.name = (*name).to_owned();
    }
    parts.source.name = format!("{}.glb", names[0]);
    let mut session = Session::default();
    session.open(Document::new(Arc::new(Model::build(parts).unwrap()), vec![], None));
    session.apply(PlaybackCommand::SetPlaying(false));
    session
}

#[test]
fn names_that_differ_in_their_middle_are_cut_so_that_they_do_not_look_alike() {
    let names: Vec<String> =
        (1..=6).map(|i| format!("character_rig_deform_finger_{i}_of_the_left_hand_joint")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let saved = Saved { tables: true, outliner_width: 255.0, tables_height: 241.0, ..Saved::default() };
    let harness = window(session_with(&names), UiState::new(saved), Status::default());
    let mut texts = Vec::new();
    fn add(shape: &Shape, texts: &mut Vec<String>) {
        match shape {
            Shape::Text(text) if text.galley.text().contains('…') => texts.push(text.galley.text().to_owned()),
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| add(shape, texts)),
            _ => {}
        }
    }
    harness.output().shapes.iter().for_each(|clipped| add(&clipped.shape, &mut texts));
    for i in 1..=6 {
        let cut = texts.iter().filter(|text| text.contains(&format!("{i}_of")) && text.ends_with("int"));
        assert!(cut.count() >= 2, "{i} in the tree and in the table: {texts:?}");
    }
}

/// A window that asks `fonts` for letters. Where text has a letter that nothing draws and nobody looks for, it panics.
fn open_with(session: Session, fonts: &FallbackFonts) -> Harness<'static, App> {
    let app =
        App { session, ui: UiState::default(), status: Status::default(), commands: vec![], picture: egui::Rect::ZERO };
    let installed = fonts.clone();
    let mut harness = Harness::builder()
        .with_size(vec2(1280.0, 720.0))
        .with_step_dt(0.05)
        .with_max_steps(40)
        .with_context_setup(move |ctx| {
            ui::install(ctx);
            installed.install(ctx);
        })
        .build_ui_state(|ui, app: &mut App| app.frame(ui), app);
    harness.run();
    harness
}

/// What the window's thread and the searching one do between them.
fn look_for_fonts(harness: &mut Harness<'_, App>, fonts: &FallbackFonts) -> BTreeSet<char> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/fonts");
    let mut all = BTreeSet::new();
    while let Some(letters) = fonts.take_wanted() {
        all.extend(&letters);
        fonts.add(&harness.ctx, search(&FontFolders::Folder(folder.clone()), &letters));
        harness.run();
    }
    all
}

/// All text that is painted, as it is stored.
fn painted(harness: &Harness<'_, App>) -> Vec<Arc<egui::Galley>> {
    fn collect(shape: &Shape, out: &mut Vec<Arc<egui::Galley>>) {
        match shape {
            Shape::Text(text) => out.push(Arc::clone(&text.galley)),
            Shape::Vec(shapes) => shapes.iter().for_each(|s| collect(s, out)),
            _ => {}
        }
    }
    let mut out = Vec::new();
    harness.output().shapes.iter().for_each(|s| collect(&s.shape, &mut out));
    out
}

/// The letters of a line from left to right.
fn seen(galley: &egui::Galley) -> String {
    let mut glyphs: Vec<(f32, char)> =
        galley.rows[0].row.glyphs.iter().filter(|g| g.advance_width > 0.0).map(|g| (g.pos.x, g.chr)).collect();
    glyphs.sort_by(|a, b| a.0.total_cmp(&b.0));
    glyphs.into_iter().map(|(_, c)| c).collect()
}

#[test]
fn names_of_every_script_are_drawn_wherever_names_stand() {
    let fonts = FallbackFonts::default();
    let mut harness = open_with(session_with(&NAMES), &fonts);
    let looked_for = look_for_fonts(&mut harness, &fonts);
    assert!(NAMES.iter().all(|n| n.chars().next().is_some_and(|c| looked_for.contains(&c))), "{looked_for:?}");
    assert!(fonts.notices().is_empty(), "{:?}", fonts.notices());
    // In the tree, beside the joints, in the tables and in the inspector; a letter without a glyph would panic.
    harness.state_mut().session.apply(ViewCommand::Toggle(Toggle::Names));
    harness.state_mut().ui.carry_out(&WindowCommand::TogglePanel(skinscope::session::Panel::Tables));
    let font = theme::regular(theme::BODY);
    for (i, name) in NAMES.into_iter().enumerate() {
        harness.state_mut().session.apply(SelectionCommand::Select(Some(NodeId(i as u32 + 1))));
        harness.run();
        let is_picture = name == "🦴💪";
        assert!(is_picture || harness.ctx.fonts_mut(|f| f.has_glyphs(&font, name)), "{name}");
        let count = painted(&harness).iter().filter(|g| g.job.text == name).count();
        assert!(count >= 3, "{name} is painted {count} times");
        // Searched and read aloud as the file has it.
        assert!(harness.query_all_by_role_and_label(Role::TreeItem, name).next().is_some(), "{name}");
    }
    let emoji = painted(&harness).into_iter().find(|g| g.job.text == "🦴💪").unwrap();
    assert!(emoji.rows[0].row.glyphs.iter().all(|g| g.is_color && !g.uv_rect.is_nothing()), "in their own colours");
}

#[test]
fn words_from_right_to_left_are_painted_in_their_order_and_found_by_their_letters() {
    let fonts = FallbackFonts::default();
    let mut harness = open_with(session_with(&["זרוע שמאל", "זרוע.L", "Arm ذراع 2"]), &fonts);
    look_for_fonts(&mut harness, &fonts);
    let wanted = [("זרוע שמאל", "לאמש עורז"), ("זרוע.L", "עורז.L"), ("Arm ذراع 2", "Arm 2 عارذ")];
    for (name, in_order) in wanted {
        let all: Vec<_> = painted(&harness).into_iter().filter(|g| g.job.text == name).collect();
        assert!(
            !all.is_empty() && all.iter().all(|g| seen(g) == in_order),
            "{name}: {:?}",
            all.first().map(|g| seen(g))
        );
    }
    harness.get_by_label("Search nodes").click();
    harness.run();
    harness.get_by_label("Search nodes").type_text("שמאל");
    harness.run();
    harness.run();
    assert!(harness.query_by_label("זרוע שמאל").is_some() && harness.query_by_label("Arm ذراع 2").is_none());
}

#[test]
fn names_too_long_for_their_place_keep_both_ends() {
    let long = "זרוע שמאל זרוע שמאל זרוע שמאל זרוע שמאל זרוע שמאל 7";
    let cjk = "左手骨骼左手骨骼左手骨骼左手骨骼左手骨骼左手骨骼左手骨骼足首";
    let fonts = FallbackFonts::default();
    let mut harness = open_with(session_with(&[long, cjk]), &fonts);
    look_for_fonts(&mut harness, &fonts);
    for (name, start, end) in [(long, "זרוע", "7"), (cjk, "左手", "足首")] {
        let cut = painted(&harness).into_iter().find(|g| {
            let text = &g.job.text;
            text.contains('…') && text.starts_with(start) && text.ends_with(end) && text.len() < name.len()
        });
        assert!(cut.is_some(), "{name}");
    }
}

#[test]
fn a_letter_that_no_font_has_is_told_of_with_what_to_install() {
    let fonts = FallbackFonts::default();
    let mut harness = open_with(session_with(&["แขน", "பட"]), &fonts);
    harness.ctx.set_missing_glyph_policy(egui::epaint::text::MissingGlyphPolicy::Tofu);
    let letters = fonts.take_wanted().unwrap();
    fonts.add(&harness.ctx, FontSearch { fonts: vec![], missing: letters });
    harness.run();
    let notices = fonts.notices();
    assert_eq!(notices.len(), 2, "{notices:?}");
    assert!(harness.state_mut().session.warn(&notices));
    harness.run();
    assert!(harness.query_by_label_contains("apt install fonts-noto-core").is_some());
    // A reload asks anew: a font may be there by now.
    fonts.forget_missing(&harness.ctx);
    harness.run();
    look_for_fonts(&mut harness, &fonts);
    assert!(harness.ctx.fonts_mut(|f| f.has_glyphs(&theme::regular(theme::BODY), "แขน")));
    assert!(fonts.notices().len() == 1 && fonts.notices()[0].contains("U+0B9F"), "{:?}", fonts.notices());
}

#[test]
fn latin_names_look_for_nothing() {
    let fonts = FallbackFonts::default();
    let mut harness = open_with(session_with(&["Arm.L", "Ärmel", "Локоть", "Αγκώνας"]), &fonts);
    for panel in [skinscope::session::Panel::Tables, skinscope::session::Panel::Tables] {
        harness.state_mut().ui.carry_out(&WindowCommand::TogglePanel(panel));
        harness.run();
    }
    assert!(fonts.take_wanted().is_none() && fonts.names().is_empty());
}
