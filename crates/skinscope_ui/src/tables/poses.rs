//! The library of poses: a picture of each pose file of a folder. A click shows the pose, in part, added to what is shown, or on one limb.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use egui::accesskit::Role;
use egui::{
    Align2, Color32, ColorImage, CornerRadius, Frame, Key, Label, Margin, Rect, RichText, ScrollArea, Stroke,
    StrokeKind, TextEdit, TextureHandle, TextureOptions, Ui, Vec2, WidgetInfo, pos2, vec2,
};
use skinscope_anim::pose::Resolved;
use skinscope_session::{
    BlendedPose, Command, EditCommand, LibraryCommand, PoseSource, PosingCommand, Session, refusal,
};

use super::{Tab, bar};
use crate::asked_file::CORRECTED;
use crate::context_menu;
use crate::copied;
use crate::icons;
use crate::pose_library::{LibraryPose, PoseLibrary};
use crate::theme::{self, MARGIN, RADIUS, SMALL, colors};
use crate::value_row::ValueRow;
use crate::widgets::{chip, counted, describe, drop_down, elided, focus_ring, link, paint_line, press, text_button};

/// The width of a picture, the least one where the tables are low, and the height of the name below it, points.
const PICTURE: f32 = 104.0;
const LEAST_PICTURE: f32 = 48.0;
const NAME: f32 = 20.0;

/// The state of the page.
#[derive(Debug)]
pub(super) struct Poses {
    /// The file whose pose was applied last.
    chosen: Option<PathBuf>,
    share: f32,
    added: bool,
    limb: bool,
    /// Whether poses are shown as they are written, where they have a correction.
    plain: bool,
    /// The name of a pose to write.
    name: String,
    /// The other name of the chosen pose, while it is typed.
    renamed: Option<String>,
    /// The path of a folder, while it is typed.
    folder: Option<String>,
    pictures: Pictures,
}

/// Textures of the pictures, by file.
#[derive(Default)]
struct Pictures(HashMap<PathBuf, (Weak<LibraryPose>, TextureHandle)>);

impl fmt::Debug for Pictures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} pictures", self.0.len())
    }
}

impl Default for Poses {
    fn default() -> Self {
        let (chosen, renamed, folder) = (None, None, None);
        Self {
            chosen,
            share: 1.0,
            added: false,
            limb: false,
            plain: false,
            name: String::new(),
            renamed,
            folder,
            pictures: Pictures::default(),
        }
    }
}

/// Shows the page.
pub(super) fn show(
    ui: &mut Ui,
    session: &Session,
    tab: &mut Tab,
    state: &mut Poses,
    library: &PoseLibrary,
    commands: &mut Vec<Command>,
) {
    bar(
        ui,
        tab,
        330.0,
        |ui| {
            folder(ui, state, library, commands);
            keep(ui, state, commands);
        },
        None,
    );
    let chosen =
        state.chosen.as_ref().and_then(|path| library.poses.iter().find(|pose| pose.path == *path)).map(Arc::clone);
    if chosen.is_none() {
        (state.chosen, state.renamed) = (None, None);
    }
    state.pictures.0.retain(|_, (pose, _)| pose.strong_count() > 0);
    Frame::NONE.inner_margin(Margin { left: MARGIN, right: MARGIN, top: 0, bottom: 4 }).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.set_min_height(28.0);
            match chosen {
                Some(chosen) => settings(ui, session, state, &chosen, commands),
                None if library.poses.is_empty() => _ = ui.label(RichText::new(empty(library)).color(colors(ui).dim)),
                None => _ = ui.label(RichText::new("A click shows a pose.").color(colors(ui).dim)),
            }
            if let Some(name) = &library.removed {
                ui.label(RichText::new(format!("Deleted {name}.")).color(colors(ui).dim));
                if link(ui, "Bring it back", "Bring the deleted pose back").clicked() {
                    commands.push(LibraryCommand::BringBack.into());
                }
            }
        });
        // The names of the first row are seen, however low the tables are.
        let side = (ui.available_height() - NAME - 4.0).clamp(LEAST_PICTURE, PICTURE);
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            ui.horizontal_wrapped(|ui| {
                ui.spacing_mut().item_spacing = vec2(8.0, 8.0);
                for pose in &library.poses {
                    let asked = tile(ui, session, state, pose, side);
                    carry_out(ui, session, state, (pose, asked), commands);
                }
            });
        });
    });
}

fn empty(library: &PoseLibrary) -> String {
    match library.folder.as_os_str().is_empty() {
        true => "Reading…".to_owned(),
        false => {
            format!("There is no pose in {}. Type a name to keep the pose that is shown.", library.folder.display())
        }
    }
}

/// Shows the choice of the folder.
fn folder(ui: &mut Ui, state: &mut Poses, library: &PoseLibrary, commands: &mut Vec<Command>) {
    if let Some(typed) = &mut state.folder {
        let field = TextEdit::singleline(typed).desired_width(200.0).hint_text("Path of a folder");
        let response = ui.add(field);
        response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Folder of poses"));
        if !response.has_focus() && !response.lost_focus() {
            response.request_focus();
        }
        if response.lost_focus() {
            let path = PathBuf::from(typed.trim());
            if ui.input(|i| i.key_pressed(Key::Enter)) && path.is_dir() {
                commands.push(LibraryCommand::SetFolder(Some(path)).into());
            }
            state.folder = None;
        }
        return;
    }
    let name = library
        .folder
        .file_name()
        .map_or_else(|| library.folder.display().to_string(), |n| n.to_string_lossy().into_owned());
    let folder_note = if library.chosen { "" } else { ", and \"poses\" in it" };
    let help = format!("The poses of {}{folder_note}", library.folder.display());
    drop_down(ui, "Folder", &name, 130.0, &help, |ui| {
        if ui.selectable_label(!library.chosen, "Folder of the model").clicked() {
            commands.push(LibraryCommand::SetFolder(None).into());
        }
        if ui.selectable_label(false, "Choose a folder…").clicked() {
            commands.push(LibraryCommand::ChooseFolder.into());
        }
        if ui.selectable_label(false, "Type a folder").clicked() {
            state.folder = Some(library.folder.display().to_string());
        }
    });
}

/// Shows the field for the name of a new pose.
fn keep(ui: &mut Ui, state: &mut Poses, commands: &mut Vec<Command>) {
    let response = ui.add(TextEdit::singleline(&mut state.name).desired_width(130.0).hint_text("Name of a pose"));
    response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Name of a pose"));
    describe(&response, "The name of the file that the pose is written into");
    let named = !state.name.trim().is_empty();
    let entered = response.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
    let button = ui.add_enabled_ui(named, |ui| text_button(ui, None, "Keep", false)).inner;
    let button = button
        .on_hover_text("Write the pose that is shown into a file of this folder")
        .on_disabled_hover_text("Type a name first");
    if named && (entered || button.clicked()) {
        commands.push(LibraryCommand::Keep(state.name.trim().to_owned()).into());
        state.name.clear();
    }
}

/// Shows the name of the chosen pose, or the field in which another one is typed.
fn name(ui: &mut Ui, state: &mut Poses, chosen: &LibraryPose, commands: &mut Vec<Command>) {
    if let Some(typed) = &mut state.renamed {
        let response = ui.add(TextEdit::singleline(typed).desired_width(120.0));
        response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Other name of the pose"));
        if !response.has_focus() && !response.lost_focus() {
            response.request_focus();
        }
        if response.lost_focus() {
            let wanted = ui.input(|i| i.key_pressed(Key::Enter)) && *typed != chosen.name;
            if wanted {
                let folder = chosen.path.parent().unwrap_or(Path::new(""));
                let ending = chosen.path.file_name().map(|n| n.to_string_lossy()[chosen.name.len()..].to_owned());
                let other = folder.join(format!("{}{}", typed.trim(), ending.unwrap_or_default()));
                commands.push(LibraryCommand::Rename(chosen.path.clone(), typed.trim().to_owned()).into());
                state.chosen = Some(other);
            }
            state.renamed = None;
        }
    } else {
        let (galley, cut) = elided(ui, &chosen.name, theme::strong(13.0), colors(ui).text, 120.0);
        let (rect, response) = ui.allocate_exact_size(vec2(galley.size().x, theme::ROW), egui::Sense::hover());
        paint_line(ui, galley, rect.left(), rect.center().y, colors(ui).text);
        if cut {
            response.on_hover_text(&chosen.name);
        }
    }
}

/// Shows how the chosen pose is blended with the one that is shown.
fn settings(ui: &mut Ui, session: &Session, state: &mut Poses, chosen: &Arc<LibraryPose>, commands: &mut Vec<Command>) {
    let c = colors(ui);
    name(ui, state, chosen, commands);
    let applied = session.posing().blended_pose(session.edits());
    let applied = applied.filter(|applied| pose_of(state, chosen).is_some_and(|pose| Arc::ptr_eq(&applied.pose, pose)));
    // A drag that was given up, and a step back, bring back the share from before.
    state.share = applied.map_or(state.share, |applied| applied.share);
    let is_applied = applied.is_some();
    let row = ValueRow {
        name: "Share of the pose",
        help: "How much of the chosen pose there is in the blend: 0 % is what was shown before, 100 % the chosen pose",
        label: "Share",
        label_width: 36.0,
        color: c.text,
        value: 100.0 * state.share,
        range: 0.0..=100.0,
        home: 0.0,
        decimals: 0,
        unit: "%",
        edited: false,
    };
    let change = ui.allocate_ui(vec2(220.0, theme::ROW), |ui| row.show(ui)).inner;
    let mut again = false;
    if let Some(percent) = change.value {
        state.share = (percent / 100.0).clamp(0.0, 1.0);
        again = true;
    }
    let base = RichText::new(base(session, state.added)).font(theme::regular(SMALL + 1.0)).color(c.dim);
    ui.add(Label::new(base).extend())
        .on_hover_text("What the pose is blended with: what was shown before the click on it");
    let help = "Add that by which the pose differs from rest to what is shown, in place of going towards the pose";
    if chip(ui, "Added", state.added).on_hover_text(help).clicked() {
        state.added = !state.added;
        again |= is_applied;
    }
    let selected = session.view().selected;
    let limb = selected.and_then(|node| session.model()?.skeleton.names.get(node.index()));
    let limb_text = limb.filter(|name| !name.is_empty()).map_or_else(|| "selected joint".to_owned(), String::clone);
    let button =
        ui.add_enabled_ui(selected.is_some(), |ui| chip(ui, "Only below", state.limb && selected.is_some())).inner;
    let button = button.on_hover_text(format!("Act on {limb_text} and all below it alone"));
    if button.on_disabled_hover_text("Select a joint, and the pose acts on it and all below it alone").clicked() {
        state.limb = !state.limb;
        again |= is_applied;
    }
    if correction(ui, state, chosen) {
        if is_applied {
            // The other pose takes its place: it is not blended over it.
            commands.push(EditCommand::Undo.into());
        }
        again |= is_applied;
    }
    if again {
        apply_pose(session, state, chosen, commands);
    }
    // A switch is a step of its own, as the end of a drag is.
    if change.ended || again && change.value.is_none() {
        commands.push(EditCommand::EndEdit.into());
    }
    if state.renamed.is_none() && text_button(ui, None, "Rename", false).clicked() {
        state.renamed = Some(chosen.name.clone());
    }
    let delete = text_button(ui, None, "Delete", false);
    if delete.on_hover_text("Delete the file; it can be brought back until the window closes").clicked() {
        commands.push(LibraryCommand::Delete(chosen.path.clone()).into());
    }
}

/// Says over what a pose is blended.
fn base(session: &Session, added: bool) -> String {
    let playback = session.playback();
    let clip = playback.clip.and_then(|clip| session.model()?.clips.get(clip.index()));
    let shown = match (playback.source, clip) {
        (PoseSource::Rest, _) | (PoseSource::Clip, None) => "the rest pose".to_owned(),
        (PoseSource::Bind, _) => "the bind pose".to_owned(),
        (PoseSource::Clip, Some(clip)) => format!("{}, frame {}", clip.name, playback.frame_number()),
    };
    let below = session.posing().edits_below(session.edits());
    let edited = if below.nodes.is_empty() && below.morphs.is_empty() { "" } else { " with your edits" };
    if added { format!("added to {shown}{edited}") } else { format!("of the way from {shown}{edited}") }
}

/// Shows what of the pose has no counterpart, and the switch of the correction for the model that it was made on; returns whether that
/// was pressed.
fn correction(ui: &mut Ui, state: &mut Poses, chosen: &LibraryPose) -> bool {
    let Ok(report) = &chosen.pose else { return false };
    let unmatched = &report.pose.unmatched;
    if !unmatched.is_empty() {
        let text = counted(unmatched.len(), "name has no counterpart here", "names have no counterpart here");
        let text = RichText::new(text).font(theme::regular(SMALL + 1.0)).color(colors(ui).amber);
        ui.add(Label::new(text).extend()).on_hover_text(unmatched.join(", "));
    }
    let Some(made_on) = report.made_on.as_ref().filter(|_| chosen.plain.is_some()) else { return false };
    let label = format!("Correct for the rest pose of {}", made_on.name());
    let pressed = chip(ui, &label, !state.plain).on_hover_text(CORRECTED).clicked();
    state.plain ^= pressed;
    pressed
}

/// Returns the pose of a file, with or without the correction; `None` where the file cannot be read.
fn pose_of<'p>(state: &Poses, chosen: &'p LibraryPose) -> Option<&'p Arc<Resolved>> {
    let report = chosen.pose.as_ref().ok()?;
    Some(chosen.plain.as_ref().filter(|_| state.plain).unwrap_or(&report.pose))
}

fn apply_pose(session: &Session, state: &Poses, chosen: &LibraryPose, commands: &mut Vec<Command>) {
    if let Some(pose) = pose_of(state, chosen) {
        let limb = session.view().selected.filter(|_| state.limb);
        let (pose, share, added) = (Arc::clone(pose), state.share, state.added);
        commands.push(PosingCommand::Blend(BlendedPose { pose, share, added, limb }).into());
    }
}

/// What a click on a pose or its menu asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Asked {
    Show,
    Add,
    Mirrored,
    Rename,
    CopyPath,
    Delete,
}

/// Does what was asked of a pose.
fn carry_out(
    ui: &Ui,
    session: &Session,
    state: &mut Poses,
    (pose, asked): (&Arc<LibraryPose>, Option<Asked>),
    commands: &mut Vec<Command>,
) {
    let Some(asked) = asked else { return };
    match asked {
        Asked::Show | Asked::Add | Asked::Mirrored => {
            state.chosen = Some(pose.path.clone());
            (state.renamed, state.share) = (None, 1.0);
            state.added |= asked == Asked::Add;
            apply_pose(session, state, pose, commands);
            commands.push(EditCommand::EndEdit.into());
            if asked == Asked::Mirrored {
                commands.push(PosingCommand::Mirror.into());
            }
        }
        Asked::Rename => (state.chosen, state.renamed) = (Some(pose.path.clone()), Some(pose.name.clone())),
        Asked::CopyPath => copied::copy(ui, pose.path.display().to_string(), "the path of the pose"),
        Asked::Delete => commands.push(LibraryCommand::Delete(pose.path.clone()).into()),
    }
}

/// Shows the menu of a pose while it is open; returns what was chosen.
fn menu(response: &egui::Response, session: &Session, pose: &LibraryPose) -> Option<Asked> {
    let rows = [
        (Asked::Show, ("Show it", "Blend it with what is shown, as a click does")),
        (Asked::Add, ("Add it to what is shown", "Add that by which it differs from rest")),
        (Asked::Rename, ("Rename…", "Type another name for its file")),
        (Asked::CopyPath, ("Copy its path", "Put the path of its file on the clipboard")),
        (Asked::Delete, ("Delete", "Delete the file; it can be brought back until the window closes")),
        (Asked::Mirrored, ("Show it mirrored", "Show it, then exchange left and right of what is shown")),
    ];
    // The last row is for models that can be mirrored.
    let can_mirror = refusal(&PosingCommand::Mirror.into(), session).is_none();
    let offered = if can_mirror { rows.len() } else { rows.len() - 1 };
    let texts = rows.map(|(_, texts)| texts);
    let chosen = context_menu::choose(response, &pose.name, texts.get(..offered)?)?;
    rows.get(chosen).map(|(asked, _)| *asked)
}

/// Shows one pose with a picture `side` points wide; returns what a click on it or its menu asks for.
fn tile(ui: &mut Ui, session: &Session, state: &mut Poses, pose: &Arc<LibraryPose>, side: f32) -> Option<Asked> {
    let c = colors(ui);
    let is_chosen = state.chosen.as_ref() == Some(&pose.path);
    let resolved = pose_of(state, pose);
    let usable = resolved.is_some_and(|resolved| !resolved.nodes.is_empty() || !resolved.morphs.is_empty());
    let name = format!("Pose {}", pose.name);
    let size = vec2(side, side + NAME);
    let (rect, response) = ui.add_enabled_ui(usable, |ui| press(ui, size, &name, Some(is_chosen))).inner;
    if ui.is_rect_visible(rect) {
        let square = Rect::from_min_size(rect.min, Vec2::splat(side));
        let ground = if response.hovered() { c.hovered } else { c.raised };
        let edge = if is_chosen { Stroke::new(2.0, c.accent) } else { Stroke::new(1.0, c.line) };
        ui.painter().rect(square, CornerRadius::same(RADIUS), ground, edge, StrokeKind::Inside);
        match (picture(ui, state, pose), usable) {
            (Some(texture), _) => {
                let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
                let tint = if usable { Color32::WHITE } else { Color32::from_white_alpha(60) };
                ui.painter().image(texture, square.shrink(3.0), whole, tint);
            }
            (None, true) => {
                _ = ui.painter().text(square.center(), Align2::CENTER_CENTER, "…", theme::regular(16.0), c.dim)
            }
            (None, false) => {
                let at = square.center();
                ui.painter().text(at, Align2::CENTER_CENTER, icons::WARNING, theme::icon(24.0), c.dim);
            }
        }
        let ink = if usable { c.text } else { c.dim };
        let (galley, _) = elided(ui, &pose.name, theme::regular(SMALL + 1.0), ink, side - 4.0);
        let left = rect.center().x - 0.5 * galley.size().x;
        paint_line(ui, galley, left, rect.bottom() - 0.5 * NAME, ink);
        focus_ring(ui, rect, &response);
    }
    let asked = menu(&response, session, pose).or(response.clicked().then_some(Asked::Show));
    let tooltip = match &pose.pose {
        Err(why) => why.clone(),
        Ok(_) if !usable => format!("{}: nothing of it has a counterpart in this model", pose.name),
        Ok(report) => {
            let unmatched = report.pose.unmatched.len();
            let of_other = report.made_on.as_ref().filter(|_| report.is_corrected && !state.plain);
            let corrected = of_other.map(|other| format!("; corrected for the rest pose of {}", other.name()));
            let missing = (unmatched > 0).then(|| format!("; {unmatched} of its names have no counterpart here"));
            format!("{}{}{}", pose.name, corrected.unwrap_or_default(), missing.unwrap_or_default())
        }
    };
    response.on_hover_text(&tooltip).on_disabled_hover_text(&tooltip);
    asked
}

/// Returns the picture of a pose, as soon as it is drawn.
fn picture(ui: &Ui, state: &mut Poses, pose: &Arc<LibraryPose>) -> Option<egui::TextureId> {
    let rgba = pose.picture.get()?;
    let cached = state.pictures.0.get(&pose.path).filter(|(of, _)| of.as_ptr() == Arc::as_ptr(pose));
    if let Some((_, texture)) = cached {
        return Some(texture.id());
    }
    let image = ColorImage::from_rgba_unmultiplied([LibraryPose::PICTURE as usize; 2], rgba);
    let texture = ui.ctx().load_texture(&pose.name, image, TextureOptions::LINEAR);
    let id = texture.id();
    state.pictures.0.insert(pose.path.clone(), (Arc::downgrade(pose), texture));
    Some(id)
}
